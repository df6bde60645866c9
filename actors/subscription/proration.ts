/** What a change of plan would be worth in the middle of a period. Nothing is prorated: this is shown only. Pure. */
import type { Instant } from '../../src/kernel/time.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import type { PlanCopy, Subscription } from './state.ts';

export interface Proration {
  readonly unusedCredit: Paisa;
  readonly newPlanCharge: Paisa;
  readonly netAmount: Paisa;
}

/** Only a period that runs has something left of it. */
export const canPreview = ({ status }: Pick<Subscription, 'status'>): boolean =>
  status === 'active' || status === 'past_due';

/** If the plan were changed now. The second that runs is not used yet. */
export function prorationOf(
  { plan, period: { start, end } }: Pick<Subscription, 'plan' | 'period'>,
  next: Pick<PlanCopy, 'amount'>,
  now: Instant,
): Proration {
  const all = Math.floor((end - start) / 1000);
  const used = Math.min(all, Math.max(0, Math.floor((now - start) / 1000)));
  // the product may be larger than a double can hold exactly
  const unusedCredit = Number((BigInt(plan.amount) * BigInt(all - used)) / BigInt(all));
  return { unusedCredit, newPlanCharge: next.amount, netAmount: next.amount - unusedCredit };
}
