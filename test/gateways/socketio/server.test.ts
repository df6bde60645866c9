import { once } from 'node:events';
import { io } from 'socket.io-client';
import { afterEach, expect, test, vi } from 'vitest';
import { messagesMax, bytesBehindMax, messageBytesMax } from '../../../gateways/socketio/server.ts';
import { Rig, upgradeHead, type RigOptions } from './server-rig.ts';

const open: Rig[] = [];
afterEach(async () => {
  for (const rig of open.splice(0)) await rig.stop();
});

async function rigOf(options: RigOptions = {}): Promise<Rig> {
  const rig = await Rig.open(options);
  open.push(rig);
  return rig;
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 8000, interval: 10 });

/** No client leaves anything behind, and the next one is served. */
async function expectWell(rig: Rig): Promise<void> {
  await eventually(() => expect(rig.sockets.connections).toBe(0));
  const next = await rig.joined();
  next.disconnect();
  await eventually(() => expect(rig.sockets.connections).toBe(0));
}

async function answerTo(rig: Rig, request: string): Promise<string> {
  const wire = rig.wire();
  wire.write(request);
  let text = '';
  wire.on('data', (bytes: Buffer) => void (text += bytes.toString()));
  await eventually(() => expect(text).toMatch(/\r\n\r\n/));
  await eventually(() => expect(text).toMatch(/\}$|101 Switching/));
  wire.destroy();
  return text;
}

