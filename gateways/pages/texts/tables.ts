/** The table of texts of each language. */
import type { Language } from '../../../actors/message/messages.ts';
import { en } from './en.ts';
import { ne } from './ne.ts';
import type { BuyerTexts } from './texts.ts';

export const buyerTexts: { readonly [language in Language]: BuyerTexts } = { en, ne };
