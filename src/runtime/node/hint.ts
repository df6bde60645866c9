/** A hint on its way: asked of its owner first; when he stays silent, left on the durable road.
 *  1. An owner who was too busy, or whose answer did not come, may hear it twice: that is what makes it a hint. */
import { seconds, type DurationMs } from '../../kernel/time.ts';
import type { Bus } from '../../bus/bus.ts';
import type { HintFate } from '../model/client.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';

/** How long an owner may be silent before his mail is left in the box. */
export const hintWaitMs: DurationMs = seconds(2);

/** Whether whoever was asked has heard it, or never will by another copy: there is nothing to bring again. */
export const isHeard = ({ is }: AskResult): boolean => is !== 'unknown' && is !== 'not_executed';

/** Carries it by `ask`, else by the bus. Never rejects. */
export async function carryHint(
  ask: () => Promise<AskResult>,
  bus: Pick<Bus, 'post'>,
  envelope: Envelope,
): Promise<HintFate> {
  const result = await ask();
  if (isHeard(result)) return result.is === 'internal' ? 'lost' : 'arrived';
  return (await bus.post(envelope)) ? 'stored' : 'lost';
}
