/** Event streams: one event to 10,000 readers, what an idle reader costs, what its pings cost. */
import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuUs, median, rssBytes, type Bench, type Room, type Row, type Served } from './support.ts';
import { pingEveryMs, scan } from './streaming-frame.ts';

const viewers = 10_000;
const events = 10;
const rounds = 3;
/** Idle readers, once and once more: what the second half adds is what a reader costs. */
const idlers = 8000;
const idleTurns = 2;
/** Longer than any number of readers takes to connect, or to receive one event. */
const tellMsMax = 60_000;
const nchan = '/usr/lib/nginx/modules/ngx_nchan_module.so';
const shared = `/v1/qr/${scan.sessionId}/events`;
const ownTopics = '/v1/qr/cs_{n}/events';

interface Arm {
  readonly name: string;
  serve(room: Room): Promise<Served>;
  readonly path?: string;
  readonly socketIo?: true;
  /** POST instead of GET, with this. */
  readonly fan?: RequestInit;
}

const publishing: RequestInit = {
  method: 'POST',
  body: JSON.stringify(scan),
  headers: { 'X-EventSource-Event': 'qr.scanned' },
};

const arms: readonly Arm[] = [
  { name: 'Galla', serve: (room) => room.serve('./streamed.js') },
  {
    name: 'bare uWebSockets.js loop (bench/rivals/streaming-bare.ts)',
    serve: (room) => room.serve('./rivals/streaming-bare.js'),
  },
  {
    name: 'node:http loop (bench/rivals/streaming-node.ts)',
    serve: (room) => room.serve('./rivals/streaming-node.js'),
  },
  { name: 'better-sse', serve: betterSse },
  {
    name: 'Socket.IO on uWebSockets.js, websocket alone',
    serve: (room) => room.serve('./rivals/streaming-socketio.js'),
    socketIo: true,
    path: '/socket.io/?EIO=4&transport=websocket',
  },
  ...(existsSync(nchan) ? [{ name: 'nginx nchan', serve: serveNchan, path: '/sub', fan: publishing }] : []),
];

export const streaming: Bench = {
  title: 'Event streams: 10,000 readers',
  setup:
    `${viewers.toLocaleString('en')} connections from one process of readers with two addresses. Fan-out: ` +
    `${events} events, one after the other; the next is sent when all readers have the last; ${rounds} rounds in ` +
    `turn after a warm-up, medians. Memory: RSS with ${idlers * 2} idle readers minus RSS with ${idlers}, after ` +
    `garbage collection, in a separate process for each. Pings: CPU of ${idleTurns} turns of ` +
    `${pingEveryMs / 1000} s without events. Our arm is the real listener, hub and endpoint with generated ` +
    'sessions. better-sse is installed from npm for the run. nchan is left out if nginx does not have this module',
  bound:
    'one send to the kernel for each reader, for events and for pings. A profile of our arm has 90 % of its CPU ' +
    'there and 3 % in JavaScript. Half of that send is the receiving end, because on one machine the sender pays ' +
    'for it. Waking the process of readers, the other half of every event, is also paid by the sender. node:http ' +
    'pays the same for the send, and as much again. So on this machine a server that sends once for each reader ' +
    'cannot be much more than twice as good, and its pings cannot cost only a third. "A session each" also reads ' +
    'each session again every 15 s. The ratio by CPU is the more reliable one',
  async run(room) {
    const kept: Kept[] = [];
    for (const arm of arms) kept.push({ arm, served: await arm.serve(room), fans: [] });
    for (let round = 0; round < rounds; round++) for (const one of kept) one.fans.push(await fanOut(one));
    for (const { served } of kept) await room.end(served);
    const costs: { readonly name: string; readonly idle: Idle }[] = [];
    for (const arm of arms.filter(({ name }) => idleArms.test(name)))
      costs.push({ name: arm.name, idle: await idle(room, arm) });
    const [first] = arms;
    if (first !== undefined)
      costs.push({ name: 'Galla, a session each', idle: await idle(room, { ...first, path: ownTopics }) });
    return [...fanRows(kept), ...idleRows(costs)];
  },
};

/** Whose pings and memory are compared: the others do more or less than a ping every 7 s. */
const idleArms = /^(?:Galla|bare|node:http)/;

interface Fan {
  readonly perSecond: number;
  readonly cpuUs: number;
}

interface Kept {
  readonly arm: Arm;
  readonly served: Served;
  readonly fans: Fan[];
}

interface Idle {
  readonly bytes: number;
  readonly pingUs: number;
}

async function fanOut({ arm, served }: Kept): Promise<Fan> {
  const crowd = new Crowd(arm, served);
  await crowd.connect(viewers);
  const [before, from] = [cpuUs(served.pid), performance.now()];
  for (let event = 1; event <= events; event++) {
    const heard = crowd.hears(event * viewers);
    await fetch(`${served.url}/fan`, arm.fan).then((answer) => answer.text());
    await heard;
  }
  const tookMs = performance.now() - from;
  const used = cpuUs(served.pid) - before;
  await crowd.leave();
  return { perSecond: (events * viewers * 1000) / tookMs, cpuUs: used / (events * viewers) };
}

