import { afterAll, beforeAll, expect, test } from 'vitest';
import { Street, type StreamNode } from '../gateways/sse/street.ts';
import { closed, watching, type Watched } from './event-source.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { listen, plainPage, type Served } from './rig.ts';

describeInBrowser('an EventSource in a real browser', () => {
  const street = new Street();
  let node: StreamNode;
  const browser = browserOfFile();
  /** A shop's own page, on another origin. */
  let shop: Served;

  beforeAll(async () => {
    node = (await street.node()).serve();
    shop = await listen(() => Promise.resolve(plainPage('shop', '')));
  });

  afterAll(async () => {
    await shop.close();
    await street.close();
  });

  const following = (id: string): Promise<Watched> =>
    watching(browser, shop.origin, `http://127.0.0.1:${node.port}/v1/qr/${id}/events`);

  test('row 78: it receives the end, then the replay, then 204, and does not reconnect', async () => {
    const id = street.session();
    const { tab, answers, heard: heardHere, until } = await following(id);
    await until((seen) => seen.heard.length === 1);
    street.commit(id, 'qr.scanned');
    street.commit(id, 'qr.paid');
    await until((seen) => seen.state === 2);
    const { heard, opened, state } = await heardHere();
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
    // longer than any reconnect time it was given
    await new Promise((resolve) => setTimeout(resolve, 4000));
    expect(answers).toHaveLength(3);
    await tab.close();
  }, 40_000);

  test('it retries a stream that cannot be served now, and receives everything the next time', async () => {
    const id = street.session();
    street.silent = true;
    const { tab, answers, heard: heardHere, until } = await following(id);
    await until((seen) => seen.opened === 1);
    street.silent = false;
    street.commit(id, 'qr.scanned');
    await tab.waitForFunction('seen.heard.length === 2', undefined, { timeout: 20_000, polling: 100 });
    const { heard } = await heardHere();
    expect(heard.map(({ type, id: at }) => [type, at])).toEqual([
      ['connected', ''],
      ['qr.scanned', '1'],
    ]);
    expect(answers.slice(0, 2)).toEqual([200, 200]);
    await tab.close();
  }, 40_000);

  test('it does not retry a session that does not exist', async () => {
    const { tab, answers, until } = await following('cs_nothing');
    await until((seen) => seen.state === 2);
    expect(answers).toEqual([404]);
    await tab.close();
  });
});
