import { expect, test } from 'vitest';
import { dispatch, type Entry, type Listener } from '../../../actors/webhook-endpoint/dispatch.ts';
import { deliveryIdOf } from '../../../actors/webhook-delivery/messages.ts';

const entry: Entry = {
  key: 'checkout_session/cs_n5y5kc7txbgmy7rz22b0c1r5:3',
  pos: 7,
  eventId: 'evt_m339g1s03anfq6rgyzmhk9e5',
  event: 'payment.succeeded',
  objectId: 'pay_4t8z1m6q3x9k2v7b',
  at: 1795166200000,
};
const listener = (
  id: string,
  events: readonly string[],
  status: 'enabled' | 'disabled' = 'enabled',
): Listener => ({ id, state: { status, events } });
const all = 'we_n9bpy9ep30dg728y8n6r6p5w';
const paid = 'we_f9bpy9ep30dg728y8n6r6p5w';

const heardBy = (...listeners: Listener[]): string[] =>
  dispatch(entry, listeners).map(({ open }) => open.endpointId);

test('an endpoint receives the kinds it subscribed to', () => {
  expect(
    heardBy(
      listener(all, ['*']),
      listener(paid, ['refund.created', 'payment.succeeded']),
      listener('we_a', ['payment.failed']),
      listener('we_b', ['payment']),
    ),
  ).toEqual([all, paid]);
});

test('a disabled endpoint receives nothing', () => {
  expect(heardBy(listener(all, ['*'], 'disabled'))).toEqual([]);
});

test('without endpoints there are no deliveries', () => {
  expect(dispatch(entry, [])).toEqual([]);
});

test("the delivery has its event and position, and an id derived from both in its endpoint's slot", () => {
  const [opening] = dispatch(entry, [listener(all, ['*'])]);
  expect(opening).toEqual({
    deliveryId: deliveryIdOf(all, entry.eventId),
    open: {
      endpointId: all,
      eventId: entry.eventId,
      eventType: 'payment.succeeded',
      journalId: entry.key,
      objectId: entry.objectId,
      pos: 7,
      eventAt: entry.at,
    },
  });
  expect(opening?.deliveryId).toMatch(/^whd_n9[0-9a-z]{22}$/);
  expect(dispatch(entry, [listener(all, ['*'])])).toEqual([opening]);
});
