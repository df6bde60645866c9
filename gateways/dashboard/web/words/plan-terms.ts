/** What a plan does with an invoice that nobody pays, in days from the day it is due. Pure. */
import {
  dunningSteps,
  overdueAt,
  type DunningTerms,
  type OverdueAction,
} from '../../../../actors/subscription/invoice-dates.ts';
import { dayMs, daysText } from './time.ts';

/** The due day, as an instant that every day can be counted from. */
const due = 0;

const consequences: Readonly<Record<OverdueAction, string>> = {
  mark_past_due: 'the subscription is marked past due',
  keep_active: 'the subscription stays active',
  pause: 'the subscription is paused',
  cancel: 'the subscription is cancelled',
};

export function planTermsText(terms: DunningTerms): readonly string[] {
  const { reminderDaysBeforeDue, overdueReminderIntervalDays: every, overdueAction } = terms;
  const openedAt = due - reminderDaysBeforeDue * dayMs;
  const reminders = dunningSteps(due, openedAt, terms).filter(
    ({ step, at }) => step === 'reminder' && at > due,
  );
  const overdue = Math.round(overdueAt(due, openedAt, terms) / dayMs);
  const last = reminders.at(-1);
  return [
    reminderDaysBeforeDue === 0
      ? 'It opens on the day it is due, with a mail and a page to pay on.'
      : `It opens ${daysText(reminderDaysBeforeDue)} before it is due, with a mail and a page to pay on. ` +
        'On the due day it is mailed again.',
    overdue === 0
      ? `On the due day it becomes past due and ${consequences[overdueAction]}.`
      : `${daysText(overdue)} after the due day it becomes past due and ${consequences[overdueAction]}.`,
    last === undefined || overdueAction === 'cancel'
      ? 'No reminder is sent after that.'
      : `A reminder is sent every ${every === 1 ? 'day' : daysText(every)}, the last one ` +
        `${daysText(Math.round(last.at / dayMs))} after the due day.`,
  ];
}
