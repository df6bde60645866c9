/** What is done to a subscription: pause, resume, cancel, change its plan, end or extend its trial.
 *  1. The subscription decides; what it is asked is made in subscription-asks.ts. */
import { Type } from 'typebox';
import { reasonCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { canPreview, prorationOf } from '../../../actors/subscription/proration.ts';
import { iso } from '../../../src/kernel/time.ts';
import { done, notFound, refused, type Answer } from '../route/answer.ts';
import { about, instant, text } from '../route/schemas.ts';
import { route, type ById, type Call } from '../route/spec.ts';
import { prorationPreview } from '../schemas/subscription.ts';
import {
  cancelledSubscription,
  extendedTrial,
  endedTrial,
  pausedSubscription,
  resumedSubscription,
  switchingSubscription,
} from '../schemas/subscription-examples.ts';
import { planIn } from './plans.ts';
import { askings, refusedBy, sentence, type Action, type Fields } from './subscription-asks.ts';
import {
  askAndShowOpened,
  subscriptionIn,
  subscriptions,
  unknownIn,
  type SubscriptionParts,
} from './subscriptions.ts';

const planId = { planId: Type.String({ description: 'The new plan.' }) };

export const pauseBody = Type.Object({
  pauseReason: Type.Optional(about('Why.', text(reasonCharactersMax))),
  resumeAt: Type.Optional(about('When it goes on by itself; later than now.', instant)),
});
export const cancelBody = Type.Object({
  cancelReason: Type.Optional(about('Why.', text(reasonCharactersMax))),
  atPeriodEnd: Type.Optional(
    Type.Boolean({ description: 'true: it ends with its period. false (default): now.' }),
  ),
});
export const changePlanBody = Type.Object(planId);
export const extendTrialBody = Type.Object({
  trialEndsAt: about('Later than before, and at most 365 days ahead.', instant),
});

type ActionCall<Body> = Call<'secret', Body, object, ById>;

const common = { resource: subscriptions, object: 'subscription', key: 'secret', reply: 200 } as const;

export const subscriptionActionRoutes = (parts: SubscriptionParts) => [
  route({
    ...common,
    method: 'POST',
    at: {
      api: '/v1/billing/subscriptions/{id}/pause',
      dashboard: true,
      command: 'subscription.pause',
    },
    operation: 'pauseSubscription',
    summary: 'Pause a subscription',
    description:
      'No invoices open and its period stands still. Invoices that are open can still be paid, and their ' +
      'reminders go on.',
    answer: pausedSubscription,
    exampleBody: { pauseReason: 'On holiday' },
    errors: ['invalid_state'],
    body: pauseBody,
    handle: (call) => acted(parts, call, 'pause'),
  }),
  route({
    ...common,
    method: 'POST',
    at: {
      api: '/v1/billing/subscriptions/{id}/resume',
      dashboard: true,
      command: 'subscription.resume',
    },
    operation: 'resumeSubscription',
    summary: 'Resume a subscription, or take back that it ends with its period',
    description:
      'Within the period that stood still, that period goes on. After its end a new one starts now, and its ' +
      'invoice opens at once.',
    answer: resumedSubscription,
    errors: ['invalid_state'],
    handle: (call) => acted(parts, call, 'resume'),
  }),
  route({
    ...common,
    method: 'POST',
    at: {
      api: '/v1/billing/subscriptions/{id}/cancel',
      dashboard: true,
      command: 'subscription.cancel',
    },
    operation: 'cancelSubscription',
    summary: 'Cancel a subscription, now or at the end of its period',
    description:
      'Now: its unpaid invoices are voided. At the end of the period: the invoice of the next period is ' +
      'voided if it is open; if it is paid already, the subscription ends with that period. `resume` takes ' +
      'it back until then.',
    answer: cancelledSubscription,
    exampleBody: { cancelReason: 'Too expensive' },
    errors: ['invalid_state'],
    body: cancelBody,
    handle: (call) => acted(parts, call, 'cancel'),
  }),
  route({
    ...common,
    method: 'POST',
    at: {
      api: '/v1/billing/subscriptions/{id}/change-plan',
      dashboard: true,
      command: 'subscription.change-plan',
    },
    operation: 'changeSubscriptionPlan',
    summary: 'Change the plan at the next renewal',
    description:
      'An open invoice of the next period is voided and opened anew at the new price. The current plan takes ' +
      'back a change that is scheduled.',
    answer: switchingSubscription,
    exampleBody: { planId: 'bp_z1t9xj9gt9tht7315wyd8t7f' },
    errors: ['invalid_state', 'plan_unchanged', 'plan_inactive'],
    body: changePlanBody,
    handle: (call) => acted(parts, call, 'change-plan'),
  }),
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/subscriptions/{id}/end-trial', dashboard: true },
    operation: 'endTrial',
    summary: 'End the trial now',
    description: 'The first billed period starts now, and its invoice opens.',
    answer: endedTrial,
    errors: ['invalid_state'],
    handle: (call) => acted(parts, call, 'end-trial'),
  }),
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/subscriptions/{id}/extend-trial', dashboard: true },
    operation: 'extendTrial',
    summary: 'Extend the trial',
    description: 'An invoice that is open already is voided, and issued anew with the new dates.',
    answer: extendedTrial,
    exampleBody: { trialEndsAt: '2027-01-15T18:15:00.000Z' },
    errors: ['invalid_state'],
    body: extendTrialBody,
    handle: (call) => acted(parts, call, 'extend-trial'),
  }),
  route({
    ...common,
    method: 'GET',
    at: { api: '/v1/billing/subscriptions/{id}/preview-proration', dashboard: true },
    operation: 'previewProration',
    summary: 'Preview what a change of plan would cost now',
    description:
      'Nothing is changed, and nothing is ever prorated: a change of plan applies at the next renewal. This ' +
      'says what it would be worth if it applied now.',
    answer: prorationPreview,
    errors: ['invalid_state'],
    query: Type.Object(planId),
    handle: (call) => previewed(parts, call),
  }),
];

/** Asks the subscription; answers it once no invoice of it is opening. */
async function acted(
  parts: SubscriptionParts,
  { caller, params, body, identity }: ActionCall<Fields>,
  action: Action,
): Promise<Answer> {
  const { scope } = caller;
  const found = await subscriptionIn(parts.client, params.id, scope);
  if (found === null) return notFound;
  const asking = await askings[action]({ parts, caller, found, fields: body });
  if (!('command' in asking)) return asking;
  const { command, data } = asking;
  const { id } = found.meta;
  const as = { by: 'merchant', scope, ...identity } as const;
  return askAndShowOpened(parts, id, command, data, as, (result) => refusedBy(asking, result));
}

async function previewed(
  { client }: SubscriptionParts,
  { caller, params, query }: Call<'secret', unknown, { readonly planId: string }, ById>,
): Promise<Answer> {
  const { scope } = caller;
  const found = await subscriptionIn(client, params.id, scope);
  if (found === null) return notFound;
  const next = await planIn(client, query.planId, scope);
  if (next === null) return unknownIn('planId', 'plan', query.planId, caller);
  const { status, plan } = found.state;
  if (!canPreview(found.state))
    return refused('invalid_state', {
      message: sentence('subscription', status, 'preview another plan'),
      currentStatus: status,
    });
  const now = client.now(scope);
  return done({
    subscriptionId: found.meta.id,
    fromPlanId: plan.id,
    toPlanId: next.meta.id,
    at: iso(now),
    ...prorationOf(found.state, next.state, now),
    currency: 'NPR',
    applied: false,
  });
}
