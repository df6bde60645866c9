/** GET /sim, as a person and as a program. */
import { expect, test } from 'vitest';
import { providerNames } from '../../../src/providers/catalog.ts';
import { testBuyers as ofWalletA } from '../../../src/providers/wallet-a/simulator.ts';
import { testBuyers as ofWalletB } from '../../../src/providers/wallet-b/simulator.ts';
import { gallaOfFile } from '../../support/of-file.ts';

const galla = gallaOfFile();

const asPerson = (path: string) => galla.nobody.get(path, { headers: { accept: 'text/html' } });

test.each(['/sim', '/sim/'])(
  '%s shows a browser each provider with its test buyers, and how to set faults',
  async (path) => {
    const { status, headers, text } = await asPerson(path);
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'Accept',
    ]);
    const { ids, password, mpin, token } = ofWalletA;
    const shown = [
      'wallet_a',
      ids[0],
      password,
      mpin,
      token,
      'wallet_b',
      ofWalletB.mobiles[0],
      ofWalletB.otp,
      'qr_a',
    ];
    for (const each of [
      ...shown,
      'href="/sim/qr_a/"',
      'href="/docs/guides/sandbox.md#faults"',
      `${galla.url}/sim/control/faults`,
      'how many refund calls',
      `${galla.url}/sim/control/payments/$REFERENCE/refund`,
    ])
      expect(text).toContain(each);
  },
);

test('a program gets the same as JSON', async () => {
  const { status, headers, body } = await galla.nobody.get('/sim');
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  expect(body.at('providers')).toEqual(providerNames);
  expect(body.at('testBuyers.wallet_b.mobile')).toEqual(ofWalletB.mobiles);
});

test('its page and its bank app link only to existing resources', async () => {
  for (const path of ['/sim', '/sim/qr_a/']) {
    const { text } = await asPerson(path);
    const referred = [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, to = '']) => to);
    expect(referred.length).toBeGreaterThan(0);
    for (const to of referred) expect((await asPerson(to)).status, to).toBe(200);
  }
});
