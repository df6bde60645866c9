/** Handles unsolicited messages from the bus on a running node: hints from the mailbox go to their actor,
 *  wherever it lives, and events lost by the bus are published again. */
import type { Bus } from '../bus/bus.ts';
import type { Node } from '../runtime/node/node.ts';
import type { Closing } from './closing.ts';

export function handleBus(bus: Bus, { client, republishing }: Node, closing: Closing): void {
  const stopForwarding = bus.forward((envelope) => client.deliverHint(envelope));
  closing.later(async () => stopForwarding());
  const stopListening = bus.onEventsLost((made) => republishing.all(made));
  closing.later(async () => stopListening());
}
