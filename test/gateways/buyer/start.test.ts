import { describe, expect, test } from 'vitest';
import { opens, pay, refusesStart, says } from '../../actors/checkout-session/buyer.ts';
import { locationOf, payPath, quiet, textOf, Till, token, walletB } from './till.ts';

const providerPage = `https://wallet-b.example/?pidx=px_${pay(1)}`;

/** Picks wallet_b and lets the provider open the attempt. */
async function started(till: Till): Promise<Awaited<ReturnType<Till['picks']>>> {
  const reply = till.picks('wallet_b');
  await quiet();
  till.happens(opens);
  return reply;
}

describe('starting a payment', () => {
  test('sends the buyer to the provider with a 303 as soon as the provider has opened the attempt', async () => {
    const till = new Till();
    const reply = await started(till);
    expect(reply.status).toBe(303);
    expect(locationOf(reply)).toBe(providerPage);
    expect(till.story.state.status).toBe('initiated');
  });

  test('creates the payment id at the gateway and asks as a buyer', async () => {
    const till = new Till();
    await started(till);
    expect(till.asked).toEqual([
      {
        command: 'start',
        by: 'buyer',
        data: { paymentId: pay(1), provider: 'wallet_b', variant: null, language: 'en' },
      },
    ]);
  });

  test('finds the instructions by reading every second when the notice is lost', async () => {
    const till = new Till();
    till.deaf = true;
    const reply = till.picks('wallet_b');
    await quiet();
    till.happens(opens);
    await till.clock.pass(1000);
    expect(locationOf(await reply)).toBe(providerPage);
  });

  test('returns to the page, which says what happened, when the provider cannot be reached', async () => {
    const till = new Till();
    const reply = till.picks('wallet_b');
    await quiet();
    till.happens(refusesStart);
    expect(locationOf(await reply)).toBe(payPath);
    const page = textOf(await till.get(payPath));
    expect(page).toContain('Wallet B could not be reached.');
    expect(page).toContain('role="alert"');
  });

  test('waits 12 s at most and then shows the current state', async () => {
    const till = new Till();
    const reply = till.picks('wallet_b');
    await till.clock.pass(11_999);
    expect(till.clock.isAwaited).toBe(true);
    await till.clock.pass(1);
    expect(locationOf(await reply)).toBe(payPath);
    expect(till.clock.isAwaited).toBe(false);
    expect(till.watchers.size).toBe(0);
    expect(textOf(await till.get(payPath))).toContain('Opening Wallet B');
  });

  test("posts the provider's form by a page of ours when it needs fields", async () => {
    const till = new Till();
    const reply = till.picks('wallet_b');
    await quiet();
    till.happens((story) =>
      story.settle('provider.start', {
        paymentId: pay(1),
        durationMs: 1,
        answer: {
          outcome: 'started',
          lookupReference: 'x',
          providerExpiresAt: null,
          instructions: {
            kind: 'form',
            method: 'POST',
            url: 'https://wallet-b.example/form',
            fields: { amount: '1250.50', 's"g': '<&>' },
          },
        },
      }),
    );
    const page = await reply;
    expect(page.status).toBe(200);
    expect(textOf(page)).toContain(
      '<form method="post" action="https://wallet-b.example/form" data-auto="yes">',
    );
    expect(textOf(page)).toContain('<input type="hidden" name="s&quot;g" value="&lt;&amp;&gt;">');
  });

  test('never redirects the buyer to an address that is not http or https', async () => {
    const till = new Till();
    const reply = till.picks('wallet_b');
    await quiet();
    till.happens((story) =>
      story.settle('provider.start', {
        paymentId: pay(1),
        durationMs: 1,
        answer: {
          outcome: 'started',
          lookupReference: 'x',
          providerExpiresAt: null,
          instructions: { kind: 'redirect', method: 'GET', url: 'javascript:alert(1)', fields: {} },
        },
      }),
    );
    expect((await reply).status).toBe(502);
    expect(locationOf(await reply)).toBeUndefined();
  });
});

