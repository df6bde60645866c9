/** Each index that a record is entered into costs its writer a page or two: it has a query that goes along it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerKinds } from '../../../src/runtime/model/actor.ts';
import { collections } from '../../../src/compose/collections.ts';
import { accessPathsOf } from '../../../src/store/sqlite-access-paths.ts';
import { openConnection, type Connection } from '../../../src/store/sqlite-bind.ts';
import {
  noIndexes,
  prepareSchema,
  slotsOf,
  type KindIndexes,
  type Of,
} from '../../../src/store/sqlite-schema.ts';
import { noLog } from '../../../src/store/sqlite-commit-log.ts';
import { rowLines, writeLines } from '../../../src/store/sqlite-commits.ts';
import { Writer } from '../../../src/store/sqlite-write.ts';
import { docOf, freshScope, queryOf, rowOf, writeOf } from '../../contract/store-samples.ts';
import type { ListQuery } from '../../../src/store/store.ts';

type Asked = Pick<ListQuery, 'equals' | 'anyOf' | 'range'>;

const unended = ['pending', 'retrying'];
const span = (field: string, from: number | string): Asked => ({ range: [{ field, from }] });

/** Who asks for it, and what. */
const queries: Readonly<Record<string, readonly [by: string, asked: Asked]>> = {
  'checkout_session.status': ['GET /v1/checkout?status', { equals: { status: 'success' } }],
  'checkout_session.provider': ['GET /v1/checkout?provider', { equals: { provider: 'wallet_a' } }],
  'checkout_session.source': ['GET /v1/checkout?source', { anyOf: { source: ['link'] } }],
  'customer.email': ['GET /v1/customers?email', { equals: { email: 'a@b.example' } }],
  'customer.externalCustomerId': [
    'GET /v1/customers?externalCustomerId',
    { equals: { externalCustomerId: 'x' } },
  ],
  'idempotency_key.key': ['GET /v1/idempotency/{key}', { equals: { key: 'k' } }],
  'merchant.email': ['GET /admin/v1/merchants?email', { equals: { email: 'a@b.example' } }],
  'merchant.status': ['GET /admin/v1/merchants?suspended', { equals: { status: 'suspended' } }],
  'merchant.plan': ['GET /admin/v1/merchants?plan', { equals: { plan: 'free' } }],
  'message.status': ['GET /v1/test/messages', { equals: { status: 'captured' } }],
  'message.channel': ['GET /v1/test/messages?channel', { equals: { channel: 'email' } }],
  'message.to': ['GET /v1/test/messages?to', { equals: { to: 'a@b.example' } }],
  'payment_link.status': ['GET /v1/payment-links?status', { equals: { status: 'active' } }],
  'plan.status': ['GET /v1/plans?status', { equals: { status: 'active' } }],
  'project.merchantId': ['projects of a merchant', { equals: { merchantId: 'mer_1' } }],
  'provider_health.status': ['the dashboard: providers in trouble', { equals: { status: 'troubled' } }],
  'provider_incident.provider': ['incidents of a provider', { equals: { provider: 'wallet_a' } }],
  'simulated_payment.sessionId': ['the simulator: a payment of a session', { equals: { sessionId: 'cs_1' } }],
  'simulated_payment.provider': ['the simulator: payments at a provider', { equals: { provider: 'qr_a' } }],
  'statement.provider': ['GET /v1/statements?provider', { equals: { provider: 'bank_a' } }],
  'statement.status': ['GET /v1/statements?status', { equals: { status: 'processing' } }],
  'subscription.status': ['GET /v1/subscriptions?status', { equals: { status: 'active' } }],
  'subscription.customerId': ['GET /v1/subscriptions?customerId', { equals: { customerId: 'cus_1' } }],
  'subscription.planId': ['GET /v1/subscriptions?planId', { equals: { planId: 'plan_1' } }],
  'webhook_delivery.endpointId': ['GET /v1/webhooks/{id}/deliveries', { equals: { endpointId: 'we_1' } }],
  'webhook_delivery.objectId': [
    'deliveries that one must wait for',
    { equals: { endpointId: 'we_1', objectId: 'pay_1' }, anyOf: { status: unended } },
  ],
  'webhook_delivery.status': ['deliveries that have not ended', { equals: { status: 'pending' } }],
  'api_key.projectId': ['keys of a project', { equals: { projectId: 'prj_1' } }],
  'invoice.subscriptionId': ['GET /v1/invoices?subscriptionId', { equals: { subscriptionId: 'sub_1' } }],
  'invoice.customerId': ['GET /v1/invoices?customerId', { equals: { customerId: 'cus_1' } }],
  'invoice.status': ['GET /v1/invoices?status', { equals: { status: 'open' } }],
  'journal.created': ['GET /v1/events', span('created', 1)],
  'journal.eventId': ['GET /v1/events/{id}', { equals: { eventId: 'evt_1' } }],
  'journal.event': ['GET /v1/events?type', { anyOf: { event: ['payment.succeeded'] } }],
  'journal.objectId': ['GET /v1/events?objectId', { equals: { objectId: 'pay_1' } }],
  'payment.sessionId': ['GET /v1/payments?sessionId', { equals: { sessionId: 'cs_1' } }],
  'payment.status': ['GET /v1/payments?status', { equals: { status: 'success' } }],
  'payment.provider': ['attempts with a provider lately', { equals: { provider: 'wallet_a' } }],
  'payment.providerRef': ['GET /v1/payments?providerRef', { equals: { providerRef: 'x' } }],
  'payment.paidAt': ['GET /v1/payments?paidFrom', span('paidAt', '2026')],
  'refund.paymentId': ['GET /v1/refunds?paymentId', { equals: { paymentId: 'pay_1' } }],
  'refund.status': ['GET /v1/refunds?status', { equals: { status: 'succeeded' } }],
  'refund.updatedAt': ['GET /v1/refunds?succeededFrom', span('updatedAt', '2026')],
  'timeline.about': ['GET /v1/payments/{id}/timeline', { equals: { about: 'pay_1' } }],
  'timeline.kind': ['the purge of what providers answered', { equals: { kind: 'poll' } }],
};

