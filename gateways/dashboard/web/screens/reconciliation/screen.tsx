/** Reconciliation: a provider's statement is uploaded here, and earlier ones are listed. */
import { useScreenContext } from '../../context.ts';
import { listScreen } from '../../list-screen.tsx';
import type { RowProps } from '../../parts/list-section.tsx';
import { Glyph, UserText, Tag, Tile } from '../../parts/marks.tsx';
import { StatementUpload } from './statement-upload.tsx';
import { Ago } from '../../parts/when.tsx';
import { reconciliationEntry, reconciliationRoute, statementRoute } from '../../places.ts';
import type { Statement } from '../../wire/types.ts';
import { firstMismatch, outcomeText, statementState } from '../../words/statements.ts';
import { providerWord } from '../../words/words.ts';

export const reconciliation = listScreen({
  route: reconciliationRoute,
  title: 'Reconciliation',
  navigation: reconciliationEntry,
  follows: ['statement'],
  from: 'GET /v1/reconciliation/statements',
  what: ['statement', 'statements'],
  label: 'Statements',
  lead: (
    <>
      Compare the list of payments that a provider gives you with the payments here. Nothing of a payment
      changes but its fee.
    </>
  ),
  above: Upload,
  rows: { columns: 'statements', row: StatementLine },
  empty: {
    sign: 'list',
    title: 'No statement yet',
    text: (
      <>
        Download last month’s list of payments from a provider’s portal as CSV, and choose it above. You then
        see which rows agree, which amounts differ, and what one side does not have.
      </>
    ),
  },
});

function Upload() {
  const { to, go } = useScreenContext();
  return <StatementUpload onDone={({ id }) => go(to(statementRoute.at({ id })))} />;
}

function StatementLine({ row: statement }: RowProps<Statement>) {
  const { to, now } = useScreenContext();
  const { id, provider, fileName } = statement;
  return (
    <li class="row statement">
      <Tag words={statementState(statement)} />
      <div class="words">
        <a class="whole" href={to(statementRoute.at({ id, filters: { status: firstMismatch(statement) } }))}>
          <UserText text={fileName ?? `Statement ${id.slice(4, 10)}`} />
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
