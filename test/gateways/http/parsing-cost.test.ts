/** No body is expensive to read, at any door that parses JSON, up to the limit of that door.
 *  1. It costs at most `costMax` times the CPU of a body of its length that is one text, and its longest turn of the
 *     event loop at most `turnMax` times the longest one of that body.
 *  2. That text has no names. So `allowedTimes` what `JSON.parse` takes for `itemsAllowed` names and values is allowed
 *     beside it, and for a keyed request once what their canonical text takes. A higher limit of the service does
 *     not raise this (docs/decisions/0044).
 *  3. That text is read once: it costs at most `readingsMax` times what `readObject` takes for it, beside what the
 *     door takes for a small body. So a door that is too dear for all bodies is found, too.
 *  4. All of it is CPU time, measured in one run, the least of several: no other process makes it less. */
import { beforeAll, expect, test } from 'vitest';
import { dashboardApi } from '../../../gateways/dashboard/server/api.ts';
import { sessionRoutes, type SessionRouteParts } from '../../../gateways/dashboard/server/session-routes.ts';
import type { ApiParts } from '../../../gateways/http/api-parts.ts';
import { readObject } from '../../../gateways/http/route/request.ts';
import { takesBody, type Door, type DoorRequest } from '../../../gateways/server/door.ts';
import { bodyBytesMaxUsual } from '../../../gateways/server/paths.ts';
import { simulatorDoors, type SimulatorDeps } from '../../../gateways/simulator/doors.ts';
import { canonicalJson, type JsonValue } from '../../../src/kernel/canonical-json.ts';
import { jsonItemsMax } from '../../../src/kernel/json-scan.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { Provider } from '../../../src/providers/answers.ts';
import { pay } from '../../actors/checkout-session/buyer.ts';
import { quiet, Till } from '../buyer/till.ts';
import { checked, parts, request, validBodyOf } from './checked-doors.ts';
import { costly, fullOfNames, oneText } from './costly-bodies.ts';

const costMax = 5;
const turnMax = 3;
/** A keyed request reads its body a second time, for the canonical text of it. */
const readingsMax = 3;
/** Names and values. Not the service's own limit: a raised limit must fail here. */
const itemsAllowed = 5_000;
/** They are parsed, each is looked up, and those that nobody knows are collected. */
const allowedTimes = 3;
/** Of a name or value, where a body is full of different names. Into a shorter body fewer of them fit. */
const itemBytes = 4;
/** A body that takes this long to measure, over all runs, is judged by those. */
const measuringMsMax = 5_000;
/** A door above this many bytes is measured a few times only, as each time takes as long as its body is large. */
const smallBytes = 64 * 1024;

interface Measured {
  /** CPU time, of all turns and of the longest one. */
  readonly allMs: number;
  readonly turnMs: number;
}

interface Reading {
  readonly name: string;
  readonly door: Door;
  /** Accepted by the door; empty where none is known, or where accepting it costs more than reading it. */
  readonly valid: object;
  readonly params?: { readonly [name: string]: string };
  readonly keys: readonly string[];
}

/** Whatever a handler asks for fails: only reading is measured. */
const failing: unknown = new Proxy(() => undefined, {
  get: (_of, name) => (name === 'then' || typeof name === 'symbol' ? undefined : failing),
  apply: () => {
    const failed = Promise.reject(new Error('nobody is there'));
    failed.catch(() => undefined);
    return failed;
  },
});

const post = ({ method }: Door): boolean => takesBody({ method });
const unread = (doors: readonly Door[], params?: Reading['params']): readonly Reading[] =>
  doors.filter(post).map((door) => ({
    name: `${door.method} ${door.path}`,
    door,
    valid: {},
    keys: [''],
    ...(params === undefined ? {} : { params }),
  }));

const adapterOf = (provider: Provider) => providers.get(provider)?.adapter;

/** Pages, and forms that lead to them, are not JSON. */
const isForm = /\/(?:form|loginpage|gateway)$|\/$/;
const walletB = /^\/sim\/wallet_b\/api\//;
const takesJson = ({ path }: Door): boolean => walletB.test(path) || !isForm.test(path);
/** A picture is not JSON either. */
const isPicture = ({ path }: Door): boolean => path.endsWith('/logo');

/** All keyed requests take the same path: a small body, and a large one. */
const measuredKeyed = ['POST /v1/checkout', 'POST /v1/reconciliation/statements'];

