/** Clients that hold connections: heads and bodies a byte at a time, nothing at all, idle keep-alives (F28). */
import { connect, type Socket } from 'node:net';
import {
  calmly,
  givesBack,
  holding,
  measured,
  type Outside,
  type OutsideFault,
  type Suffered,
} from './outside.ts';
import { failedCreates } from './provider-faults.ts';

interface Sort {
  readonly name: string;
  /** What is said at once, and what then comes a byte a second. */
  readonly first: string;
  readonly slowly: string;
  /** Connections of it, in the long form. */
  readonly share: number;
}

const endless = 'x'.repeat(10_000);
const sorts = (key: string): readonly Sort[] => [
  { name: 'says nothing', first: '', slowly: '', share: 300 },
  {
    name: 'a head, a byte a second',
    first: 'GET /v1/checkout HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    slowly: endless,
    share: 300,
  },
  {
    name: 'a body, a byte a second',
    first:
      `POST /v1/checkout HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{',
    slowly: ' '.repeat(10_000),
    share: 300,
  },
  {
    name: 'idle after an answer',
    first: 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
    slowly: '',
    share: 1000,
  },
];

/** Whoever is still connected then is there for good. */
const heldMsMax = 60_000;

async function slowClients(outside: Outside): Promise<Suffered> {
  const { house, service } = outside;
  const { api, projectId } = await calmly(() => house.merchant());
  const key = await calmly(() => house.key(projectId, { kind: 'secret', mode: 'sandbox' }));
  const before = holding(service());
  const { result, figures, failed } = await measured(outside, () =>
    Promise.all(sorts(key).map((sort) => held(new URL(api.baseUrl), sort, outside.long ? 1 : 0.2))),
  );
  const problems = [
    ...result.flatMap(({ name, open }) => (open === 0 ? [] : [`${open} connections stayed open: ${name}`])),
    ...failedCreates(failed),
    ...(await givesBack(service(), before)),
  ];
  return {
    figures: [
      ...result.map(
        ({ name, count, firstMs, lastMs }) =>
          `${count} x ${name}: closed after ${(firstMs / 1000).toFixed(1)} to ${(lastMs / 1000).toFixed(1)} s`,
      ),
      ...figures,
    ],
    problems,
  };
}

/** Opens them all and waits until the other side has closed them. */
async function held(to: URL, { name, first, slowly, share }: Sort, part: number) {
  const count = Math.ceil(share * part);
  const closedMs: number[] = [];
  const sockets = new Set<Socket>();
  const from = performance.now();
  const closed = Array.from(
    { length: count },
    () =>
      new Promise<void>((resolve) => {
        const socket = connect({ port: Number(to.port), host: to.hostname });
        sockets.add(socket);
        let at = 0;
        const timer = setInterval(() => {
          if (at < slowly.length) socket.write(slowly.charAt(at++));
        }, 1000);
        socket.on('error', () => undefined);
        socket.on('data', () => undefined);
        socket.once('connect', () => void (first !== '' && socket.write(first)));
        socket.once('close', () => {
          clearInterval(timer);
          sockets.delete(socket);
          closedMs.push(performance.now() - from);
          resolve();
        });
      }),
  );
  const late = new Promise<void>((resolve) => setTimeout(resolve, heldMsMax).unref());
  await Promise.race([Promise.all(closed), late]);
  const open = sockets.size;
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  return { name, count, open, firstMs: Math.min(...closedMs), lastMs: Math.max(...closedMs) };
}

export const slowClientFaults: readonly OutsideFault[] = [
  { id: 'F28', title: 'clients send a byte a second, or nothing', inflict: slowClients },
];
