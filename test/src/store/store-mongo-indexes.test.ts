/** Every question the service asks is answered along an index: each is caught as the driver sends it, and
 *  the server explains how it would go about it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MongoClient, type CommandStartedEvent, type Document } from 'mongodb';
import { cast, rowKinds } from '../../../actors/cast.ts';
import { createReads } from '../../../src/store/mongo-read.ts';
import { indexesOf } from '../../../src/store/mongo-schema.ts';
import { storedDoc, storedRow } from '../../../src/store/mongo-record.ts';
import { openMongoStore, type MongoStore } from '../../../src/store/store-mongo.ts';
import { docOf, rowOf } from '../../contract/store-samples.ts';
import { missing } from '../../support/server-parts.ts';
import { mongoForTests, type TestMongo } from '../../support/servers.ts';
import type { Collection, ListQuery } from '../../../src/store/store.ts';

const suite = 'indexes of the store on MongoDB';

const collections: readonly Collection[] = [
  ...cast.map(({ kind, indexes = [] }): Collection => ({ kind, of: 'doc', indexes })),
  ...rowKinds.map(({ kind, indexes, orders = [] }): Collection => ({ kind, of: 'row', indexes, orders })),
];
const rowsOf = new Set(rowKinds.map(({ kind }) => kind));

/** So many of each kind: a server may read a small collection through whatever its indexes. */
const documentsEach = 1000;
const scopes = ['prj_one:live', 'prj_two:sandbox', 'system'] as const;
const [scope, , system] = scopes;

type Asked = Omit<ListQuery, 'page' | 'limit' | 'scope'> & Partial<ListQuery>;

const sinceMonday = { field: 'created', from: 100, to: 900 };
/** Every list a door or a worker asks for. */
const lists: readonly (readonly [string, Asked])[] = [
  ['payments', { kind: 'payment' }],
  ['payments of some days', { kind: 'payment', range: [sinceMonday] }],
  ['payments by status', { kind: 'payment', equals: { status: 's1' } }],
  ['payments by several statuses', { kind: 'payment', anyOf: { status: ['s1', 's2'] } }],
  ['payments by provider', { kind: 'payment', equals: { provider: 'p1' } }],
  ["payments by the provider's reference", { kind: 'payment', equals: { providerRef: 'r1' } }],
  ['payments of a session', { kind: 'payment', equals: { sessionId: 'i1' } }],
  ['payments to review', { kind: 'payment', equals: { needsReview: true } }],
  ['payments by amount', { kind: 'payment', range: [{ field: 'amount', from: 5, to: 10 }] }],
  [
    'attempts with a provider lately',
    {
      kind: 'payment',
      equals: { provider: 'p1' },
      anyOf: { status: ['s1', 's2'] },
      range: [{ field: 'created', from: 100 }],
    },
  ],
  ['payments under review, of all projects', { kind: 'payment', scope: null, tags: ['a=1'] }],
  ['payments of an order', { kind: 'payment', tags: ['orderId=1'] }],
  ['payments by metadata and status', { kind: 'payment', tags: ['a=1', 'b=1'], equals: { status: 's1' } }],
  ['payments, far back', { kind: 'payment', page: 20 }],
  ['sessions', { kind: 'checkout_session', anyOf: { source: ['api', 'link'] } }],
  ['sessions from one source', { kind: 'checkout_session', anyOf: { source: ['api'] } }],
  ['sessions by status', { kind: 'checkout_session', equals: { status: 's1' }, range: [sinceMonday] }],
  ['sessions by provider', { kind: 'checkout_session', equals: { provider: 'p1' } }],
  [
    'sessions of an order',
    { kind: 'checkout_session', tags: ['orderId=1'], anyOf: { source: ['api', 'link'] } },
  ],
  ['payments by several words', { kind: 'payment', tags: ['find=9841234567', 'find=rai', 'find=asha'] }],
  ['keys of a project', { kind: 'api_key', scope: system, equals: { projectId: 'i1' } }],
  ['a key by its hash', { kind: 'api_key', scope: system, tags: ['a=1'] }],
  ['events', { kind: 'journal' }],
  ['events of some days', { kind: 'journal', range: [sinceMonday] }],
  ['events by type', { kind: 'journal', anyOf: { event: ['e1', 'e2'] } }],
  ['events of an object', { kind: 'journal', equals: { objectId: 'i1' } }],
  ['an event', { kind: 'journal', equals: { eventId: 'i1' } }],
  ['the timeline of a payment', { kind: 'timeline', equals: { about: 'i1' }, limit: 10_000 }],
  ['merchants', { kind: 'merchant', scope: system, range: [sinceMonday] }],
  ['a merchant by email', { kind: 'merchant', scope: system, equals: { email: 'e1' } }],
  ['what became of a key of a request', { kind: 'idempotency_key', equals: { key: 'k1' } }],
  ['customers by a beginning', { kind: 'customer', tagPrefix: 'orderId=1' }],
  ['customers by a beginning and an e-mail', { kind: 'customer', tagPrefix: 'a', equals: { email: 'e1' } }],
  ['subscriptions of a customer', { kind: 'subscription', equals: { customerId: 'i1' } }],
  ['invoices of a subscription', { kind: 'invoice', equals: { subscriptionId: 'i1', status: 's1' } }],
  ['endpoints', { kind: 'webhook_endpoint' }],
  [
    'unended deliveries before one',
    {
      kind: 'webhook_delivery',
      equals: { endpointId: 'i1', objectId: 'i1' },
      anyOf: { status: ['s1', 's2'] },
      range: [{ field: 'pos', to: 500 }],
    },
  ],
  ['simulated payments', { kind: 'simulated_payment' }],
  ['simulated payments at a provider', { kind: 'simulated_payment', equals: { provider: 'p1' } }],
  ['simulated payments of a session', { kind: 'simulated_payment', equals: { sessionId: 'i1' } }],
  ['moved clocks of all projects', { kind: 'project', scope: null, tags: ['a=1'] }],
  ['letters nobody could deliver', { kind: 'dead', scope: null }],
];

