/** What merchants have written, within our texts. Pure. */
import { languageOfText, plain } from '../../../src/kernel/text.ts';
import { html, type Html } from '../html.ts';

/** Text written by a merchant: isolated from our text direction, and marked as Nepali when it is in
 *  Devanagari, so that a screen reader uses the right voice. */
export const userText = (text: string): Html =>
  languageOfText(text) === 'ne' ? html`<bdi lang="ne">${plain(text)}</bdi>` : html`<bdi>${plain(text)}</bdi>`;
