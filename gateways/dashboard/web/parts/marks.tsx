/** Small drawings and texts every screen is made of. */
import type { ComponentChildren } from 'preact';
import type { Glyph as HouseGlyph } from '../../../pages/glyphs.ts';
import type { ownGlyphs } from '../glyph-table.ts';
import { amountParts } from '../words/money.ts';
import { providerLabels } from '../words/providers.ts';
import { languageOf, plain, type StateWords } from '../words/words.ts';

export type GlyphName = HouseGlyph | keyof typeof ownGlyphs;

/** Decoration: what it says stands in the words beside it. */
export const Glyph = ({ name }: { readonly name: GlyphName }) => (
  <span class={`glyph g-${name}`} aria-hidden="true" />
);

/** A provider's tile, in the shape and colour buyers know from the hosted page. */
export const Tile = ({ provider }: { readonly provider: string }) => (
  <span class={`tile m-${Object.hasOwn(providerLabels, provider) ? provider : 'other'}`} aria-hidden="true" />
);

export const Tag = ({ words }: { readonly words: StateWords }) => (
  <span class={`tag ${words.tone}`}>
    <Glyph name={words.sign} />
    {words.word}
  </span>
);

/** Seen in three sizes, read as one text. */
export function Amount({ paisa }: { readonly paisa: number }) {
  const parts = amountParts(paisa);
  return (
    <span class="money">
      <span class="unseen">{parts.whole}</span>
      <span aria-hidden="true">
        <span class="unit">{parts.unit}</span>
        {parts.rupees}
        <span class="paisa">{parts.paisa}</span>
      </span>
    </span>
  );
}

/** What somebody else wrote: kept apart from the direction of our words, and named as Nepali when it is. */
export const Said = ({ text }: { readonly text: string }) => <bdi lang={languageOf(text)}>{plain(text)}</bdi>;

export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
