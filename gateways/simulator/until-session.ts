/** Waits for a session to show something, by its notices and, should one be lost, by looking again. */
import { performance } from 'node:perf_hooks';
import type { SessionState } from '../../actors/checkout-session/messages.ts';
import type { DurationMs } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/address.ts';
import type { Client } from '../../src/runtime/client.ts';
import { sessionOf } from './desk.ts';

const lookAgainMs: DurationMs = 500;

/** What `find` found, null when it found nothing within `waitMs` of real time. */
export async function untilSession<Found>(
  client: Client, sessionId: string, scope: Scope, waitMs: DurationMs, find: (session: SessionState) => Found | null,
): Promise<Found | null> {
  let noticed = false;
  let wake: () => void = () => undefined;
  const cancel = client.watch(sessionId, () => {
    noticed = true;
    wake();
  });
  try {
    const until = performance.now() + waitMs;
    while (performance.now() < until) {
      noticed = false;
      const session = await sessionOf(client, sessionId, scope);
      const found = session === null ? null : find(session);
      if (found !== null) return found;
      if (noticed) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookAgainMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return null;
  } finally {
    cancel();
  }
}
