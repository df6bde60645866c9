/** Sends attacks that read nothing to a running service, one after the other, and judges them.
 *  1. /health is answered meanwhile, and the memory of the process does not grow beyond `grownBytesMax`.
 *  2. Each connection is closed by the service before everything that was asked for is sent. */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { lines } from './attack.ts';
import type { UnreadAttack } from './catalogue/unread.ts';
import type { Target } from './replay.ts';

const unreadMs = 2000;
const healthMsMax = 1000;
/** An idle connection is closed after 10 s at the earliest, whatever it was sent. */
const closedMsMax = 5000;
/** The kernel holds some megabytes for a connection. */
const receivedBytesMax = 32_000_000;
const grownBytesMax = 60_000_000;
/** What is garbage goes within this time; what waits for a client stays. */
const settledMsMax = 5000;

/** What was wrong, one line for each. */
export async function replayUnread(
  target: Target,
  attacks: readonly UnreadAttack[],
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const attack of attacks) wrong.push(...(await problemsOf(target, attack)));
  return wrong;
}

async function problemsOf({ url, stage }: Target, attack: UnreadAttack): Promise<readonly string[]> {
  const { name, connections, asks } = attack;
  const request = lines(`${attack.line(stage)} HTTP/1.1`, `Host: ${url.hostname}`, '', '');
  // one for all connections: where the service runs in this process, its memory is ours
  const all = Buffer.from(request.repeat(asks));
  const before = await memoryOf(url, stage.adminToken);
  const readers = Array.from({ length: connections }, () => socketTo(url));
  for (const socket of readers) socket.write(all);
  await pause(unreadMs);
  const isWell = await answersHealth(url);
  const grown = await grownSince(before, () => memoryOf(url, stage.adminToken));
  const problems = await Promise.all(readers.map(problemOf));
  return [
    ...(isWell ? [] : ['/health is not answered']),
    ...(grown <= grownBytesMax ? [] : [`the memory grew by ${Math.round(grown / 1e6)} MB`]),
    ...new Set(problems.filter((problem) => problem !== null)),
  ].map((problem) => `${name}: ${problem}`);
}

async function grownSince(before: number, now: () => Promise<number>): Promise<number> {
  const until = Date.now() + settledMsMax;
  for (;;) {
    const grown = (await now()) - before;
    if (grown <= grownBytesMax || Date.now() > until) return grown;
    await pause(100);
  }
}

/** It does not read before it is resumed. */
function socketTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPlain = protocol === 'http:';
  const to = { host, port: Number(port) || (isPlain ? 80 : 443) };
  const socket = isPlain ? connect(to) : connectTls({ ...to, servername: host });
  // that it is closed is what is expected
  socket.on('error', () => undefined);
  return socket.pause();
}

/** Reads to the end. */
async function problemOf(socket: Socket): Promise<string | null> {
  const until = Date.now() + closedMsMax;
  let bytes = 0;
  socket.on('data', (part: Buffer) => void (bytes += part.length)).resume();
  while (!socket.closed && bytes <= receivedBytesMax && Date.now() < until) await pause(10);
  const { closed } = socket;
  socket.destroy();
  if (bytes > receivedBytesMax) return `served on: ${bytes} bytes were waiting`;
  return closed ? null : `still open, ${bytes} bytes received`;
}

const answersHealth = (url: URL): Promise<boolean> =>
  fetch(new URL('/health', url), { signal: AbortSignal.timeout(healthMsMax) }).then(
    ({ ok }) => ok,
    () => false,
  );

async function memoryOf(url: URL, token: string): Promise<number> {
  const answer = await fetch(new URL('/metrics', url), { headers: { Authorization: `Bearer ${token}` } });
  const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(await answer.text())?.[1];
  if (bytes === undefined) throw new Error('/metrics tells the memory of the process');
  return Number(bytes);
}
