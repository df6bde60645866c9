/** Small drawings of our own: glyphs take the colour of the text around them (masks in the stylesheet),
 *  marks represent a provider as a tile. Neutral on purpose: no provider's own logo is drawn here. */
import { html, type Html } from './html.ts';

/** A line drawing with strokes two units thick, on a 24-unit grid. */
export const stroke = (path: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#000" stroke-width="2" ` +
  `stroke-linecap="round" stroke-linejoin="round">${path}</svg>`;

const glyphs = {
  arrow: stroke('<path d="M5 12h14M13 6l6 6-6 6"/>'),
  check: stroke('<path stroke-width="2.5" d="M4.5 12.5l5 5 10-11"/>'),
  cross: stroke('<path stroke-width="2.5" d="M6 6l12 12M18 6L6 18"/>'),
  clock: stroke('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2"/>'),
  eye: stroke(
    '<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/>' +
      '<circle cx="12" cy="12" r="3"/>',
  ),
  halt: stroke('<circle cx="12" cy="12" r="9"/><path d="M6 18L18 6"/>'),
  lock: stroke('<rect x="5" y="10.5" width="14" height="10" rx="2.5"/><path d="M8 10.5V7.5a4 4 0 018 0v3"/>'),
  note: stroke('<path d="M12 8v5M12 16.5v.01"/><circle cx="12" cy="12" r="9"/>'),
  back: stroke('<path d="M9 3L4 8l5 5M4 8h10a6 6 0 010 12h-4"/>'),
  down: stroke('<path d="M6 9l6 6 6-6"/>'),
  till: stroke(
    '<path d="M4.5 11h15v7.5a1.5 1.5 0 01-1.5 1.5H6a1.5 1.5 0 01-1.5-1.5z"/>' +
      '<path d="M7.5 11V4.5h9V11M10.5 7.5h3M10 15.5h4"/>',
  ),
  list: stroke('<rect x="3.5" y="4.5" width="17" height="15" rx="2.5"/><path d="M3.5 10h17M8 14.5h8"/>'),
  flask: stroke(
    '<path d="M9.5 3.5h5M10.5 3.5v6L5 18.5a1.5 1.5 0 001.3 2h11.4a1.5 1.5 0 001.3-2l-5.5-9v-6M8 15h8"/>',
  ),
  book: stroke('<path d="M5 18V6a2 2 0 012-2h12v16H7a2 2 0 010-4h12"/>'),
} as const;

export type Glyph = keyof typeof glyphs;

const asData = (svg: string): string =>
  `data:image/svg+xml,${encodeURIComponent(svg).replaceAll("'", '%27')}`;

/** One rule per glyph of a table of drawings. */
export const glyphRules = (drawings: { readonly [name: string]: string }): string =>
  Object.entries(drawings)
    .map(
      ([name, svg]) =>
        `.g-${name}{-webkit-mask:url("${asData(svg)}") center/contain no-repeat;` +
        `mask:url("${asData(svg)}") center/contain no-repeat}\n`,
    )
    .join('');

/** One rule per glyph of every page. */
export const glyphCss: string = glyphRules(glyphs);

/** Decorative: the words beside it carry the meaning. */
export const glyph = (name: Glyph): Html => html`<span class="glyph g-${name}" aria-hidden="true"></span>`;
