/** The code of a payment as a file: what a buyer saves who pays on the phone that shows it. */
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { create } from 'qrcode';
import { describe, expect, test } from 'vitest';
import type { DoorReply } from '../../../gateways/server/door.ts';
import {
  expiresAt,
  minutes,
  opened,
  pay,
  picks,
  running,
  seconds,
} from '../../actors/checkout-session/buyer.ts';
import { payPath, textOf, Till, token, type TillOptions } from './till.ts';

const codePath = `${payPath}/code.png`;
const qrText = '00020101021226350011qra.example62320520pay-4t8z1m6q3x9k2v7b6304516C';

const tillWithCode = (options: TillOptions = {}): Till => withCode(new Till(options));

/** The buyer has picked the code, and it is on his screen. */
function withCode(till: Till): Till {
  till.happens((story) =>
    picks(story, 1, 'qr_a').settle('provider.start', {
      paymentId: pay(1),
      durationMs: 1,
      answer: {
        outcome: 'started',
        lookupReference: pay(1),
        providerExpiresAt: null,
        instructions: { kind: 'qr', method: 'GET', url: '', fields: {}, qrMessage: qrText },
      },
    }),
  );
  return till;
}

const readOf = (reply: DoorReply): string | undefined => {
  const { data, width, height } = PNG.sync.read(Buffer.from(reply.body ?? ''));
  return jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
};

describe('the code of a running payment', () => {
  test('is an image to save, with the same content as the code on the page', async () => {
    const till = tillWithCode();
    const reply = await till.get(codePath);
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      'Content-Type': 'image/png',
      'Content-Disposition': 'attachment; filename="pay-NPR-1250.50.png"',
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'X-Frame-Options': 'DENY',
    });
    // no-store, which every answer is unless its door says otherwise
    expect(reply.headers).not.toHaveProperty('Cache-Control');
    expect(readOf(reply)).toBe(qrText);
    expect(till.asked).toEqual([]);
  });

  test('is offered on the page by a link, with a text that explains it', async () => {
    const page = textOf(await tillWithCode().get(payPath));
    expect(page).toContain(`href="${codePath}" download>Save the code</a>`);
    expect(page).toContain('On this phone? Save it and open it in your bank’s app.');
  });

  test('is available for its three minutes, and not longer than its session', async () => {
    const till = tillWithCode();
    await till.clock.pass(minutes(3) - 1);
    expect((await till.get(codePath)).status).toBe(200);
    await till.clock.pass(1);
    expect((await till.get(codePath)).status).toBe(404);

    const late = new Till();
    await late.clock.pass(expiresAt - opened - seconds(30));
    withCode(late);
    await late.clock.pass(seconds(29));
    expect((await late.get(codePath)).status).toBe(200);
    await late.clock.pass(seconds(1));
    expect((await late.get(codePath)).status).toBe(404);
  });

  test('is not served once the payment is over', async () => {
    const till = tillWithCode();
    await till.post(`${payPath}/cancel`, { token });
    expect((await till.get(codePath)).status).toBe(404);
  });

  test('is not served while the buyer changes to another provider', async () => {
    const till = tillWithCode();
    till.happens((story) => picks(story, 2, 'wallet_b'));
    expect((await till.get(codePath)).status).toBe(404);
  });

  test('is a 404 for a payment without a code, with a page that leads back', async () => {
    const till = new Till();
    expect((await till.get(codePath)).status).toBe(404);
    till.happens((story) => running(story));
    const reply = await till.get(codePath);
    expect(reply.status).toBe(404);
    expect(reply.headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8' });
    expect(reply.headers).not.toHaveProperty('Content-Disposition');
    expect(textOf(reply)).toContain(`href="${payPath}"`);
  });

  test('is a 404 for an unknown session, for Direct-QR, and for a suspended shop', async () => {
    const statusOf = async (till: Till, path = codePath): Promise<number> => (await till.get(path)).status;
    expect(await statusOf(new Till(), '/pay/cs_zzzzzzzzzzzzzzzzzzzzzzzz/code.png')).toBe(404);
    expect(await statusOf(new Till({ order: { source: 'direct_qr' } }))).toBe(404);
    expect(await statusOf(tillWithCode({ shop: { suspended: { reason: 'x' } } }))).toBe(403);
  });
});

test('the code on the page has each module of the text, and no other', async () => {
  const page = textOf(await tillWithCode().get(payPath));
  const { size, data } = create(qrText, { errorCorrectionLevel: 'M' }).modules;
  const dark = new Set<number>();
  for (const [, x, y, run] of page.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let at = 0; at < Number(run); at++) dark.add((Number(y) - 4) * size + Number(x) - 4 + at);
  expect([...dark]).toEqual([...data.keys()].filter((at) => data[at] !== 0));
});

describe('a code that is requested often', () => {
  /** CPU time of the quickest of several. */
  async function cpuMs(asked: () => Promise<unknown>): Promise<number> {
    let least = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 30; run++) {
      const before = process.cpuUsage();
      await asked();
      const { user, system } = process.cpuUsage(before);
      least = Math.min(least, (user + system) / 1000);
    }
    return least;
  }
  const drawing = (): Promise<number> => {
    let at = 0;
    return cpuMs(async () => create(`${qrText}${++at}`, { errorCorrectionLevel: 'M' }));
  };

  test.each([
    ['as a picture', codePath],
    ['on the page', payPath],
  ])('%s is rendered once', async (_what, path) => {
    const till = tillWithCode();
    await till.get(path);
    // one that renders takes all of a drawing, and the rest of the answer
    expect(await cpuMs(() => till.get(path))).toBeLessThan(await drawing());
  });

  test.each([
    ['as a picture', codePath, undefined],
    ['on the page, which looks again when it may', payPath, '2'],
  ])('%s answers 429 to an address beyond its limit', async (_what, path, refresh) => {
    const verdict = { allowed: false, limit: 600, remaining: 0, resetSeconds: 60, retryAfterSeconds: 2 };
    const till = tillWithCode({ parts: { limitCodes: (ip) => (ip === '203.0.113.7' ? verdict : null) } });
    const reply = await till.get(path);
    expect(reply.status).toBe(429);
    expect(reply.headers).toMatchObject({ 'RateLimit-Limit': '600', 'Retry-After': '2' });
    expect(reply.headers?.['Refresh']).toBe(refresh);
    expect(textOf(reply)).toContain('2 seconds');
  });

  test('a page without a code does not count towards the limit', async () => {
    const till = new Till({
      parts: {
        limitCodes: () => {
          throw new Error('counted');
        },
      },
    });
    expect((await till.get(payPath)).status).toBe(200);
  });
});
