/** Clients that ask and do not read: of what they asked for, no more waits in memory than its bound, and whoever reads
 *  slowly still gets everything. */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Door, DoorReply } from '../../gateways/server/door.ts';
import { listen, type Listener, type ListenOptions } from '../../gateways/server/listener.ts';
import { bareListener } from '../support/alone.ts';
import { eventually } from '../support/eventually.ts';
import { head, Raw } from '../support/raw.ts';
import { log, nothing } from './served.ts';

/** What may wait for one connection, whatever it asks for. */
const unreadBytesMax = 256 * 1024;
/** More than the kernel takes for a connection. */
const large = 24_000_000;
const largeBytes = Buffer.alloc(large, 'abcdefghij');
/** As long in UTF-8. */
const ownText = 'a€𐍈'.repeat(large / 8);

const replyOf = (body: DoorReply['body'], status = 200): DoorReply => ({ status, body });
let given: DoorReply[] = [];
const give = (reply: DoorReply): DoorReply => {
  given.push(reply);
  return reply;
};
const sizes = [1, 4096, 16 * 1024, 100_000];
const doors: readonly Door[] = [
  ...sizes.flatMap((size): Door[] => [
    { method: 'GET', path: `/text/${size}`, handle: () => give(replyOf('x'.repeat(size))) },
    { method: 'GET', path: `/bytes/${size}`, handle: () => give(replyOf(largeBytes.subarray(0, size))) },
  ]),
  { method: 'GET', path: '/large', handle: () => give(replyOf(largeBytes)) },
  { method: 'GET', path: '/own', handle: async () => give(replyOf(ownText)) },
  { method: 'GET', path: '/away', handle: () => give(replyOf(null, 303)) },
  { method: 'GET', path: '/nothing', handle: () => give(replyOf(null, 204)) },
  { method: 'GET', path: '/same', handle: () => give(replyOf(null, 304)) },
  { method: 'POST', path: '/small', bodyBytesMax: 10, handle: () => give(replyOf('small')) },
];

const open = new Set<Listener>();
const sockets = new Set<Socket>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all([...open].map((listener) => listener.drain(100)));
  open.clear();
  given = [];
});

async function listening(options: Partial<ListenOptions> = {}): Promise<Listener> {
  const listener = await listen({ ...bareListener, host: '127.0.0.1', port: 0, log, ...options });
  listener.mount(doors);
  open.add(listener);
  return listener;
}

/** A client that does not read before it is told to. */
class Reader {
  private readonly socket: Socket;
  private readonly parts: Buffer[] = [];
  private bytes = 0;
  closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    sockets.add(socket);
    socket.pause();
    socket.on('data', (part) => {
      this.parts.push(part);
      this.bytes += part.length;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => void (this.closed = true));
  }

  static async asking({ port }: Listener, requests: string): Promise<Reader> {
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    socket.write(requests);
    return new Reader(socket);
  }

  get port(): number {
    return this.socket.localPort ?? 0;
  }

  /** By Node itself, which reads a little ahead. */
  get bytesRead(): number {
    return this.socket.bytesRead;
  }

  ask(requests: string): void {
    this.socket.write(requests);
  }

  leave(): void {
    this.socket.destroy();
  }

  /** All that comes until the connection is closed. */
  async toTheEnd(): Promise<Buffer> {
    this.socket.resume();
    await eventually(
      async () => (this.closed ? true : null),
      () => 'the connection to be closed',
    );
    return Buffer.concat(this.parts);
  }

  /** A whole body of this length, read in small steps, `stepMs` apart. */
  async body(length: number, stepMs = 0): Promise<Buffer> {
    const start = (): number => Buffer.concat(this.parts.slice(0, 2)).indexOf('\r\n\r\n');
    while (this.bytes < length || start() < 0 || this.bytes < start() + 4 + length) {
      if (this.closed) throw new Error(`closed after ${this.bytes} bytes`);
      this.socket.resume();
      await pause(1);
      if (stepMs > 0) this.socket.pause();
      await pause(stepMs);
    }
    const all = Buffer.concat(this.parts.splice(0));
    this.bytes = 0;
    return all.subarray(all.indexOf('\r\n\r\n') + 4);
  }
}

/** Resolves when nothing more is answered. */
async function untilSilence(): Promise<void> {
  for (let before = -1; before !== given.length; await pause(100)) before = given.length;
}

