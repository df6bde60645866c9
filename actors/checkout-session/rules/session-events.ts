/** Emits the event of a session that was created or whose status changed. */
import type { SessionState } from '../state.ts';
import { sessionView } from '../view.ts';
import type { Rule } from './rule.ts';

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
