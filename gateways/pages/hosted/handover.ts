/** The step to a provider that needs its fields posted by the browser (kind `form`): a form of its own,
 *  submitted by the script or by the button. */
import { glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';
import { hostedPage, type PageOrder } from './frame.ts';
import { soft } from './pieces.ts';

export interface Handover {
  readonly locale: Locale;
  readonly sheet: PageOrder;
  readonly label: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: { readonly [name: string]: string };
}

export function handoverPage(of: Handover): string {
  const { continueTo, thereAndBack } = of.locale.texts.hosted.chooser;
  const heading = continueTo(of.label);
  return hostedPage({
    title: heading,
    locale: of.locale,
    sheet: of.sheet,
    main: html`<h1>${heading}</h1>
${soft(thereAndBack)}
<form method="${of.method.toLowerCase()}" action="${of.url}" data-auto="yes">
${Object.entries(of.fields).map(hiddenField)}
<button class="button" type="submit">${heading}${glyph('arrow')}</button>
</form>`,
  });
}

const hiddenField = ([name, value]: readonly [string, string]): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;
