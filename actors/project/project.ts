/** A project: the owner of keys, with a sandbox half and a live half. One writer, so "at most ten
 *  endpoints" and "one clock walk at a time" are simple code. Lives on real time.
 *  P1. The sandbox clock never goes back, and while it walks only the walk moves it.
 *  P2. A revoked key stays revoked: its entry is kept permanently, and counts towards `keysMax`.
 *  P3. Reserving the same endpoint twice counts once.
 *  Schemas: 1 is the first version; 2 adds the place of a provider on the page, its app-intent toggle, and
 *  providers without credentials. */
import {
  actor,
  type ClockState,
  type ClockWalk,
  type Json,
  type Mode,
  type Turn,
  type Verdict,
} from '../../src/runtime/model/actor.ts';
import { minutes } from '../../src/kernel/time.ts';
import {
  settingsOf,
  timersPerAdvanceMax,
  webhookEndpointsMax,
  type KeptKey,
  type ProjectCommands,
  type ProviderSettings,
  type ProjectState,
  type ProjectTypes,
  type EndpointReservation,
} from './messages.ts';
import { keyRows } from './view.ts';
import type { Kind } from '../kind.ts';

type X = Turn<ProjectTypes>;

export const keysMax = 200;
/** The precision of `lastUsedAt`: a busy key must not cost a commit per request. */
const keyUseNotedEveryMs = minutes(1);

export const project = actor<ProjectTypes>('project', 'prj', {
  schema: 2,
  upcast,
  downcast,
  on: {
    open: {
      by: ['operator', 'system'],
      creates: (c, x) =>
        x.become('ready', {
          merchantId: c.merchantId,
          name: c.name,
          keys: [],
          providers: c.providers,
          seats: { sandbox: [], live: [] },
          offsetMs: 0,
          fired: 0,
        }),
      _any: (_s, _c, x) => x.ok(),
    },
    setProvider: { by: ['operator', 'merchant'], _any: setProvider },
    createKey: { by: ['operator', 'system'], _any: createKey },
    revokeKey: {
      by: ['operator', 'system'],
      _any: (s, { keyId }, x) =>
        changeKey(s, keyId, x, (key) => (key.revokedAt === null ? { revokedAt: x.now } : null)),
    },
    keyUsed: {
      by: 'system',
      _any: (s, { keyId }, x) =>
        changeKey(s, keyId, x, ({ lastUsedAt }) =>
          lastUsedAt === null || x.now - lastUsedAt >= keyUseNotedEveryMs ? { lastUsedAt: x.now } : null,
        ),
    },
    reserveEndpoint: { by: 'system', _any: reserveEndpoint },
    releaseEndpoint: { by: 'system', _any: releaseEndpoint },
    takeSeat: { by: 'system', _any: reserveEndpoint },
    freeSeat: { by: 'system', _any: releaseEndpoint },
    advanceClock: {
      by: 'system',
      ready: beginWalk,
      advancing: (s, _c, x) => x.refuse('invalid_state', { currentStatus: s.status }),
    },
    stopClock: { by: 'system', ready: (_s, _c, x) => x.ok(), advancing: stop },
    walkStep: { by: 'system', ready: (_s, _c, x) => x.ok(), advancing: step },
    walkEnded: { by: 'system', ready: (_s, _c, x) => x.ok(), advancing: endWalk },
  },
  effects: {},
  timers: {},
  clock: clockState,
  rows: keyRows,
  view: ({ merchantId, name, status, offsetMs, fired }, { id }) => ({
    id,
    merchantId,
    name,
    status,
    offsetMs,
    fired,
  }),
  indexes: ['merchantId'],
});

export const projectKind = {
  actor: project,
  rows: [{ kind: 'api_key', indexes: ['projectId'] }],
  refusals: {
    webhook_endpoint_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'At most 10 webhook endpoints per project and mode.',
    },
    key_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'This project has reached its limit of API keys, revoked keys included.',
    },
  },
} as const satisfies Kind;

/** The fields of provider settings in schema 1. */
type FirstSettings = Pick<ProviderSettings, 'provider' | 'mode' | 'enabled' | 'sealedCredentials'> &
  Partial<Pick<ProviderSettings, 'refundsNeedMobile'>>;

function upcast(body: Json): ProjectState {
  // this actor wrote it itself
  const old = body as unknown as ProjectState & { readonly providers: readonly FirstSettings[] };
  return {
    ...old,
    providers: old.providers.map((each) => ({ ...settingsOf([], each.provider, each.mode), ...each })),
  };
}

/** Schema 1 requires credentials; a chosen place or an app-intent toggle would be lost in it. */
function downcast(state: ProjectState): Json | null {
  if (state.providers.some(({ sealedCredentials }) => sealedCredentials === null)) return null;
  const providers = state.providers.map(({ order: _order, appIntent: _appIntent, ...each }) => each);
  return { ...state, providers } as unknown as Json;
}

