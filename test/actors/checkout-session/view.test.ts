import { describe, expect, test } from 'vitest';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { given } from '../../support/simulated/test-runner.ts';
import {
  created,
  expiresAt,
  inStatus,
  lastEvents,
  opened,
  order,
  pay,
  running,
  scope,
  says,
  comesBack,
  sessionId,
  type SessionStory,
} from './buyer.ts';

const sessionKeys = [
  'id',
  'livemode',
  'status',
  'flow',
  'provider',
  'source',
  'amount',
  'currency',
  'description',
  'checkout_url',
  'returnUrl',
  'cancelUrl',
  'collectAddress',
  'customer',
  'customerAddress',
  'metadata',
  'referenceId',
  'paymentId',
  'attempts',
  'late',
  'needsReview',
  'sequence',
  'expires_at',
  'createdAt',
  'updatedAt',
];
const paymentKeys = [
  'id',
  'livemode',
  'projectId',
  'sessionId',
  'invoiceId',
  'customerId',
  'linkReferenceId',
  'amount',
  'amountExpected',
  'currency',
  'provider',
  'providerRef',
  'traceId',
  'status',
  'failureCode',
  'failureReason',
  'refundedAmount',
  'fee',
  'customer',
  'metadata',
  'late',
  'duplicate',
  'needsReview',
  'sequence',
  'paidAt',
  'createdAt',
  'updatedAt',
];

describe('a session as its merchant sees it', () => {
  test('is the documented object, keys in order', () => {
    const { view } = created();
    expect(Object.keys(view)).toEqual(sessionKeys);
    expect(view).toEqual({
      id: sessionId,
      livemode: false,
      status: 'pending',
      flow: 'hosted',
      provider: null,
      source: 'checkout',
      amount: 125050,
      currency: 'NPR',
      description: 'Order 1001',
      checkout_url: `https://pay.example/pay/${sessionId}`,
      returnUrl: 'https://shop.example/return',
      cancelUrl: null,
      collectAddress: false,
      customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000', address: null },
      customerAddress: null,
      metadata: { order_id: '1001' },
      referenceId: 'A-1001',
      paymentId: null,
      attempts: 0,
      late: false,
      needsReview: false,
      sequence: 1,
      expires_at: '2026-11-20T09:45:00.000Z',
      createdAt: '2026-11-20T09:15:00.000Z',
      updatedAt: '2026-11-20T09:15:00.000Z',
    });
  });

  test('has the same shape in every status', () => {
    for (const reach of Object.values(inStatus)) expect(Object.keys(reach().view)).toEqual(sessionKeys);
  });

  test('of a live project has livemode true', () => {
    const story = given(checkoutSession, {
      id: sessionId,
      scope: 'prj_pjc0e83mhrawse3s6h8bhrbw:live',
      now: opened,
    }).when('open', { order: { ...order, customer: null }, lifeMs: expiresAt - opened });
    expect(story.view).toMatchObject({ livemode: true, customer: null });
  });

  test('never shows the reserved metadata, in views, events and tags', () => {
    const metadata = { order_id: '1001', wallet_a_intent: { bookingId: 'b-1', correlationId: 'c-1' } };
    const story = says(comesBack(running(created({ metadata }))), 'paid');
    expect(story.view['metadata']).toEqual({ order_id: '1001' });
    expect(story.state.order.metadata).toEqual(metadata);
    const outside = JSON.stringify([story.view, story.rows('payment'), story.events, story.doc?.tags]);
    expect(outside).not.toContain('wallet_a_intent');
    expect(outside).not.toContain('b-1');
  });
});

