/** What is done to a subscription: pause, resume, cancel, change its plan, end or extend its trial.
 *  1. The subscription decides; the dates of a request are compared here with now. */
import { Type, type Static } from 'typebox';
import { planCopyOf } from '../../../actors/plan/messages.ts';
import { subscriptionAt, type SubscriptionCommands } from '../../../actors/subscription/messages.ts';
import { canPreview, prorationOf } from '../../../actors/subscription/proration.ts';
import { fieldError } from '../../../src/errors.ts';
import { iso } from '../../../src/kernel/time.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { done, notFound, refusalOf, refused, type Answer } from '../route/answer.ts';
import { checkedInstant } from '../route/instant.ts';
import { invalid } from '../route/route.ts';
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
import {
  openedAfter,
  subscriptionIn,
  subscriptions,
  unknownIn,
  type SubscriptionParts,
} from './subscriptions.ts';

const planId = { planId: Type.String({ description: 'The new plan.' }) };

const pauseBody = Type.Object({
  pauseReason: Type.Optional(about('Why.', text(500))),
  resumeAt: Type.Optional(about('When it goes on by itself; later than now.', instant)),
});
const cancelBody = Type.Object({
  cancelReason: Type.Optional(about('Why.', text(500))),
  atPeriodEnd: Type.Optional(
    Type.Boolean({ description: 'true: it ends with its period. false (default): now.' }),
  ),
});
const changePlanBody = Type.Object(planId);
const extendTrialBody = Type.Object({
  trialEndsAt: about('Later than before, and at most 365 days ahead.', instant),
});

type ActionCall<Body> = Call<'secret', Body, object, ById>;

const common = { resource: subscriptions, object: 'subscription', key: 'secret', reply: 200 } as const;

export const subscriptionActionRoutes = (parts: SubscriptionParts) => [
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/subscriptions/{id}/pause', dashboard: true },
    operation: 'pauseSubscription',
    summary: 'Pause a subscription',
    description:
      'No invoices open and its period stands still. Invoices that are open can still be paid, and their ' +
      'reminders go on.',
    answer: pausedSubscription,
    exampleBody: { pauseReason: 'On holiday' },
    errors: ['invalid_state'],
    body: pauseBody,
    handle: (call) => paused(parts, call),
  }),
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/subscriptions/{id}/resume', dashboard: true },
    operation: 'resumeSubscription',
    summary: 'Resume a subscription, or take back that it ends with its period',
    description:
      'Within the period that stood still, that period goes on. After its end a new one starts now, and its ' +
      'invoice opens at once.',
    answer: resumedSubscription,
    errors: ['invalid_state'],
    handle: (call) => acted(parts, call, 'resume', {}, 'be resumed'),
  }),
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/subscriptions/{id}/cancel', dashboard: true },
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
    handle: (call) => {
      const { cancelReason, atPeriodEnd = false } = call.body;
      return acted(parts, call, 'cancel', { reason: textIn(cancelReason), atPeriodEnd }, 'be cancelled');
    },
  }),
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/subscriptions/{id}/change-plan', dashboard: true },
    operation: 'changeSubscriptionPlan',
    summary: 'Change the plan at the next renewal',
    description:
      'An open invoice of the next period is voided and opened anew at the new price. The current plan takes ' +
      'back a change that is scheduled.',
    answer: switchingSubscription,
    exampleBody: { planId: 'bp_z1t9xj9gt9tht7315wyd8t7f' },
    errors: ['invalid_state', 'plan_unchanged', 'plan_inactive'],
    body: changePlanBody,
    handle: (call) => planChanged(parts, call),
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
    handle: (call) => acted(parts, call, 'endTrial', {}, 'end its trial'),
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
    handle: (call) => trialExtended(parts, call),
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

/** Empty is none. */
const textIn = (given: string | undefined): string | null =>
  given === undefined || given === '' ? null : given;

/** Sends a command; answers the subscription once no invoice of it is opening. */
async function acted<K extends keyof SubscriptionCommands>(
  parts: SubscriptionParts,
  { caller: { scope }, params, identity }: ActionCall<unknown>,
  command: K,
  data: SubscriptionCommands[K],
  cannot: string,
  refusalsOf: (code: string) => Answer | null = () => null,
): Promise<Answer> {
  const id = params.id;
  if ((await subscriptionIn(parts.client, id, scope)) === null) return notFound;
  const result = await parts.client.ask(subscriptionAt(id), command, data, {
    by: 'merchant',
    scope,
    ...identity,
  });
  if (result.is === 'ok') return openedAfter(parts, id, scope, result);
  const own = result.is === 'refused' ? refusalsOf(result.code) : null;
  return own ?? refusedAs('subscription', result, cannot);
}

/** In words: the state that refuses, and what cannot be done in it. */
export function refusedAs(
  object: 'subscription' | 'invoice',
  result: Exclude<AskResult, { is: 'ok' }>,
  cannot: string,
): Answer {
  if (result.is !== 'refused' || result.code !== 'invalid_state') return refusalOf(result);
  const { currentStatus } = result.detail;
  if (typeof currentStatus !== 'string') return refusalOf(result);
  return refusalOf(result, { message: sentence(object, currentStatus, cannot) });
}

function sentence(object: string, status: string, cannot: string): string {
  const article = /^[aeiou]/.test(status) ? 'An' : 'A';
  return `${article} ${status.replace('_', ' ')} ${object} cannot ${cannot}.`;
}

async function paused(parts: SubscriptionParts, call: ActionCall<Static<typeof pauseBody>>): Promise<Answer> {
  const { caller, params, body } = call;
  const resumeAt = body.resumeAt === undefined ? null : checkedInstant(body.resumeAt);
  if ((await subscriptionIn(parts.client, params.id, caller.scope)) === null) return notFound;
  if (resumeAt !== null && resumeAt <= parts.client.now(caller.scope))
    return invalid([fieldError('resumeAt', 'must_be_later', 'now')]);
  return acted(parts, call, 'pause', { reason: textIn(body.pauseReason), resumeAt }, 'be paused');
}

async function planChanged(
  parts: SubscriptionParts,
  call: ActionCall<Static<typeof changePlanBody>>,
): Promise<Answer> {
  const { caller, params, body } = call;
  const found = await subscriptionIn(parts.client, params.id, caller.scope);
  if (found === null) return notFound;
  const plan = await planIn(parts.client, body.planId, caller.scope);
  if (plan === null) return unknownIn('planId', 'plan', body.planId, caller);
  const isInactive = plan.state.status === 'inactive';
  const command = { plan: planCopyOf(body.planId, plan.state), ...(isInactive ? { isInactive } : {}) };
  return acted(parts, call, 'changePlan', command, 'change its plan', (code) =>
    code === 'invalid_state' && found.state.cancelAtPeriodEnd
      ? refused('invalid_state', {
          message: 'It ends with its period. Resume it first, then change its plan.',
          currentStatus: found.state.status,
        })
      : null,
  );
}

const trialExtended = (
  parts: SubscriptionParts,
  call: ActionCall<Static<typeof extendTrialBody>>,
): Promise<Answer> => {
  const trialEndsAt = checkedInstant(call.body.trialEndsAt);
  return acted(parts, call, 'extendTrial', { trialEndsAt }, 'extend its trial', (code) => {
    if (code === 'trial_end_not_later')
      return invalid([fieldError('trialEndsAt', 'must_be_later', 'the end of the trial so far')]);
    if (code === 'trial_end_too_late')
      return invalid([fieldError('trialEndsAt', 'too_large', '365 days from now')]);
    return null;
  });
};

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
