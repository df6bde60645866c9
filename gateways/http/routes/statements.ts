/** Statements of providers: upload, list, read, and the rows that were compared. */
import { Type, type Static } from 'typebox';
import { columnCharactersMax, statementBytesMax } from '../../../src/kernel/text-bounds.ts';
import {
  itemResults,
  statementAt,
  statementBlockId,
  statementBlockKind,
  statementPartAt,
  statementStatuses,
  type BlockCounts,
  type ItemResult,
  type StatementItem,
  type StatementState,
} from '../../../actors/statement/messages.ts';
import { itemView } from '../../../actors/statement/view.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import { providerNames } from '../../../src/providers/catalog.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Asking, Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { ApiParts } from '../api-parts.ts';
import {
  askAndShow,
  doneView,
  notFound,
  refusalOf,
  refused,
  wholeView,
  type Answer,
} from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { answerPage, given, isPage, listed, listQuery, pageOf, pageQuery, queryOf } from '../route/paging.ts';
import { about, text } from '../route/schemas.ts';
import { route } from '../route/spec.ts';
import { listOf } from '../schemas/parts.ts';
import { newStatement, statement, statementItem, unknownItem } from '../schemas/statement.ts';

const reconciliation: Resource = {
  name: 'Reconciliation',
  description:
    'A statement is the list of payments that you download from a provider. Upload it as CSV, and each row is ' +
    'compared with your payments. Nothing of a payment changes but its `fee`.',
};

/** The body of an upload. */
/** Limit of `page x limit` of the rows of one statement: more than it can have. */
const itemsDeepMax = 500_000;
/** Statements of one project and mode that are processed at once; more are refused. */
export const statementsProcessingMax = 5;
/** Characters of one stored part of the text. */
const partCharactersMax = 128 * 1024;
/** Parts that are sent to the store together. */
const partsAtOnce = 4;

const column = (what: string, usual: string) =>
  Type.Optional(about(`The column of ${what}; \`${usual}\` by default.`, text(columnCharactersMax, 1)));

const uploadBody = Type.Object({
  provider: Type.Enum(providerNames, { description: 'Whose statement it is.' }),
  fileName: Type.Optional(about('What you call it.', text(255, 1))),
  csv: Type.String({
    // its end is that of the body
    minLength: 1,
    description:
      'The file: CSV with a header line, in UTF-8 with or without a byte order mark, separated by commas, ' +
      'semicolons or tabs. At most 100,000 rows.',
  }),
  mapping: Type.Optional(
    Type.Object(
      {
        reference: column("the provider's reference of each payment, or ours (`pay-...`)", 'reference'),
        amount: column('the amount', 'amount'),
        date: column('the date; a file may have none', 'date'),
        fee: column("the provider's fee; a file may have none", 'fee'),
        unit: Type.Optional(
          about(
            '`rupees` (default) or `paisa`: what the amounts of the file are in. Or the name of a column that ' +
              'says one of the two for each row.',
            text(columnCharactersMax, 1),
          ),
        ),
      },
      { description: 'How the columns are called. Upper and lower case are the same.' },
    ),
  ),
});
type UploadBody = Static<typeof uploadBody>;

const statementsQuery = Type.Object({
  provider: Type.Optional(Type.Enum(providerNames, { description: 'Only statements of this provider.' })),
  status: Type.Optional(
    Type.Enum([...statementStatuses], { description: 'Only statements in this status.' }),
  ),
  ...listQuery,
});

const itemsQuery = Type.Object({
  result: Type.Optional(Type.Enum([...itemResults], { description: 'Only rows with this result.' })),
  ...pageQuery,
});

type Parts = Pick<ApiParts, 'client'>;

/** Uploads of each project and mode that are being stored right now. They are no statements yet, and count. */
class Uploading {
  private readonly counts = new Map<Scope, number>();

  /** `others`: those under way beside this one. It counts before `work` begins: uploads that come together see each
   *  other. */
  async counted<Result>(scope: Scope, work: (others: number) => Promise<Result>): Promise<Result> {
    const others = this.counts.get(scope) ?? 0;
    this.counts.set(scope, others + 1);
    try {
      return await work(others);
    } finally {
      const left = (this.counts.get(scope) ?? 1) - 1;
      if (left > 0) this.counts.set(scope, left);
      else this.counts.delete(scope);
    }
  }
}

