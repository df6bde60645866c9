/** Waits for the outcome of an effect: a door has sent a command and now watches for its result.
 *  1. Looks at once, on each notice, every second (a notice may be lost), and a last time at the deadline.
 *  2. One look at a time; notices during it lead to one more. */
import { seconds, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import type { Client } from '../../src/runtime/model/client.ts';

const rereadEveryMs: DurationMs = seconds(1);

/** The first result of `look`, or null when `waitMs` is over. Rejects only when `look` does. */
export async function watchUntil<Found>(
  { client, scheduler }: { readonly client: Pick<Client, 'watch'>; readonly scheduler: Scheduler },
  id: string,
  look: () => Promise<Found | null>,
  waitMs: DurationMs,
): Promise<Found | null> {
  const until = scheduler.now() + waitMs;
  const notices = { arrived: false, wake: (): void => {} };
  const unwatch = client.watch(id, () => {
    notices.arrived = true;
    notices.wake();
  });
  try {
    for (;;) {
      notices.arrived = false;
      const isLast = scheduler.now() >= until;
      const found = await look();
      if (found !== null || isLast) return found;
      if (!notices.arrived)
        await noticeOrTime(notices, scheduler, Math.min(rereadEveryMs, until - scheduler.now()));
    }
  } finally {
    unwatch();
  }
}

const noticeOrTime = (notices: { wake: () => void }, scheduler: Scheduler, ms: DurationMs): Promise<void> =>
  new Promise((go) => {
    const cancel = scheduler.after(Math.max(0, ms), go);
    notices.wake = () => {
      cancel();
      go();
    };
  });
