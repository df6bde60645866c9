/** One test clock for everything a project has: ninety days in one step, and each thing happens at its own
 *  time, in order. */
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { days, hours, minutes, seconds } from '../../src/kernel/time.ts';
import { Billing } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { code, paymentOf, premium } from '../support/qr-shop.ts';

/** More than a hundred look-ups and tries lie in it, each waited for over the network. */
const walkMsMax = 300_000;
const storyMsMax = 400_000;

const at = (body: Body, path: string): number => Date.parse(body.text(path));
const rises = (times: readonly number[]): boolean =>
  times.every((time, place) => place === 0 || time >= (times[place - 1] ?? 0));

/** When this payment was looked up after its session's end. */
async function lateLooks(shop: Merchant, id: string): Promise<readonly number[]> {
  const { body } = await shop.api.must('GET', `/v1/payments/${id}/timeline?limit=100`);
  return body.list('data').flatMap((entry) => (entry.at('cause') === 'late' ? [at(entry, 'at')] : []));
}

const deliveriesOf = async (shop: Merchant, endpointId: string): Promise<readonly Body[]> =>
  (await shop.api.must('GET', `/v1/webhooks/${endpointId}/deliveries?limit=100`)).body
    .list('data')
    .toReversed();

/** Two monthly invoices, which nobody pays. */
const unpaid = { reminderDaysBeforeDue: 3, overdueReminderIntervalDays: 30, gracePeriodDays: 3 } as const;
const twice: object = { totalCycles: 2 };

interface Step {
  readonly at: number;
  readonly type: string;
  readonly attemptNumber?: number;
}

/** What is to happen after the first opening, and when. */
function stepsOf(subscription: Body): readonly Step[] {
  const [start, renewal] = [at(subscription, 'currentPeriodStart'), at(subscription, 'currentPeriodEnd')];
  const reminder = (time: number, attemptNumber: number): Step => ({
    at: time,
    type: 'invoice.reminder_sent',
    attemptNumber,
  });
  return [
    { at: start + days(3), type: 'invoice.past_due' },
    { at: start + days(3), type: 'subscription.past_due' },
    reminder(start + days(30), 1),
    reminder(start + days(60), 2),
    { at: renewal - days(3), type: 'invoice.created' },
    { at: renewal, type: 'subscription.renewed' },
    reminder(renewal, 0),
    { at: renewal + days(3), type: 'invoice.past_due' },
    reminder(renewal + days(30), 1),
    reminder(renewal + days(60), 2),
  ];
}

const textOf = ({ at: time, type, attemptNumber }: Step): string => `${time} ${type} ${attemptNumber ?? ''}`;
const stepIn = (event: Body): string => {
  const attemptNumber = event.at('data.reminder.attemptNumber');
  const told = typeof attemptNumber === 'number' ? { attemptNumber } : {};
  return textOf({ at: at(event, 'timestamp'), type: event.text('type'), ...told });
};

