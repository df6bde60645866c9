/** A payment in the wallet's app, on a phone with the app, on one without it, and at a desktop. The session and our
 *  doors are real; the wallet's link is answered by the test. */
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { says } from '../actors/checkout-session/buyer.ts';
import { payPath, sessionId } from '../gateways/buyer/till.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { listen, type Served } from './rig.ts';
import { street, type Street } from './street.ts';

const android =
  'Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';

describeInBrowser("a payment in the wallet's app", { timeout: 30_000, concurrent: true }, () => {
  const browser = browserOfFile();
  let links: Served;
  const open: Street[] = [];

  beforeAll(async () => {
    // as the wallet answers a phone: the app's own address, which this browser cannot open
    links = await listen(() =>
      Promise.resolve({
        status: 302,
        headers: { Location: 'intent://d/Zx81#Intent;scheme=wallet;package=np.wallet;end' },
        body: null,
      }),
    );
  });
  afterAll(async () => {
    await links.close();
    for (const { ours, provider, shop } of open)
      await Promise.all([ours, provider, shop].map((each) => each.close()));
  });

  interface Visit {
    readonly place: Street;
    readonly tab: Page;
    readonly complaints: readonly string[];
    /** Addresses that the browser was sent to, oldest first. */
    readonly asked: readonly { readonly url: string; readonly at: number }[];
  }

  /** The buyer has chosen Wallet A, in this browser. */
  async function chosen(
    kind: 'phone' | 'desktop',
    { isDead = false, fakeTime = true, onOpening = (_place: Street): void => {} } = {},
  ): Promise<Visit> {
    const url = `${links.origin}/pay/Zx81`;
    const place: Street = await street(
      {},
      {
        started: ({ webOnly }, origin) =>
          webOnly === true
            ? {
                instructions: {
                  kind: 'form',
                  method: 'POST',
                  url: `${origin}/form`,
                  fields: { amount: '1250.5' },
                },
              }
            : {
                instructions: { kind: 'intent', method: 'GET', url, fields: {} },
                booking: { bookingId: 'BK-1001', correlationId: 'CR-2002' },
              },
        parts: {
          leadsToApp: () => {
            onOpening(place);
            return Promise.resolve(!isDead);
          },
        },
      },
    );
    open.push(place);
    const context = await browser.newContext(
      kind === 'phone'
        ? { viewport: { width: 390, height: 844 }, userAgent: android, hasTouch: true, isMobile: true }
        : { viewport: { width: 1280, height: 800 } },
    );
    const tab = await context.newPage();
    const complaints: string[] = [];
    const asked: { readonly url: string; readonly at: number }[] = [];
    // the browser's own words about an app that it does not have
    const isOurs = (text: string): boolean => !/^(?:Not allowed|Failed) to launch 'intent:/.test(text);
    tab.on(
      'console',
      (line) => void (line.type() === 'error' && isOurs(line.text()) && complaints.push(line.text())),
    );
    tab.on('pageerror', (error) => void complaints.push(error.message));
    tab.on(
      'request',
      (request) =>
        void (request.isNavigationRequest() && asked.push({ url: request.url(), at: performance.now() })),
    );
    if (fakeTime) await tab.clock.install();
    await tab.goto(`${place.ours.origin}${payPath}`);
    await tab.getByRole('button', { name: /^Wallet A/ }).click({ noWaitAfter: true });
    return { place, tab, complaints, asked };
  }

  const heading = (tab: Page, name: string): Promise<void> => tab.getByRole('heading', { name }).waitFor();
  /** The variants of the starts so far. */
  const starts = ({ place }: Visit): readonly unknown[] =>
    place.till.asked
      .filter(({ command }) => command === 'start')
      .map(({ data }) => (data as { variant: unknown }).variant);
  const webAsked = async (of: Visit, expect: Expect): Promise<void> =>
    expect.poll(() => starts(of), { timeout: 5000 }).toEqual([null, 'web']);
  /** The app comes to the front, or the page does again. */
  const turns = (tab: Page, state: 'hidden' | 'visible'): Promise<unknown> =>
    tab.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);

  for (const [what, isDead] of [
    ['the app is missing', false],
    ["the wallet's link is dead", true],
  ] as const)
    test(`row 81: a phone posts the web form by itself after 3 s, once, where ${what}`, async ({
      expect,
    }) => {
      const seen = await chosen('phone', { isDead, fakeTime: false });
      await webAsked(seen, expect);
      await heading(seen.tab, 'Wallet B');
      expect(seen.tab.url()).toBe(`${seen.place.provider.origin}/form`);
      const times = (ending: string): readonly number[] =>
        seen.asked.filter(({ url }) => url.endsWith(ending)).map(({ at }) => at);
      expect([times('/app').length, times('/start').length]).toEqual([1, 2]);
      const [[opened = 0], [, posted = 0]] = [times('/app'), times('/start')];
      expect(posted - opened).toBeGreaterThan(2500);
      expect(posted - opened).toBeLessThan(5000);
      expect(seen.asked.some(({ url }) => url === `${links.origin}/pay/Zx81`)).toBe(!isDead);
      expect(seen.complaints).toEqual([]);
      await seen.tab.context().close();
    });

  test('row 81: a page that the app has hidden posts nothing; back in front it waits, is paid and returns', async ({
    expect,
  }) => {
    const seen = await chosen('phone');
    const { tab, place } = seen;
    await heading(tab, 'Opening the Wallet A app');
    await turns(tab, 'hidden');
    await tab.clock.runFor(60_000);
    expect(starts(seen)).toEqual([null]);
    await turns(tab, 'visible');
    await heading(tab, 'Pay in the Wallet A app');
    await tab.clock.runFor(60_000);
    expect(starts(seen)).toEqual([null]);
    expect(await tab.getByRole('link', { name: 'Open the app again' }).getAttribute('href')).toBe(
      `${links.origin}/pay/Zx81`,
    );
    place.till.happens((story) => says(story.wait(4000), 'paid'));
    await tab.clock.runFor(3000);
    await heading(tab, 'Payment received');
    expect(seen.complaints).toEqual([]);
    await tab.context().close();
  });

  test('a payment that is settled within the 3 s posts nothing', async ({ expect }) => {
    const seen = await chosen('phone', {
      onOpening: (place) => place.till.happens((story) => says(story.wait(4000), 'paid')),
    });
    await heading(seen.tab, 'Payment received');
    await seen.tab.clock.runFor(4000);
    expect(starts(seen)).toEqual([null]);
    await seen.tab.context().close();
  });

  test('row 82: a desktop shows the code of the same link, and payment received within 3 s of paying', async ({
    expect,
  }) => {
    const seen = await chosen('desktop');
    const { tab, place } = seen;
    await heading(tab, 'Pay with the Wallet A app');
    const image = await tab.getByRole('img', { name: /^QR code/ }).getAttribute('src');
    const { data, width, height } = PNG.sync.read(Buffer.from(image?.split(',')[1] ?? '', 'base64'));
    expect(jsQR.default(new Uint8ClampedArray(data), width, height)?.data).toBe(`${links.origin}/pay/Zx81`);
    place.till.happens((story) => says(story.wait(4000), 'paid'));
    const paidAt = Date.now();
    await tab.clock.runFor(3000);
    await heading(tab, 'Payment received');
    expect(Date.now() - paidAt).toBeLessThan(3000);
    await tab.clock.runFor(6000);
    await tab.waitForURL(`${place.shop.origin}/return?session_id=${sessionId}&status=success`);
    expect(starts(seen)).toEqual([null]);
    expect(seen.complaints).toEqual([]);
    await tab.context().close();
  });
});

type Expect = typeof import('vitest').expect;
