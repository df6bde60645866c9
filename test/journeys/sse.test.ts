/** The streams of Direct-QR as a shop's own page follows them, byte by byte, at every node there is. */
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { StreamReader } from '../gateways/sse/reader.ts';
import { startGalla } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { code, paymentOf, phone, premium, streamAt } from '../support/qr-shop.ts';
import { numbersOf } from '../support/numbers.ts';

const connected = (id: string, status = 'initiated'): string =>
  `retry: 3000\nevent: connected\ndata: {"id":"${id}","status":"${status}"}\n\n`;
const again = ',"replay":true';
const paid = (payment: Body, n: string, replay = ''): string =>
  `id: ${n}\nevent: qr.paid\ndata: {"paymentId":"${payment.text('id')}","sessionId":"${payment.text('sessionId')}",` +
  `"amount":${String(payment.at('amount'))},"currency":"NPR","provider":"qr_a",` +
  `"traceId":"${payment.text('traceId')}"${replay}}\n\n`;
const expired = (id: string, n: string, at: string, replay = ''): string =>
  `id: ${n}\nevent: qr.expired\ndata: {"sessionId":"${id}","expiredAt":"${at}"${replay}}\n\n`;
const ping = 'event: ping\ndata: {}\n\n';
const readersEach = 3;
/** Sixty polls on the test clock, each committed on a cluster's servers. */
const clockMsMax = 60_000;