/** In a process of its own: memory that was given back is not always taken back. */
async function idle(room: Room, arm: Arm): Promise<Idle> {
  const served = await arm.serve(room);
  const early = new Crowd(arm, served);
  await early.connect(idlers);
  const rss = await settled(served);
  const crowd = new Crowd(arm, served, idlers);
  await crowd.connect(idlers);
  const bytes = ((await settled(served)) - rss) / idlers;
  const before = cpuUs(served.pid);
  await wait(idleTurns * pingEveryMs);
  const pingUs = (cpuUs(served.pid) - before) / (idleTurns * idlers * 2);
  await crowd.leave();
  await early.leave();
  await room.end(served);
  return { bytes, pingUs };
}

/** Resident memory once its garbage is collected (streaming-frame.ts). */
async function settled({ pid }: Served): Promise<number> {
  await wait(500);
  process.kill(pid, 'SIGUSR2');
  await wait(1500);
  return rssBytes(pid);
}

/** Many readers, in a process of their own. */
class Crowd {
  private readonly child: ChildProcess;
  private readonly order: {
    readonly port: number;
    readonly path: string;
    readonly first: number;
    readonly socketIo: boolean;
  };

  constructor(arm: Arm, served: Served, first = 0) {
    this.child = fork(fileURLToPath(new URL('./viewers.js', import.meta.url)));
    const port = Number(new URL(served.url).port);
    this.order = { port, path: arm.path ?? shared, first, socketIo: arm.socketIo === true };
  }

  connect(count: number): Promise<void> {
    return this.told({ ...this.order, is: 'connect', count }, 'connected');
  }

  hears(count: number): Promise<void> {
    return this.told({ ...this.order, is: 'expect', count }, 'heard');
  }

  leave(): Promise<void> {
    const gone = new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    this.child.send({ ...this.order, is: 'leave', count: 0 });
    return gone;
  }

  private told(order: object, answer: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`the readers of ${this.order.path} have not ${answer} in ${tellMsMax} ms`)),
        tellMsMax,
      );
      this.child.once('message', (said) => {
        clearTimeout(late);
        if (said === answer) resolve();
        else reject(new Error(`the readers: ${JSON.stringify(said)}`));
      });
      this.child.send(order);
    });
  }
}

async function betterSse(room: Room): Promise<Served> {
  const folder = join(room.folder, 'better-sse');
  const args = ['install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, 'better-sse@0.16.1'];
  if (!existsSync(folder)) execFileSync('npm', args, { stdio: 'inherit' });
  const entry = execFileSync('node', ['-p', 'require.resolve("better-sse")'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return room.serve('./rivals/streaming-better-sse.js', { BETTER_SSE: entry.trim() });
}

async function serveNchan(room: Room): Promise<Served> {
  const port = 20_000 + (process.pid % 10_000);
  const config = room.file(
    'nginx.conf',
    `load_module ${nchan};
daemon off; master_process off; pid ${room.folder}/nginx.pid; error_log ${room.folder}/nginx.log;
worker_rlimit_nofile 20000;
events { worker_connections 15000; }
http {
  access_log off;
  client_body_temp_path ${room.folder}; proxy_temp_path ${room.folder}; fastcgi_temp_path ${room.folder};
  uwsgi_temp_path ${room.folder}; scgi_temp_path ${room.folder};
  nchan_shared_memory_size 128M;
  server {
    listen ${port} backlog=10000;
    location = /sub { nchan_subscriber eventsource; nchan_channel_id scans; nchan_subscriber_first_message newest; }
    location = /fan { nchan_publisher; nchan_channel_id scans; nchan_message_buffer_length 0; }
  }
}
`,
  );
  const child = spawn('nginx', ['-c', config], { stdio: 'inherit' });
  room.keep(child);
  await wait(1000);
  return { url: `http://127.0.0.1:${port}`, pid: child.pid ?? 0 };
}

function fanRows(kept: readonly Kept[]): readonly Row[] {
  const of = (fans: readonly Fan[]): Fan => ({
    perSecond: median(fans.map(({ perSecond }) => perSecond)),
    cpuUs: median(fans.map((fan) => fan.cpuUs)),
  });
  const [ours] = kept.map(({ fans }) => of(fans));
  return kept.map(({ arm, fans }, at): Row => {
    const { perSecond, cpuUs: cpu } = of(fans);
    const versus =
      at === 0 || ours === undefined ? {} : { ratio: ours.perSecond / perSecond, cpuRatio: cpu / ours.cpuUs };
    return {
      what: 'deliveries of one event',
      arm: arm.name,
      value: perSecond,
      unit: '/s',
      cpuUs: cpu,
      ...versus,
    };
  });
}

function idleRows(costs: readonly { readonly name: string; readonly idle: Idle }[]): readonly Row[] {
  const [ours] = costs;
  const row =
    (what: string, unit: string, value: (idle: Idle) => number) =>
    ({ name, idle: it }: (typeof costs)[number], at: number): Row => ({
      what,
      arm: name,
      value: value(it),
      unit,
      ...(at === 0 || ours === undefined ? {} : { ratio: value(ours.idle) / value(it) }),
    });
  return [
    ...costs.map(row('memory of an idle stream', 'KiB', ({ bytes }) => bytes / 1024)),
    ...costs.map(row('CPU of a ping', 'us', ({ pingUs }) => pingUs)),
  ];
}
