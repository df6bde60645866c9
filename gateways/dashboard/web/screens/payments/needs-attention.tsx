/** What waits for a person, with the way there; nothing is drawn while nothing waits. */
import { useScreenContext } from '../../context.ts';
import { refundsRoute, reviewsRoute, webhooksRoute } from '../../places.ts';
import type { Link } from '../../route.ts';
import type { Attention } from '../../wire/types.ts';
import { counted } from '../../words/money.ts';
import { Glyph } from '../../parts/marks.tsx';

const waits: readonly {
  readonly of: keyof Attention;
  readonly text: (count: number) => string;
  readonly link: Link;
}[] = [
  {
    of: 'reviews',
    text: (count) => counted(count, 'payment to review', 'payments to review'),
    link: reviewsRoute.at({}),
  },
  {
    of: 'refunds',
    text: (count) => counted(count, 'refund to pay out', 'refunds to pay out'),
    link: refundsRoute.at({ filters: { status: 'requires_action' } }),
  },
  {
    of: 'endpoints',
    text: (count) => counted(count, 'webhook endpoint fails', 'webhook endpoints fail'),
    link: webhooksRoute.at({}),
  },
];

export function NeedsAttention() {
  const { attention, to } = useScreenContext();
  const waiting = waits.flatMap(({ of, text, link }) => {
    const count = attention?.[of] ?? 0;
    return count === 0 ? [] : [{ of, text: text(count), link }];
  });
  if (waiting.length === 0) return null;
  return (
    <section class="attention" aria-labelledby="attention">
      <h2 id="attention">
        <Glyph name="eye" />
        Needs attention
      </h2>
      <ul>
        {waiting.map(({ of, text, link }) => (
          <li key={of}>
            <a href={to(link)}>
              {text}
              <Glyph name="arrow" />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
