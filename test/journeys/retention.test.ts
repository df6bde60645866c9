/** What is kept how long, as a merchant sees it, and what is left in the store afterwards. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { days, minutes } from '../../src/kernel/time.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import { scopeOf } from '../../src/runtime/model/address.ts';
import { eventually } from '../support/eventually.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';

const storyMsMax = 60_000;
let galla: Galla;
beforeAll(async () => void (galla = await startGalla()), storyMsMax);
afterAll(() => galla.stop());

const statusOf = async (shop: Merchant, path: string): Promise<number> => (await shop.api.get(path)).status;
const listOf = async (shop: Merchant, path: string): Promise<readonly Body[]> =>
  (await shop.api.must('GET', path)).body.list('data');

/** Ids of what the store holds of a kind, whether or not a reader may see it. */
async function storedOf(shop: Merchant, kind: string, of: 'Docs' | 'Rows'): Promise<readonly string[]> {
  const query = { kind, scope: scopeOf(shop.projectId, 'sandbox'), page: 1, limit: 100 };
  const { items } = await galla.node.store[`list${of}`](query);
  return items.map(({ id }) => id);
}

test(
  'row 69: events and deliveries are kept 90 days on the test clock, and then removed; what was paid stays',
  async () => {
    const shop = await galla.merchant();
    const server = await galla.shop();
    const endpoint = await shop.endpoint(server);
    const session = await shop.checkout({ customer: { email: 'asha@example.com' } });
    await shop.simulate(session.text('id'), 'success');
    await shop.untilStatus(session.text('id'), 'success');
    const paymentId = (await shop.session(session.text('id'))).text('paymentId');
    const keyed = { idempotencyKey: 'for-a-day' };
    await shop.api.must('POST', '/v1/checkout', { amount: 5000, returnUrl: 'https://shop.example/' }, keyed);
    const [paid] = await shop.untilEvents(1, 'payment.succeeded');
    const [eventId, log] = [paid?.text('id'), `/v1/webhooks/${endpoint.id}/deliveries`];
    const delivery = await eventually(
      async () =>
        (await listOf(shop, `${log}?eventId=${eventId}`)).find((one) => one.at('status') === 'success') ??
        null,
      () => 'the delivery to be accepted',
    );
    const deliveryPath = `/v1/webhooks/deliveries/${delivery.text('id')}`;
    const resume = `/v1/events/stream?lastEventId=${eventId}`;

    // to the last minute of it
    await shop.advance((days(90) - minutes(5)) / 1000);
    expect(await statusOf(shop, `/v1/events/${eventId}`)).toBe(200);
    expect(await statusOf(shop, deliveryPath)).toBe(200);
    expect(await listOf(shop, `/v1/events?type=payment.succeeded`)).toHaveLength(1);

    await shop.advance(minutes(6) / 1000);
    expect(await statusOf(shop, `/v1/events/${eventId}`)).toBe(404);
    expect(await listOf(shop, `/v1/events?type=payment.succeeded`)).toEqual([]);
    expect(await listOf(shop, `${log}?eventId=${eventId}`)).toEqual([]);
    expect([
      await statusOf(shop, deliveryPath),
      (await shop.api.post(`${deliveryPath}/retry`)).status,
    ]).toEqual([404, 404]);
    const gone = await shop.api.get(resume);
    expect([gone.status, gone.body.at('error.code')]).toEqual([410, 'event_cursor_gone']);

    // the texts wait for what may still be sent, everything else goes at once
    await galla.node.purger.round();
    expect(await storedOf(shop, 'idempotency_key', 'Docs')).toEqual([]);
    expect(await storedOf(shop, 'webhook_delivery', 'Docs')).not.toContain(delivery.text('id'));
    const polls = (): Promise<readonly Body[]> =>
      listOf(shop, `/v1/payments/${paymentId}/timeline?limit=100`);
    const poll = (await polls()).find((note) => note.at('kind') === 'poll')?.text('at');
    expect(poll).toBeDefined();

    await shop.advance(days(311) / 1000);
    await galla.node.purger.round();
    // the daily look-up has added younger ones
    const kept = (await polls()).map((note) => [note.at('kind'), note.at('at')].join(' '));
    expect(kept.includes(`poll ${poll}`)).toBe(false);
    expect(kept.some((note) => note.startsWith('transition'))).toBe(true);
    expect(await storedOf(shop, 'journal', 'Rows')).not.toContain(eventId);
    expect(await storedOf(shop, 'message', 'Docs')).toEqual([]);
    expect((await shop.payment(paymentId)).at('status')).toBe('success');
    // a key whose record is gone is a new one
    const again = await shop.api.must(
      'POST',
      '/v1/checkout',
      { amount: 7000, returnUrl: 'https://shop.example/' },
      keyed,
    );
    expect(again.body.at('amount')).toBe(7000);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    const replayed = await shop.api.must(
      'POST',
      '/v1/checkout',
      { amount: 7000, returnUrl: 'https://shop.example/' },
      keyed,
    );
    expect([replayed.body.at('id'), replayed.headers.get('idempotent-replayed')]).toEqual([
      again.body.at('id'),
      'true',
    ]);
  },
  storyMsMax,
);
