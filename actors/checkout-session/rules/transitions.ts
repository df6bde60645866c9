/** Records every change of status in the timeline, with its cause. */
import { paymentIn, type Rule } from './rule.ts';

export const transitions: Rule = (step, { x: { id }, before, after, also: { cause, notes = [] } }) => {
  for (const note of notes) step.note(note);
  if (before === null) return;
  for (const [index, payment] of after.payments.entries()) {
    const { id: about, provider, status: to, failure, late, duplicate } = payment;
    const from = paymentIn(before, about)?.status ?? null;
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
