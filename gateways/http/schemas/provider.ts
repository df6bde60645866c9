/** The names of providers in replies, and the Provider object. */
import { Type } from 'typebox';
import { shown } from '../route/description.ts';
import { flag, integer, object, oneOf, text, time } from './parts.ts';
import { providerNames, traitsOf } from '../../../src/providers/catalog.ts';

export const provider = Type.Enum([...providerNames], { description: 'The provider of the payment.' });

export const healths = oneOf(
  ['up', 'degraded', 'down'],
  '`down`: it does not answer. `degraded`: less than half of at least 20 attempts was paid.',
);

export const attempts15m = integer('Attempts of the last 15 minutes that have ended.');

export const providerHealth = shown(
  object('Provider', 'A provider, and how it fares now in this project and mode.', {
    id: Type.Enum([...providerNames], { description: 'Its name in this API.' }),
    label: text('Its name for people.'),
    configured: flag('It has credentials in this project and mode.'),
    enabled: flag('Buyers are offered it.'),
    appIntent: flag('Whether buyers may pay in its app: a phone opens it, a computer shows a QR code.'),
    health: healths,
    successRate15m: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'Share of the attempts that was paid, 0 to 1. null under 20 attempts.',
    }),
    attempts15m,
    checkedAt: time('When they were counted.'),
  }),
  {
    id: 'wallet_b',
    label: 'Wallet B',
    configured: true,
    enabled: true,
    appIntent: false,
    health: 'up',
    successRate15m: null,
    attempts15m: 0,
    checkedAt: '2026-11-21T15:33:10.950Z',
  },
);

/** Of a new project in the sandbox. */
export const allProviders = providerNames.map((id) => ({
  ...providerHealth.example,
  id,
  label: traitsOf(id).label,
}));
