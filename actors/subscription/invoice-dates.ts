/** When an invoice opens, and the steps that follow while it is not paid. Pure.
 *  1. `due` is the start of the period it bills. A day is 24 hours: the calendar of calendar.ts has no others.
 *  2. An invoice can always be paid for a day before anything happens because it is overdue. */
import { days, hours, type Instant } from '../../src/kernel/time.ts';

export const overdueActions = ['keep_active', 'mark_past_due', 'pause', 'cancel'] as const;
export type OverdueAction = (typeof overdueActions)[number];

/** The terms of a plan, as they are copied to each invoice when it opens. */
export interface DunningTerms {
  /** 0 to 365. */
  readonly gracePeriodDays: number;
  /** 0 to 30; 0: the invoice opens when it is due. */
  readonly reminderDaysBeforeDue: number;
  /** 0 to 30; 0: no reminders after the due day. */
  readonly overdueReminderIntervalDays: number;
  readonly overdueAction: OverdueAction;
}

export interface OpeningDates {
  /** null: the invoice opens at once and was never a draft. */
  readonly draftAt: Instant | null;
  readonly opensAt: Instant;
}

/** How long before it opens an invoice appears as a draft. */
const draftBeforeMs = hours(1);
/** After so long there are no more reminders. */
const remindedMsMax = days(60);
const payableMsMin = days(1);

/** `earliest`: the start of the period before the billed one; for the first invoice, when its subscription was
 *  created. */
export function openingDates(
  due: Instant,
  earliest: Instant,
  { reminderDaysBeforeDue }: Pick<DunningTerms, 'reminderDaysBeforeDue'>,
): OpeningDates {
  const opensAt = Math.max(earliest, due - days(reminderDaysBeforeDue));
  return { opensAt, draftAt: opensAt === earliest ? null : Math.max(earliest, opensAt - draftBeforeMs) };
}

/** When an unpaid invoice becomes past due. */
export const overdueAt = (
  due: Instant,
  openedAt: Instant,
  { gracePeriodDays }: Pick<DunningTerms, 'gracePeriodDays'>,
): Instant => Math.max(due + days(gracePeriodDays), openedAt + payableMsMin);

/** A step of an unpaid invoice. The reminder of the due day has the attempt number 0. */
export type DunningStep =
  | { readonly at: Instant; readonly step: 'reminder'; readonly attemptNumber: number }
  | { readonly at: Instant; readonly step: 'overdue'; readonly action: OverdueAction };

/** The steps after the opening, in the order in which they happen, without the first `done`. */
export function dunningSteps(
  due: Instant,
  openedAt: Instant,
  terms: DunningTerms,
  done = 0,
): readonly DunningStep[] {
  const steps: DunningStep[] = [];
  for (let n = done; ; n++) {
    const step = dunningStep(due, openedAt, terms, n);
    if (step === null) return steps;
    steps.push(step);
  }
}

/** The step after so many; null: there is none. Computed alone, because it is asked for each time that a subscription
 *  looks for what it does next. */
export function dunningStep(
  due: Instant,
  openedAt: Instant,
  terms: DunningTerms,
  done: number,
): DunningStep | null {
  const { overdueReminderIntervalDays: every, overdueAction: action } = terms;
  const early = openedAt < due ? 1 : 0;
  // an invoice that was held back by a pause may open after its due day
  const first = early === 1 || every === 0 ? 1 : Math.floor((openedAt - due) / days(every)) + 1;
  const last = every === 0 ? 0 : Math.floor(remindedMsMax / days(every));
  const at = overdueAt(due, openedAt, terms);
  // at one instant a reminder is sent first
  const lastBefore = every === 0 ? 0 : Math.min(last, Math.floor((at - due) / days(every)));
  const remindedBefore = early + Math.max(0, lastBefore - first + 1);
  if (done === remindedBefore) return { at, step: 'overdue', action };
  const nth = done < remindedBefore ? done : done - 1;
  if (early === 1 && nth === 0) return { at: due, step: 'reminder', attemptNumber: 0 };
  const attemptNumber = first + nth - early;
  return attemptNumber > last
    ? null
    : { at: due + days(attemptNumber * every), step: 'reminder', attemptNumber };
}
