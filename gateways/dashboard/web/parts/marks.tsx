/** Small drawings and texts used by every screen. */
import type { ComponentChildren } from 'preact';
import type { Glyph as HouseGlyph } from '../../../pages/glyphs.ts';
import type { ownGlyphs } from '../glyph-table.ts';
import { amountParts } from '../words/money.ts';
import { providerLabels } from '../words/providers.ts';
import { languageOfText, plain } from '../../../../src/kernel/text.ts';
import type { StateWords } from '../words/words.ts';

export type GlyphName = HouseGlyph | keyof typeof ownGlyphs;

/** Decorative: the words beside it carry the meaning. */
export const Glyph = ({ name }: { readonly name: GlyphName }) => (
  <span class={`glyph g-${name}`} aria-hidden="true" />
);

/** A provider's tile, in the shape and colour that buyers know from the hosted page. */
export const Tile = ({ provider }: { readonly provider: string }) => (
  <span class={`tile m-${Object.hasOwn(providerLabels, provider) ? provider : 'other'}`} aria-hidden="true" />
);

export const Tag = ({ words }: { readonly words: StateWords }) => (
  <span class={`tag ${words.tone}`}>
    <Glyph name={words.sign} />
    {words.word}
  </span>
);

/** Drawn in three sizes, read as one text. */
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

/** Text written by others: isolated from our text direction, and marked as Nepali when it is. */
export const UserText = ({ text }: { readonly text: string }) => (
  <bdi lang={languageOfText(text)}>{plain(text)}</bdi>
);

export const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** What is known of an object, by name; a part that is absent is left out. */
export const FactList = ({
  of,
}: {
  readonly of: readonly (readonly [name: string, value: ComponentChildren] | false)[];
}) => (
  <dl class="facts">
    {of.map(
      (each) =>
        each !== false && (
          <Fact key={each[0]} name={each[0]}>
            {each[1]}
          </Fact>
        ),
    )}
  </dl>
);