test.each([
  ['polling', 'GET /socket.io/?EIO=4&transport=polling'],
  ['a websocket that asks for no upgrade', 'GET /socket.io/?EIO=4&transport=websocket'],
  ['a message by POST', 'POST /socket.io/?EIO=4&transport=polling&sid=x'],
])('%s is told that only websocket is served, and the line that works', async (_what, line) => {
  const rig = await rigOf();
  const text = await answerTo(rig, `${line} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  const { error } = JSON.parse(text.split('\r\n\r\n')[1] ?? '') as { readonly error: object };
  const message =
    'Only websocket is served here. ' +
    "Connect with io('http://127.0.0.1/merchant', { transports: ['websocket'], auth }).";
  const errors = [{ param: 'transport', code: 'not_in_enum', message }];
  expect(error).toMatchObject({ code: 'validation_failed', message, param: 'transport', errors });
});

test('a client of the library with its own settings is refused, and not told that there is no such address', async () => {
  const rig = await rigOf();
  const client = io(`http://127.0.0.1:${rig.port}/merchant`, { reconnection: false, forceNew: true });
  const error = await new Promise<object>((refused) => client.once('connect_error', refused));
  client.disconnect();
  expect(error).toMatchObject({ description: 400 });
});

test('the library itself is an unknown path', async () => {
  const rig = await rigOf();
  const text = await answerTo(
    rig,
    'GET /socket.io/socket.io.js HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n',
  );
  expect(text).toMatch(/^HTTP\/1\.1 404 /);
  expect(text).toContain('"code":"endpoint_not_found"');
});

test.each([
  ['for polling', '/socket.io/?EIO=4&transport=polling'],
  ['of an older protocol', '/socket.io/?EIO=3&transport=websocket'],
  ['that goes on with a session', '/socket.io/?EIO=4&transport=websocket&sid=abcdef'],
  ['without a word', '/socket.io/'],
])('an upgrade %s is refused', async (_what, path) => {
  const rig = await rigOf();
  expect(await answerTo(rig, upgradeHead(path))).toMatch(/^HTTP\/1\.1 400 /);
  await expectWell(rig);
});

test('clients that leave during their upgrade leave nothing behind', async () => {
  const rig = await rigOf();
  const path = '/socket.io/?EIO=4&transport=websocket';
  for (let n = 0; n < 200; n++) {
    const wire = rig.wire();
    wire.on('error', () => undefined);
    await once(wire, 'connect');
    wire.write(upgradeHead(path), () => wire.resetAndDestroy());
  }
  await expectWell(rig);
});

test('both namespaces exist, the default one does not, and no other', async () => {
  const rig = await rigOf();
  await rig.joined('/merchant');
  await rig.joined('/hosted');
  const refused: unknown[] = [];
  for (const name of ['/', '/admin', '/merchant/x'])
    rig
      .client(name)
      .on('connect_error', (error) => refused.push([error.message, 'data' in error ? error.data : null]));
  await eventually(() => expect(refused).toHaveLength(3));
  const message = 'No such resource.';
  expect(refused).toContainEqual([message, { code: 'resource_not_found', message }]);
  expect(refused.filter((why) => Array.isArray(why) && why[0] === 'Invalid namespace')).toHaveLength(2);
});

test('servers of one process serve only their own clients, also after another has come and gone', async () => {
  const rigs = [await rigOf(), await rigOf()];
  const passing = await rigOf();
  const clients = await Promise.all(rigs.map((rig) => rig.joined()));
  const heard: unknown[][] = clients.map(() => []);
  for (const [at, client] of clients.entries()) client.on('change', (body: unknown) => heard[at]?.push(body));
  const say = (): void => {
    for (const [at, rig] of rigs.entries()) rig.merchants.namespace?.to('all').emit('change', at);
  };
  say();
  await passing.stop();
  say();
  await eventually(() =>
    expect(heard).toEqual([
      [0, 0],
      [1, 1],
    ]),
  );
});

test('a client that joins no namespace is disconnected', async () => {
  const rig = await rigOf({ bounds: { joinWithinMs: 100 } });
  const raw = await rig.raw();
  await eventually(() => expect(raw.heard[0]).toMatch(/^0\{/));
  await raw.closed;
  await expectWell(rig);
});

test('a client that leaves its only namespace is disconnected', async () => {
  const rig = await rigOf();
  const raw = await rig.raw();
  raw.say('40/merchant,');
  await eventually(() => expect(raw.heard.some((text) => text.startsWith('40/merchant,'))).toBe(true));
  raw.say('41/merchant,');
  await raw.closed;
  await expectWell(rig);
});

test('a client that leaves one of two namespaces loses both, or its rooms would still send to it', async () => {
  const rig = await rigOf();
  const raw = await rig.raw();
  for (const joining of ['40/hosted,', '40/merchant,']) raw.say(joining);
  await eventually(() => expect(rig.merchants.sockets).toHaveLength(1));
  await eventually(() => expect(raw.heard.filter((text) => text.startsWith('40/'))).toHaveLength(2));
  raw.say('41/merchant,');
  await raw.closed;
  await expectWell(rig);
});

test('a message of four KiB is accepted and ignored; one byte more ends the connection', async () => {
  const rig = await rigOf();
  const heard: unknown[] = [];
  for (const size of [messageBytesMax, messageBytesMax + 1]) {
    const raw = await rig.raw();
    raw.say('40/merchant,');
    await eventually(() => expect(raw.heard.length).toBeGreaterThan(1));
    rig.merchants.sockets[0]?.onAny((...args: unknown[]) => heard.push(args));
    const frame = '42/merchant,["join",""]';
    raw.say(frame.replace('""', `"${'x'.repeat(size - frame.length)}"`));
    if (size > messageBytesMax) await raw.closed;
    else await eventually(() => expect(heard).toHaveLength(1));
    expect(raw.isOpen).toBe(size <= messageBytesMax);
    raw.say('41/merchant,');
    await raw.closed;
  }
  expect(heard).toHaveLength(1);
});

test('a message of a megabyte ends its connection and reaches no other client', async () => {
  const rig = await rigOf();
  const [loud, quiet] = [await rig.joined(), await rig.joined()];
  loud.emit('x', 'y'.repeat(1024 * 1024));
  await eventually(() => expect(loud.connected).toBe(false));
  expect(quiet.connected).toBe(true);
});

test('ten messages in ten seconds are ignored, the eleventh ends the connection', async () => {
  const rig = await rigOf();
  const client = await rig.joined();
  let heard = 0;
  rig.merchants.sockets[0]?.onAny(() => void heard++);
  for (let n = 0; n < messagesMax; n++) client.emit('join', 'all');
  await eventually(() => expect(heard).toBe(messagesMax));
  expect(client.connected).toBe(true);
  client.emit('join', 'all');
  await eventually(() => expect(client.connected).toBe(false));
  await expectWell(rig);
});

test.each([
  ['heartbeats nobody asked for', '3'],
  ['joining again and again', '40/nowhere,'],
  ['a beat of the wrong side', '2'],
])('a flood of %s ends the connection', async (_what, word) => {
  const rig = await rigOf();
  const raw = await rig.raw();
  raw.say('40/merchant,');
  for (let n = 0; n < 12; n++) raw.say(word);
  await raw.closed;
  await expectWell(rig);
});

test.each([
  ['no packet', 'hello'],
  ['an event of nobody', '42/hosted,["x"]'],
  ['an event that is no list', '42/merchant,{"x":1}'],
  ['an event by a reserved name', '42/merchant,["disconnect"]'],
  ['half a JSON', '42/merchant,["x"'],
  ['a thousand brackets', `42/merchant,${'['.repeat(1000)}`],
  ['more attachments than anybody has', '451000000000-/merchant,["x",{"_placeholder":true,"num":0}]'],
  ['bytes nobody announced', Uint8Array.of(1, 2, 3)],
  ['joining by what is no object', '40/merchant,7'],
  ['joining with a prototype', '40/hosted,{"__proto__":{"ticket":"x"},"constructor":1,"pid":{},"offset":[]}'],
  ['an acknowledgement of nothing', '43/merchant,7[]'],
  ['nothing at all', ''],
])('%s ends its own connection at most', async (_what, message) => {
  const rig = await rigOf();
  const bystander = await rig.joined();
  const raw = await rig.raw();
  raw.say('40/merchant,');
  await eventually(() => expect(rig.merchants.sockets).toHaveLength(2));
  raw.say(message);
  for (const leaving of ['41/merchant,', '41/hosted,']) raw.say(leaving);
  await raw.closed;
  expect(bystander.connected).toBe(true);
  bystander.disconnect();
  await expectWell(rig);
});

test('a client that does not read is cut at a megabyte behind; one that reads receives everything', async () => {
  const rig = await rigOf();
  const reader = await rig.joined();
  let heard = 0;
  reader.on('change', () => void heard++);
  const wire = rig.wire();
  wire.write(upgradeHead('/socket.io/?EIO=4&transport=websocket'));
  await once(wire, 'data');
  // a masked text frame of one client, with a mask of zeros
  const join = Buffer.from('40/merchant,');
  wire.write(Buffer.concat([Buffer.of(0x81, 0x80 | join.length, 0, 0, 0, 0), join]));
  await eventually(() => expect(rig.merchants.sockets).toHaveLength(2));
  wire.pause();
  wire.on('error', () => undefined);
  const body = { data: 'x'.repeat(16 * 1024) };
  let said = 0;
  // the kernel holds some of it for him
  while (rig.sockets.connections === 2 && said < 4000) {
    rig.merchants.namespace?.to('all').emit('change', body);
    if (++said % 8 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(rig.sockets.connections).toBe(1);
  expect(said * 16 * 1024).toBeGreaterThan(bytesBehindMax);
  await eventually(() => expect(heard).toBe(said));
  expect(reader.connected).toBe(true);
  wire.destroy();
});

test('an address has its limit; behind a trusted proxy it is the address that the proxy names', async () => {
  const clientAddress = (connection: string, forwarded: string): string =>
    forwarded === '' ? connection : forwarded;
  const rig = await rigOf({ bounds: { perAddressMax: 2 }, clientAddress });
  const inside = [await rig.joined(), await rig.joined('/hosted')];
  const refused: unknown[] = [];
  const third = rig.client('/merchant');
  third.on('connect_error', (error) => refused.push('data' in error ? error.data : error.message));
  await eventually(() =>
    expect(refused).toEqual([{ code: 'rate_limit_exceeded', message: 'Too many requests.' }]),
  );
  const elsewhere = rig.client('/merchant', { 'x-forwarded-for': '203.0.113.9' });
  await eventually(() => expect(elsewhere.connected).toBe(true));
  inside[0]?.disconnect();
  third.disconnect();
  await eventually(() => expect(rig.sockets.connections).toBe(2));
  await rig.joined();
});

test("all lines of a forwarded address count: none that a client adds hides the proxy's", async () => {
  const heard: string[] = [];
  const clientAddress = (_connection: string, forwarded: string): string => {
    heard.push(forwarded);
    return forwarded.split(',').at(-1) ?? '';
  };
  const rig = await rigOf({ bounds: { perAddressMax: 2 }, clientAddress });
  const lines = (own: number) => ({
    'x-forwarded-for': [`198.51.100.${own}`, '203.0.113.9'] as unknown as string,
  });
  const upgrades = (own: number) =>
    upgradeHead('/socket.io/?EIO=4&transport=websocket').replace(
      '\r\n\r\n',
      `\r\nX-Forwarded-For: 198.51.100.${own}\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n`,
    );
  const clients = Array.from({ length: 102 }, (_, own) => rig.client('/merchant', lines(own)));
  await eventually(() => expect(rig.sockets.connections).toBeGreaterThanOrEqual(102));
  expect(await answerTo(rig, upgrades(250))).toMatch(/^HTTP\/1\.1 503 /);
  expect(new Set(heard.map((each) => each.split(',').length))).toEqual(new Set([2]));
  for (const client of clients) client.disconnect();
});

test('an address that keeps reconnecting is refused before it has a connection', async () => {
  const rig = await rigOf({ bounds: { perAddressMax: 2 } });
  const clients = await Promise.all(Array.from({ length: 102 }, () => rig.raw()));
  const text = await answerTo(rig, upgradeHead('/socket.io/?EIO=4&transport=websocket'));
  expect(text).toMatch(/^HTTP\/1\.1 503 /);
  // their five seconds to join are over, and there is room again
  await Promise.all(clients.map((client) => client.closed));
  await expectWell(rig);
});

test('a full node refuses before the upgrade', async () => {
  const rig = await rigOf({ bounds: { connectionsMax: 1 } });
  const only = await rig.joined();
  const text = await answerTo(rig, upgradeHead('/socket.io/?EIO=4&transport=websocket'));
  expect(text).toMatch(/^HTTP\/1\.1 503 /);
  expect(text).toMatch(/\r\nRetry-After: 1\r\n/i);
  expect(text).toContain('"code":"service_unavailable"');
  only.disconnect();
  await expectWell(rig);
});

test('row 112: a node that stops sends bye to every client, ends them and accepts no more', async () => {
  const rig = await rigOf();
  const heard: unknown[] = [];
  const clients = [await rig.joined('/merchant'), await rig.joined('/hosted')];
  const idle = await rig.raw();
  for (const client of clients) client.on('bye', (body: unknown) => heard.push(body));
  await rig.sockets.drain();
  expect(await answerTo(rig, upgradeHead('/socket.io/?EIO=4&transport=websocket'))).toMatch(
    /^HTTP\/1\.1 503 /,
  );
  await eventually(() => expect(clients.map(({ connected }) => connected)).toEqual([false, false]));
  await idle.closed;
  expect(heard).toEqual([{ code: 'restarting' }, { code: 'restarting' }]);
  expect([rig.merchants.drained, rig.hosted.drained, rig.sockets.connections]).toEqual([true, true, 0]);
});
