/** What a change records: lines of the timeline, and the events of its session and its payments.
 *  1. A payment's success is emitted once: as `payment.succeeded`, or as `payment.duplicate`. */
import type { Payment } from '../attempt.ts';
import type { SessionState } from '../state.ts';
import { paymentOf } from '../steps.ts';
import { paymentEventData, sessionView } from '../view.ts';
import type { Rule } from './rule.ts';

/** Every change of status, with its cause. */
export const transitions: Rule = (step, { x: { id }, before, after, also: { cause, notes = [] } }) => {
  for (const note of notes) step.note(note);
  if (before === null) return;
  for (const [index, payment] of after.payments.entries()) {
    const { id: about, provider, status: to, failure, late, duplicate } = payment;
    const from = paymentOf(before, about)?.status ?? null;
    if (from === to) continue;
    const summary =
      from === null
        ? `Attempt ${index + 1} with ${provider}`
        : `Payment ${from} to ${to}${duplicate ? ', a duplicate' : ''}${late ? ', late' : ''}`;
    const detail = failure === null ? {} : { failureCode: failure.code };
    step.note({ about, kind: 'transition', summary, from, to, cause, detail });
  }
  if (before.status !== after.status) {
    const [from, to] = [before.status, after.status];
    step.note({ about: id, kind: 'transition', summary: `Session ${from} to ${to}`, from, to, cause });
  }
};

/** Of payments whose status has changed. */
export const paymentEvents: Rule = (step, { x, before, after }) => {
  for (const payment of after.payments) {
    const from = paymentOf(before, payment.id);
    // a payment that is new is not told, unless it comes into being paid
    if (from === null ? before === null || payment.status === 'pending' : from.status === payment.status)
      continue;
    const data = paymentEventData(payment, after, x);
    for (const type of eventsOf(payment)) step.event(type, data);
  }
};

/** Events of a payment that has just entered its current status. */
function eventsOf({ status, duplicate, failure }: Payment): readonly string[] {
  if (status === 'success') return [duplicate ? 'payment.duplicate' : 'payment.succeeded'];
  if (status === 'failed') return ['payment.failed'];
  if (status !== 'cancelled' || failure?.code === 'superseded') return [];
  return ['payment.failed', 'payment.cancelled'];
}

/** Of a session that was created, or whose status has changed. */
export const sessionEvents: Rule = (step, { x, before, after }) => {
  // an invoice's session is not readable under /v1/checkout, so it emits no event
  if (after.source === 'invoice' || before?.status === after.status) return;
  const type = eventOn[before === null ? 'created' : after.status];
  if (type !== undefined) step.event(type, sessionView(after, x));
};

const eventOn: { readonly [entered in SessionState['status'] | 'created']?: string } = {
  created: 'checkout.created',
  cancelled: 'checkout.cancelled',
  expired: 'checkout.expired',
};

/** An event that does not follow from a change of state. It is logged under the payment's id and sequence, with data
 *  of its own. */
export const extraEvent: Rule = (step, { after, also: { extraEvent: extra = null } }) => {
  if (extra === null) return;
  const { type, paymentId, data } = extra;
  const sequence = paymentOf(after, paymentId)?.sequence ?? 1;
  // its text is `data` only: id and sequence come from the log and the envelope
  const object = { id: paymentId, sequence, toJSON: () => data };
  step.event(type, object);
};
