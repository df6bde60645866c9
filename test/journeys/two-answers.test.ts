/** One request never gets two answers: every kind of path of the running service refuses what could be read in
 *  two ways (test/gateways/framing.test.ts has the listener alone). */
import { beforeAll, expect, test } from 'vitest';
import { qrARoot } from '../../gateways/simulator/qr-a/qr-a.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { head } from '../support/raw.ts';
import { broken, hear, hearFor, hidden, twoAnswers } from '../support/two-ways.ts';

const galla = gallaOfFile();
let port: number;
beforeAll(async () => {
  port = Number(new URL(galla.url).port);
});

const upgrade = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];
const socketIo = '/socket.io/?EIO=4&transport=websocket';
const addresses: readonly (readonly [string, string, readonly string[]])[] = [
  ['a list', 'GET /v1/checkout', []],
  ['a request that makes something', 'POST /v1/checkout', ['Content-Type: application/json']],
  ['a change', 'PATCH /v1/webhooks/we_1', []],
  ['a removal', 'DELETE /v1/webhooks/we_1', []],
  ['an event stream', 'GET /v1/events/stream', []],
  ['a stream of a code', 'GET /v1/qr/cs_1/events', []],
  ['a page', 'GET /pay/cs_1', []],
  ['a form', 'POST /pay/cs_1', []],
  ['the dashboard', 'HEAD /dashboard', []],
  ['an asset', 'GET /assets/none.js', []],
  ['the simulator', 'POST /sim/none', []],
  ['a socket of Socket.IO', `GET ${socketIo}`, upgrade],
  ['a socket of Socket.IO that is turned away', `GET ${socketIo}&sid=1`, upgrade],
  ['polling of Socket.IO', 'POST /socket.io/?EIO=4&transport=polling', []],
  ['a socket of a simulated code', `GET ${qrARoot}/ws/none`, upgrade],
  ['a socket of a simulated merchant', `GET ${qrARoot}/ws/m/none?of=none`, upgrade],
  ['no address of ours', 'GET /nowhere', []],
];

test.each(addresses)('%s: %s', async (_what, line, own) => {
  const all = Object.values(broken).map((headers) => twoAnswers(port, line, [...own, ...headers]));
  expect((await Promise.all(all)).filter((wrong) => wrong !== null)).toEqual([]);
});

test('an upgrade with a body, which is allowed, is still one answer', async () => {
  const length = [`Content-Length: ${hidden.length}`];
  for (const path of [socketIo, `${qrARoot}/ws/none`]) {
    const { statuses } = await hearFor(300, port, head(`GET ${path}`, [...upgrade, ...length]) + hidden);
    expect([path, ...statuses]).toEqual([path, 101]);
  }
  const away = head(`GET ${socketIo}&sid=1`, [...upgrade, ...length]) + hidden;
  expect((await hear(port, away)).statuses).toEqual([400]);
});
