/** What a merchant can read of a payment's life, and why each thing happened. */
import { expect, test } from 'vitest';
import { Body } from '../../src/cli/demo/api.ts';
import { buttonFor, press } from '../../src/cli/demo/buyer.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import type { Merchant } from '../support/merchant.ts';
import { code, paymentOf, phone, premium } from '../support/qr-shop.ts';

const timelineOf = async (shop: Merchant, id: string): Promise<readonly Body[]> =>
  (await shop.api.must('GET', `/v1/payments/${id}/timeline?limit=100`)).body.list('data');

const untilEntries = (shop: Merchant, id: string, count: number): Promise<readonly Body[]> =>
  eventually(
    async () => {
      const entries = await timelineOf(shop, id);
      return entries.length >= count ? entries : null;
    },
    () => `${count} entries in the timeline of ${id}`,
  );

/** What an entry says happened, and what caused it. */
const told = (entry: Body): readonly unknown[] => [
  entry.at('kind'),
  entry.at('from'),
  entry.at('to'),
  entry.at('cause'),
];

describeModes('the timeline', (galla) => {
  test('row 15: of a paid payment shows start, return, look-up, transitions and webhook attempts, in order', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    await shop.endpoint(server, ['payment.succeeded']);
    server.answering = () => ({ status: server.webhooks.length === 1 ? 503 : 200 });
    const session = await shop.checkout({ returnUrl: `${server.url}/return` });
    const wallet = await shop.startAndLogIn(session);
    await press(buttonFor(wallet, 'do', 'pay'));
    const paid = await shop.untilStatus(session.text('id'), 'success');
    const id = paid.text('paymentId');
    await untilEntries(shop, id, 7);
    await shop.advance(6);
    const entries = await untilEntries(shop, id, 8);
    expect(entries.map(told)).toEqual([
      ['transition', null, 'pending', 'start'],
      ['provider_call', null, null, 'start'],
      ['buyer_return', null, null, 'return'],
      ['transition', 'pending', 'processing', 'buyer_return'],
      ['poll', null, null, 'buyer_return'],
      ['transition', 'processing', 'success', 'buyer_return'],
      ['webhook_attempt', null, null, 'payment.succeeded'],
      ['webhook_attempt', null, null, 'payment.succeeded'],
    ]);
    const [attempt, call, back, , look, success, first, second] = entries;
    expect(attempt?.at('summary')).toBe('Attempt 1 with wallet_b');
    expect(call?.value).toMatchObject({ detail: { outcome: 'started' }, durationMs: expect.any(Number) });
    expect(back?.at('detail.says')).toBe('paid');
    expect(look?.value).toMatchObject({
      summary: 'Lookup: paid, amount and reference equal',
      durationMs: expect.any(Number),
      detail: { outcome: 'paid', amountPaisa: 125_050, httpStatus: 200 },
    });
    // the transition is of the instant the payment says it was paid at
    expect(success?.at('at')).toBe((await shop.payment(id)).at('paidAt'));
    expect(first?.value).toMatchObject({ detail: { attempt: 1, httpStatus: 503 } });
    expect(second?.value).toMatchObject({ detail: { attempt: 2, httpStatus: 200 } });
    const times = entries.map((entry) => Date.parse(entry.text('at')));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    // keys of the provider and the secret of the endpoint are in none of it
    expect(JSON.stringify(entries.map(({ value }) => value))).not.toMatch(/whsec_|secretKey|mpin/i);

    await shop.api.must('POST', `/v1/webhooks/deliveries/${second?.text('detail.deliveryId') ?? ''}/retry`);
    expect((await untilEntries(shop, id, 9)).at(-1)?.value).toMatchObject({
      kind: 'webhook_attempt',
      cause: 'manual_retry',
      detail: { attempt: 3, httpStatus: 200 },
    });
  });

  test("row 15: a message on the provider's socket is shown as such, not as a callback", async () => {
    const shop = await premium(galla());
    const session = await code(shop);
    await phone(shop, session.text('qr_message'), 'scan');
    const id = (await paymentOf(shop, session)).text('id');
    const heard = async (cause: string): Promise<Body> =>
      eventually(
        async () => (await timelineOf(shop, id)).find((entry) => entry.at('cause') === cause) ?? null,
        () => `${cause} in the timeline of ${id}`,
      );
    expect((await heard('scan')).value).toMatchObject({
      kind: 'provider_socket',
      summary: "qr_a's socket: scanned",
      detail: { from: 'scan', says: 'unknown', verified: false },
    });
    await phone(shop, session.text('qr_message'), 'pay');
    expect((await heard('socket')).value).toMatchObject({
      kind: 'provider_socket',
      summary: "qr_a's socket: paid",
      detail: { from: 'socket', says: 'paid', verified: false },
    });
    await shop.untilStatus(session.text('id'), 'success');
    const entries = await timelineOf(shop, id);
    expect(entries.find((entry) => entry.at('to') === 'success')?.at('cause')).toBe('provider_socket');
    expect(JSON.stringify(entries.map(({ value }) => value))).not.toContain('callback');
  });

  test('row 15: entries of one instant of a walking clock are still in order', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    await shop.endpoint(server, ['payment.failed', 'payment.cancelled']);
    const session = await shop.checkout();
    await shop.start(session);
    const id = (await shop.session(session.text('id'))).text('paymentId');
    await shop.advance(31 * 60);
    const entries = await eventually(
      async () => {
        const all = await timelineOf(shop, id);
        return all.filter((entry) => entry.at('kind') === 'webhook_attempt').length === 2 ? all : null;
      },
      () => 'both events to be sent',
    );
    const ended = entries.findIndex((entry) => entry.at('to') === 'cancelled');
    expect(entries[ended]?.value).toMatchObject({
      cause: 'lastLook',
      detail: { failureCode: 'session_expired' },
    });
    expect(entries[ended - 1]?.value).toMatchObject({ kind: 'poll', cause: 'lastLook' });
    expect(entries.slice(ended + 1, ended + 3).map((entry) => [entry.at('kind'), entry.at('cause')])).toEqual(
      [
        ['webhook_attempt', 'payment.failed'],
        ['webhook_attempt', 'payment.cancelled'],
      ],
    );
    // a page of it is a part of the same order
    const page = await shop.api.must('GET', `/v1/payments/${id}/timeline?page=2&limit=3`);
    expect(page.body.at('data')).toEqual(entries.slice(3, 6).map(({ value }) => value));
    expect(page.body.at('total')).toBe(entries.length);
  });
});
