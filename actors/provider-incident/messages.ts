/** An incident of a payment provider: from when to when something was wrong with it, and what. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import { days, iso, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/catalog.ts';
import type { FailedCalls, CallName } from '../../src/providers/answers.ts';

export const providerIncidentAt = (id: string): Address<IncidentCommands> => address('provider_incident', id);

/** How long an incident is kept. */
export const incidentsKeptMs: DurationMs = days(90);

/** Why it was opened. */
export type IncidentWhy =
  /** Too few of the attempts of the last 15 minutes were paid. */
  | { readonly kind: 'degraded'; readonly attempts: number; readonly paid: number }
  /** The circuit breaker opened: these calls had no readable answer. */
  | { readonly kind: 'down'; readonly failed: readonly FailedCalls[] }
  /** The provider refuses our requests: `says` is its answer, without secrets. */
  | { readonly kind: 'refused'; readonly call: CallName; readonly says: string };

export type IncidentKind = IncidentWhy['kind'];

export interface Incident {
  readonly id: string;
  readonly provider: Provider;
  readonly why: IncidentWhy;
  readonly openedAt: Instant;
  /** null while it is open. */
  readonly closedAt: Instant | null;
  /** Opened again shortly after it closed, it is the same incident. */
  readonly openings: number;
  readonly lastOpenedAt: Instant;
  /** Grows with each change. */
  readonly revision: number;
}

export interface IncidentCommands {
  record: { readonly incident: Incident };
}

export type IncidentState = Incident & { readonly status: 'open' | 'closed' };

export interface IncidentTypes {
  state: IncidentState;
  terminal: never;
  commands: IncidentCommands;
  effects: Record<never, never>;
}

/** As the dashboard's API answers it. */
export function incidentView(incident: Incident) {
  const { id, provider, why, openedAt, closedAt, openings, revision } = incident;
  return {
    id,
    provider,
    ...why,
    openedAt: iso(openedAt),
    closedAt: closedAt === null ? null : iso(closedAt),
    openings,
    sequence: revision,
  };
}
