/** Clients that hold connections to every route: heads, bodies and messages a byte at a time, nothing at all, idle
 *  keep-alives (F28). */
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
import { code, paymentOf, premium } from '../support/qr-shop.ts';
import { failedCreates } from './provider-faults.ts';

interface Sort {
  readonly name: string;
  /** What is said at once, what when an answer begins, and what then comes a byte a second. */
  readonly first: string;
  readonly answered?: string;
  readonly slowly: string;
  /** Connections of it, in the long form. */
  readonly share: number;
  /** Takes longer than the short form does. */
  readonly isLong?: boolean;
}

const endless = 'x'.repeat(10_000);
const slowHead = (what: string, path: string, share: number): Sort => ({
  name: `the head of ${what}, a byte a second`,
  first: `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Slow: `,
  slowly: endless,
  share,
});
const json = 'Content-Type: application/json\r\n';
const slowBody = (what: string, path: string, share: number, headers = json): Sort => ({
  name: `the body of ${what}, a byte a second`,
  first: `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: 1000\r\n\r\n`,
  slowly: ' '.repeat(999),
  share,
});
const form = 'Content-Type: application/x-www-form-urlencoded\r\n';

const socketPath = '/socket.io/?EIO=4&transport=websocket';
const upgrade =
  `GET ${socketPath} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
/** A text frame of a client, with a mask of zeros; at most 125 characters. */
const textFrame = (text: string): string => String.fromCharCode(0x81, 0x80 | text.length) + '\0\0\0\0' + text;
/** The head of one that goes on for 1000 bytes. */
const longFrame = `\x81\xfe\x03\xe8\0\0\0\0`;

interface Doors {
  readonly key: string;
  readonly sessionId: string;
  readonly paymentId: string;
  readonly qrId: string;
}

/** Each door that waits for something a client has not said yet. */
const sorts = ({ key, sessionId, paymentId, qrId }: Doors): readonly Sort[] => [
  { name: 'says nothing', first: '', slowly: '', share: 300 },
  slowHead('an API call', '/v1/checkout', 200),
  slowHead('an upgrade to a socket', socketPath, 100),
  slowHead('a stream', `/v1/qr/${qrId}/events`, 100),
  slowHead('a page', `/pay/${sessionId}`, 100),
  slowBody('an API call', '/v1/checkout', 200, `${json}Authorization: Bearer ${key}\r\n`),
  slowBody('an API call without a key', '/v1/checkout', 100),
  slowBody('a callback', `/callback/wallet_b/${paymentId}`, 100),
  slowBody('a log-in', '/dashboard/login', 100),
  slowBody("a buyer's form", `/pay/${sessionId}/start`, 100, form),
  {
    name: 'a body in chunks of a byte',
    first: `POST /v1/checkout HTTP/1.1\r\nHost: x\r\n${json}Transfer-Encoding: chunked\r\n\r\n`,
    slowly: '1\r\n \r\n'.repeat(1000),
    share: 100,
  },
  { name: 'a socket that joins nothing', first: upgrade, slowly: '', share: 200 },
  {
    name: 'a socket that joins a byte a second',
    first: upgrade,
    answered: longFrame,
    slowly: endless,
    share: 100,
  },
  {
    name: 'a socket whose message comes a byte a second',
    first: upgrade,
    answered: textFrame(`40/hosted,{"session":"${sessionId}"}`) + longFrame,
    slowly: endless,
    share: 50,
    isLong: true,
  },
  { name: 'idle after an answer', first: 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n', slowly: '', share: 1000 },
];

/** Whoever is still connected then is there for good. */
const heldMsMax = 60_000;

async function slowClients(outside: Outside): Promise<Suffered> {
  const { house, service, long } = outside;
  const doors = await doorsOf(outside);
  const before = holding(service());
  const { result, figures, failed } = await measured(outside, () =>
    Promise.all(
      sorts(doors)
        .filter(({ isLong = false }) => long || !isLong)
        .map((sort) => held(new URL(house.url), sort, long ? 1 : 0.1)),
    ),
  );
  const problems = [
    ...result.flatMap(({ name, open }) => (open === 0 ? [] : [`${open} connections stayed open: ${name}`])),
    ...failedCreates(failed),
    ...(await givesBack(outside, before)),
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

async function doorsOf({ house }: Outside): Promise<Doors> {
  const shop = await calmly(() => premium(house));
  const key = await calmly(() => house.key(shop.projectId, { kind: 'secret', mode: 'sandbox' }));
  const session = await calmly(() => shop.checkout());
  const shown = await calmly(() => code(shop));
  return {
    key,
    sessionId: session.text('id'),
    paymentId: (await paymentOf(shop, shown)).text('id'),
    qrId: shown.text('id'),
  };
}

/** Opens them all and waits until the other side has closed them. */
async function held(to: URL, { name, first, answered = '', slowly, share }: Sort, part: number) {
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
        socket.once('data', () => void (answered !== '' && socket.write(answered, 'latin1')));
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