const built = collections();
const slots = { doc: slotsOf(built, 'doc'), row: slotsOf(built, 'row') };
const tables = { doc: 'docs', row: 'view_rows' } as const;
const declared = (['doc', 'row'] as const).flatMap((of) =>
  [...slots[of]].flatMap(([kind, indexes]) =>
    indexes.slots.flatMap(({ field, only }, at) => {
      // the index of a slot without values has no entries
      if (only?.values.length === 0) return [];
      return [{ name: `${kind}.${field}`, of, kind, indexes, index: `${tables[of]}_f${at + 1}` }];
    }),
  ),
);

test('every index of the service is named here with its query', () => {
  expect(declared.map(({ name }) => name).toSorted()).toEqual(Object.keys(queries).toSorted());
});

test.each(declared)('$name is gone along by its query', ({ name, of, kind, indexes, index }) => {
  const asked = queries[name]?.[1] ?? {};
  const { narrow } = accessPathsOf(of, indexes, queryOf({ kind, scope: freshScope(), ...asked }));
  expect(narrow.map(({ page }) => page.sql).join('\n')).toContain(`INDEXED BY ${index}`);
});

test('the position of an event is the order of its journal: it is found along the list', () => {
  const { slots: own } = slots.row.get('journal') ?? { slots: [] };
  expect(own[0]).toEqual({ field: 'pos', only: { field: 'pos', values: [] } });
  const asked = queryOf({ kind: 'journal', scope: freshScope(), range: [{ field: 'pos', from: 2, to: 4 }] });
  const { whole, narrow } = accessPathsOf('row', slots.row.get('journal') ?? noIndexes, asked);
  expect(narrow).toEqual([]);
  expect(whole.count.sql).toMatch(/view_rows_list WHERE .*k\.ord >= \? AND k\.ord < \?/s);
});

