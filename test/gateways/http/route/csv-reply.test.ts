import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CsvReplies, filesAtOnceMax, filesOfOneMax } from '../../../../gateways/http/route/csv-reply.ts';
import type { Rows } from '../../../../gateways/http/route/rows.ts';
import type { Door } from '../../../../gateways/server/door.ts';
import { listen, type Listener } from '../../../../gateways/server/listener.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { bareListener } from '../../../support/alone.ts';
import { eventually } from '../../../support/eventually.ts';

/** 13 MB. */
const batchesUsual = 100;
/** More than a kernel keeps for a socket, whose buffers grow to some 36 MB. */
const batchesMany = 1000;
const batch = Array.from({ length: 250 }, (_, n) => ({ id: `pay_${n}`, note: 'x'.repeat(500) }));
const unreadMs = 300;

let listener: Listener;
let logged = '';
/** Batches that were read for the file. */
let read: number;
/** Requests for which the store was asked. */
let asked: number;
let storeIsAway: boolean;
/** Files whose reading has ended. */
let ended: number;
let breaksAt: number;
let batchesMax: number;
/** No batch is read before. */
let gate: Promise<unknown>;
const log = createLog({ level: 'info', pretty: false, write: (line) => void (logged += line) });
const things = { columns: ['id', 'note'], name: 'things' };
const replies = new CsvReplies(things, log, { unreadMs, fileMs: 60_000 });
/** Its files must be done soon. */
const hurried = new CsvReplies(things, log, { unreadMs: 60_000, fileMs: unreadMs });

async function* batches(): Rows['batches'] extends AsyncIterable<infer B> ? AsyncGenerator<B> : never {
  try {
    for (let n = 0; n < batchesMax; n++) {
      if (n > 0) await gate;
      if (n === breaksAt) throw new Error('the store is away');
      read++;
      yield batch;
    }
  } finally {
    ended++;
  }
}

/** What a handler does. */
const askStore = async (): Promise<Rows> => {
  asked++;
  if (storeIsAway) throw new Error('the store is away');
  return { is: 'rows', total: 50_000, batches: batches() };
};

beforeAll(async () => {
  listener = await listen({ host: '127.0.0.1', port: 0, log, ...bareListener });
  const doorTo = (path: string, files: CsvReplies): Door => ({
    method: 'GET',
    path,
    handle: async ({ params, requestId }) => {
      const owner = params['owner'] ?? '';
      return files.reply({ owner, requestId, headers: {} }, askStore, () => ({ status: 404, body: '' }));
    },
  });
  listener.mount([doorTo('/{owner}', replies), doorTo('/hurried/{owner}', hurried)]);
});
afterAll(() => listener.drain(1000));
beforeEach(() => {
  read = 0;
  asked = 0;
  storeIsAway = false;
  ended = 0;
  breaksAt = -1;
  batchesMax = batchesUsual;
  gate = Promise.resolve();
  logged = '';
});

const url = (owner = 'things'): string => `http://127.0.0.1:${listener.port}/${owner}`;

/** The status of an answer whose body nobody waits for. */
const status = (owner?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = get(url(owner), { agent: false }, (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asked.once('error', reject);
  });

/** Asks, and reads nothing. */
const deaf = (owner = 'things'): Socket => {
  const socket = connect({ port: listener.port, host: '127.0.0.1' }, () => socket.pause());
  socket.on('error', () => undefined);
  socket.write(`GET /${owner} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
};

test('a file comes whole, with its header line and its name', async () => {
  const answer = await fetch(url());
  const lines = (await answer.text()).split('\r\n');
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="things.csv"');
  expect(answer.headers.get('x-total-count')).toBe('50000');
  expect(lines).toHaveLength(1 + batchesMax * 250 + 1);
  expect([lines[0], lines[1], lines.at(-1)]).toEqual(['id,note', `pay_0,${'x'.repeat(500)}`, '']);
});

test('a client that reads nothing has no more read for it than it takes, and is disconnected', async () => {
  batchesMax = batchesMany;
  const socket = deaf();
  await eventually(
    async () => (ended === 1 ? true : null),
    () => 'the file to be given up',
  );
  expect(read).toBeGreaterThan(0);
  expect(read).toBeLessThan(batchesMany / 2);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await closed;
});

test('a client that pauses and reads on gets the whole file', async () => {
  const answer = await fetch(url());
  const reader = answer.body?.getReader();
  let bytes = 0;
  for (let at = 0; ; at++) {
    if (at === 20) await new Promise((resolve) => setTimeout(resolve, unreadMs / 3));
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    bytes += piece.value.length;
  }
  expect(read).toBe(batchesMax);
  const line = (n: number): number => `pay_${n},\r\n`.length + 500;
  expect(bytes).toBe('id,note\r\n'.length + batchesMax * batch.reduce((sum, _, n) => sum + line(n), 0));
});

test('a file that cannot be completed breaks off: nobody takes it for a whole one', async () => {
  breaksAt = 3;
  await expect(fetch(url()).then((answer) => answer.text())).rejects.toThrow('terminated');
  expect(logged).toContain('a CSV response was cut off');
});

/** No file ends before `open` is called. */
function held(): () => void {
  let open = (): void => undefined;
  gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => open();
}

const untilStatus = (wanted: number, owner?: string): Promise<unknown> =>
  eventually(
    async () => (await status(owner)) === wanted || null,
    () => `${owner ?? 'things'} to be answered ${wanted}`,
  );

test('no more files than a bound are written at once, and a client that leaves makes room', async () => {
  const open = held();
  const sockets = Array.from({ length: filesAtOnceMax }, (_, n) => deaf(`shop-${n}`));
  await untilStatus(503);
  for (const socket of sockets) socket.destroy();
  open();
  await untilStatus(200);
});

test('one project that reads nothing does not keep the others out, and is told why it waits', async () => {
  const open = held();
  const sockets = Array.from({ length: filesOfOneMax }, () => deaf('shop-a'));
  await untilStatus(429, 'shop-a');
  const refusal = await fetch(url('shop-a'));
  expect(refusal.headers.get('retry-after')).toBe('5');
  expect(await refusal.text()).toContain('Try again when one of them is complete.');
  expect(await status('shop-b')).toBe(200);
  // who is refused costs no read
  const before = asked;
  expect([await status('shop-a'), await status('shop-a'), asked - before]).toEqual([429, 429, 0]);
  for (const socket of sockets) socket.destroy();
  open();
  await untilStatus(200, 'shop-a');
});

test('a failed read keeps no room', async () => {
  storeIsAway = true;
  for (let n = 0; n <= filesOfOneMax; n++) expect(await status('shop-c')).toBe(500);
  storeIsAway = false;
  expect(await status('shop-c')).toBe(200);
});

test('a file that is never done ends, however well its client reads', async () => {
  batchesMax = Infinity;
  await expect(fetch(url('hurried/shop')).then((answer) => answer.arrayBuffer())).rejects.toThrow(
    'terminated',
  );
});

test('HEAD gets the head alone', async () => {
  const answer = await fetch(url(), { method: 'HEAD' });
  expect([answer.status, answer.headers.get('x-total-count'), await answer.text()]).toEqual([
    200,
    '50000',
    '',
  ]);
  expect(read).toBe(0);
});
