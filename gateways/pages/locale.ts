/** The language that a page is written in, and the switch to the other one. Pure. */
import type { Language } from '../../actors/message/messages.ts';
import { html, type Html } from './html.ts';
import { buyerTexts } from './texts/tables.ts';
import type { BuyerTexts } from './texts/texts.ts';

export interface Locale {
  readonly language: Language;
  readonly texts: BuyerTexts;
  /** The path and query where the switch opens this page again; null: it has no switch. */
  readonly here: string | null;
}

export const localeIn = (language: Language, here: string | null): Locale => ({
  language,
  texts: buyerTexts[language],
  here,
});

/** For pages that exist only in English. */
export const english: Locale = localeIn('en', null);

/** The query parameter that chooses a language. */
export const languageParameter = 'lang';

/** Each language is named in itself, for those who read only that one. */
const names: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['ne', 'नेपाली'],
];

/** Plain links: they work without script, and open the same page. */
export const languageSwitch = ({ language, texts, here }: Locale): Html | null =>
  here === null
    ? null
    : html`<nav class="languages" aria-label="${texts.common.language}">
${names.map(([each, name]) =>
  each === language
    ? html`<span aria-current="true">${name}</span>`
    : html`<a href="${inLanguage(here, each)}" lang="${each}" hreflang="${each}" rel="nofollow">${name}</a>`,
)}
</nav>`;

/** The same address with this language. */
function inLanguage(here: string, language: Language): string {
  const mark = here.indexOf('?');
  const parameters = new URLSearchParams(mark < 0 ? '' : here.slice(mark));
  parameters.set(languageParameter, language);
  return `${mark < 0 ? here : here.slice(0, mark)}?${parameters.toString()}`;
}
