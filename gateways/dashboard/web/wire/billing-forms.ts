/** The forms of billing: from the texts that were typed to requests. Bounds are those of docs/reference/api.
 *  Pure. */
import { overdueActions } from '../../../../actors/subscription/invoice-dates.ts';
import { amountPaisaMax, amountPaisaMin, displayNpr } from '../../../../src/kernel/money.ts';
import {
  descriptionCharactersMax,
  emailCharactersMax,
  nameCharactersMax,
  phoneCharactersMax,
  referenceCharactersMax,
} from '../../../../src/kernel/text-bounds.ts';
import { paisaFrom } from '../words/rupees.ts';
import { dayMs, nepalInstant } from '../words/time.ts';
import type {
  CustomerRequest,
  IntervalUnit,
  OverdueAction,
  PlanChange,
  PlanRequest,
  SubscriptionChange,
  SubscriptionRequest,
} from './billing-types.ts';
import {
  good,
  optionalText,
  readForm,
  requiredText,
  wholeNumber,
  wholeOrNothing,
  wrong,
  type ReadField,
  type ReadForm,
  type TextOf,
} from './form-reading.ts';

export const intervalUnits: readonly IntervalUnit[] = ['day', 'week', 'month', 'quarter', 'year'];
const trialDaysMax = 365;
const graceDaysMax = 365;
const reminderDaysMax = 30;
const intervalCountMax = 365;
const cyclesMax = 1000;

/** What a plan asks of both forms: the one that creates it and the one that changes it. */
const changeable = (text: TextOf) => ({
  name: requiredText(text('name'), nameCharactersMax, 'Write what is sold: your customers see it.'),
  description: optionalText(text('description'), descriptionCharactersMax),
  defaultProvider: good(text('defaultProvider') === '' ? null : text('defaultProvider')),
  gracePeriodDays: wholeNumber(text('gracePeriodDays'), 0, graceDaysMax),
  reminderDaysBeforeDue: wholeNumber(text('reminderDaysBeforeDue'), 0, reminderDaysMax),
  overdueReminderIntervalDays: wholeNumber(text('overdueReminderIntervalDays'), 0, reminderDaysMax),
  overdueAction: good(overdueActionFrom(text('overdueAction'))),
});

export const overdueActionFrom = (text: string): OverdueAction =>
  overdueActions.find((each) => each === text) ?? 'mark_past_due';

export const planRequestFrom = (text: TextOf): ReadForm<PlanRequest> =>
  readForm(
    {
      ...changeable(text),
      amount: amountFrom(text('amount')),
      intervalUnit: good(intervalUnits.find((each) => each === text('intervalUnit')) ?? 'month'),
      intervalCount: wholeNumber(text('intervalCount'), 1, intervalCountMax),
      trialDays: wholeNumber(text('trialDays'), 0, trialDaysMax),
    },
    (values) => values,
  );

export const planChangeFrom = (text: TextOf): ReadForm<PlanChange> =>
  readForm(changeable(text), (values) => values);

export function amountFrom(typed: string): ReadField<number> {
  const paisa = paisaFrom(typed);
  if (paisa === null) return wrong('Write an amount like 250 or 250.50.');
  if (paisa < amountPaisaMin) return wrong(`At least ${displayNpr(amountPaisaMin)}.`);
  return paisa > amountPaisaMax ? wrong(`At most ${displayNpr(amountPaisaMax)}.`) : good(paisa);
}

export const customerRequestFrom = (text: TextOf): ReadForm<CustomerRequest> =>
  readForm(
    {
      name: requiredText(text('name'), nameCharactersMax, 'Write the name of the customer.'),
      email: emailFrom(text('email')),
      phone: optionalText(text('phone'), phoneCharactersMax),
      externalCustomerId: optionalText(text('externalCustomerId'), referenceCharactersMax),
    },
    (values) => values,
  );

/** Only what cannot be one: the service decides. */
function emailFrom(typed: string): ReadField<string | null> {
  const read = optionalText(typed, emailCharactersMax);
  if (read.error !== null || read.value === null || /^[^\s@]+@[^\s@]+$/.test(read.value)) return read;
  return wrong('Write an e-mail address, or nothing.');
}

/** `now`: on the project's clock. */
export function subscriptionRequestFrom(text: TextOf, now: number): ReadForm<SubscriptionRequest> {
  const start = momentFrom(text('startDate'), now - dayMs, 'Write a time that is not more than a day ago.');
  const begins = Math.max(start.value ?? now, now);
  const trialEnd = momentFrom(text('trialEndsAt'), begins, 'Write a time after the start.');
  const days = wholeOrNothing(text('trialDays'), 0, trialDaysMax);
  const both = days.value !== null && trialEnd.value !== null;
  return readForm(
    {
      customerId: requiredText(text('customerId'), 64, 'Choose who is billed.'),
      planId: requiredText(text('planId'), 64, 'Choose a plan.'),
      startDate: start,
      trialDays: both ? wrong('Write days or an end, not both.') : days,
      trialEndsAt: trialEnd,
      providerPreference: good(text('providerPreference') === '' ? null : text('providerPreference')),
      totalCycles: wholeOrNothing(text('totalCycles'), 1, cyclesMax),
      referenceId: optionalText(text('referenceId'), referenceCharactersMax),
    },
    ({ customerId, planId, startDate, trialEndsAt, ...rest }) => ({
      customerId,
      planId,
      ...given({ startDate: isoOf(startDate), trialEndsAt: isoOf(trialEndsAt), ...rest }),
    }),
  );
}

type Given<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], null> };

/** What is null is left out: the service has its own defaults. */
export const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Given<Fields>;

export const isoOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** An instant after another one; null: nothing was typed. */
export function momentFrom(typed: string, after: number, late: string): ReadField<number | null> {
  if (typed === '') return good(null);
  const at = nepalInstant(typed);
  if (at === null) return wrong('Write a day and a time, or nothing.');
  return at > after ? good(at) : wrong(late);
}

export const subscriptionChangeFrom = (text: TextOf, billed: number): ReadForm<SubscriptionChange> =>
  readForm(
    {
      providerPreference: good(text('providerPreference') === '' ? null : text('providerPreference')),
      referenceId: optionalText(text('referenceId'), referenceCharactersMax),
      totalCycles: wholeOrNothing(text('totalCycles'), Math.max(1, billed), cyclesMax),
    },
    (values) => values,
  );