/** The state with one part replaced, in any status. */
const withPart = (
  s: ProjectState,
  x: X,
  part: Partial<Pick<ProjectState, 'keys' | 'seats' | 'providers'>>,
): Verdict =>
  s.status === 'ready' ? x.become('ready', { ...s, ...part }) : x.become('advancing', { ...s, ...part });

const fields = ['enabled', 'order', 'sealedCredentials', 'appIntent', 'refundsNeedMobile'] as const;

function setProvider(s: ProjectState, change: ProjectCommands['setProvider'], x: X): Verdict {
  const { provider, mode } = change;
  const old = settingsOf(s.providers, provider, mode);
  const next = { ...old, ...change };
  if (fields.every((field) => next[field] === old[field])) return x.ok();
  const others = s.providers.filter((each) => each.provider !== provider || each.mode !== mode);
  return withPart(s, x, { providers: [...others, next] });
}

function createKey(s: ProjectState, { key }: ProjectCommands['createKey'], x: X): Verdict {
  if (s.keys.some(({ id }) => id === key.id)) return x.ok();
  if (s.keys.length >= keysMax) return x.refuse('key_limit_reached');
  const kept: KeptKey = { ...key, createdAt: x.now, revokedAt: null, lastUsedAt: null, sequence: 1 };
  return withPart(s, x, { keys: [...s.keys, kept] });
}

function changeKey(
  s: ProjectState,
  keyId: string,
  x: X,
  change: (key: KeptKey) => Partial<KeptKey> | null,
): Verdict {
  const key = s.keys.find(({ id }) => id === keyId);
  if (key === undefined) return x.refuse('not_found');
  const changed = change(key);
  if (changed === null) return x.ok();
  const next = { ...key, ...changed, sequence: key.sequence + 1 };
  return withPart(s, x, { keys: s.keys.map((k) => (k === key ? next : k)) });
}

function reserveEndpoint(
  s: ProjectState,
  { endpointId, mode }: ProjectCommands['reserveEndpoint'],
  x: X,
): Verdict {
  const taken = s.seats[mode];
  if (holds(taken, endpointId)) return x.ok();
  if (taken.length >= webhookEndpointsMax) return x.refuse('webhook_endpoint_limit_reached');
  return withPart(s, x, { seats: withReservations(s, mode, [...taken, { endpointId, takenAt: x.now }]) });
}

function releaseEndpoint(
  s: ProjectState,
  { endpointId, mode }: ProjectCommands['releaseEndpoint'],
  x: X,
): Verdict {
  const taken = s.seats[mode];
  if (!holds(taken, endpointId)) return x.ok();
  return withPart(s, x, {
    seats: withReservations(
      s,
      mode,
      taken.filter((one) => one.endpointId !== endpointId),
    ),
  });
}

const holds = (taken: readonly EndpointReservation[], id: string): boolean =>
  taken.some(({ endpointId }) => endpointId === id);

const withReservations = (
  s: ProjectState,
  mode: Mode,
  taken: readonly EndpointReservation[],
): ProjectState['seats'] => ({
  ...s.seats,
  [mode]: taken,
});

type Ready = Extract<ProjectState, { status: 'ready' }>;
type Advancing = Extract<ProjectState, { status: 'advancing' }>;

function beginWalk(s: Ready, { to }: ProjectCommands['advanceClock'], x: X): Verdict {
  const standsAt = x.now + s.offsetMs;
  if (to <= standsAt) return x.refuse('must_be_later');
  return x.become('advancing', { ...s, fired: 0, walk: { standsAt, target: to } });
}

/** A late copy must not turn the clock back (P1). */
function step(s: Advancing, c: ProjectCommands['walkStep'], x: X): Verdict {
  const standsAt = Math.min(s.walk.target, Math.max(s.walk.standsAt, c.standsAt));
  const fired = Math.max(s.fired, c.fired);
  if (standsAt === s.walk.standsAt && fired === s.fired) return x.ok();
  const walk = { ...s.walk, standsAt };
  return x.become('advancing', { ...s, fired, walk: fired < timersPerAdvanceMax ? walk : stopping(walk) });
}

const stopping = (walk: ClockWalk): ClockWalk => ({ ...walk, stops: true });

/** The timer that fires now is finished first: the walk itself reports its end. */
function stop(s: Advancing, _c: ProjectCommands['stopClock'], x: X): Verdict {
  return s.walk.stops === true ? x.ok() : x.become('advancing', { ...s, walk: stopping(s.walk) });
}

/** Now becomes the target, or where a stopped walk stands, or the instant without a walk if that is later. */
function endWalk({ walk, ...s }: Advancing, { realNow }: ProjectCommands['walkEnded'], x: X): Verdict {
  const reached = walk.stops === true ? walk.standsAt : walk.target;
  return x.become('ready', { ...s, offsetMs: Math.max(s.offsetMs, reached - realNow) });
}

function clockState(s: ProjectState): ClockState {
  return { offsetMs: s.offsetMs, walk: s.status === 'advancing' ? s.walk : null };
}
