import { describe, expect, test } from 'vitest';
import {
  declines,
  lookupsInFlight,
  inStatus,
  minutes,
  opens,
  pay,
  picks,
  running,
  says,
  seconds,
} from '../../actors/checkout-session/buyer.ts';
import type { BuyerParts } from '../../../gateways/buyer/parts.ts';
import type { DoorReply } from '../../../gateways/server/door.ts';
import type { CallbackHint } from '../../../src/providers/provider.ts';
import { locationOf, payPath, quiet, sessionId, textOf, Till, token, walletA, walletB } from './till.ts';

const statusOf = async (till: Till): Promise<unknown> =>
  JSON.parse(textOf(await till.get(`${payPath}/status`)));

describe('the page of a session', () => {
  test('row 1: shows shop, amount, description, the time left and every configured provider', async () => {
    const reply = await new Till().get(payPath);
    expect(reply.status).toBe(200);
    const page = textOf(reply);
    for (const text of [
      'Example Store',
      'NPR 1,250.50',
      'Order 1001',
      '30 minutes',
      '3:30 pm',
      'Wallet A',
      'Wallet B',
      'QR A',
    ]) {
      expect(page).toContain(text);
    }
  });

  test("row 2: of a redirect session offers the shop's provider alone and starts nothing by being opened", async () => {
    const till = new Till({ order: { flow: 'redirect', preselected: 'wallet_b' } });
    const page = textOf(await till.get(payPath));
    expect(page).toContain('data-auto="yes"');
    expect(page).toContain('Continue to Wallet B');
    expect(page).not.toContain('Wallet A');
    expect(till.asked).toEqual([]);
  });

  test('of a redirect session does not redirect after a failed attempt, so that the buyer can read the reason', async () => {
    const till = new Till({ order: { flow: 'redirect', preselected: 'wallet_b' } });
    const reply = till.picks('wallet_b');
    await quiet();
    till.happens((story) =>
      story.settle('provider.start', {
        paymentId: pay(1),
        durationMs: 1,
        answer: { outcome: 'failed', message: 'no' },
      }),
    );
    await reply;
    const page = textOf(await till.get(payPath));
    expect(page).not.toContain('data-auto');
    expect(page).toContain('Wallet B could not be reached.');
  });

  test('puts the preselected provider first', async () => {
    const page = textOf(await new Till({ order: { preselected: 'qr_a' } }).get(payPath));
    expect(page.indexOf('QR A')).toBeLessThan(page.indexOf('Wallet A'));
  });

  test('row 23: moves a provider in trouble last with a notice and disables one that is down', async () => {
    const page = textOf(
      await new Till({
        providers: [
          { ...walletA, health: 'degraded' },
          walletB,
          { ...walletB, id: 'qr_a', label: 'QR A', health: 'down' },
        ],
      }).get(payPath),
    );
    const places = ['Wallet B', 'Wallet A', 'QR A'].map((label) => page.indexOf(`>${label}<`));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(page).toContain('Having trouble');
    expect(page).toMatch(/<button class="way" type="button" disabled>[^]*QR A/);
  });

  test('offers bank_a and wallet_c for an invoice only', async () => {
    const providers = [walletB, { ...walletB, id: 'bank_a', label: 'Bank A' }] as const;
    expect(textOf(await new Till({ providers }).get(payPath))).not.toContain('Bank A');
    expect(textOf(await new Till({ providers, order: { source: 'invoice' } }).get(payPath))).toContain(
      'Bank A',
    );
  });

  test('says so when no provider is enabled', async () => {
    expect(textOf(await new Till({ providers: [] }).get(payPath))).toContain('No way to pay right now');
  });

  test('has a sandbox banner in sandbox only', async () => {
    expect(textOf(await new Till().get(payPath))).toContain('no real money moves');
    const live = new Till({ scope: 'prj_pjc0e83mhrawse3s6h8bhrbw:live' });
    expect(textOf(await live.get(payPath))).not.toContain('no real money');
  });

  test('says after a declined attempt what happened, and offers the other providers', async () => {
    const till = new Till();
    till.happens((story) => declines(running(story)));
    const page = textOf(await till.get(payPath));
    expect(page).toContain('Wallet B declined the payment.');
    expect(page).toContain('Wallet A');
  });

  test('while a payment runs still offers the running provider, the others and the cancel link', async () => {
    const till = new Till();
    till.happens((story) => running(story));
    const page = textOf(await till.get(payPath));
    expect(page).toContain('Continue to Wallet B');
    expect(page).toContain('Wallet A');
    expect(page).toContain(`action="${payPath}/cancel"`);
  });

  test('asks the buyer to wait, not to pay again, when the amount does not match', async () => {
    const till = new Till();
    till.happens((story) => says(running(story).wait(seconds(4)), 'paid', { amountPaisa: 124_950 }));
    const page = textOf(await till.get(payPath));
    expect(page).toContain('Your payment is under review');
    expect(page).toContain('Please do not pay again.');
  });

  test.each([
    ['success', 'Payment received'],
    ['failed', 'Payment not completed'],
    ['cancelled', 'Payment cancelled'],
    ['expired', 'This payment session has expired'],
  ] as const)('of a session that ended as %s says "%s" and links to the shop', async (status, title) => {
    const order = status === 'failed' ? ({ flow: 'redirect', preselected: 'wallet_b' } as const) : {};
    const till = new Till({ order });
    const ended = inStatus[status](order);
    till.story.doc = ended.doc;
    const page = textOf(await till.get(payPath));
    expect(page).toContain(`<title>${title} · Example Store</title>`);
    expect(page).toContain(`href="https://shop.example/return?session_id=${sessionId}&amp;status=${status}"`);
    expect(page).not.toContain('<form');
  });

  test.each([
    'cs_zzzzzzzzzzzzzzzzzzzzzzzz',
    'x',
    '%00',
    '__proto__',
    'pay_n5z1m6q3x9k2v7b1',
    'cs_iiiiiiiiiiiiiiiiiiiiiiii',
  ])('of %s, which is unknown, is a 404 page', async (id) => {
    const reply = await new Till().send('GET', `/pay/${id}`, '');
    expect(reply.status).toBe(404);
    expect(reply.headers?.['Content-Type']).toBe('text/html; charset=utf-8');
  });

  test('does not exist for a Direct-QR session', async () => {
    const till = new Till({ order: { source: 'direct_qr' } });
    expect((await till.get(payPath)).status).toBe(404);
    expect((await till.get(`${payPath}/status`)).status).toBe(404);
    expect((await till.post(`${payPath}/cancel`, { token })).status).toBe(404);
  });

  test('allows its forms to lead to any https address, and to plain http only where we know the target', async () => {
    const till = new Till({ order: { returnUrl: 'http://shop.test:3000/return' } });
    const csp = (await till.get(payPath)).headers?.['Content-Security-Policy'] ?? '';
    expect(csp).toContain("form-action 'self' https: http://shop.test:3000;");
  });
});

