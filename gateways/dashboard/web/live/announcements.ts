/** Announcements to screen readers of changes that came by themselves. Pure.
 *  N1. One sentence for many payments: nobody can listen to a list that grows by the second. */
import { displayNpr } from '../../../../src/kernel/money.ts';
import type { Payment } from '../wire/types.ts';
import type { Connection } from './live-state.ts';

/** Payments that were paid since the last announcement; null when there is nothing to announce. */
export function paidAnnouncement(paid: readonly Payment[]): string | null {
  const [first, ...more] = paid;
  if (first === undefined) return null;
  if (more.length === 0) {
    const by = first.customer?.name ?? null;
    return `Payment received: ${displayNpr(first.amount)}${by === null ? '' : ` from ${by}`}.`;
  }
  const sum = paid.reduce((all, { amount }) => all + amount, 0);
  return `${paid.length} payments received, ${displayNpr(sum)} together.`;
}

/** Announced when the connection is lost or restored; a first connection is not announced. */
export function connectionAnnouncement(before: Connection, after: Connection): string | null {
  if (before.is === after.is) return null;
  if (after.is === 'lost') return 'Not connected. What you see may be old. Trying again.';
  if (after.is === 'refused') return `Live updates have stopped. ${after.message}`;
  if (after.is === 'suspended' && before.is !== 'connecting') return 'Your account is suspended.';
  return after.is === 'connected' && (before.is === 'lost' || before.is === 'suspended')
    ? 'Connected again. Everything is up to date.'
    : null;
}