describe('a second start', () => {
  test('with the same provider leads to the same instructions and makes no second payment', async () => {
    const till = new Till();
    await started(till);
    expect(locationOf(await till.picks('wallet_b'))).toBe(providerPage);
    expect(till.story.state.payments).toHaveLength(1);
  });

  test('with another provider waits for the look-up of the running attempt, then for the new instructions', async () => {
    const till = new Till();
    await started(till);
    const reply = till.picks('wallet_a');
    await quiet();
    till.happens((story) => says(story, 'pending'));
    await quiet();
    till.happens(opens);
    expect(locationOf(await reply)).toBe(`https://wallet-b.example/?pidx=px_${pay(2)}`);
    expect(till.story.state.payments.map(({ status }) => status)).toEqual(['cancelled', 'pending']);
  });

  test('that finds the running attempt paid shows the payment as received', async () => {
    const till = new Till();
    await started(till);
    const reply = till.picks('wallet_a');
    await quiet();
    till.happens((story) => says(story, 'paid'));
    expect(locationOf(await reply)).toBe(payPath);
    expect(textOf(await till.get(payPath))).toContain('Payment received');
  });

  test('is refused with a page at the sixth attempt and changes nothing', async () => {
    const till = new Till();
    for (const n of [1, 2, 3, 4])
      till.happens((story) =>
        refusesStart(story.when('start', { paymentId: `${pay(n)}x`, provider: 'wallet_b', variant: null })),
      );
    await started(till);
    const before = till.story.state;
    const reply = await till.picks('wallet_a');
    expect(reply.status).toBe(409);
    expect(textOf(reply)).toContain('No more tries.');
    expect(till.story.state).toEqual(before);
  });
});

describe('a start that must not happen', () => {
  test.each([
    ['without', ''],
    ['with a wrong', `${token}x`],
    ["with another session's", token.toUpperCase()],
  ])('%s form token answers 403, and the session is not asked', async (_how, sent) => {
    const till = new Till();
    const reply = await till.picks('wallet_b', { token: sent });
    expect(reply.status).toBe(403);
    expect(textOf(reply)).toContain('Nothing was changed');
    expect(till.asked).toEqual([]);
  });

  test('of a provider that is unknown, disabled or not offered answers 400', async () => {
    const till = new Till({
      providers: [walletB, { ...walletB, id: 'wallet_a', enabled: false }, { ...walletB, id: 'bank_a' }],
    });
    for (const provider of ['', 'wallet_z', 'wallet_a', 'bank_a', '__proto__']) {
      expect((await till.picks(provider)).status).toBe(400);
    }
    expect(till.asked).toEqual([]);
  });

  test('of a provider whose breaker is open is refused on the page', async () => {
    const till = new Till({ providers: [{ ...walletB, health: 'down' }] });
    const reply = await till.picks('wallet_b');
    expect(reply.status).toBe(409);
    expect(textOf(reply)).toContain('Not available right now');
    expect(till.asked).toEqual([]);
  });

  test('after the end shows the final state with 409', async () => {
    const till = new Till();
    till.happens((story) => story.when('expire', {}));
    const reply = await till.picks('wallet_b');
    expect(reply.status).toBe(409);
    expect(textOf(reply)).toContain('This payment session has expired');
  });

  test('of a suspended merchant leads back to its shop, where its address is known', async () => {
    const shop = { suspended: { reason: 'x' }, shopUrl: 'https://asha.example/?a=1&b=2' };
    const known = new Till({ shop });
    expect(textOf(await known.get(payPath))).toContain('href="https://asha.example/?a=1&amp;b=2"');
    const unknown = new Till({ shop: { ...shop, shopUrl: null } });
    expect(textOf(await unknown.get(payPath))).not.toContain('href="https://');
  });

  test('row 88: of a suspended merchant answers 403 "This shop cannot take payments now" and changes nothing', async () => {
    const till = new Till({ shop: { suspended: { reason: 'Document review is overdue.' } } });
    for (const reply of [
      await till.get(payPath),
      await till.picks('wallet_b'),
      await till.post(`${payPath}/cancel`, { token }),
    ]) {
      expect(reply.status).toBe(403);
      expect(textOf(reply)).toContain('This shop cannot take payments now');
      expect(textOf(reply)).not.toContain('Document review');
    }
    expect(till.asked).toEqual([]);
  });

  test('from an address that sends too many forms answers 429 with its limit before anything is read', async () => {
    const verdict = { allowed: false, limit: 30, remaining: 0, resetSeconds: 60, retryAfterSeconds: 41 };
    const till = new Till({ parts: { limitForms: (ip) => (ip === '203.0.113.7' ? verdict : null) } });
    const reply = await till.picks('wallet_b');
    expect(reply.status).toBe(429);
    expect(reply.headers).toMatchObject({
      'RateLimit-Limit': '30',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '60',
      'Retry-After': '41',
    });
    expect(textOf(reply)).toContain('41 seconds');
    expect(till.asked).toEqual([]);
  });

  test('from an address within its limit passes', async () => {
    const verdict = { allowed: true, limit: 30, remaining: 29, resetSeconds: 2, retryAfterSeconds: 0 };
    const till = new Till({ parts: { limitForms: () => verdict } });
    expect((await started(till)).status).toBe(303);
  });

  test('with an unknown variant is refused, and nothing is started', async () => {
    const till = new Till();
    for (const variant of ['app', 'WEB', '', '__proto__']) {
      expect((await till.picks('wallet_b', { variant })).status).toBe(400);
    }
    const twice = new URLSearchParams([
      ['token', token],
      ['provider', 'wallet_b'],
      ['variant', 'web'],
      ['variant', 'app'],
    ]);
    expect((await till.send('POST', `${payPath}/start`, twice.toString())).status).toBe(400);
    expect(till.asked).toEqual([]);
  });

  test('of an unknown session is a 404 page', async () => {
    const reply = await new Till().post('/pay/cs_zzzzzzzzzzzzzzzzzzzzzzzz/start', {
      token,
      provider: 'wallet_b',
    });
    expect(reply.status).toBe(404);
    expect(textOf(reply)).toContain('We do not know this payment');
  });
});

