/** The first rows of a list within the page of what they belong to, and the way to all of them. */
import type { ComponentChildren } from 'preact';
import type { Asked } from '../asked.ts';
import { usePageContext } from '../context.ts';
import type { Link } from '../route.ts';
import type { Listed } from '../wire/types.ts';
import { Failed, Loading, EmptyList, type EmptyWords } from './notices.tsx';

export interface FirstRowsProps<Row> {
  readonly title: string;
  /** `invoices` */
  readonly many: string;
  readonly asked: Asked<Listed<Row>>;
  /** With what was received since; drawn are the first `shownMax`. */
  readonly rows: readonly Row[];
  readonly shownMax: number;
  /** Where they are listed. */
  readonly all: Link;
  readonly empty: EmptyWords;
  readonly linesLoading?: number;
  readonly children: (rows: readonly Row[]) => ComponentChildren;
}

export function FirstRows<Row>({ asked: { value, failure, again }, rows, ...of }: FirstRowsProps<Row>) {
  const { to } = usePageContext();
  const { title, many, shownMax, all, empty, linesLoading = 2, children } = of;
  return (
    <section class="slip lone list" aria-labelledby={`${many}-of`}>
      <h2 id={`${many}-of`} class="of-list">
        {title}
      </h2>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null && failure === null && <Loading lines={linesLoading} what={`the ${many}`} />}
      {value !== null && rows.length === 0 && <EmptyList words={empty} />}
      {rows.length > 0 && children(rows.slice(0, shownMax))}
      {value !== null && value.total > shownMax && (
        <p class="list-foot">
          <a href={to(all)}>
            All {value.total} {many}
          </a>
        </p>
      )}
    </section>
  );
}
