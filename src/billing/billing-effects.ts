/** Runs the effect `billing.read`: the plan and the customer of an invoice that opens, as they are stored now. */
import { customerCopyOf, type CustomerState } from '../../actors/customer/messages.ts';
import { planCopyOf, type PlanState } from '../../actors/plan/messages.ts';
import type { SubscriptionCommands, SubscriptionEffects } from '../../actors/subscription/messages.ts';
import type { EffectRunners } from '../runtime/delivery/effects.ts';
import type { DocReader } from '../runtime/model/upcast.ts';

/** Reads that run at once on one node. */
const atOnce = 16;

export function billingEffects(docs: Pick<DocReader, 'read'>): EffectRunners {
  const run = async ({
    invoiceId,
    planId,
    customerId,
  }: SubscriptionEffects['billing.read']): Promise<SubscriptionCommands['read']> => {
    const [plan, customer] = await Promise.all([
      docs.read('plan', planId),
      docs.read('customer', customerId),
    ]);
    return {
      invoiceId,
      // the bodies of these kinds
      plan: plan === null ? null : planCopyOf(planId, plan.body as unknown as PlanState),
      customer:
        customer === null ? null : customerCopyOf(customerId, customer.body as unknown as CustomerState),
    };
  };
  return { 'billing.read': { run, atOnce } };
}
