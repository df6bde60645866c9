/** Sessions that have a page; for buyers a Direct-QR session does not exist. */
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import { seconds, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import { watchUntil } from '../live/watch-until.ts';

const openWaitMs: DurationMs = seconds(8);

/** null when there is none. Any text is accepted as an id. */
export async function sessionWithPage(
  client: Pick<Client, 'read'>,
  id: string,
): Promise<Snapshot<SessionState> | null> {
  if (!couldBeId('cs', id)) return null;
  return pageOf(await client.read<SessionState>(checkoutSessionAt(id), null));
}

/** The session if it has a page. */
export const pageOf = (found: Snapshot<SessionState> | null): Snapshot<SessionState> | null =>
  found === null || found.state.order.source === 'direct_qr' ? null : found;

/** The session, whose opening command may be on its way; null: it is not there after some seconds. */
export const openedSession = (
  parts: { readonly client: Pick<Client, 'read' | 'watch'>; readonly scheduler: Scheduler },
  id: string,
): Promise<Snapshot<SessionState> | null> =>
  watchUntil(parts, id, () => sessionWithPage(parts.client, id), openWaitMs);