const ends = Buffer.from('\r\n\r\n');
test.each([
  ...sizes.flatMap((size) => [`GET /text/${size}`, `GET /bytes/${size}`]),
  'GET /away',
  'GET /nothing',
  'GET /same',
  'HEAD /text/4096',
  'HEAD /text/100000',
])(
  '%s: a client that asks on and reads nothing is closed before 256 KiB wait for it',
  async (line) => {
    const listener = await listening();
    const answerBytes = (await lengthOf(listener, line)) + 1;
    const reader = await Reader.asking(listener, '');
    given = [];
    // each step may add half of what may wait
    const step = Math.ceil(unreadBytesMax / 2 / answerBytes);
    let waiting = 0;
    for (let asked = step; asked * answerBytes < 40_000_000; asked += step) {
      reader.ask(head(line).repeat(step));
      const inKernel = await eventually(
        async () => {
          const isAnswered = given.length === asked;
          const bytes = await kernelBytes(listener.port, reader.port);
          return isAnswered || bytes === null ? { bytes } : null;
        },
        () => `${asked} answers, not ${given.length}`,
      );
      if (inKernel.bytes === null) {
        expect(waiting).toBeLessThan(unreadBytesMax / 2);
        return;
      }
      waiting = Math.max(waiting, asked * (answerBytes - 1) - inKernel.bytes - reader.bytesRead);
    }
    expect.fail(`never closed, and ${waiting} bytes wait`);
  },
  60_000,
);

/** To fill a kernel, answer by answer, takes seconds, and many times that beside other work. */
const slowMsMax = 120_000;

/** A client whose kernel takes no more: uWS holds the end of an answer that it counts as given. */
async function full(listener: Listener): Promise<Reader> {
  // together less than what uWS collects before it writes
  const [line, atOnce] = ['GET /text/4096', 3];
  const answerBytes = await lengthOf(listener, line);
  const reader = await Reader.asking(listener, '');
  given = [];
  for (let asked = atOnce; ; asked += atOnce) {
    reader.ask(head(line).repeat(atOnce));
    while (given.length < asked) await pause(1);
    const inKernel = await kernelBytes(listener.port, reader.port);
    if (asked * (answerBytes - 1) > (inKernel ?? 0) + reader.bytesRead + 100) return reader;
  }
}

test.each(sizes)(
  'a service that stops: a client that asks on for answers of %i bytes and reads nothing is closed before 256 KiB wait for it',
  async (size) => {
    const listener = await listening();
    const reader = await full(listener);
    const drained = listener.drain(20_000);
    given = [];
    const answerBytes = size + 200;
    for (let asked = 1; asked * answerBytes < unreadBytesMax; asked++) {
      reader.ask(head(`GET /text/${size}`));
      const isClosed = await eventually(
        async () => {
          if ((await kernelBytes(listener.port, reader.port)) === null) return 'closed';
          return given.length >= asked ? 'answered' : null;
        },
        () => `${asked} answers, not ${given.length}`,
      );
      if (isClosed === 'closed') return;
    }
    void drained;
    expect.fail(`never closed, and ${given.length * answerBytes} bytes wait`);
  },
  slowMsMax,
);

test(
  'a request whose body is too large ends its connection, also where the client has not read older answers',
  async () => {
    const listener = await listening();
    const reader = await full(listener);
    reader.ask(head('POST /small', ['Content-Length: 11'], 'x'.repeat(11)));
    await eventually(
      async () => ((await kernelBytes(listener.port, reader.port)) === null ? true : null),
      () => 'the connection to be closed',
    );
  },
  slowMsMax,
);

test('a service that stops answers every request that a client has sent at once and reads', async () => {
  const listener = await listening();
  const raw = await Raw.open(listener.port);
  const drained = listener.drain(3000);
  const { answers } = await raw.send(head('GET /text/4096').repeat(2)).answers(2);
  expect(answers.map(({ status, headers, body }) => [status, headers['connection'], body.length])).toEqual([
    [200, 'close', 4096],
    [200, 'close', 4096],
  ]);
  raw.leave();
  await drained;
});

/** Of one answer, with its head. */
async function lengthOf(listener: Listener, line: string): Promise<number> {
  const reader = await Reader.asking(listener, head(line, ['Connection: close']));
  return (await reader.toTheEnd()).length;
}

