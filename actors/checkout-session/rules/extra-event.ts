/** Emits an event that does not follow from a change of state. */
import { paymentIn, type Rule } from './rule.ts';

/** It is logged under the payment's id and sequence, with data of its own. */
export const extraEvent: Rule = (step, { after, also: { extraEvent: extra = null } }) => {
  if (extra === null) return;
  const { type, paymentId, data } = extra;
  const sequence = paymentIn(after, paymentId)?.sequence ?? 1;
  // its text is `data` only: id and sequence come from the log and the envelope
  const object = { id: paymentId, sequence, toJSON: () => data };
  step.event(type, object);
};
