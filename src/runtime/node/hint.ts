/** Delivery of a hint: it is sent to the owner first; if the owner does not answer, it is stored in
 *  MAILBOX.
 *  1. An owner that was too busy, or whose answer was lost, may receive it twice: hints allow that. */
import { seconds, type DurationMs } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import type { HintOutcome } from '../model/client.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';

/** How long to wait for the owner's answer before the hint is stored in the mailbox. */
export const hintWaitMs: DurationMs = seconds(2);

/** Whether the target has received it, or another copy would never succeed: no further copy is needed. */
export const isDelivered = ({ is }: AskResult): boolean => is !== 'unknown' && is !== 'not_executed';

/** Delivers it by `ask`, otherwise by the bus. Never rejects. */
export async function carryHint(
  ask: () => Promise<AskResult>,
  bus: Pick<Bus, 'post'>,
  envelope: Envelope,
): Promise<HintOutcome> {
  const result = await ask();
  if (isDelivered(result)) return result.is === 'internal' ? 'lost' : 'arrived';
  return (await bus.post(envelope)) ? 'stored' : 'lost';
}
