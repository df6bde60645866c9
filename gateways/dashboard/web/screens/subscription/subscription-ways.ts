/** What can be done with a subscription, by its state. Pure. */
import type { Subscription } from '../../wire/billing-types.ts';

export type Way =
  | 'resume'
  | 'take-back'
  | 'pause'
  | 'end-trial'
  | 'extend-trial'
  | 'change-plan'
  | 'keep-plan'
  | 'edit'
  | 'cancel';

/** As docs/reference/api/subscriptions.md allows them. */
export function waysOf(
  subscription: Pick<Subscription, 'displayStatus' | 'cancelAtPeriodEnd' | 'nextPlan'>,
): readonly Way[] {
  const { displayStatus, cancelAtPeriodEnd, nextPlan } = subscription;
  if (displayStatus === 'cancelled' || displayStatus === 'completed') return ['edit'];
  const isRunning = displayStatus === 'active' || displayStatus === 'past_due';
  return [
    ...(displayStatus === 'paused' ? (['resume'] as const) : []),
    ...(cancelAtPeriodEnd ? (['take-back'] as const) : []),
    ...(isRunning ? (['pause'] as const) : []),
    ...(displayStatus === 'trialing' ? (['end-trial', 'extend-trial'] as const) : []),
    ...(cancelAtPeriodEnd ? [] : (['change-plan'] as const)),
    ...(nextPlan === null || cancelAtPeriodEnd ? [] : (['keep-plan'] as const)),
    'edit',
    'cancel',
  ];
}
