import { expect, test } from 'vitest';
import { newPayment } from '../../../actors/checkout-session/payment.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { orderIdTag, paidTag, providerRefTag } from '../../../actors/checkout-session/view.ts';
import { matchOf, scopesMax, type Asked } from '../../../gateways/status/lookup.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { days, realScheduler } from '../../../src/kernel/time.ts';
import { scopeOf, type Scope } from '../../../src/runtime/model/address.ts';
import { createSimStore } from '../../support/simulated/store-sim.ts';
import { docOf, saveAll } from '../../contract/store-samples.ts';
import type { Snapshot } from '../../../src/runtime/model/client.ts';

const now = Date.parse('2026-11-20T09:15:00.000Z');
const project = (): string => mintId('prj');

interface Stored {
  readonly scope: Scope;
  readonly tags: readonly string[];
  readonly created?: number;
  readonly state?: object;
}

/** What the service has stored, in a store that works at once; `ahead`: how far a project's clock is. */
async function scene(stored: readonly Stored[], ahead: { readonly [scope: string]: number } = {}) {
  const store = createSimStore({ scheduler: realScheduler, chance: () => 0, rowsInCommit: true }).connect();
  const sessions = stored.map(({ scope, tags, created = now, state = {} }) => {
    const id = mintId('cs');
    const body = { status: 'pending', order: { metadata: {} }, payments: [], ...state } as never;
    return docOf({ kind: 'checkout_session', id, scope, tags, created, body });
  });
  await saveAll(store, sessions);
  const find = async (query: string, more: Partial<Asked> = {}) =>
    matchOf(
      {
        newestTagged: (asked) => store.newestTagged(asked),
        readRow: (kind, id) => store.readRow(kind, id),
        now: (scope) => now + (ahead[scope] ?? 0),
        read: async <State>(to: { readonly kind: string; readonly id: string }) => {
          const doc = await store.read(to.kind, to.id);
          return doc === null
            ? null
            : ({
                state: doc.body,
                meta: { id: doc.id, scope: doc.scope, createdAt: doc.created },
              } as unknown as Snapshot<State>);
        },
      },
      { query, merchant: null, mode: null, ...more },
      now,
    );
  const idOf = async (query: string, more: Partial<Asked> = {}): Promise<string | null> => {
    const found = await find(query, more);
    if (found === null || found === 'ambiguous') return found;
    return (found.session ?? found.link).meta.id;
  };
  return { store, ids: sessions.map(({ id }) => id), find, idOf };
}

const tags = [orderIdTag('1001')];

test('both halves of one project may use a reference: the mode tells them apart', async () => {
  const [mine, theirs] = [project(), project()];
  const { ids, idOf } = await scene([
    { scope: scopeOf(mine, 'sandbox'), tags },
    { scope: scopeOf(mine, 'live'), tags },
    { scope: scopeOf(theirs, 'sandbox'), tags },
  ]);
  expect(await idOf('1001')).toBe('ambiguous');
  expect(await idOf('1001', { mode: 'live' })).toBe(ids[1]);
  expect(await idOf('1001', { mode: 'sandbox' })).toBe('ambiguous');
  expect(await idOf('1001', { merchant: mine })).toBe('ambiguous');
  expect(await idOf('1001', { merchant: mine, mode: 'sandbox' })).toBe(ids[0]);
  expect(await idOf('1001', { merchant: mine, mode: 'live' })).toBe(ids[1]);
  expect(await idOf('1001', { merchant: theirs })).toBe(ids[2]);
  for (const merchant of [project(), 'prj_', '', `${mine}:live`, mine.slice(0, -1), 'system'])
    expect(await idOf('1001', { merchant })).toBeNull();
  expect(await idOf(ids[1] ?? '', { merchant: mine, mode: 'live' })).toBe(ids[1]);
  expect(await idOf(ids[1] ?? '', { merchant: mine, mode: 'sandbox' })).toBeNull();
});

