/** One incident of a provider, kept for people to read.
 *  I1. The provider's health (actors/provider-health) decides; a record that arrives late or twice changes
 *      nothing. */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { incidentView, type Incident, type IncidentTypes, incidentsKeptMs } from './messages.ts';
import type { Kind } from '../kind.ts';

const recorded = (incident: Incident, x: Turn<IncidentTypes>): Verdict =>
  x.become(incident.closedAt === null ? 'open' : 'closed', incident);

export const providerIncident = actor<IncidentTypes>('provider_incident', 'inc', {
  schema: 1,
  deferrable: true,
  on: {
    record: {
      by: 'system',
      creates: ({ incident }, x) => recorded(incident, x),
      _any: (s, { incident }, x) => (incident.revision > s.revision ? recorded(incident, x) : x.ok()),
    },
  },
  effects: {},
  timers: {},
  view: incidentView,
  indexes: ['provider'],
});

export const providerIncidentKind = {
  actor: providerIncident,
  keptMs: incidentsKeptMs,
} as const satisfies Kind;
