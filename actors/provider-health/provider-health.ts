/** The health of one provider in one project and mode, in time: opens and closes its incidents
 *  (docs/decisions/0028-an-incident-is-told-once.md).
 *  P1. It opens an incident when the rule first holds, and closes it when it no longer does.
 *  P2. Reports may arrive late, twice, in any order and from every node: one episode is one incident.
 *  P3. While a provider is well, it counts at most every ten seconds, and only after an unpaid attempt. */
import {
  actor,
  eraStep,
  ofEra,
  type Change,
  type Eras,
  type Turn,
  type Verdict,
  projectOf,
  type Scope,
} from '../../src/runtime/model/actor.ts';
import { minutes, seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import {
  incidentView,
  providerIncidentAt,
  type Incident,
  type IncidentKind,
  type IncidentWhy,
} from '../provider-incident/messages.ts';
import type { Found, HealthCommands, HealthState, HealthTypes } from './messages.ts';
import { degradedRule, isDegraded, type Rule } from './rule.ts';
import type { Kind } from '../kind.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { Provider } from '../../src/providers/catalog.ts';

/** A provider is counted at most this often: the window moves in these steps
 *  (src/providers/health/success-rates.ts). */
export const countEveryMs: DurationMs = seconds(10);
/** How often, at most, while only the time can make it degraded. */
export const watchEveryMs: DurationMs = minutes(1);

type X = Turn<HealthTypes>;
type Fields = Omit<HealthState, 'status'>;

const kinds: readonly IncidentKind[] = ['degraded', 'down', 'refused'];
const unknown = (provider: HealthState['provider']): Fields => ({
  provider,
  counting: 'no',
  countedAt: null,
  nextAt: null,
  last: { degraded: null, down: null, refused: null },
  circuitUntil: null,
  refusals: {},
});

/** `rule` is another one only in tests. */
export const providerHealthBy = (rule: Rule) =>
  actor<HealthTypes>('provider_health', 'phl', {
    schema: 1,
    on: {
      look: {
        by: 'system',
        creates: ({ provider }, x) => count(unknown(provider), x),
        _any: look,
      },
      counted: { by: 'system', _any: (s, c, x) => counted(rule, s, c, x) },
      lookAgain: { by: 'system', _any: (s, _c, x) => (s.counting === 'no' ? count(s, x) : x.ok()) },
      circuitOpened: {
        by: 'system',
        creates: (c, x) => circuitOpened(unknown(c.provider), c, x),
        _any: circuitOpened,
      },
      circuitClosed: { by: 'system', _any: circuitClosed },
      circuitOver: {
        by: 'system',
        _any: (s, _c, x) => {
          const down = closed(s.last.down, s.circuitUntil ?? x.now);
          return next(s, { ...s, last: { ...s.last, down } }, x);
        },
      },
      refused: { by: 'system', creates: (c, x) => refused(unknown(c.provider), c, x), _any: refused },
      accepted: { by: 'system', _any: accepted },
    },
    effects: {
      'provider.count': { result: 'counted', mode: 'atLeastOnce', unknown: () => ({ found: null }) },
    },
    timers: { count: 'lookAgain', circuit: 'circuitOver' },
    restored: (s, eras) => ({ ...s, last: lastRestored(s.last, eras) }),
    view: ({ provider, status, last }, { id }) => ({
      id,
      provider,
      status,
      incidents: openIn(last).map(incidentView),
    }),
    indexes: ['status'],
  });

export const providerHealth = providerHealthBy(degradedRule);

/** An incident that began before is another one now: what was told of it last may be lost. */
function lastRestored(last: Fields['last'], { length }: Eras): Fields['last'] {
  const of = (incident: Incident | null): Incident | null =>
    incident === null ? null : { ...incident, revision: incident.revision + length * eraStep };
  return { degraded: of(last.degraded), down: of(last.down), refused: of(last.refused) };
}

const openIn = (last: Fields['last']): readonly Incident[] =>
  kinds.flatMap((kind) => {
    const incident = last[kind];
    return incident?.closedAt === null ? [incident] : [];
  });

/** The next state; every incident that changed is recorded. */
function next(before: Fields, after: Fields, x: X): Change<HealthTypes> {
  const fields: Fields & { status?: unknown } = { ...after };
  delete fields.status;
  const change = x.become(openIn(after.last).length === 0 ? 'well' : 'troubled', fields);
  for (const kind of kinds) {
    const incident = after.last[kind];
    if (incident !== null && incident !== before.last[kind])
      change.tell(providerIncidentAt(incident.id), 'record', { incident });
  }
  return change;
}

const count = (s: Fields, x: X): Verdict =>
  next(s, { ...s, counting: 'running', nextAt: null }, x)
    .noTimer('count')
    .effect('provider.count', { provider: s.provider });

function look(s: HealthState, _command: HealthCommands['look'], x: X): Verdict {
  if (s.counting === 'again') return x.ok();
  if (s.counting === 'running') return next(s, { ...s, counting: 'again' }, x);
  const soonest = s.countedAt === null ? x.now : s.countedAt + countEveryMs;
  if (soonest <= x.now) return count(s, x);
  if (s.nextAt !== null && s.nextAt <= soonest) return x.ok();
  return next(s, { ...s, nextAt: soonest }, x).timer('count', soonest);
}

function counted(rule: Rule, s: HealthState, { found }: HealthCommands['counted'], x: X): Verdict {
  const holds = found === null ? s.last.degraded?.closedAt === null : isDegraded(found, rule);
  const degraded = found === null ? s.last.degraded : judged(s, found, holds, x);
  const nextAt =
    found === null || s.counting === 'again' ? x.now + countEveryMs : nextChange(found, holds, x.now);
  const after = { ...s, counting: 'no', countedAt: x.now, nextAt, last: { ...s.last, degraded } } as const;
  const change = next(s, after, x);
  return nextAt === null ? change.noTimer('count') : change.timer('count', nextAt);
}

/** When the time alone may change the verdict; null: it cannot. */
function nextChange({ changesAt }: Found, isDegradedNow: boolean, now: Instant): Instant | null {
  return changesAt === null ? null : Math.max(changesAt, now + (isDegradedNow ? countEveryMs : watchEveryMs));
}

function judged(
  { last, provider }: HealthState,
  { at, attempts, paid }: Found,
  holds: boolean,
  x: X,
): Incident | null {
  if (!holds) return closed(last.degraded, at);
  const why = { kind: 'degraded', attempts, paid } as const;
  return opened(last.degraded, { scope: x.scope, provider, at, why, eras: x.eras });
}

function circuitOpened(s: Fields, command: HealthCommands['circuitOpened'], x: X): Verdict {
  const { at, until, failed } = command;
  // another node told of the same opening, or of a later one
  if (s.circuitUntil !== null && until <= s.circuitUntil) return x.ok();
  const why = { kind: 'down', failed } as const;
  const isOpen = s.last.down?.closedAt === null;
  const down = isOpen
    ? openedAgain(s.last.down, at)
    : opened(s.last.down, { scope: x.scope, provider: s.provider, at, why, eras: x.eras });
  const isOver = until <= x.now;
  const after = {
    ...s,
    circuitUntil: until,
    last: { ...s.last, down: isOver ? closed(down, until) : down },
  };
  const change = next(s, after, x);
  return isOver ? change.noTimer('circuit') : change.timer('circuit', until);
}

/** The probe was not answered, or the circuit of another node opened, too: the incident goes on. */
const openedAgain = (last: Incident | null, at: Instant): Incident | null =>
  last === null
    ? null
    : { ...last, openings: last.openings + 1, lastOpenedAt: at, revision: last.revision + 1 };

function circuitClosed(s: HealthState, { at }: HealthCommands['circuitClosed'], x: X): Verdict {
  const { down } = s.last;
  // it is older than the opening it would close
  if (down === null || down.closedAt !== null || at < down.lastOpenedAt) return x.ok();
  return next(s, { ...s, last: { ...s.last, down: closed(down, at) } }, x).noTimer('circuit');
}

function refused(s: Fields, { at, call, says }: HealthCommands['refused'], x: X): Verdict {
  if ((s.refusals[call] ?? -Infinity) >= at) return x.ok();
  const isKnown = s.refusals[call] !== undefined && s.last.refused?.closedAt === null;
  // not every refused call is a commit
  if (isKnown && at - (s.refusals[call] ?? at) < minutes(1)) return x.ok();
  const why = { kind: 'refused', call, says } as const;
  const opening = { scope: x.scope, provider: s.provider, at, why, eras: x.eras };
  const after = {
    ...s,
    refusals: { ...s.refusals, [call]: at },
    last: { ...s.last, refused: opened(s.last.refused, opening) },
  };
  return next(s, after, x);
}

function accepted(s: HealthState, { at, call }: HealthCommands['accepted'], x: X): Verdict {
  const since = s.refusals[call];
  // it is older than the refusal
  if (since === undefined || at < since) return x.ok();
  const refusals = Object.fromEntries(Object.entries(s.refusals).filter(([name]) => name !== call));
  const last =
    Object.keys(refusals).length === 0 ? { ...s.last, refused: closed(s.last.refused, at) } : s.last;
  return next(s, { ...s, refusals, last }, x);
}

export const providerHealthKind = { actor: providerHealth } as const satisfies Kind;

/** What opens again within this time after it closed is one incident: the circuit of a provider in an outage
 *  opens every thirty seconds. */
export const sameIncidentMs: DurationMs = minutes(5);

export interface Opening {
  readonly scope: Scope;
  readonly provider: Provider;
  readonly at: Instant;
  readonly why: IncidentWhy;
  readonly eras: Eras;
}

/** `last` is the one before, of the same kind. */
export function opened(last: Incident | null, { scope, provider, at, why, eras }: Opening): Incident {
  if (last !== null && last.closedAt === null) return last;
  if (last !== null && at - (last.closedAt ?? at) <= sameIncidentMs) {
    const { openings, revision } = last;
    return { ...last, closedAt: null, openings: openings + 1, lastOpenedAt: at, revision: revision + 1 };
  }
  const id = placedBeside(
    'inc',
    projectOf(scope),
    sha256Base32(ofEra(['provider_incident', scope, provider, why.kind, String(at)], eras), 24),
  );
  return { id, provider, why, openedAt: at, closedAt: null, openings: 1, lastOpenedAt: at, revision: 1 };
}

/** A time before its last opening comes from another node's clock. */
export function closed(last: Incident | null, at: Instant): Incident | null {
  if (last === null || last.closedAt !== null) return last;
  return { ...last, closedAt: Math.max(at, last.lastOpenedAt), revision: last.revision + 1 };
}
