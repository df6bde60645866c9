/** A plan as outsiders see it. */
import { iso } from '../../src/kernel/time.ts';
import { isLive, type ViewMeta } from '../../src/runtime/model/actor.ts';
import type { PlanState } from './messages.ts';

export interface PlanView {
  readonly id: string;
  readonly sequence: number;
  readonly [field: string]: unknown;
}

/** The Plan object of docs/reference/api/plans.md. */
export const planView = (plan: PlanState, { id, scope }: Pick<ViewMeta, 'id' | 'scope'>): PlanView => ({
  id,
  livemode: isLive(scope),
  name: plan.name,
  description: plan.description,
  amount: plan.amount,
  currency: 'NPR',
  intervalUnit: plan.interval.unit,
  intervalCount: plan.interval.count,
  gracePeriodDays: plan.terms.gracePeriodDays,
  trialDays: plan.trialDays,
  active: plan.status === 'active',
  defaultProvider: plan.defaultProvider,
  dunningSettings: {
    reminderDaysBeforeDue: plan.terms.reminderDaysBeforeDue,
    overdueReminderIntervalDays: plan.terms.overdueReminderIntervalDays,
    overdueAction: plan.terms.overdueAction,
  },
  metadata: plan.metadata,
  sequence: plan.sequence,
  createdAt: iso(plan.createdAt),
  updatedAt: iso(plan.updatedAt),
});
