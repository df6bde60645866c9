/** How much of our code a request walks through: a figure for whoever reads it, not for its speed.
 *  1. Files executed: by V8's coverage, in a process whose service has answered the same request before, counted until
 *     the answer has arrived: those that were executed each time. What follows from the commit runs beside it and is
 *     counted as far as it has come.
 *  2. Files from a handler to the store's thread: the stack at the moment a commit is sent to that thread, through every
 *     await and queue (V8's asynchronous stacks), and the files that a step of it enters and comes back from. */
import { execFile } from 'node:child_process';
import { Session } from 'node:inspector';
import { Agent, request as httpRequest } from 'node:http';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { start } from '../src/main.ts';
import { onFatal } from '../test/support/alone.ts';
import { order } from './service.ts';
import type { Bench, Row } from './support.ts';

/** The rooms between a handler and the store's thread. What they only ask on the way is elsewhere. */
const wayRooms = [
  'gateways/http/route/reading',
  'src/runtime/node/',
  'src/runtime/activation/',
  'src/runtime/turn/turn.',
  'src/runtime/cluster/lifetime-guard',
  'src/store/',
];
/** Asked by a step, which comes back with a word: none of them passes a command on. */
const askedRooms = [
  'src/runtime/node/after-commit',
  'src/runtime/node/ask-numbers',
  'src/runtime/node/node.',
  'src/runtime/node/node-client',
  'src/runtime/node/watchers',
  'src/runtime/activation/admission',
  'src/runtime/activation/loop-delay',
  'src/runtime/activation/clearing',
  'src/runtime/activation/release',
  'src/runtime/activation/resting-actors',
  'src/runtime/activation/waiting-readers',
  'src/runtime/activation/due-timers',
  'src/runtime/activation/store-breaker',
  'src/runtime/activation/turn-throttle',
  'src/store/store-sqlite',
  'src/store/full-disk',
  'src/store/sqlite-recent',
  'src/store/sqlite-texts',
  'src/store/sqlite-schema',
];

const warmRounds = 20;
const asyncDepth = 64;
/** What is executed in each of these belongs to the request; a timer that falls into one does not. */
const countedRounds = 5;
const idleMs = 500;

interface Walked {
  readonly keyed: readonly string[];
  readonly unkeyed: readonly string[];
  readonly get: readonly string[];
  readonly stack: readonly string[];
}

export const walked: Bench = {
  title: 'Files of ours that a request walks through',
  setup:
    'one process with a warm embedded service; files of src, actors and gateways of which at least one function was ' +
    'called, by V8 (precise coverage), from a request until its answer',
  bound:
    'how the code is cut. The files from a handler to the store’s thread are those on the asynchronous stack of a ' +
    'commit, and those of the same rooms that it enters and comes back from',
  async run(room) {
    const args = [fileURLToPath(import.meta.url), join(room.folder, 'walked')];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { PATH: process.env['PATH'] ?? '' },
      maxBuffer: 2 ** 24,
    });
    const all = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{'))) as Walked;
    const way = wayOf(all);
    for (const [name, files] of Object.entries({ ...all, way }))
      process.stdout.write(`${name} (${files.length}):\n  ${files.join('\n  ')}\n`);
    const row = (what: string, { length }: readonly string[]): Row => ({
      what,
      arm: 'Galla',
      value: length,
      unit: 'files',
    });
    return [
      row('POST /v1/checkout with a key', all.keyed),
      row('POST /v1/checkout without a key', all.unkeyed),
      row('GET /v1/checkout/{id}', all.get),
      row('from a handler to the store’s thread', way),
    ];
  },
};

/** In the order of the stack; then those that are entered and come back. */
function wayOf({ stack, unkeyed }: Walked): readonly string[] {
  const isOf = (rooms: readonly string[], file: string): boolean =>
    rooms.some((room) => file.startsWith(room));
  const onStack = stack.filter((file) => isOf(wayRooms, file));
  const entered = unkeyed.filter((file) => isOf(wayRooms, file) && !isOf(askedRooms, file));
  return [...new Set([...onStack, ...entered])];
}

