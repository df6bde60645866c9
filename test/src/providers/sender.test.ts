import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { openHttp } from '../../../src/outbound/http.ts';
import { createSender } from '../../../src/providers/sender.ts';
import { simulatorCredentials } from '../../../src/providers/wallet-c/simulator.ts';
import { walletC } from '../../../src/providers/wallet-c/wallet-c.ts';

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function provider(answer: RequestListener): Promise<string> {
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function sender(totalMs = 5000, bodyBytesMax = 1000) {
  const http = openHttp();
  open.push({ close: () => http.close() });
  return createSender(http, { totalMs, bodyBytesMax });
}
const get = (url: string) => ({ method: 'GET', url, headers: {}, body: null }) as const;

test('returns status, headers and the complete text, and sends the given request', async () => {
  const seen: string[] = [];
  const url = await provider((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => void (body += chunk.toString()));
    request.on('end', () => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${body}`);
      response.writeHead(400, { 'X-Kind': 'a' }).write('{"status":');
      response.end('"नेपाल"}');
    });
  });
  const sent = await sender()({
    method: 'POST',
    url: `${url}/x/?a=1`,
    headers: { authorization: 'Key k' },
    body: '{}',
  });
  expect(sent).toMatchObject({
    is: 'replied',
    reply: { status: 400, headers: { 'x-kind': 'a' }, text: '{"status":"नेपाल"}' },
  });
  expect(seen).toEqual(['POST /x/?a=1 Key k {}']);
});

test('no connection to wallet_c is used twice, as its test host drops those that wait', async () => {
  const calls = new WeakMap<object, number>();
  const url = await provider((request, response) => {
    const before = calls.get(request.socket) ?? 0;
    calls.set(request.socket, before + 1);
    if (before > 0) return void request.socket.destroy();
    response.setHeader('Connection', 'keep-alive');
    response.end('{}');
  });
  const lookup = { paymentId: 'pay_1', amount: 1000, lookupReference: 'pay-1' };
  const request = walletC.lookup.build(lookup, simulatorCredentials, url);
  const twice = async (headers: { readonly [name: string]: string }): Promise<readonly string[]> => {
    const send = sender();
    const first = await send({ ...request, headers });
    // a connection that is kept is free again
    await pause(20);
    return [first.is, (await send({ ...request, headers })).is];
  };
  expect(await twice(request.headers)).toEqual(['replied', 'replied']);
  expect(await twice({ ...request.headers, connection: 'keep-alive' })).toEqual(['replied', 'unanswered']);
});

test('a provider that accepts and never answers ends in a timeout', async () => {
  const url = await provider(() => undefined);
  expect(await sender(60)(get(url))).toMatchObject({ is: 'unanswered', why: 'timeout' });
});

test('a provider that never ends its body ends in a timeout too', async () => {
  const url = await provider((_request, response) => void response.writeHead(200).write('{'));
  expect(await sender(60)(get(url))).toMatchObject({ is: 'unanswered', why: 'timeout' });
});

test('an incomplete body is no answer', async () => {
  const url = await provider((_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"status":"Completed"}');
    setTimeout(() => response.destroy(), 5);
  });
  expect(await sender()(get(url))).toMatchObject({ is: 'unanswered', why: 'connection' });
});

test('a body past its bound is not read to the end', async () => {
  const url = await provider((_request, response) => {
    response.writeHead(200);
    const more = (): boolean => response.write('x'.repeat(10_000));
    response.on('drain', more);
    more();
  });
  expect(await sender()(get(url))).toMatchObject({ is: 'unanswered', why: 'too_large' });
});

test('a redirect is not followed', async () => {
  const asked: string[] = [];
  const url = await provider((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  expect(await sender()(get(`${url}/a`))).toMatchObject({ is: 'replied', reply: { status: 302, text: '' } });
  expect(asked).toEqual(['/a']);
});

test('a closed port or an invalid address is a failed connection', async () => {
  const url = await provider(() => undefined);
  await open.shift()?.close();
  expect(await sender()(get(url))).toMatchObject({ is: 'unanswered', why: 'connection' });
  expect(await sender()(get('nonsense'))).toMatchObject({ is: 'unanswered', why: 'connection' });
  expect(await sender()({ ...get(url), headers: { authorization: 'Key a\nb' } })).toMatchObject({
    why: 'connection',
  });
});

test('sockets are kept between calls', async () => {
  const ports = new Set<number | undefined>();
  const url = await provider((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('{}');
  });
  const send = sender();
  for (let i = 0; i < 10; i++) await send(get(url));
  expect(ports.size).toBeLessThan(10);
});
