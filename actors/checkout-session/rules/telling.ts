/** Emits the event that no change of state shows. */
import { paymentIn, type Rule } from './rule.ts';

/** It stands in the log under the payment's id and sequence, with data of its own. */
export const telling: Rule = (step, { after, also: { telling: told = null } }) => {
  if (told === null) return;
  const { type, paymentId, data } = told;
  const sequence = paymentIn(after, paymentId)?.sequence ?? 1;
  // its text is `data` alone: id and sequence are the log's and the envelope's
  const object = { id: paymentId, sequence, toJSON: () => data };
  step.event(type, object);
};