describeModes('streams of Direct-QR', (galla) => {
  const everywhere = (id: string): Promise<readonly StreamReader[]> =>
    Promise.all(galla().urls.flatMap((url) => Array.from({ length: readersEach }, () => streamAt(url, id))));

  async function paidSession(shop: Merchant): Promise<{ readonly id: string; readonly payment: Body }> {
    const session = await code(shop);
    await phone(shop, session.text('qr_message'), 'pay');
    const id = session.text('id');
    const { value } = await shop.untilStatus(id, 'success', 20_000);
    expect(value).toMatchObject({ source: 'direct_qr' });
    return { id, payment: await paymentOf(shop, session) };
  }

  test.concurrent('row 74: connected, the scan and the money, the same bytes from every node, and nothing after', async () => {
    const shop = await premium(galla());
    const session = await code(shop);
    const id = session.text('id');
    const readers = await everywhere(id);
    for (const reader of readers) {
      expect(reader.status).toBe(200);
      expect(reader.headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': '*',
        'api-version': '2026-11-20',
      });
      expect(await reader.hears(1)).toEqual([connected(id)]);
    }
    await phone(shop, session.text('qr_message'), 'scan');
    for (const reader of readers) await reader.hears(2);
    // a new reader gets the scan as a replay, unless it already has it
    const [url = ''] = galla().urls;
    const [late, knows] = [
      await streamAt(url, id),
      await streamAt(url, id, { headers: ['Last-Event-ID: 1', 'Authorization: Bearer sk_live_nobody'] }),
    ];
    expect((await late.hears(2))[1]).toContain(`"${again}}\n\n`);
    expect(await knows.hears(1)).toEqual([connected(id)]);
    await phone(shop, session.text('qr_message'), 'pay');
    for (const reader of [...readers, late, knows]) await reader.end();
    const payment = await paymentOf(shop, session);
    const [first] = readers;
    const scanned = new RegExp(
      `^id: 1\nevent: qr.scanned\ndata: {"sessionId":"${id}","scannedAt":"[-0-9T:]{19}\\.\\d{3}Z"}\n\n$`,
    );
    expect(first?.news[1]).toMatch(scanned);
    for (const reader of readers)
      expect(reader.news).toEqual([connected(id), first?.news[1], paid(payment, '2')]);
    expect(late.news.at(-1)).toBe(paid(payment, '2'));
    expect(knows.news).toEqual([connected(id), paid(payment, '2')]);
    for (const reader of [...readers, late, knows])
      expect([reader.ended, reader.closed]).toEqual([true, false]);
    for (const reader of [...readers, late, knows]) reader.leave();
  });

  test.concurrent('row 74: without events there is a ping every 7 s', async () => {
    const session = await code(await premium(galla()));
    const readers = await everywhere(session.text('id'));
    for (const reader of readers) {
      expect(await reader.sees(2)).toEqual([connected(session.text('id')), ping]);
      reader.leave();
    }
  }, 30_000);

  test.concurrent('row 75: at any node the end is sent once more with replay:true, and then 204', async () => {
    const shop = await premium(galla());
    const { id, payment } = await paidSession(shop);
    const { news } = await streamAt(galla().urls[0] ?? '', id);
    const n = /^id: (\d)/m.exec(news.at(-1) ?? '')?.[1] ?? '1';
    for (const url of galla().urls)
      for (const headers of [
        [],
        [`Last-Event-ID: ${n}`],
        ['Last-Event-ID: 77'],
        ['Last-Event-ID: nonsense'],
      ]) {
        const reader = await streamAt(url, id, { headers });
        await reader.end();
        expect(reader.body).toBe(connected(id, 'success') + paid(payment, `${n}-replay`, again));
        reader.leave();
        const last = await streamAt(url, id, { headers: [`Last-Event-ID: ${n}-replay`] });
        expect([last.status, last.body]).toEqual([204, '']);
        expect(last.headers['access-control-allow-origin']).toBe('*');
        last.leave();
      }
  });

  test.concurrent('row 76: after qr.paid the session reads as paid, and the event and its webhook follow', async () => {
    const [shop, server] = [await premium(galla()), await galla().shop()];
    await shop.endpoint(server, ['payment.succeeded']);
    const session = await code(shop);
    const id = session.text('id');
    const readers = await everywhere(id);
    await phone(shop, session.text('qr_message'), 'pay');
    await Promise.all(
      readers.map(async (reader) => {
        await reader.end();
        expect((await shop.session(id)).at('status')).toBe('success');
      }),
    );
    const payment = await paymentOf(shop, session);
    const events = await shop.untilEvents(1, 'payment.succeeded', payment.text('id'));
    const heard = await server.webhook(({ type }) => type === 'payment.succeeded');
    expect(events.map((event) => event.at('id'))).toEqual([heard.id]);
    for (const reader of readers) {
      expect(reader.news.at(-1)).toContain(`"paymentId":"${payment.text('id')}"`);
      reader.leave();
    }
  });

  test(
    'row 77: at the deadline every stream ends with qr.expired of that instant; money after it is a replay',
    async () => {
      const shop = await premium(galla());
      const session = await code(shop);
      const id = session.text('id');
      const readers = await everywhere(id);
      await shop.advance(session.text('expires_at'));
      for (const reader of readers) {
        await reader.end();
        expect(reader.news).toEqual([connected(id), expired(id, '1', session.text('expires_at'))]);
        reader.leave();
      }
      const [url = ''] = galla().urls;
      const replayed = await streamAt(url, id);
      await replayed.end();
      expect(replayed.news[1]).toBe(expired(id, '1-replay', session.text('expires_at'), again));
      await shop.control((await paymentOf(shop, session)).text('id'), 'pay');
      await shop.advance(40);
      await shop.untilStatus(id, 'success', 20_000);
      const payment = await paymentOf(shop, session);
      for (const headers of [[], ['Last-Event-ID: 1'], ['Last-Event-ID: 1-replay']]) {
        const late = await streamAt(url, id, { headers });
        await late.end();
        expect(late.body).toBe(connected(id, 'success') + paid(payment, '2-replay', again));
        late.leave();
      }
    },
    clockMsMax,
  );

  test('expired by the merchant, every stream ends at once with that instant', async () => {
    const shop = await premium(galla());
    const session = await code(shop);
    const id = session.text('id');
    const readers = await everywhere(id);
    await shop.api.must('POST', `/v1/checkout/${id}/expire`);
    for (const reader of readers) {
      await reader.end();
      const at = /"expiredAt":"([^"]+)"/.exec(reader.body)?.[1] ?? '';
      expect(reader.news).toEqual([connected(id), expired(id, '1', at)]);
      expect(at < session.text('expires_at')).toBe(true);
      reader.leave();
    }
  });

  test('a session that is no Direct-QR is 404 in JSON, readable from any page', async () => {
    const shop = await premium(galla());
    const hosted = await shop.checkout();
    const [url = ''] = galla().urls;
    for (const id of [
      hosted.text('id'),
      `cs_${'0'.repeat(24)}`,
      'cs_',
      '..',
      hosted.text('id').toUpperCase(),
    ]) {
      const reader = await streamAt(url, id);
      await reader.end();
      expect([id, reader.status]).toEqual([id, 404]);
      if (id !== '..') expect(reader.headers['access-control-allow-origin']).toBe('*');
      expect(JSON.parse(reader.body)).toMatchObject({ error: { type: 'invalid_request_error' } });
      reader.leave();
    }
  });

  test('row 70: the event stream sends the log in its order, and continues at another node', async () => {
    const shop = await premium(galla());
    const nodes = galla().urls;
    const key = await galla().key(shop.projectId, { kind: 'secret', mode: 'sandbox' });
    const follow = (at: number, headers: readonly string[] = []): Promise<StreamReader> =>
      StreamReader.open({
        port: Number(new URL(nodes[at % nodes.length] ?? '').port),
        path: '/v1/events/stream',
        headers: [`Authorization: Bearer ${key}`, ...headers],
        patienceMs: 30_000,
      });
    const first = await follow(0);
    await first.hears(1);
    for (let n = 0; n < 4; n++) await shop.checkout();
    await first.hears(1 + 4);
    first.leave();
    for (let n = 0; n < 4; n++) await shop.checkout();
    const idsIn = ({ news }: StreamReader): readonly string[] =>
      news.flatMap((frame) => /^id: (\S+)/.exec(frame)?.[1] ?? []);
    const next = await follow(1, [`Last-Event-ID: ${idsIn(first).at(-1) ?? ''}`]);
    await next.hears(1 + 4);
    next.leave();
    const listed = (await shop.untilEvents(8, 'checkout.created')).map((event) => event.text('id'));
    expect([...idsIn(first), ...idsIn(next)]).toEqual(listed);
  });
});