describeModes('the test clock', (galla) => {
  test(
    'row 101: ninety days fire every timer of payments, QR, billing and webhooks in order, each at its own time',
    async () => {
      const shop = await premium(galla());
      const server = await galla().shop();
      server.answering = ({ path }) => ({ status: path === '/dead' ? 500 : 200 });
      const open = await shop.endpoint(server, ['*'], '/open');
      const dead = await shop.endpoint(server, ['payment.failed'], '/dead');

      const keyed = { idempotencyKey: 'for-a-day' };
      const order = { amount: 125_050, returnUrl: 'https://shop.example/' };
      const untouched = (await shop.api.must('POST', '/v1/checkout', order, keyed)).body;
      const begun = await shop.checkout({ expiresInMinutes: 5 });
      await shop.start(begun);
      const late = await shop.checkout({ expiresInMinutes: 5 });
      await shop.simulate(late.text('id'), 'late_success');
      const qr = await code(shop);
      const payments = {
        begun: (await shop.session(begun.text('id'))).text('paymentId'),
        late: (await shop.session(late.text('id'))).text('paymentId'),
        qr: (await paymentOf(shop, qr)).text('id'),
      };
      const newest = async (): Promise<Body | undefined> =>
        (await shop.api.must('GET', '/v1/events?limit=1')).body.list('data')[0];
      const billing = new Billing(shop);
      const subscription = await billing.subscribe(await billing.plan(unpaid), twice);
      const earliest = await newest();
      const before = at(await shop.clock(), 'now');
      const clock = await shop.advance(days(90) / 1000, walkMsMax);
      expect(at(clock, 'now')).toBeGreaterThanOrEqual(before + days(90));

      // what has a last moment ended at that very moment
      for (const session of [untouched, begun, qr]) {
        const over = await shop.session(session.text('id'));
        expect([over.at('status'), over.at('updatedAt')]).toEqual(['expired', session.at('expires_at')]);
      }
      for (const [id, session] of [
        [payments.begun, begun],
        [payments.qr, qr],
      ] as const)
        expect((await shop.payment(id)).value).toMatchObject({
          status: 'cancelled',
          failureCode: 'session_expired',
          updatedAt: session.at('expires_at'),
        });
      // the buyer paid a minute after the end, the look-up two minutes after it found the money
      const paid = await shop.payment(payments.late);
      expect(paid.value).toMatchObject({ status: 'success', late: true });
      const [found = 0] = await lateLooks(shop, payments.late);
      expect(at(paid, 'paidAt')).toBe(found);
      expect(Math.abs(found - at(late, 'expires_at') - minutes(2))).toBeLessThanOrEqual(seconds(12));
      // what was not paid was looked for to the last
      const offsets = [minutes(2), minutes(10), minutes(60), hours(6), hours(24)];
      for (const [id, session, planned] of [
        [payments.begun, begun, offsets],
        [payments.qr, qr, [seconds(30), ...offsets]],
      ] as const) {
        const looks = (await lateLooks(shop, id)).map((look) => look - at(session, 'expires_at'));
        expect(looks).toHaveLength(planned.length);
        for (const [place, offset] of planned.entries())
          expect(Math.abs((looks[place] ?? 0) - offset)).toBeLessThanOrEqual(offset / 10);
      }

      // one log, in the order of time; each event was sent in its own instant
      const events = (await shop.api.must('GET', '/v1/events?limit=100')).body.list('data').toReversed();
      expect(rises(events.map((event) => at(event, 'timestamp')))).toBe(true);
      const told = events.filter((event) => at(event, 'timestamp') > before);
      const ended = ['payment.failed', 'payment.cancelled', 'checkout.expired'];
      const isBilling = (event: Body): boolean => /^(?:subscription|invoice)\./.test(event.text('type'));
      expect(told.filter((event) => !isBilling(event)).map((event) => event.at('type'))).toEqual([
        ...ended,
        ...ended,
        ...ended,
        'payment.succeeded',
        'checkout.expired',
        'webhook_endpoint.disabled',
      ]);
      const steps = stepsOf(subscription).filter((step) => step.at <= before + days(90));
      expect(told.filter(isBilling).map(stepIn).toSorted()).toEqual(steps.map(textOf).toSorted());
      expect((await billing.subscription(subscription.text('id'))).at('status')).toBe('past_due');
      const sent = new Map((await deliveriesOf(shop, open.id)).map((one) => [one.text('eventId'), one]));
      for (const event of told)
        expect(sent.get(event.text('id'))?.value).toMatchObject({
          status: 'success',
          attempts: 1,
          lastAttemptAt: event.at('timestamp'),
        });

      // who never answers well is tried ten times over three days, and is out after five
      const [first] = await deliveriesOf(shop, dead.id);
      expect(first?.value).toMatchObject({ status: 'failed', attempts: 10 });
      const tried = at(first as Body, 'lastAttemptAt') - at(first as Body, 'createdAt');
      expect(Math.abs(tried - hours(75.6))).toBeLessThanOrEqual(hours(7.6));
      const disabled = told.find((event) => event.at('type') === 'webhook_endpoint.disabled');
      expect(at(disabled as Body, 'timestamp')).toBe(at(qr, 'expires_at') + hours(120));

      // what happened before is no longer kept
      expect(at(events[0] as Body, 'timestamp')).toBeGreaterThanOrEqual(at(clock, 'now') - days(90));
      expect((await shop.api.get(`/v1/events/${earliest?.text('id')}`)).status).toBe(404);
      const since = await shop.api.get(`/v1/events/stream?lastEventId=${earliest?.text('id')}`);
      expect([since.status, since.body.at('error.code')]).toEqual([410, 'event_cursor_gone']);

      // a key of a request is new after a day
      const again = (await shop.api.must('POST', '/v1/checkout', order, keyed)).body;
      expect(again.at('id')).not.toBe(untouched.at('id'));
    },
    storyMsMax,
  );

  test('a long advance is stopped: it answers where it has come to, and the clock goes on from there', async () => {
    const mine = await galla().merchant();
    const billing = new Billing(mine);
    const begun = Date.parse((await mine.clock()).text('now'));
    const planId = (await billing.plan({ intervalUnit: 'day' })).text('id');
    const customerId = (await billing.customer()).text('id');
    for (let made = 0; made < 4; made++)
      await mine.api.must('POST', '/v1/billing/subscriptions', { planId, customerId });
    const yearMs = days(366);
    const advance = mine.api.must('POST', '/v1/test/clock/advance', { bySeconds: yearMs / 1000 });
    await eventually(
      async () => Number((await mine.clock()).at('fired')) > 5 || null,
      () => 'the first timers of the advance',
    );
    const stopped = (await mine.api.must('POST', '/v1/test/clock/stop')).body;
    expect(stopped.at('status')).toBe('ready');
    const reached = Date.parse(stopped.text('now')) - begun;
    expect(reached).toBeGreaterThan(days(1) / 2);
    expect(reached).toBeLessThan(yearMs);
    const answered = (await advance).body;
    expect([answered.at('status'), answered.at('fired')]).toEqual(['ready', stopped.at('fired')]);
    // no subscription was billed for a day that has not come
    for (const one of (await mine.api.must('GET', '/v1/billing/subscriptions')).body.list('data'))
      expect(Number(one.at('cyclesBilled'))).toBeLessThanOrEqual(reached / days(1) + 2);

    const again = (await mine.api.must('POST', '/v1/test/clock/stop')).body;
    expect([again.at('status'), again.at('fired')]).toEqual(['ready', stopped.at('fired')]);
    const next = (await mine.api.must('POST', '/v1/test/clock/advance', { bySeconds: 60 })).body;
    expect(Date.parse(next.text('now'))).toBeGreaterThan(Date.parse(stopped.text('now')));
  }, 60_000);
});
