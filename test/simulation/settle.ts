/** The end of a run: whatever was begun comes to its end, and nothing is left over. */
import { hours, minutes, seconds, type Instant } from '../../src/kernel/time.ts';
import type { World } from './world.ts';

/** Everything begun is over this long after the last trouble: the last regular look-ups come at 60 min, a delivery
 *  refused six times in the trouble waits ten hours for its seventh try. */
export const settleMsMax = hours(12);
/** What a dead process sent has landed by then, and a scan has found it. */
const lateMs = seconds(70);

/** Where tombstones were purged: what is older than they were has landed by then. */
const ancientMs = minutes(6);

/** Lets the world come to rest: late writes land, scans find them, every row is cleared, money is found. */
export async function settle(world: World, healedAt: Instant): Promise<void> {
  const { scheduler, store } = world;
  const restMs = store.disk.docs('tally').some(({ gone }) => gone) ? ancientMs : lateMs;
  while (world.wrong === null && scheduler.now() < healedAt + settleMsMax) {
    await scheduler.run(() => world.wrong !== null, scheduler.now() + seconds(5));
    if (!restless(world) && scheduler.now() >= healedAt + restMs) return;
  }
}

/** Whether anything is still under way that must come to an end. */
function restless({ store, ledger, scheduler }: World): boolean {
  const soon = scheduler.now() + seconds(25);
  const busy = store.disk
    .docs()
    .some(
      ({ kind, busy, wake, body }) =>
        busy ||
        body?.['status'] === 'advancing' ||
        (wake !== null && (kind === 'tally' || wake < soon)) ||
        (kind === 'webhook_delivery' && unended.has(body?.['status'])),
    );
  return (
    busy ||
    [...ledger.attempts.values()].some(
      ({ paymentId, sessionId, status }) =>
        status === 'paid' &&
        store.disk.row('payment', paymentId)?.body['status'] !== 'success' &&
        store.disk.doc('checkout_session', sessionId) !== null,
    )
  );
}

const unended = new Set<unknown>(['pending', 'retrying']);
