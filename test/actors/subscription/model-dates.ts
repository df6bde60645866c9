/** The inputs of the naive model (model.ts), and its own calendar and dunning. */
export const hour = 3_600_000;
export const day = 24 * hour;
const ahead = 5.75 * hour;
export const mostUnpaid = 100;

export interface ModelPlan {
  readonly id: string;
  readonly amount: number;
  readonly interval: { readonly unit: 'day' | 'week' | 'month' | 'quarter' | 'year'; readonly count: number };
  readonly terms: {
    readonly gracePeriodDays: number;
    readonly reminderDaysBeforeDue: number;
    readonly overdueReminderIntervalDays: number;
    readonly overdueAction: 'keep_active' | 'mark_past_due' | 'pause' | 'cancel';
  };
}

export interface ModelOrder {
  readonly at: number;
  readonly plan: ModelPlan;
  readonly startDate: number | null;
  readonly trialEndsAt: number | null;
  readonly trialDays: number;
  readonly totalCycles: number | null;
}

/** `pick`: which of the invoices that are not settled, oldest first. */
export type ModelCall =
  | { readonly is: 'pause'; readonly resumeAt: number | null }
  | { readonly is: 'resume' | 'end trial' }
  | { readonly is: 'cancel'; readonly atPeriodEnd: boolean; readonly reason: string }
  | { readonly is: 'change plan'; readonly plan: ModelPlan }
  | { readonly is: 'extend trial'; readonly to: number }
  | { readonly is: 'void' | 'pay' | 'mark paid'; readonly pick: number }
  | { readonly is: 'set cycles'; readonly to: number | null };

export interface MadeCall {
  readonly at: number;
  readonly call: ModelCall;
}

export interface ModelInvoice {
  status: 'draft' | 'open' | 'past_due' | 'paid' | 'voided';
  number: number | null;
  plan: ModelPlan;
  due: number;
  /** As it was issued. */
  from: number;
  to: number;
  /** The period that it pays for, where that is another one than it was issued for. */
  applies: { readonly from: number; readonly to: number } | null;
  opened: number | null;
  paid: number | null;
  steps: number;
  reminders: number;
  /** It was voided because its period is billed anew, or not at all: it counts for nothing. */
  replaced: boolean;
  voidedByMerchant: boolean;
}

export interface Stretch {
  /** Counted from `anchor`; -1: the trial. */
  n: number;
  from: number;
  to: number;
}
export interface Anchor {
  at: number;
  day: number;
}

/** The period that it pays for. */
export const paysFor = ({
  applies,
  from,
  to,
}: ModelInvoice): { readonly from: number; readonly to: number } => applies ?? { from, to };

export const localDay = (at: number): number => new Date(at + ahead).getUTCDate();

/** Start of the period `n` of those that are counted from an anchor. */
export function starts(anchor: Anchor, { unit, count }: ModelPlan['interval'], n: number): number {
  if (n === 0) return anchor.at;
  if (unit === 'day') return anchor.at + n * count * day;
  if (unit === 'week') return anchor.at + n * count * 7 * day;
  const months = n * count * { month: 1, quarter: 3, year: 12 }[unit];
  const local = new Date(anchor.at + ahead);
  const [year, month] = [local.getUTCFullYear(), local.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(anchor.day, last)) + ((anchor.at + ahead) % day) - ahead;
}

export const isMonths = ({ interval: { unit } }: ModelPlan): boolean => unit !== 'day' && unit !== 'week';

/** When an unpaid invoice becomes past due. */
export const lateAt = (due: number, opened: number, { terms }: ModelPlan): number =>
  Math.max(due + terms.gracePeriodDays * day, opened + day);

/** When an invoice that opened at `opened` is reminded of and overdue: the dunning timeline. */
export function timeline(
  due: number,
  opened: number,
  plan: ModelPlan,
): readonly (readonly [number, number | null])[] {
  const steps: (readonly [number, number | null])[] = [];
  if (opened < due) steps.push([due, 0]);
  const every = plan.terms.overdueReminderIntervalDays;
  for (let k = 1; every > 0 && k * every <= 60; k++)
    if (due + k * every * day > opened) steps.push([due + k * every * day, k]);
  steps.push([lateAt(due, opened, plan), null]);
  return steps.sort((a, b) => a[0] - b[0] || Number(a[1] === null) - Number(b[1] === null));
}
