import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Street, type StreamNode } from '../gateways/sse/street.ts';
import { browserIsHere, listen, openBrowser, plainPage, type Served } from './rig.ts';

/** What a page heard of one stream. */
interface Heard {
  readonly heard: readonly { readonly type: string; readonly id: string; readonly data: unknown }[];
  readonly opened: number;
  readonly state: number;
}

const closed = 2;

describe.skipIf(!browserIsHere())('an EventSource in a real browser', () => {
  const street = new Street();
  let node: StreamNode;
  let browser: Browser;
  /** A shop's own page, on another origin. */
  let shop: Served;

  beforeAll(async () => {
    node = (await street.node()).serve();
    browser = await openBrowser();
    shop = await listen(() => Promise.resolve(plainPage('shop', '')));
  });

  afterAll(async () => {
    await browser.close();
    await shop.close();
    await street.close();
  });

  async function following(id: string): Promise<{ readonly tab: Page; readonly answers: number[] }> {
    const tab = await browser.newPage();
    const answers: number[] = [];
    tab.on('response', (answer) => void (answer.url().includes('/events') && answers.push(answer.status())));
    await tab.goto(shop.origin);
    await tab.evaluate((url) => {
      const seen = { heard: [] as unknown[], opened: 0, state: 0 };
      const source = new EventSource(url);
      source.onopen = () => void seen.opened++;
      for (const type of ['connected', 'qr.scanned', 'qr.paid', 'qr.expired', 'message'])
        source.addEventListener(type, (event) => {
          const { lastEventId, data } = event as MessageEvent;
          seen.heard.push({ type, id: lastEventId, data: JSON.parse(String(data)) as unknown });
        });
      source.onerror = () => void (seen.state = source.readyState);
      Object.assign(globalThis, { seen });
    }, `http://127.0.0.1:${node.port}/v1/qr/${id}/events`);
    return { tab, answers };
  }

  const heardBy = (tab: Page): Promise<Heard> =>
    tab.evaluate(() => (globalThis as unknown as { seen: Heard }).seen);

  const until = (tab: Page, what: (seen: Heard) => boolean): Promise<unknown> =>
    tab.waitForFunction(`(${what.toString()})(seen)`, undefined, { timeout: 15_000, polling: 50 });

  test('row 78: it hears the end, then the replay, then 204, and asks no more', async () => {
    const id = street.session();
    const { tab, answers } = await following(id);
    await until(tab, (seen) => seen.heard.length === 1);
    street.commit(id, 'qr.scanned');
    street.commit(id, 'qr.paid');
    await until(tab, (seen) => seen.state === 2);
    const { heard, opened, state } = await heardBy(tab);
    const money = {
      paymentId: 'pay_4t8z1m6q3x9k2v7b',
      sessionId: id,
      amount: 125_050,
      currency: 'NPR',
      provider: 'qr_a',
      traceId: '128391',
    };
    expect(heard).toEqual([
      { type: 'connected', id: '', data: { id, status: 'initiated' } },
      { type: 'qr.scanned', id: '1', data: { sessionId: id, scannedAt: '2026-11-20T09:15:41.000Z' } },
      { type: 'qr.paid', id: '2', data: money },
      { type: 'connected', id: '2', data: { id, status: 'success' } },
      { type: 'qr.paid', id: '2-replay', data: { ...money, replay: true } },
    ]);
    expect([opened, state, answers]).toEqual([2, closed, [200, 200, 204]]);
    // longer than any time it was told to come back after
    await new Promise((resolve) => setTimeout(resolve, 4000));
    expect(answers).toHaveLength(3);
    await tab.close();
  }, 40_000);

  test('it survives a stream that cannot be served now, and hears everything the next time', async () => {
    const id = street.session();
    street.silent = true;
    const { tab, answers } = await following(id);
    await until(tab, (seen) => seen.opened === 1);
    street.silent = false;
    street.commit(id, 'qr.scanned');
    await tab.waitForFunction('seen.heard.length === 2', undefined, { timeout: 20_000, polling: 100 });
    const { heard } = await heardBy(tab);
    expect(heard.map(({ type, id: at }) => [type, at])).toEqual([
      ['connected', ''],
      ['qr.scanned', '1'],
    ]);
    expect(answers.slice(0, 2)).toEqual([200, 200]);
    await tab.close();
  }, 40_000);

  test('what does not exist is given up', async () => {
    const { tab, answers } = await following('cs_nothing');
    await until(tab, (seen) => seen.state === 2);
    expect(answers).toEqual([404]);
    await tab.close();
  });
});
