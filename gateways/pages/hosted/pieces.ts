/** Small parts shared by several pages. */
import { glyph, type Glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';

/** The round icon above a heading; decorative, the heading carries the meaning. */
export const sign = (tone: 'good' | 'bad' | 'warn' | 'plain', name: Glyph): Html =>
  html`<div class="sign ${tone}">${glyph(name)}</div>`;

/** The spinner: waiting for something. */
export const turningSign: Html = html`<div class="sign turning" aria-hidden="true">${glyph('clock')}</div>`;

/** A heading that announces a result: screen readers announce it politely when it changes. */
export const verdict = (words: string): Html => html`<div role="status"><h1>${words}</h1></div>`;

/** Announced at once: what went wrong, and what to do. */
export const notice = (what: string, then: string, tone: 'warn' | 'bad' = 'warn'): Html =>
  html`<div class="notice ${tone}" role="alert">${glyph('note')}<p><strong>${what}</strong> ${then}</p></div>`;

export const soft = (words: string | Html): Html => html`<p class="soft">${words}</p>`;

/** One line of a list of facts (`dl.facts`). */
export const fact = (name: string, value: string | Html): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** A reference to copy. Without script it is selected whole by one click. */
export function copyable(reference: string, { texts }: Locale): Html {
  const { copy, copied } = texts.hosted.review;
  return html`<div class="copied-text"><p><span class="soft small" id="reference">${texts.common.facts.reference}</span>
<span class="code" data-copied-from>${reference}</span></p>
<button class="copy" type="button" data-copy data-copied="${copied}" aria-describedby="reference">${copy}</button>
<span class="unseen" role="status"></span></div>`;
}
