/** Each unsuccessful end of a payment, and what the merchant is told of it. Its clock walks over a day of look-ups. */
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { buttonOf, open, press } from '../../src/cli/demo/buyer.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';

/** How each unsuccessful end of a payment comes about, and the failure code it is told with. */
const ends: readonly [end: string, failureCode: string, bring: (shop: Merchant) => Promise<string>][] = [
  ['the buyer cancels at the provider', 'user_cancelled', (shop) => simulated(shop, 'cancelled')],
  [
    'the provider declines, which this one shows as cancelled',
    'user_cancelled',
    async (shop) => {
      const id = await simulated(shop, 'declined');
      await shop.advance(30);
      return id;
    },
  ],
  [
    'the buyer cancels on our page',
    'user_cancelled',
    async (shop) => {
      const session = await started(shop);
      await press(buttonOf(await open(session.text('checkout_url')), /cancel/i));
      return session.text('id');
    },
  ],
  [
    'the shop expires the session',
    'session_expired',
    async (shop) => {
      const session = await started(shop);
      await shop.api.must('POST', `/v1/checkout/${session.text('id')}/expire`);
      return session.text('id');
    },
  ],
  [
    'the provider refuses the start',
    'provider_error',
    async (shop) => {
      await shop.faults([{ call: 'start', kind: 'http_502', times: 1 }]);
      return (await started(shop)).text('id');
    },
  ],
  [
    'the time at the provider runs out',
    'attempt_expired',
    async (shop) => {
      const session = await started(shop, { expiresInMinutes: 60 });
      await shop.advance(32 * 60);
      return session.text('id');
    },
  ],
];

async function started(shop: Merchant, fields: object = {}): Promise<Body> {
  const session = await shop.checkout(fields);
  await shop.start(session);
  return session;
}

async function simulated(shop: Merchant, outcome: string): Promise<string> {
  const session = await shop.checkout();
  await shop.simulate(session.text('id'), outcome);
  return session.text('id');
}

describeModes('payments that failed', (galla) => {
  test('row 58: each unsuccessful end of a payment is sent once', async () => {
    const shop = await galla().merchant();
    const server = await galla().shop();
    await shop.endpoint(server, ['payment.failed']);
    for (const [end, failureCode, bring] of ends) {
      const before = (await shop.events('payment.failed')).length;
      const sessionId = await bring(shop);
      const told = (await shop.untilEvents(before + 1, 'payment.failed')).at(-1);
      expect(told?.value, end).toMatchObject({ type: 'payment.failed', data: { sessionId, failureCode } });
      const heard = await server.webhook(({ id }) => id === told?.text('id'));
      expect(heard.raw.toString()).toBe(JSON.stringify(told?.value));
    }
    // whatever later look-ups find, nothing is reported twice
    await shop.advance(25 * 3600);
    expect((await shop.events('payment.failed')).length).toBe(ends.length);
    expect(await shop.events('payment.succeeded')).toEqual([]);
  }, 60_000);
});