describe('a start whose answer is not ok', () => {
  test('overloaded: 503 with Retry-After, and a page that reloads', async () => {
    const till = new Till();
    till.nextAnswer = { is: 'not_executed', why: 'overloaded', retryAfterMs: 500 };
    const reply = await till.picks('wallet_b');
    expect(reply.status).toBe(503);
    expect(reply.headers?.['Retry-After']).toBe('1');
    expect(textOf(reply)).toContain(`href="${payPath}"`);
  });

  test('unknown: checks whether it happened instead of starting again', async () => {
    const till = new Till();
    till.nextAnswer = { is: 'unknown' };
    expect(locationOf(await till.picks('wallet_b'))).toBe(payPath);
    expect(till.asked).toHaveLength(1);
  });
});

describe('the address that a shop requests', () => {
  const asks = { order: { collectAddress: true } };

  test('is requested on the page and sent with the start', async () => {
    const till = new Till(asks);
    expect(textOf(await till.get(payPath))).toContain('name="line1"');
    const reply = till.picks('wallet_b', { line1: ' Ward 4 ', city: 'Kathmandu', country: '' });
    await quiet();
    till.happens(opens);
    expect((await reply).status).toBe(303);
    expect(till.story.state.customerAddress).toEqual({
      line1: 'Ward 4',
      line2: null,
      city: 'Kathmandu',
      state: null,
      postalCode: null,
      country: null,
    });
  });

  test('with missing or too long fields is requested again, with the typed values', async () => {
    const till = new Till(asks);
    const reply = await till.picks('wallet_b', { line1: 'Ward "4"', city: ' ' });
    expect(reply.status).toBe(400);
    expect(textOf(reply)).toContain('value="Ward &quot;4&quot;"');
    expect((await till.picks('wallet_b', { line1: 'x'.repeat(201), city: 'Kathmandu' })).status).toBe(400);
    expect(till.asked).toEqual([]);
  });
});

describe('cancelling', () => {
  test('ends the session and returns to the shop, its own query and fragment kept', async () => {
    const till = new Till({ order: { returnUrl: 'https://shop.example/return?basket=a%20b#top' } });
    const reply = await till.post(`${payPath}/cancel`, { token });
    expect(reply.status).toBe(303);
    expect(locationOf(reply)).toBe(
      `https://shop.example/return?basket=a%20b&session_id=${till.story.given.id}&status=cancelled#top`,
    );
    expect(till.story.state.status).toBe('cancelled');
  });

  test('goes to cancelUrl if there is one', async () => {
    const till = new Till({ order: { cancelUrl: 'https://shop.example/basket' } });
    expect(locationOf(await till.post(`${payPath}/cancel`, { token }))).toBe('https://shop.example/basket');
  });

  test('needs the form token', async () => {
    const till = new Till();
    expect((await till.post(`${payPath}/cancel`, {})).status).toBe(403);
    expect(till.story.state.status).toBe('pending');
  });

  test('of a session that has ended shows its result, with 409', async () => {
    const till = new Till();
    till.happens((story) => story.when('expire', {}));
    const reply = await till.post(`${payPath}/cancel`, { token });
    expect(reply.status).toBe(409);
    expect(textOf(reply)).toContain('This payment session has expired');
  });
});