async function walkedIn(folder: string): Promise<Walked> {
  const galla = await start({
    onFatal,
    env: { PORT: '0', GALLA_DATA_DIR: folder, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'error' },
  });
  const key = galla.demo?.secretKey ?? '';
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const asks = (method: string, path: string, headers: { readonly [name: string]: string } = {}) =>
    asked({ agent, url: `${galla.url}${path}`, method, key, headers });
  let keys = 0;
  const keyed = () => asks('POST', '/v1/checkout', { 'idempotency-key': `walked-${++keys}` });
  const unkeyed = () => asks('POST', '/v1/checkout');
  const { id } = JSON.parse(await unkeyed()) as { readonly id: string };
  const get = () => asks('GET', `/v1/checkout/${id}`);
  const { executedBy, stackOfCommit } = inspector();
  const all: Record<string, readonly string[]> = {};
  for (const [name, work] of Object.entries({ keyed, unkeyed, get })) {
    for (let round = 0; round < warmRounds; round++) await work();
    await idle();
    all[name] = await executedBy(work);
  }
  await idle();
  all['stack'] = await stackOfCommit(unkeyed);
  return all as unknown as Walked;
}

/** Until what follows from the last commits has been done. */
const idle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, idleMs));

interface Asked {
  readonly agent: Agent;
  readonly url: string;
  readonly method: string;
  readonly key: string;
  readonly headers: { readonly [name: string]: string };
}

function asked({ agent, url, method, key, headers }: Asked): Promise<string> {
  const body = method === 'POST' ? JSON.stringify(order) : '';
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      url,
      {
        agent,
        method,
        headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        answer.on('end', () =>
          answer.statusCode === 201 || answer.statusCode === 200
            ? resolve(text)
            : reject(new Error(`${method} ${url} was answered ${answer.statusCode}: ${text}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Counted {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

interface Stack {
  readonly callFrames: readonly { readonly url: string }[];
  readonly parent?: Stack;
}

/** V8's own account of what is executed in this process. */
function inspector(): {
  readonly executedBy: (work: () => Promise<unknown>) => Promise<readonly string[]>;
  readonly stackOfCommit: (work: () => Promise<unknown>) => Promise<readonly string[]>;
} {
  const session = new Session();
  session.connect();
  const post = <Answer>(method: string, params: object = {}): Answer => {
    let answer: Answer | undefined;
    session.post(method, params, (error, result) => {
      if (error !== null) throw new Error(`${method}: ${error.message}`);
      answer = result as Answer;
    });
    // a session of this process answers before it returns
    return answer as Answer;
  };
  return {
    async executedBy(work) {
      post('Profiler.enable');
      post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
      await work();
      await idle();
      const times = new Map<string, number>();
      for (let round = 0; round < countedRounds; round++) {
        post('Profiler.takePreciseCoverage');
        await work();
        const { result } = post<Counted>('Profiler.takePreciseCoverage');
        for (const file of calledIn(result)) times.set(file, (times.get(file) ?? 0) + 1);
        await idle();
      }
      post('Profiler.stopPreciseCoverage');
      return [...times].flatMap(([file, count]) => (count === countedRounds ? [file] : [])).toSorted();
    },
    async stackOfCommit(work) {
      post('Debugger.enable');
      post('Runtime.enable');
      post('Debugger.setAsyncCallStackDepth', { maxDepth: asyncDepth });
      const stacks: Stack[] = [];
      session.on('Runtime.consoleAPICalled', ({ params }) => {
        if (params.type === 'trace' && params.stackTrace !== undefined)
          stacks.push(params.stackTrace as Stack);
      });
      const send = Object.getOwnPropertyDescriptor(Worker.prototype, 'postMessage')
        ?.value as Worker['postMessage'];
      Worker.prototype.postMessage = function traced(
        this: Worker,
        ...sent: Parameters<Worker['postMessage']>
      ) {
        if (JSON.stringify(sent[0]).includes('"commit"')) console.trace();
        return send.apply(this, sent);
      };
      await work();
      Worker.prototype.postMessage = send;
      session.disconnect();
      const [first] = stacks;
      const files: string[] = [];
      for (let stack = first; stack !== undefined; stack = stack.parent)
        for (const { url } of stack.callFrames) files.push(...[oursIn(url) ?? []].flat());
      return [...new Set(files.toReversed())];
    },
  };
}

const calledIn = (scripts: Counted['result']): ReadonlySet<string> =>
  new Set(
    scripts
      .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
      .flatMap(({ url }) => oursIn(url) ?? []),
  );

/** The file of ours behind a module of this process; null: not ours. */
function oursIn(url: string): string | null {
  const at = url.lastIndexOf(`${sep}dist${sep}`);
  if (!url.startsWith('file:') || at < 0 || url.includes('node_modules')) return null;
  const file = url.slice(at + 6);
  return /^(src|actors|gateways)\//.test(file) ? file : null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // its own waits do not hold a process
  setInterval(() => undefined, 1000);
  process.stdout.write(`\n${JSON.stringify(await walkedIn(process.argv[2] ?? ''))}\n`);
  process.exit(0);
}
