/** One statement: what came out, and its rows by their result. */
import { useEffect, useRef } from 'preact/hooks';
import { useAsked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { queryOf } from '../../lists/filters.ts';
import { BackLink } from '../../parts/back-link.tsx';
import { Id } from '../../parts/copy.tsx';
import { ListSection, type ListSpec, type RowsProps } from '../../parts/list-section.tsx';
import { Fact, Glyph, Said, Tag, Tile } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/notices.tsx';
import { StatementRow } from '../../parts/statement-row.tsx';
import { When } from '../../parts/when.tsx';
import { reconciliationEntry, statementRoute } from '../../places.ts';
import { screen, type Viewed } from '../../screen.tsx';
import type { Statement, StatementItem } from '../../wire/statement-api.ts';
import { counted, countText } from '../../words/money.ts';
import { outcomeText, resultCounts, resultStates, statementState } from '../../words/statements.ts';
import { longDayText } from '../../words/time.ts';
import { providerWord } from '../../words/words.ts';

export const statement = screen({
  route: statementRoute,
  title: ({ id }, known) => `${known?.fileName ?? id} · Statement`,
  navigation: reconciliationEntry,
  follows: ['statement'],
  load: ({ api, place }, { id }) => ({ key: `statement ${id}`, ask: () => api.statement(place, id) }),
  view: OneStatement,
});

interface Params {
  readonly id: string;
  readonly filters: (typeof statementRoute)['none'];
}

function OneStatement({ params, asked }: Viewed<Params, Statement>) {
  const { to } = useScreenContext();
  const { value, failure, again } = asked;
  useAnnouncedEnd(value);
  return (
    <main class="page" id="main">
      <BackLink to={to(reconciliationEntry.link)}>Reconciliation</BackLink>
      <div class="heading">
        <h1 tabIndex={-1}>Statement</h1>
        <Id id={params.id} what="statement id" />
      </div>
      {failure !== null && <Failed failure={failure} again={again} whole={value === null} />}
      {value === null && failure === null && <Loading lines={4} what="the statement" />}
      {value !== null && (
        <>
          <Summary statement={value} />
          {value.status !== 'failed' && <Items statement={value} params={params} />}
        </>
      )}
    </main>
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
      <dl class="facts">
        <Fact name="File">
          <Said text={one.fileName ?? 'without a name'} />
        </Fact>
        <Fact name="Provider">
          <span class="with-tile">
            <Tile provider={one.provider} />
            {providerWord(one.provider)}
          </span>
        </Fact>
        {one.status === 'done' && <Fact name="Rows">{countText(one.rows)}</Fact>}
        {one.dateFrom !== null && one.dateTo !== null && (
          <Fact name="Its days">{daysText(one.dateFrom, one.dateTo)}</Fact>
        )}
        <Fact name="Uploaded">
          <When at={one.createdAt} now={now} />
        </Fact>
      </dl>
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
    api.statementItems(place, one.id, query),
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
