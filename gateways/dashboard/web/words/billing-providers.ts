/** The providers that an invoice can prefer. The others are on its page, too. */
import { providerForms } from './providers.ts';
import { providerWord } from './words.ts';

/** `none`: the words for no preference. */
export const preferenceChoices = (none: string): readonly (readonly [string, string])[] => [
  ['', none],
  ...providerForms.filter(({ inBilling }) => inBilling).map(({ id }) => [id, providerWord(id)] as const),
];