describe('the status of a session', () => {
  test('is exactly status, provider, needsReview, expires_at and next, in this order', async () => {
    const till = new Till();
    expect(textOf(await till.get(`${payPath}/status`))).toBe(
      '{"status":"pending","provider":null,"needsReview":false,"expires_at":"2026-11-20T09:45:00.000Z","next":null}',
    );
    till.happens((story) => running(story));
    expect(await statusOf(till)).toMatchObject({ status: 'initiated', provider: 'wallet_b', next: null });
  });

  test('says that a code was scanned, from then until it is paid', async () => {
    const till = new Till();
    till.happens((story) => opens(picks(story, 1, 'qr_a')));
    expect(await statusOf(till)).not.toHaveProperty('scanned');
    const hint = { paymentId: pay(1), from: 'scan', says: 'unknown', verified: false, summary: '' } as const;
    till.happens((story) => story.when('hint', hint));
    expect(await statusOf(till)).toEqual({
      status: 'initiated',
      provider: 'qr_a',
      needsReview: false,
      expires_at: '2026-11-20T09:45:00.000Z',
      next: null,
      scanned: true,
    });
    till.happens((story) => says(story, 'paid'));
    expect(await statusOf(till)).not.toHaveProperty('scanned');
  });

  test("has the shop's address once the session has ended", async () => {
    const till = new Till();
    till.happens((story) => story.when('expire', {}));
    expect(await statusOf(till)).toMatchObject({
      status: 'expired',
      next: `https://shop.example/return?session_id=${sessionId}&status=expired`,
    });
  });

  test('of an unknown session is a JSON 404', async () => {
    const reply = await new Till().get('/pay/cs_zzzzzzzzzzzzzzzzzzzzzzzz/status');
    expect(reply.status).toBe(404);
    expect(JSON.parse(textOf(reply))).toMatchObject({ error: { code: 'resource_not_found', param: 'id' } });
  });

  test('is still served while the merchant is suspended', async () => {
    const till = new Till({ shop: { suspended: { reason: 'x' } } });
    expect((await till.get(`${payPath}/status`)).status).toBe(200);
  });
});

