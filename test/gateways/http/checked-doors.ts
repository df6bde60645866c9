/** Every route of the API and the login with their real checks, and handlers that do nothing.
 *  Boundary: makes the doors and what they are sent; worst-bodies.test.ts and parsing-cost.test.ts measure them. */
import type { TSchema } from 'typebox';
import { loginBody } from '../../../gateways/dashboard/server/session-routes.ts';
import type { Caller } from '../../../gateways/http/access/auth.ts';
import type { ApiParts } from '../../../gateways/http/api-parts.ts';
import { FairQueue } from '../../../gateways/http/access/fair-queue.ts';
import { done } from '../../../gateways/http/route/answer.ts';
import { createIdempotency } from '../../../gateways/http/route/idempotency.ts';
import { routeMaker, type MakeDoor, type RouteParts } from '../../../gateways/http/route/route.ts';
import { specsOf } from '../../../gateways/http/routes.ts';
import type { Door, DoorRequest } from '../../../gateways/server/door.ts';
import { eventStreamQuery } from '../../../gateways/http/schemas/stream.ts';
import { apiVersion } from '../../../src/kernel/api-releases.ts';
import { sealWith } from '../../../src/kernel/seal.ts';
import { realScheduler } from '../../../src/kernel/time.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { versions } from '../../support/alone.ts';
import { validTries } from './worst-bodies.ts';

/** A route whose checks are the real ones and whose handler does nothing. */
export interface Checked {
  readonly name: string;
  readonly body: TSchema | undefined;
  readonly query: TSchema | undefined;
  readonly metadataFilter: boolean;
  readonly door: Door;
}

const caller: Caller = {
  projectId: 'prj_000000000000000000000000',
  mode: 'sandbox',
  scope: 'prj_000000000000000000000000:sandbox',
  kind: 'secret',
  access: 'full',
  keyId: 'key_000000000000000000000000',
  merchantId: 'mer_000000000000000000000000',
  plan: 'premium',
  apiVersion,
  providers: [],
  createPerSecond: null,
};
const seal = sealWith(new Uint8Array(32));
/** Records of keys that are all new. */
const keys = {
  incarnation: 'n:1',
  incarnationsAlive: ['n:1'],
  ask: async (_to: unknown, command: string, { ids }: { readonly ids?: object }) => ({
    is: 'ok',
    detail: command === 'begin' ? { is: 'run', generation: 1, ids } : {},
  }),
  settled: () => undefined,
} as unknown as Client;
// whoever has a key: what it may do is looked at before anything of what it sends
export const parts = {
  gate: { admit: () => ({ caller, headers: {} }) },
  log: createLog({ level: 'silent', pretty: false }),
  idempotency: createIdempotency({ client: keys, seal, scheduler: realScheduler }),
  largeBodies: new FairQueue(16),
  allowPrivateHosts: false,
  versions,
} as unknown as RouteParts;

export const checked: Checked[] = [];
const make = routeMaker(parts);
const recorded: MakeDoor = (spec) => {
  const door = make({ ...spec, handle: async () => done({}) });
  const { body, query, metadataFilter = false } = spec;
  checked.push({ name: `${spec.method} ${spec.path}`, body, query, metadataFilter, door });
  return door;
};
const simulate = async (): Promise<never> => Promise.reject(new Error('never asked'));
export const api = { simulate, seal } as unknown as ApiParts;
for (const spec of specsOf(api)) recorded(spec);
recorded({
  method: 'POST',
  path: '/dashboard/login',
  key: 'secret',
  reply: 200,
  body: loginBody,
  handle: async () => done({}),
});
recorded({
  method: 'GET',
  path: '/v1/events/stream',
  key: 'secret',
  reply: 200,
  query: eventStreamQuery,
  handle: async () => done({}),
});

export const request = (over: Partial<DoorRequest>): DoorRequest => ({
  requestId: 'req_z25mwf0rtqd021aznxd0zrex',
  method: 'POST',
  path: '/',
  params: { id: caller.projectId },
  rawQuery: '',
  ip: '127.0.0.1',
  body: Buffer.alloc(0),
  header: (name) => (name === 'content-type' ? 'application/json' : ''),
  ...over,
});

export type Sent = (text: string) => DoorRequest;
export const asBody: Sent = (text) => request({ body: Buffer.from(text) });
export const asQuery: Sent = (text) => request({ rawQuery: text });

/** One of the tries that is taken. */
export async function validOf<Value>(
  one: Checked,
  tries: readonly Value[],
  sent: (value: Value) => DoorRequest,
): Promise<Value> {
  for (const each of tries) if ((await one.door.handle(sent(each))).status < 300) return each;
  throw new Error(`${one.name} takes nothing of what its schema says`);
}

/** A body that this route takes. */
export const validBodyOf = (one: Checked): Promise<object> =>
  validOf(one, validTries(one.body as TSchema), (body) => asBody(JSON.stringify(body)));
