/** Waits, in real time, until a session reaches a state. */
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { realScheduler, type DurationMs } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { watchUntil } from '../live/watch-until.ts';
import { sessionOf } from './payments.ts';

/** The result of `find`, null when there is none within `waitMs`. */
export const untilSession = <Found>(
  client: Client,
  sessionId: string,
  scope: Scope,
  waitMs: DurationMs,
  find: (session: SessionState) => Found | null,
): Promise<Found | null> =>
  watchUntil(
    { client, scheduler: realScheduler },
    sessionId,
    async () => {
      const session = await sessionOf(client, sessionId, scope);
      return session === null ? null : find(session);
    },
    waitMs,
  );
