/** The review queue: the payments whose provider was not clear, and the reviews that have ended. */
import { useEffect, useRef } from 'preact/hooks';
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { statusQuery } from '../../lists/status-filters.ts';
import { reviewMarks } from '../../live/attention-marks.ts';
import { Chips } from '../../parts/chips.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { EndedReview, OpenReview } from '../../parts/review-item.tsx';
import { useDescriptions } from '../../parts/use-descriptions.ts';
import { screen, type Viewed } from '../../screen.tsx';
import type { ReviewItem } from '../../wire/review-api.ts';
import { isMismatch } from '../../words/reviews.ts';
import type { Listed } from '../../wire/types.ts';
import { reviewsEntry, reviewsRoute, type ReviewFilters } from './route.ts';

export const reviews = screen({
  route: reviewsRoute,
  title: 'Review queue',
  navigation: reviewsEntry,
  follows: [],
  load: ({ api, place }, { filters }) => {
    const query = statusQuery(filters);
    return { key: `reviews ${query}`, ask: () => api.reviews(place, query) };
  },
  view: Reviews,
});

interface ListProps {
  readonly filters: ReviewFilters;
  readonly asked: Asked<Listed<ReviewItem>>;
}

function Reviews({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: ReviewFilters }, Listed<ReviewItem>>) {
  const { to } = useScreenContext();
  useAgainOnNews(asked.again);
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Review queue</h1>
      <p class="lead soft">
        Payments whose provider was not clear. Nobody can mark one as paid: only the provider’s own answer
        does. If it confirms another amount, you keep that or refund it.
      </p>
      <section class="slip lone list" aria-label="Reviews">
        <div class="filters">
          <Chips
            name="State"
            value={filters.status}
            choices={states}
            addressOf={(status) => to(reviewsRoute.at({ filters: { status, page: 1 } }))}
          />
        </div>
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

const states: readonly (readonly [ReviewFilters['status'], string])[] = [
  ['', 'To review'],
  ['ended', 'Ended'],
];

function List({ filters, asked }: ListProps) {
  const { to } = useScreenContext();
  const isEnded = filters.status === 'ended';
  return (
    <PagedList
      asked={asked}
      what={['review', 'reviews']}
      page={filters.page}
      addressOf={(page) => to(reviewsRoute.at({ filters: { ...filters, page } }))}
      shown={({ data: rows }) => ({ rows })}
      empty={isEnded ? <NoneEnded /> : <NothingToReview />}
    >
      {(rows) => <Rows rows={rows} isEnded={isEnded} onChanged={asked.again} />}
    </PagedList>
  );
}

interface RowsProps {
  readonly rows: readonly ReviewItem[];
  readonly isEnded: boolean;
  readonly onChanged: () => void;
}

function Rows({ rows, isEnded, onChanged }: RowsProps) {
  const descriptions = useDescriptions(rows.map(({ payment }) => payment));
  return (
    <ul class="reviews">
      {(isEnded ? rows : mismatchesFirst(rows)).map((item) => {
        const description = descriptions.get(item.payment.sessionId) ?? null;
        return isEnded ? (
          <EndedReview key={item.payment.id} item={item} description={description} />
        ) : (
          <OpenReview key={item.payment.id} item={item} description={description} onChanged={onChanged} />
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
function useAgainOnNews(again: () => void): void {
  const { liveState, isReady } = useScreenContext();
  const marks = isReady ? reviewMarks(liveState.payments) : null;
  const known = useRef(marks);
  useEffect(() => {
    if (marks === null || known.current === marks) return;
    const isFirst = known.current === null;
    known.current = marks;
    if (!isFirst) again();
  }, [marks, again]);
}

const NothingToReview = () => (
  <Empty sign="check" title="Nothing to review">
    <p class="soft">
      A payment comes here when its provider names another amount, says something we do not know, or takes
      back what it said. You then see why, can ask the provider again, and end the review with a reason.
    </p>
  </Empty>
);

const NoneEnded = () => (
  <Empty sign="list" title="No review has ended yet">
    <p class="soft">Each one is kept here with who ended it, when and why.</p>
  </Empty>
);