test('a reference of very many merchants is ambiguous whatever the mode, and found for one of them', async () => {
  const projects = Array.from({ length: scopesMax }, project);
  const { ids, idOf } = await scene(projects.map((each) => ({ scope: scopeOf(each, 'sandbox'), tags })));
  expect(await idOf('1001')).toBe('ambiguous');
  expect(await idOf('1001', { mode: 'live' })).toBe('ambiguous');
  expect(await idOf('1001', { merchant: projects[7] ?? '' })).toBe(ids[7]);
});

test('each project counts six months on its own clock', async () => {
  const [still, ahead] = [scopeOf(project(), 'sandbox'), scopeOf(project(), 'sandbox')];
  const stored = [
    { scope: still, tags },
    { scope: ahead, tags },
  ];
  expect(await (await scene(stored, { [ahead]: days(180) })).idOf('1001')).toBe('ambiguous');
  const { ids, idOf } = await scene(stored, { [ahead]: days(182) });
  expect(await idOf('1001')).toBe(ids[0]);
  const old = await scene([{ scope: still, tags, created: Date.parse('2026-05-20T09:14:59.999Z') }]);
  expect(await old.idOf('1001')).toBeNull();
  expect(await old.idOf(old.ids[0] ?? '')).toBe(old.ids[0]);
  const just = await scene([{ scope: still, tags, created: Date.parse('2026-05-20T09:15:00.000Z') }]);
  expect(await just.idOf('1001')).toBe(just.ids[0]);
});

test('of several in one project the newest paid one is found, a paid one of before six months is not', async () => {
  const scope = scopeOf(project(), 'live');
  const paid = [...tags, paidTag(orderIdTag('1001'))];
  const { ids, idOf } = await scene([
    { scope, tags: paid, created: now - days(3) },
    { scope, tags: paid, created: now - days(2) },
    { scope, tags, created: now - days(1) },
  ]);
  expect(await idOf('1001')).toBe(ids[1]);
  const older = await scene([
    { scope, tags: paid, created: now - days(200) },
    { scope, tags, created: now - days(2) },
    { scope, tags, created: now - days(1) },
  ]);
  expect(await older.idOf('1001')).toBe(older.ids[2]);
});

test('an order id comes before a reference of a provider, whatever it looks like', async () => {
  const scope = scopeOf(project(), 'live');
  const [payId, csId] = [mintId('pay'), mintId('cs')];
  const named = [payId, csId, 'TX1'].map((each) => ({ scope, tags: [orderIdTag(each)] }));
  const other = { scope, tags: [providerRefTag('TX1')] };
  const { ids, find } = await scene([...named, other]);
  for (const [at, query] of [payId, csId, 'TX1'].entries())
    expect(await find(query)).toMatchObject({ matchedBy: 'order_id', session: { meta: { id: ids[at] } } });
});

test('of several payments with one reference of a provider the paid one is meant', async () => {
  const scope = scopeOf(project(), 'live');
  const attempt = (providerRef: string | null, paidAt: number | null) => ({
    ...newPayment(mintId('pay'), 'wallet_b', now),
    providerRef,
    paidAt,
  });
  const payments = [attempt('TX1', null), attempt('TX1', now), attempt('TX1', null), attempt(null, null)];
  const { find } = await scene([{ scope, tags: [providerRefTag('TX1')], state: { payments } }]);
  const found = await find('TX1');
  expect(found).toMatchObject({ matchedBy: 'provider_ref', namesPayment: true });
  expect(found).toHaveProperty('payment.id', payments[1]?.id);
});

test('a session that its provider has not answered yet does not exist', async () => {
  const state = { status: 'hidden' } satisfies { status: string } | Partial<SessionState>;
  const { ids, idOf } = await scene([{ scope: scopeOf(project(), 'live'), tags, state }]);
  expect(await idOf('1001')).toBeNull();
  expect(await idOf(ids[0] ?? '')).toBeNull();
});
