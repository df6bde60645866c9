/** The names of providers in replies. */
import { Type } from 'typebox';
import { providerNames } from '../../../src/providers/catalog.ts';

export const provider = Type.Enum([...providerNames], { description: 'The provider of the payment.' });
