/** The end of a run: whatever was begun comes to its end, and nothing is left over. */
import { hours, minutes, seconds, type Instant } from '../../src/kernel/time.ts';
import { atHome } from './homes.ts';
import type { World } from './world.ts';

/** Everything begun is over this long after the last trouble: a delivery refused six times in the trouble waits ten hours
 *  for its seventh try, and money that came late is found by the last look-up, 24 h after the end of its session. */
export const settleMsMax = hours(26);
/** How often is looked whether all is over. */
const lookEveryMs = seconds(2);
/** How long all processes must have run and been connected: a paused one knows its state by then. */
const awakeMs = seconds(15);
/** One seed in eight is watched for longer: through every regular scan, and until what is older than a tombstone
 *  that was purged has landed. */
const patientShare = 8;
const patientMs = seconds(70);
const patientWithTombstonesMs = minutes(6);

/** Lets the world come to rest: what the dead have sent lands, scans find it, every row is cleared, money is found. */
export async function settle(world: World, healedAt: Instant): Promise<void> {
  const { scheduler } = world;
  let restlessAt = healedAt;
  while (world.wrong === null && scheduler.now() < healedAt + settleMsMax) {
    await scheduler.run(() => world.wrong !== null, scheduler.now() + lookEveryMs);
    if (!awake(world)) restlessAt = scheduler.now();
    if (notIdle(world) || scheduler.now() < restlessAt + awakeMs) continue;
    if (scheduler.now() >= healedAt + patienceMs(world)) return;
  }
}

function patienceMs({ seed, store }: World): number {
  if (Math.floor(seed / 2) % patientShare !== 0) return 0;
  return store.disk.docs('tally').some(({ gone }) => gone) ? patientWithTombstonesMs : patientMs;
}

/** Whether every process is there (a story may have one more come back), runs, and owns its share. */
const awake = (world: World): boolean =>
  world.processes.length >= world.nodes &&
  world.processes.every(({ serving, scheduler }) => serving && !scheduler.frozen) &&
  (!world.clustered || atHome(world));

/** Whether anything is still under way that must come to an end. */
function notIdle({ store, ledger, scheduler, hub, processes }: World): boolean {
  const soon = scheduler.now() + seconds(25);
  // what is on its way may land at any time; what was asked may be executed at any time
  if (store.traffic.writes > 0 || hub.streams.mail > 0 || !hub.streams.whole) return true;
  if (processes.some(({ hangUp }) => hangUp.size > 0)) return true;
  const busy = store.disk
    .docs()
    .some(
      ({ kind, busy, wake, body }) =>
        busy ||
        (kind === 'event_log' && Number(body?.['published']) < Number(body?.['pos'])) ||
        body?.['status'] === 'advancing' ||
        (wake !== null && (kind === 'tally' || wake < soon)) ||
        (kind === 'webhook_delivery' && unended.has(body?.['status'])),
    );
  return (
    busy ||
    [...ledger.attempts.values()].some(
      ({ paymentId, sessionId, status }) =>
        status === 'paid' &&
        !paidStatuses.has(store.disk.row('payment', paymentId)?.body['status']) &&
        store.disk.doc('checkout_session', sessionId) !== null,
    ) ||
    // money that was sent back is found within the hour, unless another refund could explain it, too
    [...ledger.refunds.values()].some(
      ({ refundId, paymentId, returned }) =>
        returned > 0 &&
        store.disk.row('refund', refundId)?.body['status'] === 'processing' &&
        store.disk.rows('refund').filter(({ body }) => body['paymentId'] === paymentId).length === 1,
    )
  );
}

const paidStatuses = new Set<unknown>(['success', 'refunded']);
const unended = new Set<unknown>(['pending', 'retrying']);
