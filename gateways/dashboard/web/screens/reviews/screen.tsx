/** The review queue: the payments whose provider was not clear, and the reviews that have ended. */
import { useEffect, useRef } from 'preact/hooks';
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import { reviewMarks } from '../../live/attention-marks.ts';
import { type RowsProps } from '../../parts/list-section.tsx';
import { EmptyList } from '../../parts/notices.tsx';
import { EndedReview, OpenReview } from './review-item.tsx';
import { useDescriptions } from '../../parts/use-descriptions.ts';
import { reviewsEntry, reviewsRoute } from '../../places.ts';
import type { ReviewItem } from '../../wire/types.ts';
import { isMismatch } from './reviews.ts';

type ReviewFilters = (typeof reviewsRoute)['none'];

export const reviews = listScreen({
  route: reviewsRoute,
  title: 'Review queue',
  navigation: reviewsEntry,
  follows: [],
  from: 'GET reviews',
  what: ['review', 'reviews'],
  label: 'Reviews',
  lead: (
    <>
      Payments whose provider was not clear. Nobody can mark one as paid: only the provider’s own answer does.
      If it confirms another amount, you keep that or refund it.
    </>
  ),
  above: AgainOnNews,
  controls: {
    chips: {
      name: 'State',
      of: 'status',
      choices: [
        ['', 'To review'],
        ['ended', 'Ended'],
      ],
    },
  },
  rows: Rows,
  empty: NoReview,
});

function Rows({ rows, filters, again }: RowsProps<ReviewItem, ReviewFilters>) {
  const descriptions = useDescriptions(rows.map(({ payment }) => payment));
  const isEnded = filters.status === 'ended';
  return (
    <ul class="rows reviews">
      {(isEnded ? rows : mismatchesFirst(rows)).map((item) => {
        const description = descriptions.get(item.payment.sessionId) ?? null;
        return isEnded ? (
          <EndedReview key={item.payment.id} item={item} description={description} />
        ) : (
          <OpenReview key={item.payment.id} item={item} description={description} onChanged={again} />
        );
      })}
    </ul>
  );
}

/** Where the books differ comes first; each part stays newest first. */
const mismatchesFirst = (rows: readonly ReviewItem[]): readonly ReviewItem[] => [
  ...rows.filter(isMismatch),
  ...rows.filter((item) => !isMismatch(item)),
];

/** A review that opens or ends elsewhere is asked for. The marks of the first snapshot are not news: the list is first
 *  asked for after it. */
function AgainOnNews({ again }: { readonly again: () => void }) {
  const { liveState, isReady } = useScreenContext();
  const marks = isReady ? reviewMarks(liveState.payments) : null;
  const known = useRef(marks);
  useEffect(() => {
    if (marks === null || known.current === marks) return;
    const isFirst = known.current === null;
    known.current = marks;
    if (!isFirst) again();
  }, [marks, again]);
  return null;
}

function NoReview({ filters }: { readonly filters: ReviewFilters }) {
  return (
    <EmptyList
      words={
        filters.status === 'ended'
          ? {
              sign: 'list',
              title: 'No review has ended yet',
              text: 'Each one is kept here with who ended it, when and why.',
            }
          : {
              sign: 'check',
              title: 'Nothing to review',
              text: (
                <>
                  A payment comes here when its provider names another amount, says something we do not know,
                  or takes back what it said. You then see why, can ask the provider again, and end the review
                  with a reason.
                </>
              ),
            }
      }
    />
  );
}
