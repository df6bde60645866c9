/** Navigation through a list of several pages. */
import { countText } from '../words/money.ts';
import { Glyph } from './marks.tsx';

export interface PagerProps {
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly addressOf: (page: number) => string;
  /** The items counted, in the plural. */
  readonly what: string;
}

export function Pager({ page, limit, total, addressOf, what }: PagerProps) {
  if (total <= limit && page === 1) return null;
  const last = Math.max(1, Math.ceil(total / limit));
  const from = (page - 1) * limit + 1;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <p class="soft">
        {from > total ? 'Past the end' : `${countText(from)} to ${countText(Math.min(total, page * limit))}`}{' '}
        of {countText(total)}
      </p>
      <div class="steps">
        {page > 1 && (
          <a class="step" href={addressOf(Math.min(page - 1, last))} rel="prev">
            <span class="turned">
              <Glyph name="arrow" />
            </span>
            Newer
          </a>
        )}
        {page < last && (
          <a class="step" href={addressOf(page + 1)} rel="next">
            Older
            <Glyph name="arrow" />
          </a>
        )}
      </div>
    </nav>
  );
}
