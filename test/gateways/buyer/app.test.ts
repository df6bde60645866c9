/** The pages of a payment that is approved in the wallet's app, from the session and the buyer's browser alone. */
import { describe, expect, test } from 'vitest';
import { isPhone } from '../../../gateways/buyer/device.ts';
import { pendingOf, says, scope } from '../../actors/checkout-session/buyer.ts';
import { locationOf, payPath, quiet, textOf, Till, type TillOptions } from './till.ts';

const link = 'https://links.example/pay/Zx81';
const android =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
const phone = { 'user-agent': android };
const form = 'action="/pay/cs_n5y5kc7txbgmy7rz22b0c1r5/start" data-web="yes"';

async function inApp(
  headers: { readonly [name: string]: string },
  options: TillOptions = {},
): Promise<[Till, string | undefined]> {
  const till = new Till(options);
  const reply = till.picks('wallet_a', {}, headers);
  await quiet();
  till.happens((story) => {
    const { paymentId } = pendingOf(story, 'provider.start');
    story.settle('provider.start', {
      paymentId,
      durationMs: 1,
      answer: {
        outcome: 'started',
        lookupReference: paymentId,
        providerExpiresAt: null,
        instructions: { kind: 'intent', method: 'GET', url: link, fields: {} },
        booking: { bookingId: 'BK-1001', correlationId: 'CR-2002' },
      },
    });
  });
  return [till, locationOf(await reply)];
}

describe('a payment in the app', () => {
  test('on a phone the start leads to a page that opens the app, which any later visit does not', async () => {
    const [till, location] = await inApp(phone);
    expect(location).toBe(`${payPath}?app`);
    const first = textOf(await till.get(`${payPath}?app`, phone));
    expect(first).toMatch(/data-app-opens="[^"]+"\s+data-wait-ms="3000"/);
    const later = textOf(await till.get(payPath, phone));
    expect(later).not.toContain('data-app-opens');
    for (const page of [first, later]) {
      expect(page).toContain(`href="${link}"`);
      expect(page).toContain(form);
      expect(page).not.toContain('data:image/png');
      // the switch of language does not open the app either
      expect(page).toContain(`href="${payPath}?lang=ne"`);
    }
  });

  test('the app is opened through an address that leaves the page open when the link is dead', async () => {
    const asked: unknown[] = [];
    let isDead = false;
    const leadsToApp = (...of: unknown[]): Promise<boolean> => {
      asked.push(of);
      return Promise.resolve(!isDead);
    };
    const [till] = await inApp(phone, { parts: { leadsToApp } });
    const page = textOf(await till.get(`${payPath}?app`, phone));
    const [, opens = ''] = /data-app-opens="([^"]+)"/.exec(page) ?? [];
    expect(locationOf(await till.get(opens, phone))).toBe(link);
    expect(asked).toEqual([[scope, 'wallet_a', link, android]]);
    isDead = true;
    expect((await till.get(opens, phone)).status).toBe(204);
    isDead = false;
    till.happens((story) => story.when('expire', {}));
    expect((await till.get(opens, phone)).status).toBe(204);
  });

  test('every page of a buyer can read the browser behind it, also after a form has arrived', () => {
    const pages = new Till().doors.filter((door) => 'errorPage' in door);
    expect(pages.length).toBeGreaterThan(5);
    for (const { lateHeaders } of pages) expect(lateHeaders).toContain('user-agent');
  });

  test('elsewhere it shows the code of the same link, without a timer', async () => {
    const [till, location] = await inApp({});
    expect(location).toBe(payPath);
    for (const address of [payPath, `${payPath}?app`]) {
      const page = textOf(await till.get(address));
      expect(page).toContain('<img src="data:image/png;base64,');
      expect(page).toContain(form);
      expect(page).not.toContain('data-app-opens');
      expect(page).not.toContain(link);
    }
  });

  test('that has expired says so and leads to the shop, in both languages', async () => {
    const [till] = await inApp(phone);
    till.happens((story) => story.when('expire', {}));
    const page = textOf(await till.get(payPath, phone));
    expect(page).toContain('This payment session has expired');
    expect(page).toContain('Start again from the shop.');
    const nepali = textOf(await till.get(`${payPath}?lang=ne`, phone));
    expect(nepali).toContain('पसलबाट फेरि सुरु गर्नुहोस्।');
  });

  test('that was paid returns to the shop by itself', async () => {
    const [till] = await inApp(phone);
    till.happens((story) => says(story.wait(4000), 'paid'));
    const page = textOf(await till.get(payPath, phone));
    expect(page).toContain('Payment received');
    expect(page).toMatch(/data-return-to="[^"]*status=success" data-return-ms="5000"/);
  });
});

test.each([
  [android, true],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1',
    true,
  ],
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    false,
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/17.0 Safari/605.1.15',
    false,
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', false],
  ['', false],
])('%s is a phone: %s', (userAgent, is) => {
  expect(isPhone(userAgent)).toBe(is);
});
