/** The shutdown of a node: it hands over what it owns, then its port closes, then its actors stop. */
import type { Listener } from '../../gateways/server/listener.ts';
import { realScheduler, seconds, type DurationMs } from '../kernel/time.ts';
import type { Node } from '../runtime/node/node.ts';
import type { Log } from '../telemetry/log.ts';
import type { Closing } from './closing.ts';

/** The shutdown time: the gateways take their part first, the actors have the rest. A supervisor gives 10
 *  s. */
const leaveMs: DurationMs = seconds(9);
const leaveDoorsMs: DurationMs = seconds(5.5);
/** How long the port stays open while other nodes take over what is owned here. */
const handOverMs: DurationMs = seconds(2.5);

export interface LeavingParts {
  readonly node: Node;
  readonly listener: Listener;
  readonly log: Log;
}

export function leaveLater({ node, listener, log }: LeavingParts, closing: Closing): void {
  let leaveBy = 0;
  // gateways still call actors while they drain, so the node stops after them
  closing.later(() => node.stop(leaveBy - realScheduler.steady()));
  closing.later(() => {
    leaveBy = realScheduler.steady() + leaveMs;
    // hand-over comes before the port closes: an actor whose provider is the simulator could not call it
    // afterwards
    const handedOver = node
      .handOver(handOverMs)
      .catch((err: unknown) =>
        log.warn({ err }, 'the node could not hand over its partitions before its port closed'),
      );
    return listener.drain(leaveDoorsMs, handedOver);
  });
}
