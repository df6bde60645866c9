/** No body is expensive to read, at any door that parses JSON, up to the limit of that door.
 *  1. It costs at most `costMax` times the CPU of a body of its length that is one text, and its longest turn of the
 *     event loop at most `turnMax` times the longest one of that body.
 *  2. That text has no names. So what `JSON.parse` takes for as many names and values as any body may have is allowed
 *     beside it, twice: they are parsed, and each is looked at. For a keyed request, so is the canonical text of them.
 *  3. All of it is CPU time, measured in one run, the least of several: no other process makes it less. */
import { beforeAll, expect, test } from 'vitest';
import { dashboardApi } from '../../../gateways/dashboard/server/api.ts';
import { sessionRoutes, type SessionRouteParts } from '../../../gateways/dashboard/server/session-routes.ts';
import type { ApiParts } from '../../../gateways/http/api-parts.ts';
import { takesBody } from '../../../gateways/http/route/spec.ts';
import type { Door, DoorRequest } from '../../../gateways/server/door.ts';
import { bodyBytesMaxUsual } from '../../../gateways/server/paths.ts';
import { simulatorDoors, type SimulatorDeps } from '../../../gateways/simulator/doors.ts';
import { canonicalJson, type JsonValue } from '../../../src/kernel/canonical-json.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { Provider } from '../../../src/providers/answers.ts';
import { pay } from '../../actors/checkout-session/buyer.ts';
import { quiet, Till } from '../buyer/till.ts';
import { checked, parts, request, validBodyOf } from './checked-doors.ts';
import { costly, fullOfNames, oneText } from './costly-bodies.ts';

const costMax = 5;
const turnMax = 3;
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

/** All keyed requests take the same path: a small body, and a large one. */
const measuredKeyed = ['POST /v1/checkout', 'POST /v1/reconciliation/statements'];

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
    ...unread(dashboardApi(failing as ApiParts, parts)),
    ...unread(
      till.doors.filter(({ path }) => path === '/callback/{provider}'),
      { provider: 'wallet_c' },
    ),
    ...unread(
      till.doors.filter(({ path }) => path === '/callback/{provider}/{paymentId}'),
      { provider: 'wallet_a', paymentId: pay(1) },
    ),
    ...unread(simulatorDoors({ ...(failing as SimulatorDeps), spelling: 'public' }).filter(takesJson)),
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
  const least = { allMs: Number.POSITIVE_INFINITY, turnMs: Number.POSITIVE_INFINITY };
  for (let run = 0; run < runs; run++) {
    const one = await measuredOnce(() => door.handle(sent));
    least.allMs = Math.min(least.allMs, one.allMs);
    least.turnMs = Math.min(least.turnMs, one.turnMs);
  }
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

/** Least time of parsing, and of hashing, all the names and values that a body may have. */
const allowed = { parsedMs: Number.POSITIVE_INFINITY, hashedMs: Number.POSITIVE_INFINITY };
function measureAllowed(bytes: number): void {
  const text = fullOfNames(bytes);
  const start = process.cpuUsage();
  const value = JSON.parse(text) as JsonValue;
  const parsedMs = cpuMsSince(start);
  const parsed = process.cpuUsage();
  canonicalJson(value);
  allowed.parsedMs = Math.min(allowed.parsedMs, parsedMs);
  allowed.hashedMs = Math.min(allowed.hashedMs, cpuMsSince(parsed));
}

/** What is too dear, one line each; measured anew, longer, before anything is said. */
async function tooDear(one: Reading, key: string): Promise<readonly string[]> {
  const bytes = one.door.bodyBytesMax ?? bodyBytesMaxUsual;
  const text = oneText(one.valid, bytes);
  const [few, more] = bytes > smallBytes ? [1, [2, 4, 8]] : [3, [5, 20, 60]];
  let least = await measured(one, text, key, 3 * few);
  const wrong: string[] = [];
  for (const [name, body] of costly(one.valid, bytes)) {
    let found = await measured(one, body, key, few);
    for (const runs of more) {
      if (isFine(found, least, key)) break;
      measureAllowed(Math.min(bytes, smallBytes));
      least = lesser(least, await measured(one, text, key, runs));
      found = lesser(found, await measured(one, body, key, runs));
    }
    if (!isFine(found, least, key))
      wrong.push(`${one.name} ${key}, ${name}: ${shown(found)}, one text ${shown(least)}`);
  }
  return wrong;
}

function isFine(found: Measured, text: Measured, key: string): boolean {
  const names = 2 * allowed.parsedMs + (key === '' ? 0 : allowed.hashedMs);
  return found.allMs <= costMax * text.allMs + names && found.turnMs <= turnMax * text.turnMs + names;
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
  for (let run = 0; run < 20; run++) measureAllowed(smallBytes);
  const wrong: string[] = [];
  for (const one of doors) for (const key of one.keys) wrong.push(...(await tooDear(one, key)));
  expect(wrong).toEqual([]);
});
