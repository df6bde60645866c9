/** What a trigger did to a subscription or to an invoice, in the words of docs/reference/subscription-states.md. */
import { expect } from 'vitest';
import type { Invoice, SubscriptionState } from '../../../actors/subscription/state.ts';
import type { Years } from './subscribing.ts';

export const page = 'docs/reference/subscription-states.md';

type Refused = Extract<Years['last']['outcome'], { readonly is: 'refused' }>;

/** Runs the trigger and says what it has changed. */
export function cellOf(years: Years, trigger: (years: Years) => unknown): string {
  const was = years.state;
  const eventsBefore = years.events.length;
  trigger(years);
  const events = years.events.slice(eventsBefore);
  const { outcome } = years.last;
  if (outcome.is === 'refused') {
    expect([years.state, events]).toEqual([was, []]);
    return refusedAs(outcome, was.status);
  }
  const now = years.state;
  const words = [
    now.status === was.status ? 'unchanged' : `\`${now.status}\``,
    ...periodWords(was, now),
    ...requestWords(was, now),
    ...(events.some(({ type }) => type === 'invoice.created') ? ['invoice opens'] : []),
    ...(isVoidedBeside(was, now) ? ['invoice voided'] : []),
  ];
  expectEvents(
    was.status,
    words,
    events.map(({ type }) => type),
  );
  return words.join(', ');
}

function refusedAs({ code, detail }: Refused, currentStatus: string): string {
  if (code !== 'plan_unchanged') expect([code, detail]).toEqual(['invalid_state', { currentStatus }]);
  return '409';
}

const periodWords = (was: SubscriptionState, now: SubscriptionState): readonly string[] => [
  ...(now.period.start === was.period.start ? [] : ['new period']),
  ...(now.plan.id === was.plan.id ? [] : ['plan changed']),
];

function requestWords(was: SubscriptionState, now: SubscriptionState): readonly string[] {
  const isLive = now.status !== 'cancelled' && now.status !== 'completed';
  return [
    ...(isLive && now.cancelAtPeriodEnd && !was.cancelAtPeriodEnd ? ['flagged'] : []),
    ...(isLive && was.cancelAtPeriodEnd && !now.cancelAtPeriodEnd ? ['flag cleared'] : []),
    ...(now.nextPlan !== null && was.nextPlan === null ? ['plan scheduled'] : []),
    ...(was.nextPlan !== null && now.nextPlan === null && now.plan.id === was.plan.id
      ? ['schedule cleared']
      : []),
    ...(now.status === 'trialing' && (now.trialEndsAt ?? 0) > (was.trialEndsAt ?? 0)
      ? ['trial extended']
      : []),
    ...(now.referenceId === was.referenceId ? [] : ['changed']),
  ];
}

/** An invoice was voided by a trigger that is about the subscription: it was not the only one that changed. */
function isVoidedBeside(was: SubscriptionState, now: SubscriptionState): boolean {
  if (now.status !== 'cancelled' || was.status === 'cancelled') return false;
  return now.invoices.some(({ id, status }) => status === 'voided' && statusIn(was, id) !== 'voided');
}

const statusIn = (s: SubscriptionState, id: string) => s.invoices.find((each) => each.id === id)?.status;

const ofUpdates = [
  'flagged',
  'flag cleared',
  'plan scheduled',
  'schedule cleared',
  'trial extended',
  'changed',
];

/** What the page says of events. */
function expectEvents(was: string, words: readonly string[], types: readonly string[]): void {
  const [status = ''] = words;
  const entered = status === 'unchanged' ? null : status.replaceAll('`', '');
  const expected = [
    ...(words.includes('new period') && was === 'trialing' ? ['subscription.trial_ended'] : []),
    ...(words.includes('new period') && was !== 'trialing' && was !== 'paused'
      ? ['subscription.renewed']
      : []),
    ...(words.includes('plan changed') ? ['subscription.plan_changed'] : []),
    ...(entered === 'active' ? [was === 'paused' ? 'subscription.resumed' : 'subscription.activated'] : []),
    ...(entered !== null && !['active', 'trialing'].includes(entered) ? [`subscription.${entered}`] : []),
    ...(words.some((word) => ofUpdates.includes(word)) ? ['subscription.updated'] : []),
  ];
  const told = types.filter(
    (type) => type.startsWith('subscription.') && type !== 'subscription.trial_will_end',
  );
  expect(told).toEqual(expected);
}

/** Runs the trigger and says what it has changed of an invoice. */
export function invoiceCellOf(
  years: Years,
  { id }: Pick<Invoice, 'id'>,
  trigger: (years: Years) => unknown,
): string {
  const was = find(years, id);
  const [eventsBefore, tellsBefore] = [years.events.length, years.tells.length];
  const madeBefore = years.state.invoicesMade;
  trigger(years);
  const { outcome } = years.last;
  const events = years.events.slice(eventsBefore);
  if (outcome.is === 'refused') {
    expect(outcome).toMatchObject({ code: 'invalid_state', detail: { currentStatus: was.status } });
    expect([find(years, id), events]).toEqual([was, []]);
    return '409';
  }
  const now = find(years, id);
  const own = events.filter(({ type, data }) => type !== 'invoice.reminder_sent' && data.id === id);
  const entered = now.status === was.status ? null : now.status;
  const isMoved = now.periodStart !== was.periodStart;
  // what a paid one says of itself stays
  const moved = isMoved && was.status === 'paid' ? ['invoice.updated'] : [];
  expect(own.map(({ type }) => type)).toEqual(
    entered === null ? moved : [`invoice.${entered === 'open' ? 'created' : entered}`],
  );
  const told = years.tells.slice(tellsBefore).map(({ data }) => data as { readonly duplicate?: boolean });
  const running = was.session?.id ?? null;
  return [
    entered === null ? 'unchanged' : `\`${entered}\``,
    ...(now.amount === was.amount ? [] : ['other price']),
    ...(isMoved ? [was.status === 'paid' ? 'pays for other dates' : 'other dates'] : []),
    ...(events.some(({ type, data }) => type === 'invoice.created' && data.id !== id) &&
    years.state.invoicesMade > madeBefore
      ? ['new invoice']
      : []),
    ...(told.some(({ duplicate }) => duplicate === true) ? ['duplicate'] : []),
    ...(years.last.tells.some(({ to }) => to.startsWith('message/')) && entered === null ? ['mail'] : []),
    ...sessionWords(now, running, outcome.is === 'ok' && outcome.detail['sessionId']),
  ].join(', ');
}

function sessionWords(now: Invoice, running: string | null, told: unknown): readonly string[] {
  if (typeof told !== 'string') return [];
  expect(now.session?.id).toBe(told);
  return [told === running ? 'same session' : 'new session'];
}

/** As it is kept, or as it was last. */
function find(years: Years, id: string): Invoice {
  const invoice = years.state.invoices.find((each) => each.id === id) ?? years.allInvoices.get(id);
  if (invoice === undefined) throw new Error(`there is no invoice ${id}`);
  return invoice;
}
