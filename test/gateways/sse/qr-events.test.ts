import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestId } from '../served.ts';
import type { StreamReader } from './reader.ts';
import { at, Street, type StreamNode } from './street.ts';

const street = new Street();
let node: StreamNode;

beforeAll(async () => {
  node = (await street.node()).serve();
});
afterAll(() => street.close());

const connected = (id: string, status: string): string =>
  `retry: 3000\nevent: connected\ndata: {"id":"${id}","status":"${status}"}\n\n`;
const scanned = (id: string, replay = ''): string =>
  `id: 1\nevent: qr.scanned\ndata: {"sessionId":"${id}","scannedAt":"${at}"${replay}}\n\n`;
const paid = (id: string, n: string, replay = ''): string =>
  `id: ${n}\nevent: qr.paid\ndata: {"paymentId":"pay_4t8z1m6q3x9k2v7b","sessionId":"${id}","amount":125050,` +
  `"currency":"NPR","provider":"qr_a","traceId":"128391"${replay}}\n\n`;
const expired = (id: string, n: string, replay = ''): string =>
  `id: ${n}\nevent: qr.expired\ndata: {"sessionId":"${id}","expiredAt":"${at}"${replay}}\n\n`;
const again = ',"replay":true';
const retryBlock = /^retry: (\d+)\n\n$/;

function expectStreamHeaders({ status, headers }: StreamReader): void {
  const { 'x-request-id': id, 'api-version': version, ...rest } = headers;
  expect(status).toBe(200);
  expect(id).toMatch(requestId);
  expect(version).toBe('2026-11-20');
  expect(rest).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'access-control-allow-origin': '*',
  });
}

const lastEventId = (id: string): { readonly headers: readonly string[] } => ({
  headers: [`Last-Event-ID: ${id}`],
});