/** Whoever has a key: its control reads nothing of others. */
const simulator: SimulatorDeps = {
  ...(failing as SimulatorDeps),
  spelling: 'public',
  authenticate: async () => ({ scope: 'prj_000000000000000000000000:sandbox', headers: {} }),
};

async function everyDoor(): Promise<readonly Reading[]> {
  const ofApi = await Promise.all(
    checked
      .filter(({ name, body }) => body !== undefined && name !== 'POST /dashboard/login')
      .map(async (one): Promise<Reading> => {
        const keys = measuredKeyed.includes(one.name) ? ['', 'a-key'] : [''];
        return { ...one, valid: await validBodyOf(one), keys };
      }),
  );
  const login = sessionRoutes({
    ...(failing as SessionRouteParts),
    csrf: { foreign: () => null } as unknown as SessionRouteParts['csrf'],
  });
  const till = new Till({
    parts: {
      paymentOfCallback: (_provider, body) => adapterOf('wallet_c')?.paymentOfCallback?.(body) ?? null,
      parseCallback: async (_scope, provider, call) =>
        adapterOf(provider)?.parseCallback?.(call, providers.get(provider)?.sandboxCredentials ?? {}) ?? null,
    },
  });
  void till.picks('wallet_a');
  await quiet();
  return [
    ...ofApi,
    ...unread(login.filter(({ path }) => path === '/dashboard/login')),
    ...unread(dashboardApi(failing as ApiParts, parts).filter((door) => !isPicture(door))),
    ...unread(
      till.doors.filter(({ path }) => path === '/callback/{provider}'),
      { provider: 'wallet_c' },
    ),
    ...unread(
      till.doors.filter(({ path }) => path === '/callback/{provider}/{paymentId}'),
      { provider: 'wallet_a', paymentId: pay(1) },
    ),
    ...unread(simulatorDoors(simulator).filter(takesJson), { command: 'refund' }),
  ];
}

async function measured(
  { door, params = {} }: Reading,
  body: string,
  key: string,
  runs: number,
): Promise<Measured> {
  const { method, path } = door;
  const bytes = Buffer.from(body);
  const headers: { readonly [name: string]: string } = {
    'content-type': 'application/json',
    'idempotency-key': key,
    connection: 'close',
  };
  const sent: DoorRequest = request({
    method,
    path,
    params,
    body: bytes,
    header: (name) => headers[name] ?? '',
  });
  return leastOf(() => door.handle(sent), runs);
}

const never: Measured = { allMs: Number.POSITIVE_INFINITY, turnMs: Number.POSITIVE_INFINITY };

async function leastOf(work: () => unknown, runs: number): Promise<Measured> {
  let least = never;
  for (let run = 0; run < runs; run++) least = lesser(least, await measuredOnce(work));
  return least;
}

