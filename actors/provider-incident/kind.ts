/** The kind of incidents of providers. */
import type { Kind } from '../kind.ts';
import { incidentsKeptMs } from './messages.ts';
import { providerIncident } from './provider-incident.ts';

export const providerIncidentKind = {
  actor: providerIncident,
  keptMs: incidentsKeptMs,
} as const satisfies Kind;
