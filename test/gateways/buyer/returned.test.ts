import { describe, expect, test } from 'vitest';
import {
  lookupsInFlight,
  pay,
  picks,
  running,
  says,
  seconds,
  staysSilent,
} from '../../actors/checkout-session/buyer.ts';
import type { BuyerParts } from '../../../gateways/buyer/parts.ts';
import { locationOf, payPath, quiet, sessionId, textOf, Till } from './till.ts';

const back = (n = 1, query = '?status=Completed'): string => `/return/wallet_b/${pay(n)}/web/done${query}`;
const shop = (status: string): string =>
  `https://shop.example/return?session_id=${sessionId}&status=${status}`;

/** A buyer at the provider's page. */
function paying(options: ConstructorParameters<typeof Till>[0] = {}): Till {
  const till = new Till(options);
  till.happens((story) => running(story));
  return till;
}

describe('row 21: a returning buyer', () => {
  test('of a provider without a return gets no page, and the session is not asked', async () => {
    const till = paying({ parts: { parseReturn: () => Promise.resolve(null) } });
    const before = till.asked.length;
    expect((await till.get(back())).status).toBe(404);
    expect(till.asked.length).toBe(before);
  });

  test('of a session without a page gets none, and the session is not asked', async () => {
    const till = paying({ order: { source: 'direct_qr' } });
    const before = till.asked.length;
    expect((await till.get(back())).status).toBe(404);
    expect(till.asked.length).toBe(before);
  });

  test('from an address with too many returns is asked to wait before anything is read', async () => {
    const verdict = { allowed: false, limit: 120, remaining: 0, resetSeconds: 60, retryAfterSeconds: 41 };
    const till = paying({ parts: { limitReturns: (ip) => (ip === '203.0.113.7' ? verdict : null) } });
    const before = till.asked.length;
    const reply = await till.get(back());
    expect([reply.status, reply.headers?.['Retry-After']]).toEqual([429, '41']);
    expect(till.asked.length).toBe(before);
  });

  test('is sent to the shop as soon as the look-up finds the payment', async () => {
    const till = paying();
    const reply = till.get(back());
    await quiet();
    till.happens((story) => says(story, 'paid'));
    expect((await reply).status).toBe(303);
    expect(locationOf(await reply)).toBe(shop('success'));
  });

  test('waits 3 s at most, then sees that we are checking, without a button', async () => {
    const till = paying();
    const reply = till.get(back());
    await till.clock.pass(seconds(3) - 1);
    expect(till.clock.isAwaited).toBe(true);
    await till.clock.pass(1);
    const page = textOf(await reply);
    expect((await reply).status).toBe(200);
    expect(page).toContain('Checking your payment');
    expect(page).toMatch(/<meta http-equiv="refresh" content="2;url=\/pay\/cs_\w+\?back=\d+">/);
    expect(page).not.toContain('<button');
    expect(till.watchers.size).toBe(0);
  });

  test('is offered "try again" after 10 s, and is still asked not to pay twice', async () => {
    const till = paying();
    const reply = till.get(back());
    await till.clock.pass(seconds(3));
    const next = /url=([^"]+)"/.exec(textOf(await reply))?.[1] ?? '';
    await till.clock.pass(seconds(6));
    expect(textOf(await till.get(next))).toContain('Checking your payment');
    await till.clock.pass(seconds(1));
    const page = textOf(await till.get(next));
    expect(page).toContain('Not paid? Try again');
    expect(page).toContain('If you have paid, just wait.');
  });

  test('who tries again starts a new payment once the running one was looked up', async () => {
    const till = paying();
    const reply = till.get(back());
    await quiet();
    till.happens(staysSilent);
    await till.clock.pass(seconds(13));
    await reply;
    void till.picks('wallet_b');
    await quiet();
    till.happens((story) => says(story, 'pending'));
    expect(till.story.state.payments.map(({ status }) => status)).toEqual(['cancelled', 'pending']);
  });

  test('who waits on the page is sent to the shop when the result is known', async () => {
    const till = paying();
    const reply = till.get(back());
    await till.clock.pass(seconds(3));
    const next = /url=([^"]+)"/.exec(textOf(await reply))?.[1] ?? '';
    till.happens((story) => says(story, 'paid'));
    expect(locationOf(await till.get(next))).toBe(shop('success'));
  });

  test('gets the provider choice after cancelling at the provider', async () => {
    const till = paying();
    const reply = till.get(back(1, '?status=User%20canceled'));
    await quiet();
    till.happens((story) => says(story, 'cancelled'));
    expect(locationOf(await reply)).toBe(payPath);
    expect(textOf(await till.get(payPath))).toContain('The payment at Wallet B was cancelled.');
  });

  test('of a redirect session is sent to the shop with the result', async () => {
    const till = paying({ order: { flow: 'redirect', preselected: 'wallet_b' } });
    const reply = till.get(back());
    await quiet();
    till.happens((story) => says(story, 'cancelled'));
    expect(locationOf(await reply)).toBe(shop('cancelled'));
  });

  test('after the session has expired waits for the look-up: a late payment is success, never two outcomes', async () => {
    const till = paying();
    till.happens((story) => story.when('expire', {}));
    const reply = till.get(back());
    await quiet();
    till.happens((story) => says(story, 'paid'));
    expect(locationOf(await reply)).toBe(shop('success'));
  });

  test('after the session has expired unpaid is sent to the shop with "expired"', async () => {
    const till = paying();
    till.happens((story) => story.when('expire', {}));
    const reply = till.get(back());
    await quiet();
    till.happens((story) => says(story, 'pending'));
    expect(locationOf(await reply)).toBe(shop('expired'));
  });

  test('who returns twice at once gets one outcome', async () => {
    const till = paying();
    const replies = [till.get(back()), till.get(back()), till.send('POST', back(), 'status=Completed')];
    await quiet();
    till.happens((story) => says(story, 'paid'));
    await till.clock.pass(seconds(3));
    expect((await Promise.all(replies)).map(locationOf)).toEqual([
      shop('success'),
      shop('success'),
      shop('success'),
    ]);
  });

  test('of an older attempt, while a newer one runs, sees the page of the newer one', async () => {
    const till = paying();
    till.happens((story) => says(picks(story, 2, 'wallet_a'), 'pending'));
    const reply = till.get(back(1));
    await till.clock.pass(seconds(1));
    for (const _look of lookupsInFlight(till.story)) till.happens((story) => says(story, 'pending'));
    await till.clock.pass(seconds(3));
    expect(locationOf(await reply)).toBe(payPath);
  });

  test('whose amount does not match sees that it is under review', async () => {
    const till = paying();
    const reply = till.get(back());
    await quiet();
    till.happens((story) => says(story, 'ambiguous'));
    expect(locationOf(await reply)).toBe(payPath);
    expect(textOf(await till.get(payPath))).toContain('Your payment is under review');
  });
});

describe('row 20: a return is a hint', () => {
  test('a forged "paid" triggers a look-up, and only its result counts', async () => {
    const till = paying();
    const reply = till.get(back(1, '?status=Completed&amount=125050&transaction_id=forged'));
    await quiet();
    expect(till.asked).toMatchObject([
      { command: 'hint', by: 'buyer', data: { from: 'return', says: 'paid', verified: false } },
    ]);
    till.happens((story) => says(story, 'pending'));
    await till.clock.pass(seconds(3));
    expect((await reply).status).toBe(200);
    expect(till.story.state.status).toBe('initiated');
  });
});

describe('a return to an unknown payment', () => {
  test.each([
    ['an unknown payment', `/return/wallet_b/${pay(9)}/web/done`],
    ['a payment of another provider', `/return/wallet_a/${pay(1)}/web/done`],
    ['an unknown provider', `/return/wallet_z/${pay(1)}/web/done`],
    ['something that is no payment id', '/return/wallet_b/__proto__/web/done'],
  ])('%s is a 404 page, by GET and by POST', async (_what, path) => {
    const till = paying();
    for (const method of ['GET', 'POST']) {
      const reply = await till.send(method, path, '');
      expect(reply.status).toBe(404);
      expect(textOf(reply)).toContain('We do not know this payment');
    }
    expect(till.asked).toEqual([]);
  });
});

describe('a return while the merchant is suspended', () => {
  const suspended = { shop: { suspended: { reason: 'x' } } };

  test('still records the money and sends the buyer to the shop', async () => {
    const till = paying(suspended);
    const reply = till.get(back());
    await quiet();
    till.happens((story) => says(story, 'paid'));
    expect(locationOf(await reply)).toBe(shop('success'));
  });

  test('without a result says that a payment already made is recorded', async () => {
    const till = paying(suspended);
    const reply = till.get(back());
    await till.clock.pass(seconds(3));
    expect((await reply).status).toBe(403);
    expect(textOf(await reply)).toContain('your payment is still recorded');
  });
});

describe('a return to a session whose owner does not answer', () => {
  test.each([true, false])('shows its page all the same; mailbox available: %s', async (open) => {
    const lines: string[] = [];
    const warn = (_fields: object, line: string): void => void lines.push(line);
    const till = paying({ parts: { log: { warn: warn as BuyerParts['log']['warn'] } } });
    till.mailboxOpen = open;
    till.nextAnswer = { is: 'unknown' };
    const reply = till.get(back());
    await till.clock.pass(seconds(3));
    expect((await reply).status).toBe(200);
    expect(textOf(await reply)).toContain('Checking your payment');
    expect(lines).toEqual(
      open ? [] : ['a return could not be delivered to its session: polling finds the payment'],
    );
  });
});