function bodyOf(n: number): { readonly [field: string]: string | number | boolean } {
  const few = {
    status: `s${n % 5}`,
    provider: `p${n % 4}`,
    source: n % 2 ? 'api' : 'link',
    event: `e${n % 9}`,
  };
  const many = { sessionId: `i${n}`, projectId: `i${n}`, objectId: `i${n % 300}`, eventId: `i${n}` };
  const more = {
    customerId: `i${n % 300}`,
    subscriptionId: `i${n % 300}`,
    endpointId: `i${n % 7}`,
    about: `i${n % 300}`,
    key: `k${n}`,
    email: `e${n}`,
    providerRef: `r${n}`,
  };
  return { ...few, ...many, ...more, pos: n, amount: n % 100, needsReview: n % 50 === 0 };
}

describe.skipIf(missing('mongod', suite))(suite, { timeout: 30_000 }, () => {
  let mongo: TestMongo;
  let store: MongoStore;
  let client: MongoClient;
  let asked: Document[] = [];
  let reads: ReturnType<typeof createReads>;

  beforeAll(async () => {
    mongo = await mongoForTests();
    const url = mongo.url(`galla_indexes_${process.pid}`);
    store = await openMongoStore({ url, collections, onWarning: () => undefined });
    client = new MongoClient(url, { monitorCommands: true });
    client.on('commandStarted', ({ command }: CommandStartedEvent) => asked.push(command));
    const used = () => ({ client, db: client.db() });
    reads = createReads(used, used, { db: client.db(), answerMsMax: 5000, latest: null }, collections);
    for (const { kind } of collections)
      await client.db().collection<Document>(kind).insertMany(samplesOf(kind));
  }, 120_000);
  afterAll(async () => {
    await Promise.all([client.close(), store.close()]);
    await mongo.stop();
  });

  /** The finds, counts and sums of `work`, as they went to the server. */
  const questionsOf = async (work: () => Promise<unknown>): Promise<readonly Document[]> => {
    asked = [];
    await work();
    const words = new Set(['find', 'aggregate']);
    return asked.filter((command) => words.has(Object.keys(command)[0] ?? '')).map(bare);
  };
  const plansOf = async (work: () => Promise<unknown>): Promise<readonly (readonly string[])[]> => {
    const plans = [];
    for (const question of await questionsOf(work)) {
      plans.push(stagesIn(await client.db().command({ explain: question, verbosity: 'queryPlanner' })));
    }
    return plans;
  };
  const expectAlongIndexes = (plans: readonly (readonly string[])[], questions: number): void => {
    expect(plans.length).toBeGreaterThanOrEqual(questions);
    for (const plan of plans) {
      expect(plan).not.toContain('COLLSCAN');
      expect(plan.some((stage) => /IXSCAN|IDHACK|COUNT_SCAN|EXPRESS/.test(stage))).toBe(true);
    }
  };

  test('a query without an index would be detected', async () => {
    const plans = await plansOf(() => client.db().collection('payment').find({ json: 'x' }).toArray());
    expect(plans.flat()).toContain('COLLSCAN');
  });

  test.each(lists)('%s: page and total', async (_title, query) => {
    const list = rowsOf.has(query.kind) ? reads.listRows : reads.listDocs;
    // a page far behind the end is empty, so that the total has to be counted
    const whole = { scope, limit: 50, ...query };
    expectAlongIndexes(await plansOf(() => list({ ...whole, page: query.page ?? 1 })), 1);
    expectAlongIndexes(await plansOf(() => list({ ...whole, page: 9999 })), 2);
  });

  test('what was paid on a day, and paid back on it, is read along the index of that time, without a sort', async () => {
    const days = { from: '2026-11-20', to: '2026-11-21' };
    const lists = [
      { kind: 'payment', range: [{ field: 'paidAt', ...days }], newestBy: 'paidAt', field: 'paidAt' },
      { kind: 'refund', range: [{ field: 'updatedAt', ...days }], newestBy: 'updatedAt', field: 'updatedAt' },
    ];
    for (const { field, ...query } of lists) {
      asked = [];
      await reads.listRows({ scope, page: 1, limit: 50, ...query });
      const question = asked.filter((command) => 'find' in command).map(bare)[0] ?? {};
      const plan: unknown = await client.db().command({ explain: question, verbosity: 'queryPlanner' });
      const text = JSON.stringify((plan as { readonly queryPlanner: object }).queryPlanner);
      expect(text).toContain(`"newest_${field}"`);
      expect(text).not.toContain('"SORT"');
    }
  });

  test('the sums of a day: what was paid, what failed, what is open', async () => {
    const payments = { kind: 'payment', scope, sumOf: 'amount' } as const;
    const range = [{ field: 'updatedAt', from: '2026-11-20', to: '2026-11-21' }, sinceMonday];
    expectAlongIndexes(await plansOf(() => reads.sumRows({ ...payments, tags: ['a=1'] })), 1);
    expectAlongIndexes(
      await plansOf(() => reads.sumRows({ ...payments, equals: { status: 's1' }, range })),
      1,
    );
    const anyOf = { status: ['s1', 's2'], source: ['api'] };
    const open = { kind: 'checkout_session', scope, anyOf, page: 1, limit: 1 };
    expectAlongIndexes(await plansOf(() => reads.listDocs(open)), 2);
  });

  const clock = 'prj_one';
  const slots = [
    { from: 0, to: 4 },
    { from: 512, to: 700 },
  ];
  test.each([
    ['what is due', () => reads.due({ until: 500, limit: 10 })],
    ['what is due in some slots', () => reads.due({ until: 500, limit: 10, slots })],
    ['who is busy', () => reads.busy({ limit: 1_000_000 })],
    ['who is busy in some slots', () => reads.busy({ limit: 1_000_000, slots })],
    ['who is busy after one', () => reads.busy({ limit: 1_000_000, after: { kind: 'a', id: 'x' } })],
  ])('%s, in every kind', async (_title, ask) => {
    expectAlongIndexes(await plansOf(ask), cast.length);
  });

  test.each([
    ['what is due', 'on_clock', () => reads.due({ clock, until: 500, limit: 10, slots })],
    ['who is busy', 'busy', () => reads.busy({ limit: 10, clock })],
    ['who is busy after one', 'busy', () => reads.busy({ limit: 10, after: { kind: 'a', id: 'x' }, clock })],
    ['how many timers there are', 'on_clock', () => reads.countTimers(clock)],
  ])('%s on a test clock, in every kind with one query', async (_title, index, ask) => {
    const questions = await questionsOf(ask);
    expect(questions).toHaveLength(1);
    const plan = await client.db().command({ explain: questions[0], verbosity: 'queryPlanner' });
    expectAlongIndexes([stagesIn(plan)], 1);
    const { winningPlan } = plan['queryPlanner'] as { readonly winningPlan: object };
    const used = [...JSON.stringify(winningPlan).matchAll(/"indexName":"(\w+)"/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set([index]));
    expect(used.length).toBeGreaterThanOrEqual(cast.length);
  });

  test('the journal forward, a document and a row', async () => {
    expectAlongIndexes(await plansOf(() => reads.journalAfter(scope, 400, 50)), 1);
    expectAlongIndexes(await plansOf(() => reads.read('checkout_session', 'x')), 1);
    expectAlongIndexes(await plansOf(() => reads.readRow('payment', 'x')), 1);
  });

  test('a tag in all scopes, and in some', async () => {
    const query = { kind: 'payment', tag: 'a=1', from: 100, limit: 2 } as const;
    const everywhere = () => reads.newestTagged({ ...query, scopes: null });
    // many records carry it: a second query goes on behind the first scope
    expectAlongIndexes(await plansOf(everywhere), 2);
    expect(await everywhere()).toEqual([{ scope, id: expect.any(String), created: 999, only: false }]);
    expectAlongIndexes(await plansOf(() => reads.newestTagged({ ...query, scopes: [...scopes] })), 2);
  });

  test('a tag in one scope, from the oldest on', async () => {
    const query = { kind: 'checkout_session', scope, tag: 'a=1', limit: 2 } as const;
    expectAlongIndexes(await plansOf(() => reads.oldestTagged(query)), 1);
    const after = { created: 300, id: 'x' };
    expectAlongIndexes(await plansOf(() => reads.oldestTagged({ ...query, after })), 1);
  });

  test('no kind declares more than four fields, the journal its position beside them', () => {
    for (const collection of collections) {
      const byField = indexesOf(collection).filter(({ name }) => name.startsWith('by_'));
      expect(byField.length, collection.kind).toBeLessThanOrEqual(4);
    }
  });
});

function samplesOf(kind: string): Document[] {
  return Array.from({ length: documentsEach }, (_, n) => {
    const scope = scopes[n % scopes.length] ?? 'system';
    const tags = n % 3 === 0 ? [`orderId=${n}`, 'a=1', `b=${n % 7}`] : [];
    const common = { kind, scope, created: n, tags, body: bodyOf(n) };
    if (rowsOf.has(kind)) return { ...storedRow(rowOf(common)).stored };
    const timers = n % 5 === 0 ? [{ name: 'tick', gen: 1, at: n }] : [];
    const wake = timers[0]?.at ?? null;
    const clock = n % 10 === 0 ? 'prj_one' : null;
    return {
      ...storedDoc(docOf({ ...common, slot: n % 1024, timers, wake, clock, busy: n % 20 === 0 })).stored,
    };
  });
}

/** A command as it can be asked to explain: without what belongs to the one time it was sent. */
function bare(command: Document): Document {
  const { lsid: _, $db: __, $clusterTime: ___, maxTimeMS: ____, readConcern: _____, ...rest } = command;
  return rest;
}

/** Every stage of the plan that won, wherever in the answer it lies. */
function stagesIn(explained: unknown): readonly string[] {
  if (Array.isArray(explained)) return explained.flatMap(stagesIn);
  if (typeof explained !== 'object' || explained === null) return [];
  return Object.entries(explained).flatMap(([name, value]) => {
    if (name === 'rejectedPlans' || name === 'enginePlan') return [];
    return name === 'stage' && typeof value === 'string' ? [value] : stagesIn(value);
  });
}
