/** All event kinds, and a sample of each kind that is emitted, built by the same functions that build the
 *  real ones.
 *  Boundary: a sample describes nothing real; its envelope is marked as a test. */
import { kinds } from './cast.ts';
import { envelopeText } from './event-log/envelope.ts';
import type { Kind, MakeSample, SampleOf } from './kind.ts';

const every: readonly Kind[] = kinds;
const samples: ReadonlyMap<string, MakeSample> = new Map(
  every.flatMap(({ events = {} }) => Object.entries(events)),
);

/** Kinds that are emitted; each has a sample. */
export const firingKinds: readonly string[] = [...samples.keys()];

/** Kinds an endpoint may already subscribe to, whose feature is not implemented yet. */
const plannedKinds = [
  'payment.refunded',
  'refund.created',
  'refund.succeeded',
  'refund.failed',
  'refund.requires_action',
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.trial_will_end',
  'subscription.trial_ended',
  'subscription.renewed',
  'subscription.plan_changed',
  'subscription.paused',
  'subscription.resumed',
  'subscription.past_due',
  'subscription.cancelled',
  'subscription.completed',
  'invoice.created',
  'invoice.paid',
  'invoice.past_due',
  'invoice.voided',
  'invoice.reminder_sent',
  'payment_link.paid',
] as const;

/** The kinds of events a webhook endpoint may subscribe to. */
export const eventKinds: ReadonlySet<string> = new Set([...firingKinds, ...plannedKinds]);

/** The body of a test of this kind, an envelope with `"test": true`. Throws for a kind that is not emitted. */
export function sampleEnvelope(type: string, of: SampleOf): string {
  const make = samples.get(type);
  if (make === undefined) throw new Error(`no sample of ${type}`);
  const { eventId: id, now: at, scope } = of;
  return envelopeText({ id, type, at, scope, object: make(of), test: true });
}
