/** A list of one page: its rows, or why there are none; the button that shows what came in the meantime; and
 *  the steps to the other pages. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Asked } from '../asked.ts';
import { usePageContext } from '../context.ts';
import type { Listed } from '../wire/types.ts';
import { counted } from '../words/money.ts';
import { Glyph } from './marks.tsx';
import { Empty, Failed, Loading } from './notices.tsx';
import { Pager } from './pager.tsx';

/** The rows to draw, from the API's answer and what was received since. */
export interface ShownRows<Row> {
  readonly rows: readonly Row[];
  /** Absent: as the API counted. */
  readonly total?: number;
  /** How many newer ones are not on this page; shown only on the first one. */
  readonly unlisted?: number;
}

export interface PagedListProps<Row> {
  readonly asked: Asked<Listed<Row>>;
  /** `['refund', 'refunds']`. */
  readonly what: readonly [one: string, many: string];
  readonly page: number;
  readonly addressOf: (page: number) => string;
  readonly shown: (listed: Listed<Row>) => ShownRows<Row>;
  /** Shown when there is no row. */
  readonly empty: ComponentChildren;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}

export function PagedList<Row>(props: PagedListProps<Row>) {
  const { asked, what, page, addressOf, shown, empty, children } = props;
  const [one, many] = what;
  const { value, failure, again } = asked;
  const list = value === null ? null : shown(value);
  const total = list?.total ?? value?.total ?? null;
  useAnnouncedCount(addressOf(1), total, what);
  if (value === null || list === null) {
    if (failure === null) return <Loading lines={5} what={many} />;
    return <Failed failure={failure} again={again} whole />;
  }
  const unlisted = page === 1 ? (list.unlisted ?? 0) : 0;
  return (
    <>
      {failure !== null && <Failed failure={failure} again={again} />}
      {unlisted > 0 && (
        <button type="button" class="more" onClick={again}>
          <Glyph name="down" />
          Show {counted(unlisted, `new ${one}`, `new ${many}`)}
        </button>
      )}
      {list.rows.length === 0 ? empty : children(list.rows)}
      <Pager page={page} limit={value.limit} total={total ?? value.total} addressOf={addressOf} what={many} />
    </>
  );
}

/** The result of a chosen filter is announced here; live changes are announced elsewhere. */
function useAnnouncedCount(
  filter: string,
  total: number | null,
  [one, many]: readonly [string, string],
): void {
  const { announce } = usePageContext();
  const announced = useRef<string | null>(null);
  useEffect(() => {
    if (total === null) return;
    if (announced.current !== null && announced.current !== filter) announce(`${counted(total, one, many)}.`);
    announced.current = filter;
  }, [filter, total === null]);
}

export interface NoMatchProps {
  /** `No refund is like that`. */
  readonly title: string;
  /** The filters it answers. */
  readonly answerTo: object;
  /** `refunds` */
  readonly many: string;
  /** The address of the whole list. */
  readonly all: string;
  readonly sign?: 'search' | 'check';
  readonly children?: ComponentChildren;
}

/** No row passes the filter. */
export const NoMatch = ({ title, answerTo, many, all, sign = 'search', children }: NoMatchProps) => (
  <Empty sign={sign} title={title} answerTo={answerTo}>
    {children}
    <a class="button second" href={all}>
      Show all {many}
    </a>
  </Empty>
);
