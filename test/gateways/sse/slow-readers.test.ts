import { afterEach, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { StreamReader } from './reader.ts';
import { HandClock, Street, type StreamNode } from './street.ts';

const street = new Street();
afterEach(() => street.close());

const kinds = (reader: StreamReader): readonly string[] =>
  reader.frames.map((frame) => /event: (\S+)/.exec(frame)?.[1] ?? 'retry');

/** More than any kernel keeps for a socket. */
const floodBytes = 6 * 1024 * 1024;

/** A scan whose frame exceeds every kernel buffer, so that a client that does not read lags at once. */
function flood(id: string): void {
  const session = street.sessions.get(id);
  const scannedAt = 'x'.repeat(floodBytes);
  if (session !== undefined)
    session.qrLog = [{ n: 1, event: 'qr.scanned', data: { sessionId: id, scannedAt } }];
  street.notice(id);
}

async function flooded(): Promise<{ clock: HandClock; node: StreamNode; id: string; slow: StreamReader }> {
  const clock = new HandClock();
  const node = (await street.node({ scheduler: clock })).serve();
  const id = street.session();
  const slow = await node.reader(id);
  await slow.sees(1);
  slow.socket.pause();
  const healthy = await node.reader(id);
  flood(id);
  await healthy.sees(2);
  healthy.leave();
  return { clock, node, id, slow };
}

test('a slow reader gets no writes, and receives what it missed when it reads again', async () => {
  const { clock, id, slow, node } = await flooded();
  clock.go(7000);
  street.commit(id, 'qr.paid');
  const other = await node.reader(id);
  await other.end();
  other.leave();
  expect(slow.ended).toBe(false);
  slow.socket.resume();
  await slow.end();
  expect(kinds(slow).filter((kind) => kind !== 'ping')).toEqual(['connected', 'qr.scanned', 'qr.paid']);
  // each time the kernel took some of what waited one ping of ours made it do so: no queue of pings had formed
  expect(kinds(slow).filter((kind) => kind === 'ping').length).toBeLessThan(50);
});

test('a reader that does not read for two pings is cut, and the others are not', async () => {
  const { clock, id, slow, node } = await flooded();
  const other = await node.reader(id, { headers: ['Last-Event-ID: 1'] });
  clock.go(7000);
  expect(node.hub.sizes.streams).toBe(2);
  clock.go(7000);
  await eventually(
    async () => node.hub.sizes.streams === 1 || null,
    () => 'the slow one to be let go',
  );
  slow.socket.resume();
  await slow.close();
  expect(slow.ended).toBe(false);
  street.commit(id, 'qr.paid');
  await other.end();
  expect(kinds(other).at(-1)).toBe('qr.paid');
});

test('a reader that was slow once is served like any other afterwards', async () => {
  const { clock, id, slow } = await flooded();
  slow.socket.resume();
  await slow.sees(2);
  clock.go(70_000);
  await eventually(
    async () => kinds(slow).filter((kind) => kind === 'ping').length >= 10 || null,
    () => 'ten pings',
  );
  street.commit(id, 'qr.paid');
  await slow.end();
  expect(kinds(slow).at(-1)).toBe('qr.paid');
});
