/** The step to a provider that needs its fields posted by the browser (kind `form`): a form of its own,
 *  submitted by the script or by the button. */
import { glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { thereAndBack } from './chooser.ts';
import { hostedPage, type PageOrder } from './frame.ts';

export interface Handover {
  readonly sheet: PageOrder;
  readonly label: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: { readonly [name: string]: string };
}

export const handoverPage = (of: Handover): string =>
  hostedPage({
    title: `Continue to ${of.label}`,
    sheet: of.sheet,
    main: html`<h1>Continue to ${of.label}</h1>
${thereAndBack}
<form method="${of.method.toLowerCase()}" action="${of.url}" data-auto="yes">
${Object.entries(of.fields).map(hiddenField)}
<button class="button" type="submit">Continue to ${of.label}${glyph('arrow')}</button>
</form>`,
  });

const hiddenField = ([name, value]: readonly [string, string]): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`;