test('over its limit an address gets 200 with a retry time; an event stream gets 429', async () => {
  const galla = await startGalla({ GALLA_RATE_LIMITS: 'on' });
  try {
    const shop = await premium(galla);
    const session = await code(shop);
    const id = session.text('id');
    const readers = await Promise.all(Array.from({ length: 1000 }, () => streamAt(galla.url, id)));
    const more = await streamAt(galla.url, id);
    await more.end();
    expect([more.status, more.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(more.body).toMatch(/^retry: (?:[5-9]\d{3}|1[0-4]\d{3}|15000)\n\n$/);
    const counted = await numbersOf(galla.url);
    expect(counted.get('galla_live_limits_total{of="qr_stream",limit="per_address"}')).toBe(1);
    const elsewhere = await streamAt(galla.url, id, { from: '127.0.0.2' });
    expect(await elsewhere.hears(1)).toEqual([connected(id)]);
    await shop.api.must('POST', `/v1/checkout/${id}/expire`);
    for (const reader of [...readers, elsewhere]) {
      await reader.end();
      expect(reader.news).toHaveLength(2);
      reader.leave();
    }
    const key = await galla.key(shop.projectId, { kind: 'secret', mode: 'sandbox' });
    const opening = {
      port: Number(new URL(galla.url).port),
      path: '/v1/events/stream',
      headers: [`Authorization: Bearer ${key}`],
    };
    const open = await Promise.all(Array.from({ length: 5 }, () => StreamReader.open(opening)));
    const sixth = await StreamReader.open(opening);
    expect([sixth.status, sixth.headers['retry-after']]).toEqual([429, '5']);
    for (const reader of [...open, sixth, more]) reader.leave();
  } finally {
    await galla.stop();
  }
}, 30_000);
