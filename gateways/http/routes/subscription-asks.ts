/** What the fields of an action on a subscription ask of it, and how its refusals are told: for the action and for its
 *  preview. The dates of a request are compared here with now. */
import { planCopyOf } from '../../../actors/plan/messages.ts';
import type { SubscriptionCommands } from '../../../actors/subscription/messages.ts';
import type { Asked } from '../../../actors/subscription/requests.ts';
import type { SubscriptionState } from '../../../actors/subscription/state.ts';
import { fieldError } from '../../../src/errors.ts';
import type { Snapshot } from '../../../src/runtime/model/client.ts';
import type { Caller } from '../access/auth.ts';
import { refusalOf, refused, type Answer, type NotDone, type Refused } from '../route/answer.ts';
import { checkedInstant } from '../route/instant.ts';
import { invalid } from '../route/route.ts';
import type { actions } from '../schemas/subscription-preview.ts';
import { planIn } from './plans.ts';
import { unknownIn, type SubscriptionParts } from './subscriptions.ts';

/** The last part of its path. */
export type Action = (typeof actions)[number];

/** Of all actions; each reads its own. */
export interface Fields {
  readonly pauseReason?: string;
  readonly resumeAt?: string;
  readonly cancelReason?: string;
  readonly atPeriodEnd?: boolean;
  readonly planId?: string;
  readonly trialEndsAt?: string;
}

interface AskingOf<K extends Asked> {
  readonly command: K;
  readonly data: SubscriptionCommands[K];
  /** `A paused subscription cannot ...`. */
  readonly cannot: string;
  /** What it has refused, in other words than those of its code; null: in those. */
  readonly inWords?: (code: string) => Refused | null;
}
export type Asking = { [K in Asked]: AskingOf<K> }[Asked];

interface Given {
  readonly parts: Pick<SubscriptionParts, 'client'>;
  readonly caller: Pick<Caller, 'scope' | 'mode'>;
  readonly found: Snapshot<SubscriptionState>;
  readonly fields: Fields;
}

/** Empty is none. */
const textIn = (given: string | undefined): string | null =>
  given === undefined || given === '' ? null : given;

/** An answer where the fields themselves are wrong. */
export const askings: {
  readonly [Each in Action]: (given: Given) => Asking | Answer | Promise<Asking | Answer>;
} = {
  pause({ parts, caller, fields }) {
    const resumeAt = fields.resumeAt === undefined ? null : checkedInstant(fields.resumeAt);
    if (resumeAt !== null && resumeAt <= parts.client.now(caller.scope))
      return invalid([fieldError('resumeAt', 'must_be_later', 'now')]);
    const data = { reason: textIn(fields.pauseReason), resumeAt };
    return { command: 'pause', data, cannot: 'be paused' };
  },
  resume: () => ({ command: 'resume', data: {}, cannot: 'be resumed' }),
  cancel: ({ fields: { cancelReason, atPeriodEnd = false } }) => ({
    command: 'cancel',
    data: { reason: textIn(cancelReason), atPeriodEnd },
    cannot: 'be cancelled',
  }),
  'change-plan': planChange,
  'end-trial': () => ({ command: 'endTrial', data: {}, cannot: 'end its trial' }),
  'extend-trial'({ fields: { trialEndsAt } }) {
    if (trialEndsAt === undefined) return invalid([fieldError('trialEndsAt', 'required')]);
    return {
      command: 'extendTrial',
      data: { trialEndsAt: checkedInstant(trialEndsAt) },
      cannot: 'extend its trial',
      inWords: (code) => {
        if (code === 'trial_end_not_later')
          return invalid([fieldError('trialEndsAt', 'must_be_later', 'the end of the trial so far')]);
        if (code === 'trial_end_too_late')
          return invalid([fieldError('trialEndsAt', 'too_large', '365 days from now')]);
        return null;
      },
    };
  },
};

async function planChange({
  parts: { client },
  caller,
  found: { state },
  fields: { planId },
}: Given): Promise<Asking | Answer> {
  if (planId === undefined) return invalid([fieldError('planId', 'required')]);
  const plan = await planIn(client, planId, caller.scope);
  if (plan === null) return unknownIn('planId', 'plan', planId, caller);
  const isInactive = plan.state.status === 'inactive';
  return {
    command: 'changePlan',
    data: { plan: planCopyOf(planId, plan.state), ...(isInactive ? { isInactive } : {}) },
    cannot: 'change its plan',
    inWords: (code) =>
      code === 'invalid_state' && state.cancelAtPeriodEnd
        ? refused('invalid_state', {
            message: 'It ends with its period. Resume it first, then change its plan.',
            currentStatus: state.status,
          })
        : null,
  };
}

export function refusedBy({ inWords, cannot }: Asking, result: NotDone): Refused {
  const own = result.is === 'refused' ? (inWords?.(result.code) ?? null) : null;
  return own ?? refusedAs('subscription', result, cannot);
}

/** In words: the state that refuses, and what cannot be done in it. */
export function refusedAs(object: 'subscription' | 'invoice', result: NotDone, cannot: string): Refused {
  if (result.is !== 'refused' || result.code !== 'invalid_state') return refusalOf(result);
  const { currentStatus } = result.detail;
  if (typeof currentStatus !== 'string') return refusalOf(result);
  return refusalOf(result, { message: sentence(object, currentStatus, cannot) });
}

export function sentence(object: string, status: string, cannot: string): string {
  const article = /^[aeiou]/.test(status) ? 'An' : 'A';
  return `${article} ${status.replace('_', ' ')} ${object} cannot ${cannot}.`;
}
