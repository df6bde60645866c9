/** What comes next of a subscription, and what an action would do. */
import { Type } from 'typebox';
import { effectCodes, stepCodes, type EffectCode } from '../../../actors/subscription/ahead.ts';
import { shown } from '../route/description.ts';
import { integerOrNull, object, oneOf, textOrNull, time } from './parts.ts';

const comingOf = <Code extends EffectCode>(codes: readonly Code[], description: string) =>
  Type.Object({
    at: time('When.'),
    is: oneOf(codes, description),
    invoiceId: textOrNull(
      'The invoice that it is about; of a pause or an end, the one that was not paid in time. null: none, or one ' +
        'that does not exist yet.',
    ),
    amount: integerOrNull('In paisa: of the invoice, or of the plan that takes over. null: neither.'),
  });

const steps =
  '`invoice_opens`, then `due`, `reminder` and `past_due`: while an invoice is not paid. `pause`, `cancel`, ' +
  '`resume`, `completed`: the subscription. `trial_ends`, `renewal`, `plan_change`: with the next period.';

export const nextSteps = Type.Array(comingOf(stepCodes, steps), {
  description:
    'What it does if nothing happens and nobody pays: the next 12 steps, the next first. [] once it has ended.',
});

/** What can be previewed: the last part of its path. */
export const actions = ['pause', 'resume', 'cancel', 'change-plan', 'end-trial', 'extend-trial'] as const;

export const actionPreview = shown(
  object('SubscriptionPreview', 'What an action would do.', {
    action: oneOf(actions, 'The action in question.'),
    effects: Type.Array(
      comingOf(
        effectCodes,
        'As in `nextSteps`, and: `invoice_voided`; `invoice_moved`, it is paid already and counts for the new ' +
          'period; `cancel_taken_back`, `plan_change_taken_back`, it goes on, or keeps its plan.',
      ),
      { description: 'What it does now, and what it arranges for later.' },
    ),
    nextSteps,
  }),
  {
    action: 'cancel',
    effects: [
      { at: '2026-02-01T06:15:00.000Z', is: 'cancel', invoiceId: null, amount: null },
      {
        at: '2026-02-01T06:15:00.000Z',
        is: 'invoice_voided',
        invoiceId: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
        amount: 150_000,
      },
    ],
    nextSteps: [],
  },
);