async function measuredOnce(work: () => unknown): Promise<Measured> {
  const before = process.cpuUsage();
  let [turnMs, last, isOver] = [0, before, false];
  const tick = (): void => {
    turnMs = Math.max(turnMs, cpuMsSince(last));
    last = process.cpuUsage();
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.resolve(work()).catch(() => undefined);
  await new Promise((done) => void setImmediate(done));
  isOver = true;
  return { allMs: cpuMsSince(before), turnMs };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Least CPU time of parsing, and of hashing, `itemsAllowed` names and values. */
const allowed = { parsedMs: Number.POSITIVE_INFINITY, hashedMs: Number.POSITIVE_INFINITY };
function measureAllowed(): void {
  const text = fullOfNames(smallBytes, itemsAllowed);
  const start = process.cpuUsage();
  const value = JSON.parse(text) as JsonValue;
  const parsedMs = cpuMsSince(start);
  const parsed = process.cpuUsage();
  canonicalJson(value);
  allowed.parsedMs = Math.min(allowed.parsedMs, parsedMs);
  allowed.hashedMs = Math.min(allowed.hashedMs, cpuMsSince(parsed));
}

function boundOf(text: Measured, bytes: number, key: string): Measured {
  const part = Math.min(1, bytes / (itemsAllowed * itemBytes));
  const names = part * (allowedTimes * allowed.parsedMs + (key === '' ? 0 : allowed.hashedMs));
  return { allMs: costMax * text.allMs + names, turnMs: turnMax * text.turnMs + names };
}
const isWithin = (found: Measured, bound: Measured): boolean =>
  found.allMs <= bound.allMs && found.turnMs <= bound.turnMs;

/** Why one text of the greatest length is not read, or is read too often; measured anew, longer, before it is said. */
async function notReadOnce(one: Reading, key: string): Promise<string | null> {
  const bytes = one.door.bodyBytesMax ?? bodyBytesMaxUsual;
  const text = oneText(one.valid, bytes);
  const least = JSON.stringify(one.valid);
  const [sent, leastSent] = [Buffer.from(text), Buffer.from(least)];
  let [found, small, read, smallRead] = [never, never, never, never];
  for (const runs of bytes > smallBytes ? [1, 2, 4] : [5, 20, 60]) {
    read = lesser(read, await leastOf(() => readObject(sent), runs));
    smallRead = lesser(smallRead, await leastOf(() => readObject(leastSent), runs));
    small = lesser(small, await measured(one, least, key, runs));
    found = lesser(found, await measured(one, text, key, runs));
    const readings = (found.allMs - small.allMs) / (read.allMs - smallRead.allMs);
    if (readings > 1 / 2 && readings <= readingsMax) return null;
  }
  return (
    `${nameOf(one, key)}, one text: ${shown(found)}, a small body ${shown(small)}; ` +
    `readObject of the text ${shown(read)}, of the small body ${shown(smallRead)}`
  );
}
const nameOf = ({ name }: Reading, key: string): string =>
  key === '' ? name : `${name} with an Idempotency-Key`;

/** The first body that is too dear, with its figures; measured anew, longer, before anything is said. */
async function tooDear(one: Reading, key: string): Promise<string | null> {
  const bytes = one.door.bodyBytesMax ?? bodyBytesMaxUsual;
  const text = oneText(one.valid, bytes);
  const [few, more] = bytes > smallBytes ? [1, [2, 4, 8]] : [3, [5, 20, 60]];
  let least = await measured(one, text, key, 3 * few);
  let bound = boundOf(least, bytes, key);
  for (const [name, body] of costly(one.valid, bytes)) {
    const until = performance.now() + measuringMsMax;
    let found = await measured(one, body, key, few);
    for (const runs of more) {
      if (isWithin(found, bound) || performance.now() > until) break;
      measureAllowed();
      least = lesser(least, await measured(one, text, key, runs));
      bound = boundOf(least, bytes, key);
      found = lesser(found, await measured(one, body, key, runs));
    }
    if (!isWithin(found, bound))
      return (
        `${nameOf(one, key)}, ${name}: ${shown(found)}, ` +
        `more than ${shown(bound)}; one text of its length takes ${shown(least)}`
      );
  }
  return null;
}

const lesser = (a: Measured, b: Measured): Measured => ({
  allMs: Math.min(a.allMs, b.allMs),
  turnMs: Math.min(a.turnMs, b.turnMs),
});
const shown = ({ allMs, turnMs }: Measured): string =>
  `${allMs.toFixed(2)} ms (${turnMs.toFixed(2)} in a turn)`;

let doors: readonly Reading[] = [];
beforeAll(async () => {
  doors = await everyDoor();
});

test('the doors of every provider, of the callbacks, the login and the dashboard are measured', () => {
  const named = (part: string): number => doors.filter(({ name }) => name.includes(part)).length;
  for (const provider of providers.keys())
    expect([provider, named(`/sim/${provider}/`)]).not.toEqual([provider, 0]);
  expect(['POST /callback/', 'POST /dashboard/login', '/sim/control/faults'].map(named)).toEqual([2, 1, 1]);
  expect(named('/dashboard/api/')).toBeGreaterThan(30);
  expect(named(' /v1/')).toBeGreaterThan(20);
  expect(named('/reconciliation/statements')).toBe(2);
});

test('no body costs much more to read than one text of its length', { timeout: 120_000 }, async () => {
  for (let run = 0; run < 20; run++) measureAllowed();
  for (const one of doors)
    for (const key of one.keys) {
      const wrong = (await notReadOnce(one, key)) ?? (await tooDear(one, key));
      // at once: where all doors are too dear, measuring all of them takes longer than a test may
      if (wrong !== null) expect.fail(wrong);
    }
});

test('a body may have no more names and values than the bound allows for', () => {
  expect(jsonItemsMax).toBeLessThanOrEqual(itemsAllowed);
});
