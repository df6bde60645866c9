/** Reconciliation: a provider's statement is uploaded here, and earlier ones are listed. */
import type { Asked } from '../../asked.ts';
import { useScreenContext } from '../../context.ts';
import { statusQuery, unfiltered } from '../../lists/status-filters.ts';
import { Glyph, Said, Tag, Tile } from '../../parts/marks.tsx';
import { Empty } from '../../parts/notices.tsx';
import { PagedList } from '../../parts/paged-list.tsx';
import { StatementUpload } from '../../parts/statement-upload.tsx';
import { Ago } from '../../parts/when.tsx';
import { screen, type Viewed } from '../../screen.tsx';
import type { Statement } from '../../wire/statement-api.ts';
import type { Listed } from '../../wire/types.ts';
import { firstMismatch, mismatchesOf, outcomeText, statementStates } from '../../words/statements.ts';
import { providerWord, wordsOf, type StateWords } from '../../words/words.ts';
import { statementRoute } from '../statement/route.ts';
import { reconciliationEntry, reconciliationRoute, type StatementFilters } from './route.ts';

export const reconciliation = screen({
  route: reconciliationRoute,
  title: 'Reconciliation',
  navigation: reconciliationEntry,
  follows: ['statement'],
  load: ({ api, place }, { filters }) => {
    const query = statusQuery(filters);
    return { key: `statements ${query}`, ask: () => api.statements(place, query) };
  },
  view: Reconciliation,
});

interface ListProps {
  readonly filters: StatementFilters;
  readonly asked: Asked<Listed<Statement>>;
}

function Reconciliation({
  params: { filters },
  asked,
}: Viewed<{ readonly filters: StatementFilters }, Listed<Statement>>) {
  const { to, go } = useScreenContext();
  return (
    <main class="page" id="main">
      <h1 tabIndex={-1}>Reconciliation</h1>
      <p class="lead soft">
        Compare the list of payments that a provider gives you with the payments here. Nothing of a payment
        changes but its fee.
      </p>
      <StatementUpload onDone={({ id }) => go(to(statementRoute.at({ id, filters: unfiltered })))} />
      <section class="slip lone list" aria-label="Statements">
        <List filters={filters} asked={asked} />
      </section>
    </main>
  );
}

function List({ filters, asked }: ListProps) {
  const { to } = useScreenContext();
  return (
    <PagedList
      asked={asked}
      what={['statement', 'statements']}
      page={filters.page}
      addressOf={(page) => to(reconciliationRoute.at({ filters: { ...filters, page } }))}
      shown={({ data: rows }) => ({ rows })}
      empty={<NoStatement />}
    >
      {(rows) => (
        <ul class="statements">
          {rows.map((statement) => (
            <StatementLine key={statement.id} statement={statement} />
          ))}
        </ul>
      )}
    </PagedList>
  );
}

function StatementLine({ statement }: { readonly statement: Statement }) {
  const { to, now } = useScreenContext();
  const { id, provider, fileName } = statement;
  return (
    <li class="row statement">
      <Tag words={stateOf(statement)} />
      <div class="words">
        <a
          class="whole"
          href={to(statementRoute.at({ id, filters: { status: firstMismatch(statement), page: 1 } }))}
        >
          <Said text={fileName ?? `Statement ${id.slice(4, 10)}`} />
        </a>
        <span class="soft">{outcomeText(statement)}</span>
      </div>
      <span class="with-tile">
        <Tile provider={provider} />
        {providerWord(provider)}
      </span>
      <span class="soft end">
        <Ago at={statement.createdAt} now={now} />
      </span>
      <Glyph name="arrow" />
    </li>
  );
}

export const stateOf = (statement: Statement): StateWords =>
  statement.status === 'done' && mismatchesOf(statement) > 0
    ? { word: 'Mismatches', tone: 'warn', sign: 'eye' }
    : wordsOf(statementStates, statement.status);

const NoStatement = () => (
  <Empty sign="list" title="No statement yet">
    <p class="soft">
      Download last month’s list of payments from a provider’s portal as CSV, and choose it above. You then
      see which rows agree, which amounts differ, and what one side does not have.
    </p>
  </Empty>
);
