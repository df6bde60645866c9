/** How incidents open and close. Pure. */
import { projectOf, type Scope } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import { minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/catalog.ts';
import type { Incident, IncidentWhy } from '../provider-incident/messages.ts';

/** What opens again within this time after it closed is one incident: the circuit of a provider in an outage
 *  opens every thirty seconds. */
export const sameIncidentMs: DurationMs = minutes(5);

export interface Opening {
  readonly scope: Scope;
  readonly provider: Provider;
  readonly at: Instant;
  readonly why: IncidentWhy;
}

/** `last` is the one before, of the same kind. */
export function opened(last: Incident | null, { scope, provider, at, why }: Opening): Incident {
  if (last !== null && last.closedAt === null) return last;
  if (last !== null && at - (last.closedAt ?? at) <= sameIncidentMs) {
    const { openings, revision } = last;
    return { ...last, closedAt: null, openings: openings + 1, lastOpenedAt: at, revision: revision + 1 };
  }
  const id = placedBeside(
    'inc',
    projectOf(scope),
    sha256Base32(['provider_incident', scope, provider, why.kind, String(at)], 24),
  );
  return { id, provider, why, openedAt: at, closedAt: null, openings: 1, lastOpenedAt: at, revision: 1 };
}

/** A time before its last opening comes from another node's clock. */
export function closed(last: Incident | null, at: Instant): Incident | null {
  if (last === null || last.closedAt !== null) return last;
  return { ...last, closedAt: Math.max(at, last.lastOpenedAt), revision: last.revision + 1 };
}
