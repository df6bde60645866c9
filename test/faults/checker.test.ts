import { expect, test } from 'vitest';
import { check } from './checker.ts';
import type { Entry } from './history.ts';
import { plan } from './plan.ts';

const answer = '{"id":"cs_1","status":"pending"}';
/** One checkout, created twice with its key, paid once and reported twice, as a correct service leaves it. */
const good: readonly Entry[] = [
  { is: 'created', n: 1, key: 'k', status: 201, text: answer, replayed: false },
  { is: 'life', ends: 'kill', counted: true, inFlight: 30, downMs: 0 },
  { is: 'created', n: 1, key: 'k', status: 201, text: answer, replayed: true },
  { is: 'paid_seen', n: 1, sessionId: 'cs_1' },
  { is: 'webhook', id: 'evt_1', type: 'payment.succeeded', objectId: 'pay_1', hash: 'a' },
  { is: 'webhook', id: 'evt_1', type: 'payment.succeeded', objectId: 'pay_1', hash: 'a' },
  { is: 'asked_again', n: 1, status: 201, text: answer },
  { is: 'session', id: 'cs_1', status: 'success', paymentId: 'pay_1', referenceId: 'F-1' },
  { is: 'payment', id: 'pay_1', sessionId: 'cs_1', status: 'success', why: null },
  { is: 'payment', id: 'pay_0', sessionId: 'cs_1', status: 'failed', why: null },
  { is: 'charge', reference: 'pay-1', sessionId: 'cs_1', state: 'paid' },
  { is: 'charge', reference: 'pay-0', sessionId: 'cs_1', state: 'created' },
  { is: 'event', id: 'evt_1', objectId: 'pay_1', sessionId: 'cs_1', hash: 'a' },
];

const without = (is: Entry['is']): Entry[] => good.filter((entry) => entry.is !== is);
const changed = (at: number, change: object): Entry[] =>
  good.map((entry, index) => (index === at ? ({ ...entry, ...change } as Entry) : entry));

test('the checker accepts a correct history', () => {
  expect(check(good)).toEqual({
    problems: [],
    accepted: 1,
    paid: 1,
    lost: 0,
    outwardDuplicates: 0,
    deliveries: 2,
    duplicateDeliveries: 1,
    charges: 1,
  });
});

const broken: readonly [what: string, entries: readonly Entry[], problem: RegExp][] = [
  ['an acknowledged session that is gone', without('session'), /acknowledged and is gone/],
  [
    'another answer to the same key',
    changed(2, { text: '{"id":"cs_1","status":"initiated"}' }),
    /different bytes/,
  ],
  ['another answer at the end', changed(6, { text: '{"id":"cs_2"}' }), /other bytes/],
  [
    'a second session for one key',
    [...good, { is: 'session', id: 'cs_9', status: 'success', paymentId: null, referenceId: 'F-1' }],
    /exists beside/,
  ],
  ['a paid session that forgot', changed(7, { status: 'pending' }), /seen paid and is pending/],
  ['money taken twice', changed(11, { state: 'paid' }), /charged 2 times/],
  ['money never taken', without('charge'), /charged 0 times/],
  ['two payments kept', changed(9, { status: 'success' }), /2 successful payments/],
  [
    'an event told twice',
    [...good, { is: 'event', id: 'evt_2', objectId: 'pay_1', sessionId: 'cs_1', hash: 'b' }],
    /has 2 payment.succeeded/,
  ],
  ['no event', without('event'), /has 0 payment.succeeded/],
  ['no delivery', without('webhook'), /never delivered/],
  ['other bytes on the second try', changed(5, { hash: 'b' }), /different bytes/],
  ['a checkout nobody could finish', [...good, { is: 'stuck', n: 1, why: 'not paid' }], /not paid/],
];
test.each(broken)('the checker finds %s', (_what, entries, problem) => {
  expect(check(entries).problems.join('\n')).toMatch(problem);
});

test('events that readers get twice are counted, a repeated webhook is not', () => {
  const second: readonly Entry[] = [
    { is: 'session', id: 'cs_9', status: 'success', paymentId: null, referenceId: 'F-1' },
    { is: 'charge', reference: 'pay-9', sessionId: 'cs_1', state: 'paid' },
    { is: 'event', id: 'evt_2', objectId: 'pay_1', sessionId: 'cs_1', hash: 'b' },
  ];
  expect(check([...good, ...second]).outwardDuplicates).toBe(3);
});

test('one seed gives one schedule', () => {
  const options = { kills: 5, hitsEach: 3 };
  expect(plan({ seed: 7, ...options })).toEqual(plan({ seed: 7, ...options }));
  expect(plan({ seed: 8, ...options })).not.toEqual(plan({ seed: 7, ...options }));
  expect(plan({ seed: 7, ...options }).length).toBe(14);
});