describe('an open session', () => {
  test('row 74: connected, qr.scanned, qr.paid, byte for byte, and then the end', async () => {
    const id = street.session();
    const reader = await node.reader(id);
    expectStreamHeaders(reader);
    expect(await reader.sees(1)).toEqual([connected(id, 'initiated')]);
    street.commit(id, 'qr.scanned');
    await reader.sees(2);
    street.commit(id, 'qr.paid');
    await reader.end();
    expect(reader.body).toBe(connected(id, 'initiated') + scanned(id) + paid(id, '2'));
    expect(reader.ended).toBe(true);
  });

  test('without a scan the end has position 1', async () => {
    const id = street.session();
    const reader = await node.reader(id);
    street.commit(id, 'qr.expired');
    await reader.end();
    expect(reader.body).toBe(connected(id, 'initiated') + expired(id, '1'));
  });

  test('a reader without the scan gets it, one that has it does not get it again', async () => {
    const id = street.session();
    street.commit(id, 'qr.scanned');
    const told = connected(id, 'initiated') + scanned(id, again);
    for (const [sent, body] of [
      [[], told],
      [['Last-Event-ID: 0'], told],
      [['Last-Event-ID: 1'], connected(id, 'initiated')],
      [['Last-Event-ID: 7'], told],
      [['Last-Event-ID: 1-replay'], told],
      [['Last-Event-ID: -1'], told],
      [['Last-Event-ID: 1; drop table'], told],
      [['Last-Event-ID: 99999999999999999999'], told],
      [['Last-Event-ID:'], told],
    ] as const) {
      const reader = await node.reader(id, { headers: sent });
      await reader.sees(body === told ? 2 : 1);
      expect(reader.body, sent.join()).toBe(body);
      expect(reader.ended).toBe(false);
      reader.leave();
    }
  });

  test('an API key that is sent changes nothing', async () => {
    const id = street.session();
    const reader = await node.reader(id, { headers: ['Authorization: Bearer sk_live_nobody'] });
    expectStreamHeaders(reader);
    expect(await reader.sees(1)).toEqual([connected(id, 'initiated')]);
    reader.leave();
  });

  test('HEAD is answered with the headers alone', async () => {
    const reader = await node.reader(street.session(), { method: 'HEAD' });
    expect(reader.status).toBe(200);
    expect(reader.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(reader.body).toBe('');
    reader.leave();
  });
});

describe('an ended session', () => {
  test('row 75: the end is sent once more with replay:true, then the stream ends', async () => {
    const id = street.session();
    street.commit(id, 'qr.scanned');
    street.commit(id, 'qr.paid');
    const body = connected(id, 'success') + paid(id, '2-replay', again);
    for (const sent of [[], ['Last-Event-ID: 1'], ['Last-Event-ID: 2'], ['Last-Event-ID: 1-replay']]) {
      const reader = await node.reader(id, { headers: sent });
      expectStreamHeaders(reader);
      await reader.end();
      expect(reader.body, sent.join()).toBe(body);
      reader.leave();
    }
  });

  test('a reader that had the replay is answered 204 without a body', async () => {
    const id = street.session();
    street.commit(id, 'qr.paid');
    const reader = await node.reader(id, lastEventId('1-replay'));
    expect([reader.status, reader.body]).toEqual([204, '']);
    expect(reader.headers['access-control-allow-origin']).toBe('*');
    expect(reader.headers['content-length']).toBeUndefined();
    reader.leave();
  });

  test('late money is the end for a later reader, even one that knows of the expiry', async () => {
    const id = street.session();
    street.commit(id, 'qr.scanned');
    street.commit(id, 'qr.expired');
    street.commit(id, 'qr.paid');
    const reader = await node.reader(id, lastEventId('2-replay'));
    await reader.end();
    expect(reader.body).toBe(connected(id, 'success') + paid(id, '3-replay', again));
    reader.leave();
  });

  test('a reader with both expiry and late money to receive gets one end: the newest', async () => {
    const id = street.session();
    const reader = await node.reader(id);
    street.commit(id, 'qr.expired', true);
    street.commit(id, 'qr.paid');
    await reader.end();
    expect(reader.body).toBe(connected(id, 'initiated') + paid(id, '2'));
  });

  test('its stream can be opened for 90 days', async () => {
    const id = street.session();
    street.commit(id, 'qr.paid');
    street.now += 90 * 86_400_000 - 1;
    const last = await node.reader(id);
    expect(last.status).toBe(200);
    street.now += 1;
    const late = await node.reader(id);
    expect(late.status).toBe(404);
    street.now = 0;
    for (const one of [last, late]) one.leave();
  });
});

describe('no stream is opened', () => {
  test('unknown ids, hosted sessions and hidden sessions are 404 in JSON', async () => {
    const hidden = street.session();
    const session = street.sessions.get(hidden);
    if (session !== undefined) session.status = 'hidden';
    for (const id of [
      `cs_${'0'.repeat(24)}`,
      'x',
      'pay_4t8z1m6q3x9k2v7b',
      street.session('checkout'),
      hidden,
    ]) {
      const reader = await node.reader(id);
      await reader.end();
      expect(reader.status, id).toBe(404);
      expect(reader.headers['access-control-allow-origin']).toBe('*');
      expect(JSON.parse(reader.body)).toMatchObject({
        error: { code: 'resource_not_found', param: 'id', request_id: reader.headers['x-request-id'] },
      });
      reader.leave();
    }
  });

  test('a node that is starting sends a retry time', async () => {
    const starting = await street.node();
    const reader = await starting.reader(street.session());
    await reader.end();
    expect([reader.status, reader.headers['content-type']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    const ms = Number(retryBlock.exec(reader.body)?.[1]);
    expect(ms).toBeGreaterThanOrEqual(5000);
    expect(ms).toBeLessThanOrEqual(15_000);
    starting.serve();
  });

  test('when the store does not answer, or answers too late, the stream sends a retry time', async () => {
    street.silent = true;
    const reader = await node.reader(street.session());
    street.silent = false;
    await reader.end();
    expectStreamHeaders(reader);
    expect(reader.body).toMatch(retryBlock);
    let open = (): void => undefined;
    street.gate = new Promise((go) => (open = go));
    const slow = await node.reader(street.session());
    await slow.end();
    expect(slow.body).toMatch(retryBlock);
    street.gate = null;
    open();
    for (const one of [reader, slow]) one.leave();
  });

  test('retry times vary', async () => {
    street.silent = true;
    const times = new Set<string>();
    for (let n = 0; n < 8; n++) {
      const reader = await node.reader(street.session());
      await reader.end();
      times.add(reader.body);
      reader.leave();
    }
    street.silent = false;
    expect(times.size).toBeGreaterThan(1);
  });
});
