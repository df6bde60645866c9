/** Services that store many subscriptions of one merchant: made in this process through the client of the node, or copied
 *  from one that was, and then served by a process of their own. */
import { join } from 'node:path';
import { customerAt, type CustomerRequest } from '../actors/customer/messages.ts';
import { planAt, planCopyOf, type PlanRequest } from '../actors/plan/messages.ts';
import { subscriptionAt, type SubscriptionRequest } from '../actors/subscription/messages.ts';
import type { Interval } from '../actors/subscription/calendar.ts';
import { mintId } from '../src/kernel/id.ts';
import { days, type Instant } from '../src/kernel/time.ts';
import { start, type Galla } from '../src/main.ts';
import { clockOf, scopeOf, slotOfActor, type Scope } from '../src/runtime/model/address.ts';
import { openMongoStore } from '../src/store/store-mongo.ts';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Doc, Store } from '../src/store/store.ts';
import type { Json } from '../src/runtime/model/actor.ts';
import { Api } from '../src/cli/demo/api.ts';
import { onFatal } from '../test/support/alone.ts';
import { eventually } from '../test/support/eventually.ts';
import { bulkMongo, bulkSqlite, type Bulk } from './bulk.ts';
import { clusterOn, mongoOf, nodeOf } from './cluster.ts';
import { collections } from './filling.ts';
import type { Room, Served } from './support.ts';

/** Where a service stores: started in this process to prepare, and as a process of its own to be measured. */
export interface House {
  /** In this process. */
  inside<Result>(work: (galla: Galla) => Promise<Result>): Promise<Result>;
  bulk(): Promise<Bulk>;
  served(): Promise<Served>;
  /** The store of a service that does not run. */
  stored<Result>(work: (store: Store) => Promise<Result>): Promise<Result>;
  readonly adminToken: string;
  readonly servers: readonly number[];
}

const adminToken = 'bench-admin-token-of-32-characters';

async function insideWith<Result>(
  env: { readonly [name: string]: string },
  work: (galla: Galla) => Promise<Result>,
): Promise<Result> {
  const galla = await start({ onFatal, env });
  try {
    return await work(galla);
  } finally {
    await galla.stop();
  }
}

