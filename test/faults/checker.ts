/** Judges a run by its history only: the answers clients got, and what is stored at the end.
 *  1. Nothing acknowledged is lost. 2. A paid session is paid once: one payment, one charge at the provider.
 *  3. One payment.succeeded each, delivered at least once, always with the same id and bytes.
 *  4. One key and body are one session and one answer, byte for byte. */
import type { Entry } from './history.ts';

export interface Verdict {
  readonly problems: readonly string[];
  readonly accepted: number;
  readonly paid: number;
  readonly lost: number;
  /** Done twice as others see it: a second session for a key, a second charge, a second event of one payment. */
  readonly outwardDuplicates: number;
  /** Deliveries beyond the first of an event: allowed, and counted. */
  readonly duplicateDeliveries: number;
  readonly deliveries: number;
  readonly charges: number;
}

type Of<Is extends Entry['is']> = Extract<Entry, { is: Is }>;
type Sorted = { readonly [Is in Entry['is']]: readonly Of<Is>[] };

export function check(entries: readonly Entry[]): Verdict {
  const all = sorted(entries);
  const accepted = all.created.filter(({ status }) => status === 201);
  const acknowledged = new Map(accepted.map((one) => [one.n, idOf(one.text)]));
  const sessions = new Map(all.session.map((one) => [one.id, one]));
  const lost = [...acknowledged].filter(([, id]) => !sessions.has(id));
  const problems = [
    ...lost.map(([n, id]) => `checkout ${n}: ${id} was acknowledged and is gone`),
    ...all.stuck.map(({ n, why }) => `checkout ${n}: ${why}`),
    ...answerProblems(all.created, all.asked_again),
    ...sessionProblems(all.session, acknowledged),
    ...moneyProblems(all.session, all.payment, all.charge, all.paid_seen),
    ...eventProblems(all.session, all.event, all.webhook),
  ];
  return {
    problems,
    accepted: acknowledged.size,
    lost: lost.length,
    outwardDuplicates: outwardDuplicates(all, acknowledged),
    paid: all.session.filter(({ status }) => status === 'success').length,
    deliveries: all.webhook.length,
    duplicateDeliveries: all.webhook.length - new Set(all.webhook.map(({ id }) => id)).size,
    charges: all.charge.filter(({ state }) => state === 'paid').length,
  };
}

function outwardDuplicates(all: Sorted, acknowledged: ReadonlyMap<number, string>): number {
  const known = new Set(acknowledged.values());
  const beyondOne = (groups: Map<string, readonly unknown[]>): number =>
    [...groups.values()].reduce((sum, { length }) => sum + length - 1, 0);
  return (
    all.session.filter(({ id }) => !known.has(id)).length +
    beyondOne(grouped(all.charge.filter(({ state }) => state === 'paid'))) +
    beyondOne(grouped(all.event))
  );
}

/** One answer per key, however often and through whatever it was asked. */
function answerProblems(created: readonly Of<'created'>[], again: readonly Of<'asked_again'>[]): string[] {
  const problems: string[] = [];
  const first = new Map<number, string>();
  for (const { n, status, text } of created) {
    if (status !== 201) problems.push(`checkout ${n}: answered ${status} ${text.slice(0, 120)}`);
    else if ((first.get(n) ?? text) !== text)
      problems.push(`checkout ${n}: one key was answered with different bytes`);
    else first.set(n, text);
  }
  for (const { n, status, text } of again) {
    if (status !== 201 || (first.get(n) ?? text) !== text)
      problems.push(`checkout ${n}: asked again, answered ${status} with other bytes`);
  }
  return problems;
}

/** No session that nobody asked for, none open, none left behind. */
function sessionProblems(
  sessions: readonly Of<'session'>[],
  acknowledged: ReadonlyMap<number, string>,
): string[] {
  const known = new Set(acknowledged.values());
  return sessions.flatMap(({ id, status, referenceId }) => [
    ...(known.has(id)
      ? []
      : [`${id} (${referenceId ?? 'no reference'}) exists beside the session of its key`]),
    ...(status === 'success' ? [] : [`${id} ended as ${status}`]),
  ]);
}

function moneyProblems(
  sessions: readonly Of<'session'>[],
  payments: readonly Of<'payment'>[],
  charges: readonly Of<'charge'>[],
  seen: readonly Of<'paid_seen'>[],
): string[] {
  const problems: string[] = [];
  const paid = grouped(payments.filter(({ status }) => status === 'success'));
  const charged = grouped(charges.filter(({ state }) => state === 'paid'));
  const status = new Map(sessions.map((one) => [one.id, one.status]));
  for (const { sessionId } of seen) {
    if (status.get(sessionId) !== 'success')
      problems.push(`${sessionId} was seen paid and is ${status.get(sessionId) ?? 'gone'}`);
  }
  for (const session of sessions) {
    const own = paid.get(session.id) ?? [];
    const taken = charged.get(session.id) ?? [];
    const expected = session.status === 'success' ? 1 : 0;
    if (own.length !== expected)
      problems.push(`${session.id} (${session.status}) has ${own.length} successful payments`);
    if (expected === 1 && own[0]?.id !== session.paymentId)
      problems.push(`${session.id} names ${session.paymentId ?? 'no payment'}, not the paid one`);
    if (taken.length !== expected)
      problems.push(`${session.id} (${session.status}) was charged ${taken.length} times at the provider`);
  }
  return problems;
}

function eventProblems(
  sessions: readonly Of<'session'>[],
  events: readonly Of<'event'>[],
  webhooks: readonly Of<'webhook'>[],
): string[] {
  const problems: string[] = [];
  const told = grouped(events);
  const heard = new Map<string, Of<'webhook'>[]>();
  for (const one of webhooks) heard.set(one.id, [...(heard.get(one.id) ?? []), one]);
  for (const [id, copies] of heard) {
    if (new Set(copies.map(({ hash }) => hash)).size > 1)
      problems.push(`${id} was delivered with different bytes`);
  }
  for (const session of sessions.filter(({ status }) => status === 'success')) {
    const [event, ...more] = told.get(session.id) ?? [];
    if (event === undefined || more.length > 0)
      problems.push(`${session.id} has ${event === undefined ? 0 : more.length + 1} payment.succeeded`);
    if (event === undefined) continue;
    const copies = heard.get(event.id) ?? [];
    if (copies.length === 0) problems.push(`${event.id} of ${session.id} was never delivered`);
    if (copies.some(({ hash }) => hash !== event.hash))
      problems.push(`${event.id} was delivered with other bytes than listed`);
  }
  const listed = new Set(events.map(({ id }) => id));
  for (const [id, [copy]] of heard) {
    if (copy?.type === 'payment.succeeded' && !listed.has(id))
      problems.push(`${id} was delivered and is not in the event list`);
  }
  return problems;
}

function grouped<One extends { readonly sessionId: string }>(all: readonly One[]): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const one of all) groups.set(one.sessionId, [...(groups.get(one.sessionId) ?? []), one]);
  return groups;
}

function sorted(entries: readonly Entry[]): Sorted {
  const of = <Is extends Entry['is']>(is: Is): Of<Is>[] =>
    entries.filter((entry): entry is Of<Is> => entry.is === is);
  return {
    created: of('created'),
    paid_seen: of('paid_seen'),
    stuck: of('stuck'),
    life: of('life'),
    sample: of('sample'),
    webhook: of('webhook'),
    asked_again: of('asked_again'),
    session: of('session'),
    payment: of('payment'),
    event: of('event'),
    charge: of('charge'),
  };
}

const idOf = (text: string): string => String((JSON.parse(text) as { id?: unknown }).id);
