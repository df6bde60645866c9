/** The record of one Idempotency-Key in its project, mode, method and path.
 *  I1. The identity and ids of one generation never change, whichever request takes it over.
 *  I2. The first stored answer of a generation is the only one.
 *  I3. Of the requests, only the one that currently runs may release the record; one that was taken over may
 *      not. The end of the 24 h empties it in any case.
 *  I4. Generations only rise, even when the emptied record is removed and created anew: the first one is the
 *      time on its project's clock. Otherwise a command sent as generation 1 of a new record could get the
 *      stored outcome of an older generation 1 at its target: an outdated answer.
 *  I5. A closed record stays closed: of two gateways, one that still begins records and one that does not, the
 *      first to reach the record decides for both. */
import { actor, type Json, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { iso, seconds } from '../../src/kernel/time.ts';
import {
  firstRequest,
  lifeMs,
  type BeginAnswer,
  type CompleteAnswer,
  type IdempotencyCommands,
  type IdempotencyState,
  type IdempotencyTypes,
} from './messages.ts';
import type { Kind } from '../kind.ts';

type X = Turn<IdempotencyTypes>;
type Begin = IdempotencyCommands['begin'] & Partial<Pick<IdempotencyCommands['beginFor'], 'lifeMs'>>;
type Running = Extract<IdempotencyState, { status: 'running' }>;
type Lived = Pick<IdempotencyState, 'generation' | 'firstAt' | 'expiresAt'>;
type Completed = Extract<IdempotencyState, { status: 'completed' }>;

/** How long the first request is assumed to run while its node lives (real time). */
export const runMsMax = seconds(30);

const beginning = {
  by: ['merchant', 'system'],
  creates: (c: Begin, x: X) => beginAfresh(Math.max(1, x.now), c, x),
  running: (s: Running, c: Begin, x: X) =>
    x.now >= s.expiresAt ? beginNext(s, c, x) : whileRunning(s, c, x),
  completed: (s: Completed, c: Begin, x: X) =>
    x.now >= s.expiresAt ? beginNext(s, c, x) : whenCompleted(s, c, x),
  released: (s: Lived, c: Begin, x: X) => beginNext(s, c, x),
  closed: (_s: Lived, _c: Begin, x: X) => x.ok(begun({ is: 'closed' })),
} as const;

export const idempotencyKey = actor<IdempotencyTypes>('idempotency_key', '', {
  schema: 2,
  upcast: (body) => body as unknown as IdempotencyState,
  downcast: (state) => (state.status === 'closed' ? null : (state as unknown as Json)),
  on: {
    begin: beginning,
    beginFor: beginning,
    close: {
      by: ['merchant', 'system'],
      creates: (_c, x) =>
        closed({ generation: Math.max(1, x.now), firstAt: x.now, expiresAt: x.now + lifeMs }, x),
      running: (s, c, x) => (x.now >= s.expiresAt ? closed(s, x) : whileRunning(s, c, x)),
      completed: (s, c, x) => (x.now >= s.expiresAt ? closed(s, x) : whenCompleted(s, c, x)),
      released: (s, _c, x) => closed(s, x),
      closed: (_s, _c, x) => x.ok(begun({ is: 'closed' })),
    },
    complete: {
      by: ['merchant', 'system'],
      running: (s, c, x) =>
        s.generation === c.generation ? store(s, c, x) : x.ok(completion({ is: 'over' })),
      completed: (s, c, x) => x.ok(completion({ is: s.generation === c.generation ? 'stored' : 'over' })),
      released: (_s, _c, x) => x.ok(completion({ is: 'over' })),
      closed: (_s, _c, x) => x.ok(completion({ is: 'over' })),
    },
    release: {
      by: ['merchant', 'system'],
      running: (s, c, x) => (runs(s, c) ? empty(s, x) : x.ok()),
      completed: (_s, _c, x) => x.ok(),
      released: (_s, _c, x) => x.ok(),
      closed: (_s, _c, x) => x.ok(),
    },
    yield: {
      by: ['merchant', 'system'],
      running: (s, c, x) => (runs(s, c) && s.until > 0 ? x.become('running', { ...s, until: 0 }) : x.ok()),
      completed: (_s, _c, x) => x.ok(),
      released: (_s, _c, x) => x.ok(),
      closed: (_s, _c, x) => x.ok(),
    },
    forget: {
      by: 'system',
      running: (s, _c, x) => empty(s, x),
      completed: (s, _c, x) => empty(s, x),
      released: (_s, _c, x) => x.ok(),
      closed: (_s, _c, x) => x.ok(),
    },
  },
  effects: {},
  timers: { expiry: 'forget' },
  view,
  indexes: ['key'],
});

export const idempotencyKeyKind = {
  actor: idempotencyKey,
  keptMs: lifeMs,
} as const satisfies Kind;

const begun = (answer: BeginAnswer): BeginAnswer => answer;
const completion = (answer: CompleteAnswer): CompleteAnswer => answer;

function whileRunning(s: Running, c: Begin, x: X): Verdict {
  const underWay = c.incarnationsAlive.includes(s.incarnation) && c.realNow < s.until;
  if (underWay) return x.ok(begun({ is: 'conflict' }));
  return s.bodyHash === c.bodyHash ? takeOver(s, c, x) : x.ok(begun({ is: 'reused' }));
}

function whenCompleted(s: Completed, c: Begin, x: X): Verdict {
  const same = s.bodyHash === c.bodyHash;
  return x.ok(begun(same ? { is: 'replay', generation: s.generation } : { is: 'reused' }));
}

function beginNext({ generation }: Pick<IdempotencyState, 'generation'>, c: Begin, x: X): Verdict {
  return beginAfresh(generation + 1, c, x);
}

/** No request begins a record here any more (I5). */
const closed = ({ generation, firstAt, expiresAt }: Lived, x: X): Verdict =>
  x
    .become('closed', { generation, firstAt, expiresAt })
    .noTimer('expiry')
    .answer(begun({ is: 'closed' }));

/** The timer only empties the record; each use checks `expiresAt` to see whether the 24 h are over. */
function beginAfresh(generation: number, c: Begin, x: X): Verdict {
  const { key, method, path, bodyHash, ids, incarnation, realNow, lifeMs: ownLifeMs = lifeMs } = c;
  const [until, expiresAt] = [realNow + runMsMax, x.now + ownLifeMs];
  return x
    .become('running', {
      generation,
      key,
      method,
      path,
      bodyHash,
      ids,
      incarnation,
      until,
      expiresAt,
      firstAt: x.now,
    })
    .timer('expiry', expiresAt)
    .answer(begun({ is: 'run', generation, ids }));
}

/** The previous request's node died, or it has been silent too long: same generation, same ids (I1). */
function takeOver(s: Running, { ids, incarnation, realNow }: Begin, x: X): Verdict {
  const runner = ids[firstRequest] ?? '';
  return x
    .become('running', { ...s, incarnation, until: realNow + runMsMax, runner })
    .answer(begun({ is: 'run', generation: s.generation, ids: s.ids }));
}

/** Whether the request that releases the record is the running one (I3). */
function runs(s: Running, c: IdempotencyCommands['yield' | 'release']): boolean {
  const runner = s.runner ?? s.ids[firstRequest];
  if ('request' in c) return runner === c.request;
  return s.generation === c.generation && (c.runner === undefined || runner === c.runner);
}

function store(s: Running, c: IdempotencyCommands['complete'], x: X): Verdict {
  const { incarnation: _ran, until: _believed, runner: _who, ...kept } = s;
  const { status: statusCode, body, sealed, objectId } = c;
  return x
    .become('completed', { ...kept, statusCode, body, sealed, objectId })
    .answer(completion({ is: 'stored' }));
}

/** The key may be used again with any body; only the generation number of the request stays (I4). */
const empty = ({ generation, expiresAt, firstAt }: Running | Completed, x: X): Verdict =>
  x.become('released', { generation, expiresAt, firstAt }).noTimer('expiry');

/** An entry of the inspector; the route adds `response` from the stored body. A released or closed record
 *  is not an entry. */
function view(s: IdempotencyState): { readonly [key: string]: unknown } {
  if (s.status === 'released' || s.status === 'closed') return { state: s.status };
  const done = s.status === 'completed' ? s : null;
  return {
    key: s.key,
    method: s.method,
    path: s.path,
    state: s.status,
    statusCode: done?.statusCode ?? null,
    objectId: done?.objectId ?? null,
    response: null,
    createdAt: iso(s.firstAt),
    expiresAt: iso(s.expiresAt),
  };
}