describe('the way back to a shop whose address is in another script', () => {
  const back = (till: Till): Promise<string | undefined> =>
    till.get(`${payPath}?back=${till.clock.now()}`).then(locationOf);

  test('is a Location in ASCII: punycode, percent-encoded, its query and fragment kept', async () => {
    const till = new Till({ order: { returnUrl: 'https://दुकान.example/क?x=ख%20&y#ग' } });
    till.happens((story) => story.when('expire', {}));
    expect(await back(till)).toBe(
      'https://xn--11b7ah1gn.example/%E0%A4%95?x=%E0%A4%96%20&y' +
        `&session_id=${sessionId}&status=expired#%E0%A4%97`,
    );
  });

  test('works for the cancel address too', async () => {
    const till = new Till({ order: { cancelUrl: 'https://shop.example/टोकरी' } });
    expect(locationOf(await till.post(`${payPath}/cancel`, { token }))).toBe(
      'https://shop.example/%E0%A4%9F%E0%A5%8B%E0%A4%95%E0%A4%B0%E0%A5%80',
    );
  });

  test('keeps an ASCII address byte for byte', async () => {
    const till = new Till({ order: { returnUrl: 'https://SHOP.example:443/a/../b?x=%7e|#y' } });
    till.happens((story) => story.when('expire', {}));
    expect(await back(till)).toBe(
      `https://SHOP.example:443/a/../b?x=%7e|&session_id=${sessionId}&status=expired#y`,
    );
  });
});

describe("where the listener answers instead of a buyer's route", () => {
  const requestId = 'req_z25mwf0rtqd021aznxd0zrex';
  const returnPath = `/return/wallet_b/${pay(1)}/web/done`;
  const { doors } = new Till();
  const pagesAt = (path: string, status: number, sent: string): readonly (DoorReply | undefined)[] =>
    doors
      .filter((door) => door.path === path)
      .map((door) =>
        door.errorPage?.(status, { requestId, method: 'GET', path: sent, rawQuery: '', header: () => '' }),
      );

  test.each([405, 413, 500, 503])('%i is a page that leads back to the payment', (status) => {
    for (const [pattern, path] of [
      ['/pay/{sessionId}', payPath],
      ['/pay/{sessionId}/start', `${payPath}/start`],
      ['/pay/{sessionId}/cancel', `${payPath}/cancel`],
    ] as const) {
      const [reply] = pagesAt(pattern, status, path);
      expect(reply?.status).toBe(status);
      expect(reply?.headers).toMatchObject({
        'Content-Type': 'text/html; charset=utf-8',
        'X-Frame-Options': 'DENY',
      });
      expect(String(reply?.body)).toContain(`href="${payPath}"`);
    }
  });

  test.each([405, 413, 500, 503])(
    '%i of a return is a page without a link: no session is known there',
    (status) => {
      const replies = pagesAt('/return/{provider}/{paymentId}/{leg}/{outcome}', status, returnPath);
      expect(replies.map((reply) => reply?.status)).toEqual([status, status]);
      for (const reply of replies) expect(String(reply?.body)).not.toContain('class="button"');
    },
  );

  test('only a session id becomes part of a link', () => {
    const [reply] = pagesAt('/pay/{sessionId}', 500, '/pay/%22%3E<b>');
    expect(String(reply?.body)).not.toContain('class="button"');
  });

  test('status and callback, which machines read, have no page', () => {
    const plain = doors.filter((door) => !('errorPage' in door)).map(({ path }) => path);
    expect(plain).toEqual([
      '/pay/{sessionId}/status',
      '/callback/{provider}/{paymentId}',
      '/callback/{provider}',
    ]);
  });
});