describe('what is looked for by one field only', () => {
  let connection: Connection;
  let writer: Writer;
  beforeAll(() => {
    connection = openConnection(':memory:');
    prepareSchema(connection, ':memory:', built);
    writer = new Writer(connection, slots, noLog(connection), () => 0);
  });
  afterAll(() => connection.close());

  const scope = freshScope();
  const note = (created: number, about: string, kind: string) =>
    rowOf({ kind: 'timeline', scope, created, once: true, body: { about, kind } });
  const notes = [note(1, 'pay_1', 'poll'), note(2, 'pay_1', 'transition'), note(2, 'pay_2', 'refund')];
  const entriesIn = (index: string): number =>
    Number(
      connection
        .statement(`SELECT count(*) FROM view_rows INDEXED BY view_rows_${index} WHERE ${conditions[index]}`)
        .first([])?.[0],
    );
  const conditions: Readonly<Record<string, string>> = {
    id: `gone <> 2 AND id > ''`,
    list: 'gone = 0',
    f1: 'f1 IS NOT NULL',
    f2: 'f2 IS NOT NULL',
  };
  const found = (of: Of, indexes: KindIndexes | undefined, query: ListQuery): readonly unknown[] => {
    const { whole, narrow } = accessPathsOf(of, indexes ?? noIndexes, query);
    const ways = [whole, ...narrow].map(({ page, count }) => [
      connection
        .statement(page.sql)
        .all(page.values)
        .map(([json]) => JSON.parse(String(json)).id),
      connection.statement(count.sql).first(count.values),
    ]);
    for (const way of ways) expect(way).toEqual(ways[0]);
    return ways[0]?.[0] as readonly unknown[];
  };
  const listed = (asked: Asked) =>
    found('row', slots.row.get('timeline'), queryOf({ kind: 'timeline', scope, ...asked }));

  test('has an entry by it and no other, and is stored once', () => {
    for (let times = 0; times < 2; times++) {
      writer.putRows(notes.flatMap((row) => rowLines(row, slots)));
      writer.applyAll();
    }
    expect(['id', 'list', 'f1', 'f2'].map(entriesIn)).toEqual([0, 0, 3, 2]);
  });

  test('is in every list all the same', () => {
    const [first, second, third] = notes.map(({ id }) => id);
    expect(listed({ equals: { about: 'pay_1' } })).toEqual([second, first]);
    expect(listed({})).toEqual([third, second, first]);
    expect(listed({ equals: { kind: 'transition' } })).toEqual([second]);
    expect(listed({ anyOf: { kind: ['transition', 'poll'] } })).toEqual([second, first]);
    expect(listed({ anyOf: { kind: [...answerKinds] } })).toEqual([third, first]);
    expect(listed(span('created', 2))).toEqual([third, second]);
  });

  test('is taken over from the file of an older build, and still stored once', () => {
    connection.exec('DROP INDEX view_rows_id; CREATE UNIQUE INDEX view_rows_id ON view_rows(id, kind)');
    connection.exec("UPDATE view_rows SET gone = 0, f2 = json_extract(json, '$.body.kind')");
    connection.exec('UPDATE schema_version SET version = 7');
    connection.exec(`UPDATE collections SET fields = '["about","kind"]' WHERE kind = 'timeline'`);
    expect(['list', 'f1', 'f2'].map(entriesIn)).toEqual([3, 3, 3]);
    prepareSchema(connection, ':memory:', built);
    // what was stored keeps its entries, what comes has fewer
    const later = note(3, 'pay_1', 'transition');
    writer.putRows([...notes, later].flatMap((row) => rowLines(row, slots)));
    writer.applyAll();
    expect(['id', 'list', 'f1', 'f2'].map(entriesIn)).toEqual([3, 3, 4, 3]);
    expect(listed({})).toHaveLength(4);
    expect(listed({ equals: { kind: 'transition' } })).toEqual([later.id, notes[1]?.id]);
    expect(listed({ equals: { kind: 'poll' } })).toEqual([notes[0]?.id]);
  });

  test('is found by id and in the list again when it is declared so', () => {
    const listedAll = built.map(({ kind, of, indexes }) => ({ kind, of, indexes }));
    prepareSchema(connection, ':memory:', listedAll);
    expect(['id', 'list', 'f1', 'f2'].map(entriesIn)).toEqual([4, 4, 4, 3]);
    prepareSchema(connection, ':memory:', built);
  });

  test('is written once or refused', () => {
    expect(() => rowLines({ ...note(1, 'pay_1', 'poll'), once: false }, slots)).toThrow('is written once');
  });

  test('leaves the index of its object when it has ended', () => {
    const kind = 'webhook_delivery';
    const about = (status: string) => ({ endpointId: 'we_1', objectId: 'pay_1', status });
    const waiting = docOf({ kind, scope, body: about('pending') });
    const entries = () =>
      connection
        .statement('SELECT id FROM docs INDEXED BY docs_f2 WHERE f2 = ? AND shelf > 0')
        .all(['pay_1']);
    const commit = (doc: typeof waiting): void => {
      writer.commit(writeLines(writeOf(doc), slots));
      writer.applyAll();
    };
    commit(waiting);
    expect(entries()).toEqual([[waiting.id]]);
    commit({ ...waiting, v: 2, body: about('success') });
    expect(entries()).toEqual([]);
    const asked = queryOf({ kind, scope, equals: { objectId: 'pay_1' } });
    expect(found('doc', slots.doc.get(kind), asked)).toEqual([waiting.id]);
  });
});
