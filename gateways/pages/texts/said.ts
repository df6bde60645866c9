/** What merchants have written, within our texts. Pure. */
import { html, type Html } from '../html.ts';

/** Text written by a merchant: isolated from our text direction, and marked as Nepali when it is in
 *  Devanagari, so that a screen reader uses the right voice. */
export const said = (text: string): Html =>
  /\p{Script=Devanagari}/u.test(text)
    ? html`<bdi lang="ne">${plain(text)}</bdi>`
    : html`<bdi>${plain(text)}</bdi>`;

/** Removes characters that change the text direction: a name must not alter how the amount beside it reads. */
export const plain = (text: string): string =>
  text.replace(/[\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/g, '');