/** Bytes on their way from one port to another that the client has not read; null: the server has closed. */
async function kernelBytes(serverPort: number, clientPort: number): Promise<number | null> {
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((row) => row.trim().split(/\s+/));
  const queues = (from: number, to: number): string | undefined =>
    rows.find(
      ([, local, remote, state]) => portOf(local) === from && portOf(remote) === to && state === established,
    )?.[4];
  const sent = queues(serverPort, clientPort);
  const received = queues(clientPort, serverPort);
  if (sent === undefined || received === undefined) return null;
  return parseInt(sent.split(':')[0] ?? '', 16) + parseInt(received.split(':')[1] ?? '', 16);
}

const established = '01';
const portOf = (address = ''): number => parseInt(address.split(':')[1] ?? '', 16);

test('a client that asks for a second large answer before it has read the first one is closed', async () => {
  const reader = await Reader.asking(await listening(), head('GET /large').repeat(50));
  await untilSilence();
  expect(given.length).toBe(1);
  expect((await reader.toTheEnd()).length).toBeLessThan(large);
});

test.each(['/large', '/own'])(
  '%s: a client that reads slowly gets all of it, after any deadline, and may ask again',
  async (path) => {
    const listener = await listening({ answerMsMax: 100 });
    const reader = await Reader.asking(listener, head(`GET ${path}`));
    await untilSilence();
    expect(listener.inFlight()).toBe(0);
    const whole = Buffer.from(given[0]?.body ?? '');
    expect((await reader.body(whole.length, 3)).equals(whole)).toBe(true);
    reader.ask(head('GET /text/1'));
    expect((await reader.body(1)).toString()).toBe('x'.repeat(1));
    expect(reader.closed).toBe(false);
  },
  30_000,
);

test('a large answer with Connection: close is whole, and the last of its connection', async () => {
  const reader = await Reader.asking(await listening(), head('GET /large', ['Connection: close']));
  await untilSilence();
  const all = await reader.toTheEnd();
  expect(all.subarray(all.indexOf(ends) + ends.length).equals(largeBytes)).toBe(true);
});

test('answers without a body are whole, and those that end their connection say so and differ in nothing else', async () => {
  const { port } = await listening();
  for (const [line, length] of [
    ['GET /away', '0'],
    ['GET /nothing', undefined],
    ['GET /same', undefined],
    ['HEAD /large', `${large}`],
  ] as const) {
    const isLast = new Map<boolean, string>();
    while (isLast.size < 2) {
      const raw = await Raw.open(port);
      const { answers } = await raw.send(head(line)).answers(1, true);
      const { status, headers } = answers[0] ?? nothing;
      const { connection, uwebsockets: _own, ...others } = headers;
      isLast.set(connection === 'close', JSON.stringify([status, Object.keys(others).toSorted()]));
      expect([connection ?? 'close', others['content-length']]).toEqual(['close', length]);
      if (connection === 'close') await raw.end();
      else await raw.send(head('GET /text/1')).answers(2, true);
      raw.leave();
    }
    expect(isLast.get(true)).toBe(isLast.get(false));
  }
}, 30_000);

test('texts that wait are bounded together: one more closes the connection that has waited the longest', async () => {
  const listener = await listening({ unreadBytesMax: 2.5 * large });
  const asking = async (): Promise<Reader> => {
    const reader = await Reader.asking(listener, head('GET /own'));
    await untilSilence();
    return reader;
  };
  const gone = [await asking(), await asking()];
  for (const one of gone) one.leave();
  await untilSilence();
  // shared bytes do not count
  const shared = await Reader.asking(listener, head('GET /large'));
  const first = await asking();
  const others = [await asking(), await asking()];
  expect((await first.toTheEnd()).length).toBeLessThan(large);
  for (const one of others) expect((await one.body(large)).length).toBe(large);
  expect((await shared.body(large)).length).toBe(large);
}, 30_000);

test('a service that stops waits for a client that still reads, and not for one that does not', async () => {
  const listener = await listening();
  const slow = await Reader.asking(listener, head('GET /large'));
  await untilSilence();
  const drained = listener.drain(5000);
  expect((await slow.body(large, 3)).equals(largeBytes)).toBe(true);
  await drained;
  const second = await listening();
  const silent = await Reader.asking(second, head('GET /large'));
  await untilSilence();
  await second.drain(300);
  expect((await silent.toTheEnd()).length).toBeLessThan(large);
}, 30_000);