describe('a payment as its merchant sees it', () => {
  test('is the documented object, keys in order', () => {
    const story = says(comesBack(running(created())).wait(1000), 'paid');
    const [payment] = story.rows('payment');
    expect(Object.keys(payment ?? {})).toEqual(paymentKeys);
    expect(payment).toEqual({
      id: pay(1),
      livemode: false,
      projectId: 'prj_pjc0e83mhrawse3s6h8bhrbw',
      sessionId,
      invoiceId: null,
      customerId: null,
      linkReferenceId: null,
      amount: 125050,
      amountExpected: null,
      currency: 'NPR',
      provider: 'wallet_b',
      providerRef: 'TXN7Q2M9',
      traceId: null,
      status: 'success',
      failureCode: null,
      failureReason: null,
      refundedAmount: 0,
      fee: 0,
      customer: { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' },
      metadata: { order_id: '1001' },
      late: false,
      duplicate: false,
      needsReview: false,
      sequence: 3,
      paidAt: '2026-11-20T09:15:01.000Z',
      createdAt: '2026-11-20T09:15:00.000Z',
      updatedAt: '2026-11-20T09:15:01.000Z',
    });
  });

  test('is complete in its event, with the identifiers the shop knows it by', () => {
    const story = says(comesBack(running(created())), 'paid');
    expect(lastEvents(story)).toEqual(['payment.succeeded']);
    const data = story.last.events[0]?.data ?? {};
    expect(Object.keys(data)).toEqual([...paymentKeys, 'session', 'customerAddress']);
    expect(data).toEqual({
      ...story.rows('payment')[0],
      session: { id: sessionId, referenceId: 'A-1001', metadata: { order_id: '1001' } },
      customerAddress: null,
    });
  });

  test('never shows internal fields: references, instructions, schedules', () => {
    const story = running(created());
    expect(JSON.stringify([story.view, story.rows('payment')])).not.toContain('px_pay_');
  });
});

describe('what a list can search by', () => {
  const tagsOf = (story: SessionStory): readonly (readonly string[])[] =>
    (checkoutSession.rows?.(story.state, { id: sessionId, scope, createdAt: opened }) ?? []).map(
      ({ tags }) => tags,
    );
  const isWord = (tag: string): boolean => tag.startsWith('find=');
  const labelsOf = (story: SessionStory) => tagsOf(story).map((tags) => tags.filter((tag) => !isWord(tag)));

  test('is each word of a payment; its session carries none of them', () => {
    const customer = { name: 'आशा Rai', email: 'asha@example.com', phone: '+977 9841234567', address: null };
    const story = created({ customer, description: 'Atlas', metadata: { order_id: 'A 1' } });
    const words = ['a', '1', 'asha@example.com', '9841234567', 'आशा', 'rai', 'atlas'];
    expect(tagsOf(story)).toEqual([]);
    const started = running(story);
    expect(tagsOf(started)[0]?.filter(isWord)).toEqual(words.map((word) => `find=${word}`));
    const paid = says(started.wait(4000), 'paid', { providerRef: 'TX1' });
    expect(tagsOf(paid)[0]?.filter(isWord)).toEqual(['tx1', ...words].map((word) => `find=${word}`));
    expect(paid.doc?.tags.filter(isWord)).toEqual([]);
  });

  test('is each scalar of the metadata, and the order id under either name', () => {
    const story = running(
      created({ metadata: { orderId: 7, vip: true, note: null, nested: { a: 1 }, list: [1] } }),
    );
    const tags = ['metadata.orderId=7', 'metadata.vip=true', 'orderId=7'];
    expect(story.doc?.tags).toEqual(tags);
    expect(labelsOf(story)).toEqual([tags]);
  });

  test('is the day in Nepal on which a payment was paid, for daily totals', () => {
    const story = running(created({ metadata: {} }));
    expect(labelsOf(story)).toEqual([[]]);
    expect(labelsOf(says(story.wait(4000), 'paid'))).toEqual([['paidOn=2026-11-20']]);
    expect(story.doc?.tags).not.toContain('paidOn=2026-11-20');
  });

  test('is a reference of the provider, and of what is paid that it is', () => {
    const story = running(created({ metadata: { order_id: 'A1', orderId: 'A1' } }));
    const tags = ['metadata.order_id=A1', 'metadata.orderId=A1', 'orderId=A1'];
    expect(story.doc?.tags).toEqual(tags);
    const paid = says(story.wait(4000), 'paid', { providerRef: 'TX1' });
    expect(paid.doc?.tags).toEqual([...tags, 'paid orderId=A1', 'providerRef=TX1', 'paid providerRef=TX1']);
    expect(labelsOf(paid)).toEqual([[...tags, 'paidOn=2026-11-20']]);
  });

  test('is harmless whatever the keys are called', () => {
    const metadata = JSON.parse('{"__proto__":"x","constructor":"y","$where":"z","a.b":"c"}') as Record<
      string,
      string
    >;
    expect(created({ metadata }).doc?.tags).toEqual([
      'metadata.__proto__=x',
      'metadata.constructor=y',
      'metadata.$where=z',
      'metadata.a.b=c',
    ]);
  });

  test('is status, provider and source, at the top level of the document', () => {
    expect(checkoutSession.indexes).toEqual(['status', 'provider', 'source']);
    expect(created({ source: 'payment_link' }).doc?.body).toMatchObject({
      status: 'pending',
      provider: null,
      source: 'payment_link',
    });
  });
});