export const statementRoutes = ({ client }: Parts, uploading = new Uploading()) => [
  route({
    method: 'POST',
    at: { api: '/v1/reconciliation/statements', dashboard: true },
    resource: reconciliation,
    operation: 'uploadStatement',
    summary: "Upload a provider's statement",
    description:
      'The answer comes at once, and the comparison follows: read the statement until its `status` is `done` or ' +
      '`failed`. The body of this operation may have 5 MiB. It is JSON, or the file itself as `text/csv`; the other ' +
      'fields are then in the query (`fileName=day.csv&mapping.amount=Paid`). At most ' +
      `${statementsProcessingMax} statements of a project are processed at once.`,
    answer: newStatement,
    exampleBody: {
      provider: newStatement.example.provider,
      fileName: 'november.csv',
      csv:
        'Txn,Paid,When\nTXSVKQ0H2F4C8M6P,"1,250.00",2026-11-21T15:33:10Z\n' +
        'NOBODY-KNOWS,500,2026-11-21T15:33:10Z\n',
      mapping: { reference: 'Txn', amount: 'Paid', date: 'When' },
    },
    errors: ['statement_limit_reached'],
    key: 'secret',
    reply: 201,
    mints: { statement: () => mintId('rst') },
    bodyBytesMax: statementBytesMax,
    body: uploadBody,
    csvField: 'csv',
    async handle({ caller, body, ids, identity }) {
      const id = ids.statement;
      const { scope } = caller;
      return uploading.counted(scope, async (others) => {
        if ((await statementIn(client, id, scope)) === null && (await isBusy(client, scope, others)))
          return refused('statement_limit_reached');
        return upload(client, id, body, { by: 'merchant', scope, ...identity });
      });
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/reconciliation/statements', dashboard: true },
    resource: reconciliation,
    operation: 'listStatements',
    summary: 'List statements',
    description: 'Newest first.',
    answer: listOf(statement),
    key: 'secret',
    reply: 200,
    query: statementsQuery,
    handle({ caller, query }) {
      const { provider, status } = query;
      const equals = given({ provider, status });
      return answerPage(
        query,
        (page) => client.list(queryOf('statement', caller.scope, page, query, { equals })),
        ({ view }) => view,
      );
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/reconciliation/statements/{id}', dashboard: true },
    resource: reconciliation,
    operation: 'readStatement',
    summary: 'Read a statement',
    answer: statement,
    object: 'statement',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const found = await statementIn(client, params.id, caller.scope);
      return found === null ? notFound : doneView(found.view);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/reconciliation/statements/{id}/items', dashboard: true },
    resource: reconciliation,
    operation: 'listStatementItems',
    summary: 'List the compared rows of a statement',
    description:
      'In the order of the file; payments that it does not have come last, the newest of a day first.',
    answer: listOf(statementItem, [statementItem.example, unknownItem]),
    object: 'statement',
    key: 'secret',
    reply: 200,
    query: itemsQuery,
    async handle({ caller, params, query }) {
      const page = pageOf(query, itemsDeepMax);
      if (!isPage(page)) return page;
      const { scope } = caller;
      const found = await statementIn(client, params.id, scope);
      if (found === null) return notFound;
      const from = (page.page - 1) * page.limit;
      const { items, total } = await itemsOf(client, found, query.result, from, page.limit);
      const now = client.now(scope);
      return listed(
        items.map((item) => itemView(item, now)),
        total,
        page,
      );
    },
  }),
];

/** A statement of this scope; null for any other text. */
async function statementIn(
  client: Client,
  id: string,
  scope: Scope,
): Promise<Snapshot<StatementState> | null> {
  return couldBeId('rst', id) ? client.read<StatementState>(statementAt(id), scope) : null;
}

/** `others`: uploads under way beside this one. */
async function isBusy(client: Client, scope: Scope, others: number): Promise<boolean> {
  if (others >= statementsProcessingMax) return true;
  const { total } = await client.list({
    kind: 'statement',
    scope,
    equals: { status: 'processing' },
    page: 1,
    limit: statementsProcessingMax,
  });
  return total + others >= statementsProcessingMax;
}

/** First its text, part by part; what an interruption leaves is removed later. */
async function upload(
  client: Client,
  id: string,
  { provider, fileName, csv, mapping = {} }: UploadBody,
  asking: Asking,
): Promise<Answer> {
  const parts = partsOf(csv);
  for (let from = 0; from < parts.length; from += partsAtOnce) {
    const put = parts
      .slice(from, from + partsAtOnce)
      .map((part, at) => client.ask(statementPartAt(id, from + at), 'put', { text: part }, asking));
    for (const result of await Promise.all(put)) if (result.is !== 'ok') return refusalOf(result);
  }
  const opening = { provider, fileName: fileName ?? null, mapping, parts: parts.length };
  return askAndShow(client, statementAt(id), 'open', opening, asking, wholeView);
}

/** Every line ends with one character. No part ends within a character. */
export function partsOf(csv: string): readonly string[] {
  const lines = csv.includes('\r') ? csv.replace(/\r\n?/g, '\n') : csv;
  const parts: string[] = [];
  for (let from = 0; from < lines.length;) {
    const to = from + partCharactersMax;
    const end = isHighSurrogate(lines.charCodeAt(to - 1)) ? to - 1 : to;
    parts.push(lines.slice(from, end));
    from = end;
  }
  return parts;
}

const isHighSurrogate = (code: number): boolean => code >= 0xd8_00 && code < 0xdc_00;

/** The blocks know how many rows of each result they hold: only those of the page are read. */
async function itemsOf(
  client: Client,
  { state, meta: { id, scope } }: Snapshot<StatementState>,
  result: ItemResult | undefined,
  from: number,
  limit: number,
): Promise<{ readonly items: readonly StatementItem[]; readonly total: number }> {
  const wanted: number[] = [];
  let [total, skipped] = [0, 0];
  for (const [block, counts] of state.blocks.entries()) {
    const count = countIn(counts, result);
    if (total + count <= from) skipped += count;
    else if (total < from + limit && count > 0) wanted.push(block);
    total += count;
  }
  const rows = await Promise.all(
    wanted.map((block) => client.readRow(statementBlockKind, statementBlockId(id, block), scope)),
  );
  const found = rows
    // its own processing wrote them
    .flatMap((row) => (row?.body['items'] ?? []) as unknown as readonly StatementItem[])
    .filter((item) => result === undefined || item.result === result);
  return { items: found.slice(from - skipped, from - skipped + limit), total };
}

const countIn = (counts: BlockCounts, result: ItemResult | undefined): number =>
  result === undefined
    ? counts.reduce((sum, count) => sum + count, 0)
    : (counts[itemResults.indexOf(result)] ?? 0);