describe('a callback that does not verify', () => {
  test('is a 404 for an unknown payment and a 400 for a known one, in JSON, and changes nothing', async () => {
    const till = new Till();
    till.happens((story) =>
      opens(story.when('start', { paymentId: pay(1), provider: 'wallet_b', variant: null })),
    );
    const before = till.story.state;
    const codeOf = async (path: string): Promise<unknown> => {
      const { status, body } = await till.send('POST', path, '{"status":"Completed"}');
      return [status, (JSON.parse(String(body)) as { error: { code: string } }).error.code];
    };
    expect(await codeOf(`/callback/wallet_b/${pay(1)}`)).toEqual([400, 'callback_signature_invalid']);
    expect(await codeOf(`/callback/wallet_b/${pay(2)}`)).toEqual([404, 'resource_not_found']);
    expect(await codeOf(`/callback/wallet_a/${pay(1)}`)).toEqual([404, 'resource_not_found']);
    expect(till.story.state).toEqual(before);
    expect(till.asked).toEqual([]);
  });
});

describe('a callback that verifies', () => {
  const called = async (parts: Partial<BuyerParts>, path: string, till = new Till({ parts })) => {
    till.happens((story) =>
      opens(story.when('start', { paymentId: pay(1), provider: 'wallet_b', variant: null })),
    );
    return { till, reply: await till.send('POST', path, '{"its":"body"}') };
  };
  const paid: CallbackHint = { hint: 'paid', verified: true, summary: 'Called back' };
  const verifies = { parseCallback: () => Promise.resolve(paid) };

  test('is a hint: it is answered 200, and the payment is looked up', async () => {
    const { till, reply } = await called(verifies, `/callback/wallet_b/${pay(1)}`);
    expect([reply.status, reply.body]).toEqual([200, '{"received":true}']);
    expect(till.asked).toEqual([
      {
        command: 'hint',
        by: 'provider',
        data: { paymentId: pay(1), from: 'callback', says: 'paid', verified: true, summary: 'Called back' },
      },
    ]);
    expect(till.story.state).toMatchObject({ status: 'initiated' });
    expect(lookupsInFlight(till.story)).toMatchObject([{ paymentId: pay(1), cause: 'provider_callback' }]);
  });

  test('at an address without a payment, names its payment in the body', async () => {
    const bodies: string[] = [];
    const paymentOfCallback = (provider: string, body: string): string | null => {
      bodies.push(`${provider} ${body}`);
      return pay(1);
    };
    const { reply } = await called({ ...verifies, paymentOfCallback }, '/callback/wallet_b');
    expect([reply.status, bodies]).toEqual([200, ['wallet_b {"its":"body"}']]);
    const { reply: unknown } = await called(verifies, '/callback/wallet_b');
    expect(unknown.status).toBe(404);
  });

  test('while its session does not answer, is kept in the mailbox; without one, the provider repeats it', async () => {
    for (const mailboxOpen of [true, false]) {
      const till = new Till({ parts: verifies });
      Object.assign(till, { mailboxOpen, nextAnswer: { is: 'unknown' } });
      const { reply } = await called({}, `/callback/wallet_b/${pay(1)}`, till);
      expect(reply.status).toBe(mailboxOpen ? 200 : 503);
    }
  });
});

describe('a return address of an older version', () => {
  test('that is opened much later still shows the plain page', async () => {
    const till = new Till();
    till.happens((story) => story.when('expire', {}));
    const reply = await till.get(`${payPath}?back=${till.clock.now() - minutes(31)}`);
    expect(reply.status).toBe(200);
    expect(locationOf(reply)).toBeUndefined();
  });
});
