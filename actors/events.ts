/** The kinds of events there are, and a sample of each that fires: made by the very functions that make the real ones.
 *  Boundary: nothing of a sample has happened; its envelope says so. */
import { kinds } from './cast.ts';
import { envelopeText } from './event-log/envelope.ts';
import type { Kind, MakeSample, SampleOf } from './kind.ts';

const every: readonly Kind[] = kinds;
const samples: ReadonlyMap<string, MakeSample> = new Map(
  every.flatMap(({ events = {} }) => Object.entries(events)),
);

/** Kinds that fire; of each there is a sample. */
export const firingKinds: readonly string[] = [...samples.keys()];

/** Kinds an endpoint may subscribe to already, whose feature is still to come. */
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

/** The body of a test of this kind, an envelope with `"test": true`. Throws for a kind that does not fire. */
export function sampleEnvelope(type: string, of: SampleOf): string {
  const make = samples.get(type);
  if (make === undefined) throw new Error(`no sample of ${type}`);
  const { eventId: id, now: at, scope } = of;
  return envelopeText({ id, type, at, scope, object: make(of), test: true });
}