async function withStore<Result>(store: Store, work: (store: Store) => Promise<Result>): Promise<Result> {
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export function embeddedHouse(room: Room, name: string): House {
  const dataDir = join(room.folder, name);
  const env = {
    PORT: '0',
    GALLA_DATA_DIR: dataDir,
    GALLA_ADMIN_TOKEN: adminToken,
    GALLA_RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  };
  return {
    inside: (work) => insideWith(env, work),
    bulk: () => Promise.resolve(bulkSqlite(dataDir)),
    served: () => room.serve('../src/cli/start.js', env),
    stored: async (work) => withStore(await openSqliteStore({ dataDir, collections, onFatal }), work),
    adminToken,
    servers: [],
  };
}

export async function clusteredHouse(room: Room, name: string): Promise<House> {
  const mongo = await mongoOf(room);
  const cluster = await clusterOn(room, mongo, name);
  const { mongodbUrl: url } = cluster;
  return {
    inside: (work) => insideWith(cluster.env, work),
    bulk: () => bulkMongo(url),
    served: () => nodeOf(room, cluster),
    stored: async (work) =>
      withStore(await openMongoStore({ url, collections, onWarning: () => undefined }), work),
    adminToken: cluster.adminToken,
    servers: cluster.pids,
  };
}

/** A merchant's project, and a key of it. */
export interface Account {
  readonly projectId: string;
  readonly scope: Scope;
  readonly key: string;
}

export async function accountAt(url: string, token: string): Promise<Account> {
  const admin = new Api(url, token);
  const { body } = await admin.must('POST', '/admin/v1/merchants', {
    name: 'Bench Pasal',
    email: `${mintId('mer')}@example.com`,
  });
  const projectId = body.text('project.id');
  const asked = { kind: 'secret', mode: 'sandbox' };
  const { body: made } = await admin.must('POST', `/admin/v1/projects/${projectId}/keys`, asked);
  return { projectId, scope: scopeOf(projectId, 'sandbox'), key: made.text('key') };
}

const customer: CustomerRequest = {
  name: 'Asha Rai',
  email: 'asha@example.com',
  phone: null,
  externalCustomerId: null,
  metadata: {},
};

const planOf = (interval: Interval): PlanRequest => ({
  name: `Every ${interval.unit}`,
  description: null,
  amount: 150_000,
  interval,
  trialDays: 0,
  defaultProvider: null,
  terms: {
    gracePeriodDays: 3,
    reminderDaysBeforeDue: 0,
    overdueReminderIntervalDays: 7,
    overdueAction: 'mark_past_due',
  },
  metadata: {},
});

export interface Subscribed {
  readonly id: string;
  readonly planId: string;
  readonly customerId: string;
}

/** A plan, of which `subscribed` makes subscriptions. */
export async function planned(
  { node }: Galla,
  scope: Scope,
  interval: Interval,
): Promise<(startDate: Instant | null) => Promise<Subscribed>> {
  const merchant = { by: 'merchant', scope } as const;
  const planId = mintId('bp');
  const plan = planOf(interval);
  await must(node.client.ask(planAt(planId), 'create', plan, merchant));
  return async (startDate) => {
    const [id, customerId] = [mintId('sub'), mintId('bc')];
    await must(node.client.ask(customerAt(customerId), 'create', customer, merchant));
    const request: SubscriptionRequest = {
      customer: { id: customerId, ...customer },
      plan: planCopyOf(planId, { ...plan, sequence: 1, createdAt: 0, updatedAt: 0 }),
      startDate,
      trialEndsAt: null,
      trialDays: 0,
      providerPreference: null,
      referenceId: null,
      totalCycles: null,
      metadata: {},
      baseUrl: 'https://pay.example',
    };
    await must(node.client.ask(subscriptionAt(id), 'create', request, merchant));
    return { id, planId, customerId };
  };
}

async function must(asked: Promise<{ readonly is: string }>): Promise<void> {
  const result = await asked;
  if (result.is !== 'ok') throw new Error(JSON.stringify(result));
}

/** A subscription whose next step is its renewal, with its plan and its customer. */
export interface Template {
  readonly subscription: Doc;
  readonly plan: Doc;
  readonly customer: Doc;
}

const restMsMax = 30_000;
const beforeRenewalMs = 30 * 60_000;

/** A weekly one, half an hour before it renews: its first invoice is paid, the draft of the next one is there. */
export async function dueSoon(galla: Galla, token: string): Promise<Template> {
  const { scope, key } = await accountAt(galla.url, token);
  const { id, planId, customerId } = await (await planned(galla, scope, { unit: 'week', count: 1 }))(null);
  const now = async (): Promise<Doc> => {
    const doc = await galla.node.store.read('subscription', id);
    if (doc === null) throw new Error('the subscription is not stored');
    return doc;
  };
  const atRest = (what: string): Promise<Doc> =>
    eventually(
      async () => {
        const doc = await now();
        const { opening, invoices } = doc.body as unknown as {
          opening: unknown;
          invoices: readonly object[];
        };
        // on MongoDB events and rows that are written stay in `out` until the next commit
        const isSent = doc.out.every(({ type }) => type === 'event' || type === 'row');
        return opening === null && isSent && invoices.length > 0 ? doc : null;
      },
      () => `the subscription ${what} to rest`,
      restMsMax,
    );
  const { body } = await atRest('with its first invoice');
  const [first] = (body?.['invoices'] ?? []) as unknown as readonly { readonly id: string }[];
  const paid = { invoiceId: first?.id ?? '', paidAt: null, notes: null };
  await must(galla.node.client.ask(subscriptionAt(id), 'markPaid', paid, { by: 'merchant', scope }));
  const api = new Api(galla.url, key);
  await api.must('POST', '/v1/test/clock/advance', { bySeconds: (days(7) - beforeRenewalMs) / 1000 });
  const [subscription, plan, of] = [
    await atRest('before its renewal'),
    await galla.node.store.read('plan', planId),
    await galla.node.store.read('customer', customerId),
  ];
  if (plan === null || of === null) throw new Error('the plan or the customer is not stored');
  return { subscription, plan, customer: of };
}

/** Copies for another project: the one with this number renews at `at(number)`. */
export function copiesOf(
  { subscription, plan, customer: of }: Template,
  { scope }: Account,
  count: number,
  at: (number: number) => Instant,
): readonly Doc[] {
  const planId = mintId('bp');
  const clock = clockOf(scope);
  const renewal = subscription.wake ?? 0;
  const invoices = (subscription.body?.['invoices'] ?? []) as unknown as readonly { readonly id: string }[];
  const made: Doc[] = [copyOf(plan, { scope, clock, names: [[plan.id, planId]], laterBy: 0 })];
  for (let number = 0; number < count; number++) {
    const id = mintId('sub');
    const names: Names = [
      [subscription.id, id],
      [plan.id, planId],
      [of.id, mintId('bc')],
      ...invoices.map((each) => [each.id, mintId('inv', id)] as const),
    ];
    made.push(copyOf(of, { scope, clock, names, laterBy: 0 }));
    made.push(copyOf(subscription, { scope, clock, names, laterBy: at(number) - renewal }));
  }
  return made;
}

type Names = readonly (readonly [was: string, is: string])[];

interface Copied {
  readonly scope: Scope;
  readonly clock: string | null;
  readonly names: Names;
  readonly laterBy: number;
}

/** Under other names and at other times, and remembering nobody. */
function copyOf(doc: Doc, { scope, clock, names, laterBy }: Copied): Doc {
  const text = names.reduce((all, [was, is]) => all.replaceAll(was, is), JSON.stringify(doc));
  const copy = moved(JSON.parse(text) as Json, laterBy) as unknown as Doc;
  const { id } = copy;
  return {
    ...copy,
    scope,
    clock,
    slot: slotOfActor(id),
    tok: id,
    v: 1,
    e: 1,
    seen: [],
    out: [],
    busy: false,
  };
}

/** Smaller numbers are no instants. */
const instantsMin = Date.UTC(2010, 0);

function moved(value: Json, by: number): Json {
  if (typeof value === 'number') return value > instantsMin ? value + by : value;
  if (Array.isArray(value)) return value.map((each: Json) => moved(each, by));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, moved(each, by)]));
}
