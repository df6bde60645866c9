/** What subscriptions are billed by. Amount, interval and trial never change: those who subscribed agreed to
 *  them. */
import {
  actor,
  isLive,
  raised,
  type Turn,
  type Verdict,
  type ViewMeta,
} from '../../src/runtime/model/actor.ts';
import { metadataKeysMax } from '../checkout-session/order.ts';
import { isSameJson, mergedMetadata } from '../metadata.ts';
import type { PlanCommands, PlanFields, PlanState, PlanTypes } from './messages.ts';
import type { Kind } from '../kind.ts';
import { iso } from '../../src/kernel/time.ts';

type X = Turn<PlanTypes>;

export const plan = actor<PlanTypes>('plan', 'bp', {
  schema: 1,
  on: {
    create: {
      by: 'merchant',
      creates: (request, x) =>
        x.become('active', { ...request, sequence: 1, createdAt: x.now, updatedAt: x.now }),
      _any: (_plan, _command, x) => x.ok(),
    },
    change: { by: 'merchant', _any: change },
  },
  effects: {},
  timers: {},
  restored: raised,
  view: planView,
  indexes: ['status'],
});

export const planKind = { actor: plan } as const satisfies Kind;

function change(
  before: PlanState,
  { active, terms, metadata, ...set }: PlanCommands['change'],
  x: X,
): Verdict {
  const { status: was, ...fields } = before;
  const after: PlanFields = {
    ...fields,
    ...set,
    terms: { ...fields.terms, ...terms },
    metadata: mergedMetadata(fields.metadata, metadata),
  };
  if (Object.keys(after.metadata).length > metadataKeysMax) return x.refuse('metadata_too_many_keys');
  const status = (active ?? was === 'active') ? 'active' : 'inactive';
  if (status === was && isSameJson(fields, after)) return x.ok();
  return x.become(status, { ...after, sequence: before.sequence + 1, updatedAt: x.now });
}

/** The Plan object of docs/reference/api/plans.md. */
export function planView(plan: PlanState, { id, scope }: Pick<ViewMeta, 'id' | 'scope'>) {
  return {
    id,
    livemode: isLive(scope),
    name: plan.name,
    description: plan.description,
    amount: plan.amount,
    currency: 'NPR' as const,
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
  };
}
