import { readdirSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { StreamReader } from './reader.ts';
import { HandClock, Street, type StreamNode } from './street.ts';

const street = new Street();
afterEach(async () => {
  street.gate = null;
  street.silent = false;
  await street.close();
});

const ping = 'event: ping\ndata: {}\n\n';
const empty = { streams: 0, topics: 0, addresses: 0 };
const kindOf = (frame: string): string => /event: (\S+)/.exec(frame)?.[1] ?? 'retry';
const kinds = (reader: StreamReader): readonly string[] => reader.frames.map(kindOf);
const settled = (node: StreamNode): Promise<true> =>
  eventually(
    async () => (JSON.stringify(node.hub.sizes) === JSON.stringify(empty) && node.watched === 0) || null,
    () => `the hub to be empty: ${JSON.stringify(node.hub.sizes)}, ${node.watched} watched`,
  );
const readers = (node: StreamNode, id: string, count: number): Promise<readonly StreamReader[]> =>
  Promise.all(Array.from({ length: count }, () => node.reader(id)));

test('row 74: a ping every 7 s, the same bytes to all, while there are no events', async () => {
  const clock = new HandClock();
  const node = (await street.node({ scheduler: clock })).serve();
  const [first, second] = await readers(node, street.session(), 2);
  clock.go(6749);
  await first?.sees(1);
  expect(first?.frames).toHaveLength(1);
  clock.go(251);
  expect((await first?.sees(2))?.[1]).toBe(ping);
  expect((await second?.sees(2))?.[1]).toBe(ping);
  clock.go(14_000);
  expect((await second?.sees(4))?.slice(1)).toEqual([ping, ping, ping]);
});

test('an event on one node reaches readers on every other node, once each', async () => {
  const nodes = [(await street.node()).serve(), (await street.node()).serve()];
  const id = street.session();
  const all = (await Promise.all(nodes.map((node) => readers(node, id, 20)))).flat();
  street.commit(id, 'qr.scanned');
  for (const reader of all) await reader.sees(2);
  for (let n = 0; n < 5; n++) street.notice(id);
  street.commit(id, 'qr.paid');
  for (const reader of all) {
    await reader.end();
    expect(kinds(reader)).toEqual(['connected', 'qr.scanned', 'qr.paid']);
  }
  for (const node of nodes) await settled(node);
});

test('readers of one session share its reads and its watch, which end with the last of them', async () => {
  const node = (await street.node()).serve();
  const id = street.session();
  let open = (): void => undefined;
  street.gate = new Promise((go) => (open = go));
  street.reads = 0;
  const coming = readers(node, id, 100);
  await eventually(
    async () => node.inFlight === 100 || null,
    () => 'all to be on their way in',
  );
  street.gate = null;
  open();
  const all = await coming;
  expect(street.reads).toBe(2);
  expect([node.watched, node.hub.sizes.topics]).toEqual([1, 1]);
  street.reads = 0;
  street.commit(id, 'qr.scanned');
  for (const reader of all) await reader.sees(2);
  expect(street.reads).toBe(1);
  for (const reader of all) reader.leave();
  await settled(node);
});

test('row 75: when its node dies, the browser connects to another, which sends the end once more and then answers 204', async () => {
  const [first, second] = [(await street.node()).serve(), (await street.node()).serve()];
  const id = street.session();
  const reader = await first.reader(id);
  street.commit(id, 'qr.scanned');
  await reader.sees(2);
  await first.die();
  await reader.close();
  street.commit(id, 'qr.paid');
  const next = await second.reader(id, { headers: ['Last-Event-ID: 1'] });
  expect((await next.end()).map(kindOf)).toEqual(['connected', 'qr.paid']);
  expect(next.body).toContain('id: 2-replay\n');
  next.leave();
  const last = await second.reader(id, { headers: ['Last-Event-ID: 2-replay'] });
  expect(last.status).toBe(204);
  last.leave();
});

test('a commit while a reader is joining reaches it, at whatever moment', async () => {
  const node = (await street.node()).serve();
  const id = street.session();
  let open = (): void => undefined;
  street.gate = new Promise((go) => (open = go));
  const reader = await node.asking(id);
  await eventually(
    async () => node.watched > 0 || null,
    () => 'the topic to be watched',
  );
  // it gets the state that was read before: only the notice can bring the change
  street.commit(id, 'qr.paid');
  street.gate = null;
  open();
  expect((await reader.end()).map(kindOf)).toEqual(['connected', 'qr.paid']);
  await settled(node);
});

test('a lost notice costs at most 15 s', async () => {
  const clock = new HandClock();
  const node = (await street.node({ scheduler: clock })).serve();
  const id = street.session();
  const reader = await node.reader(id);
  street.commit(id, 'qr.paid', true);
  clock.go(15_000);
  await reader.end();
  expect(kinds(reader).filter((kind) => kind !== 'ping')).toEqual(['connected', 'qr.paid']);
});

test('when the bus is back everything is read again', async () => {
  const bus = { again: (): void => undefined };
  const onReconnect = (again: () => void): (() => void) => {
    bus.again = again;
    return () => undefined;
  };
  const node = (await street.node({ onReconnect })).serve();
  const ids = Array.from({ length: 200 }, () => street.session());
  const all = await Promise.all(ids.map((id) => node.reader(id)));
  for (const id of ids) street.commit(id, 'qr.paid', true);
  bus.again();
  for (const reader of all) {
    await reader.end();
    expect(kinds(reader)).toEqual(['connected', 'qr.paid']);
  }
  await settled(node);
});

test('a store that does not answer ends no stream: missed events come with the next read', async () => {
  const clock = new HandClock();
  const node = (await street.node({ scheduler: clock })).serve();
  const id = street.session();
  const reader = await node.reader(id);
  street.silent = true;
  street.commit(id, 'qr.paid');
  await eventually(
    async () => street.reads > 1 || null,
    () => 'a reading that fails',
  );
  expect(kinds(reader)).toEqual(['connected']);
  street.silent = false;
  clock.go(15_000);
  await reader.end();
  expect(kinds(reader).at(-1)).toBe('qr.paid');
});

test('a node that drains sends a reconnect time before it ends its streams, and opens none', async () => {
  const node = (await street.node()).serve();
  const id = street.session();
  const all = await readers(node, id, 50);
  const alone = await node.reader(street.session());
  const stopped = node.stop();
  for (const reader of [...all, alone]) {
    await reader.close();
    expect(kinds(reader)).toEqual(['connected', 'retry']);
    expect(reader.body).toMatch(/\n\nretry: \d{4,5}\n\n$/);
    expect(reader.ended).toBe(true);
  }
  await stopped;
  expect(node.hub.sizes).toEqual(empty);
  expect(node.hub.join(id, '127.0.0.1')).toBeNull();
});

test('an address over its limit gets a retry time, and another address is served', async () => {
  const node = (await street.node({ streamsPerAddressMax: 3 })).serve();
  const id = street.session();
  const all = await readers(node, id, 3);
  const more = await node.reader(street.session());
  expect((await more.end()).map(kindOf)).toEqual(['retry']);
  expect(more.status).toBe(200);
  more.leave();
  const other = await node.reader(id, { from: '127.0.0.2' });
  expect((await other.sees(1)).map(kindOf)).toEqual(['connected']);
  all[0]?.leave();
  await eventually(
    async () => node.hub.sizes.streams === 3 || null,
    () => 'one to be gone',
  );
  expect((await (await node.reader(id)).sees(1)).map(kindOf)).toEqual(['connected']);
});

test('addresses of one IPv6 network count as one, IPv4 addresses written as IPv6 do not', async () => {
  const { hub } = await street.node({ streamsPerAddressMax: 1 });
  const joined = (address: string): boolean => hub.join(street.session(), address) !== null;
  expect(joined('2001:0db8:0000:0001:0000:0000:0000:0001')).toBe(true);
  expect(joined('2001:0db8:0000:0001:0000:0000:0000:0002')).toBe(false);
  expect(joined('2001:0db8:0000:0002:0000:0000:0000:0001')).toBe(true);
  expect(joined('0000:0000:0000:0000:0000:ffff:7f00:0001')).toBe(true);
  expect(joined('0000:0000:0000:0000:0000:ffff:7f00:0002')).toBe(true);
});

test('a session over its limit ends its oldest stream', async () => {
  const node = (await street.node({ streamsPerTopicMax: 2 })).serve();
  const id = street.session();
  const oldest = await node.reader(id);
  const [second, third] = [await node.reader(id), await node.reader(id)];
  expect((await oldest.end()).map(kindOf)).toEqual(['connected', 'retry']);
  street.commit(id, 'qr.paid');
  for (const reader of [second, third]) {
    await reader.end();
    expect(kinds(reader)).toEqual(['connected', 'qr.paid']);
  }
});

test("a reader above the node's limit gets a retry time", async () => {
  const node = (await street.node({ streamsMax: 1 })).serve();
  await node.reader(street.session());
  const more = await node.reader(street.session());
  expect((await more.end()).map(kindOf)).toEqual(['retry']);
});

test('a client may leave at any moment, and nothing of it is kept', async () => {
  const node = (await street.node()).serve();
  const id = street.session();
  let open = (): void => undefined;
  street.gate = new Promise((go) => (open = go));
  const early = await node.asking(id);
  await eventually(
    async () => node.inFlight > 0 || null,
    () => 'the request to be in flight',
  );
  early.leave();
  await eventually(
    async () => node.inFlight === 0 || null,
    () => 'the request to be gone',
  );
  street.gate = null;
  open();
  await settled(node);
  const idle = await node.reader(id);
  idle.leave();
  await settled(node);
  // in the very moment of an event, and of the end
  for (const event of ['qr.scanned', 'qr.paid'] as const) {
    const all = await readers(node, id, 20);
    street.commit(id, event);
    for (const reader of all) reader.leave();
    await settled(node);
  }
});

test('a thousand readers leave no descriptor, no topic and no address behind', async () => {
  const node = (await street.node()).serve();
  const before = readdirSync('/proc/self/fd').length;
  for (let round = 0; round < 10; round++) {
    const id = street.session();
    const all = await readers(node, id, 100);
    street.commit(id, 'qr.paid');
    for (const reader of all) await reader.end();
    for (const reader of all) reader.leave();
  }
  await settled(node);
  await eventually(
    async () => readdirSync('/proc/self/fd').length <= before + 2 || null,
    () => `${readdirSync('/proc/self/fd').length} descriptors to be ${before}`,
  );
});
