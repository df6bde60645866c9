/** One statement: what came out, and its rows by their result. */
import { detailScreenOf, type DetailProps } from '../../detail-screen.tsx';
import { useEffect, useRef } from 'preact/hooks';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { queryOf } from '../../lists/filters.ts';
import { ListSection, type ListSpec, type RowsProps } from '../../parts/list-section.tsx';
import { FactList, Glyph, UserText, Tag, Tile } from '../../parts/marks.tsx';
import { StatementRow } from './statement-row.tsx';
import { When } from '../../parts/when.tsx';
import { reconciliationEntry, statementRoute } from '../../places.ts';
import type { Statement, StatementItem } from '../../wire/types.ts';
import { counted, countText } from '../../words/money.ts';
import { outcomeText, resultCounts, resultStates, statementState } from '../../words/statements.ts';
import { longDayText } from '../../words/time.ts';
import { providerWord } from '../../words/words.ts';

interface Params {
  readonly id: string;
  readonly filters: (typeof statementRoute)['none'];
}

export const statement = detailScreenOf({
  route: statementRoute,
  navigation: reconciliationEntry,
  follows: ['statement'],
  kind: 'Statement',
  idWord: 'statement id',
  idOf: ({ id }) => id,
  back: ['Reconciliation', reconciliationEntry.link],
  load: ({ api, place }, { id }) => ({
    key: `statement ${id}`,
    ask: () => api.call('GET /v1/reconciliation/statements/{id}', place, { id }),
  }),
  newest: (answered) => answered,
  name: ({ fileName }) => fileName,
  heading: () => 'Statement',
  linesLoading: 4,
  view: Whole,
});

function Whole({ known, params }: Pick<DetailProps<Statement, Params>, 'known' | 'params'>) {
  useAnnouncedEnd(known);
  return (
    <>
      <Summary statement={known} />
      {known.status !== 'failed' && <Items statement={known} params={params} />}
    </>
  );
}

/** Whoever waits for the comparison hears what came out. */
function useAnnouncedEnd(one: Statement | null): void {
  const { announce } = useScreenContext();
  const before = useRef(one?.status ?? null);
  const status = one?.status ?? null;
  useEffect(() => {
    if (before.current === 'processing' && one !== null && status !== 'processing')
      announce(`${outcomeText(one)}${one.status === 'failed' ? '' : '.'}`);
    before.current = status;
  }, [status]);
}

function Summary({ statement: one }: { readonly statement: Statement }) {
  const { now } = useScreenContext();
  return (
    <section class="slip lone act" aria-label="What it is">
      <div class="tags">
        <Tag words={statementState(one)} />
      </div>
      {one.status === 'failed' && (
        <div class="notice bad">
          <Glyph name="note" />
          <div>
            <strong>{one.failureReason ?? 'It could not be read.'}</strong>
            Nothing was compared. Correct the file or choose other columns, then upload it again.
          </div>
        </div>
      )}
      {one.status === 'processing' && (
        <div class="progress">
          <progress aria-label="Comparing" />
          <p>{counted(one.rows, 'row')} compared so far</p>
        </div>
      )}
      <FactList
        of={[
          ['File', <UserText text={one.fileName ?? 'without a name'} />],
          [
            'Provider',
            <span class="with-tile">
              <Tile provider={one.provider} />
              {providerWord(one.provider)}
            </span>,
          ],
          one.status === 'done' && ['Rows', countText(one.rows)],
          one.dateFrom !== null && one.dateTo !== null && ['Its days', daysText(one.dateFrom, one.dateTo)],
          ['Uploaded', <When at={one.createdAt} now={now} />],
        ]}
      />
    </section>
  );
}

/** `dateTo` is the midnight after the last day. */
function daysText(dateFrom: string, dateTo: string): string {
  const [first, last] = [longDayText(Date.parse(dateFrom)), longDayText(Date.parse(dateTo) - 1)];
  return first === last ? first : `${first} to ${last}`;
}

interface ItemsProps {
  readonly statement: Statement;
  readonly params: Params;
}

function Items({ statement: one, params }: ItemsProps) {
  const { api, place } = useScreenContext();
  const { status, page } = params.filters;
  const query = queryOf({ page, result: status });
  const asked = useAsked(`statement items ${one.id} ${query} ${one.status}`, () =>
    api.call('GET /v1/reconciliation/statements/{id}/items', place, { id: one.id, query }),
  );
  return <ListSection spec={itemsOf(one)} params={params} asked={asked} />;
}

const itemsOf = (one: Statement): ListSpec<StatementItem, Params> => ({
  route: statementRoute,
  what: ['row', 'rows'],
  label: 'Rows',
  controls: {
    chips: {
      name: 'Result',
      of: 'status',
      choices: [
        ['', 'All'],
        ...resultCounts(one).map(
          ([result, count]) => [result, `${resultStates[result].word} ${countText(count)}`] as const,
        ),
      ],
    },
  },
  rows: Rows,
  empty: {
    sign: 'note',
    title: one.rows === 0 ? 'The file has no rows' : 'There are no more rows',
    text: 'It has a header line, and nothing to compare below it.',
  },
  noMatch: { sign: 'check', title: 'No row is like that' },
  isComing: one.status === 'processing',
});

function Rows({ rows }: Pick<RowsProps<StatementItem, Params['filters']>, 'rows'>) {
  return (
    <ol class="rows statement-rows">
      {rows.map((item) => (
        <StatementRow key={`${item.line ?? ''} ${item.paymentId ?? ''}`} item={item} />
      ))}
    </ol>
  );
}
