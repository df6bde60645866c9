/** Shares the state of circuit breakers between nodes, so that a page served by any node knows it.
 *  Boundary: src/providers/breaker.ts decides; the bus carries hints, which may be lost.
 *  1. A lost hint costs a buyer one failed try on the node that missed it, until that node's own calls have
 *     failed.
 *  2. Any client of the same NATS can send anything: an invalid message is dropped, and no hint is valid
 *     for longer than a minute. */
import type { Bus } from '../bus/bus.ts';
import type { Instant } from '../kernel/time.ts';
import type { Breakers } from './breaker.ts';

const topic = 'breakers';
/** A provider, a blank and a scope are much shorter than this. */
const circuitCharactersMax = 200;

/** Starts to send and receive. */
export function shareBreakers(breakers: Breakers, bus: Pick<Bus, 'broadcast' | 'onBroadcast'>): void {
  breakers.onTurn((circuit, turn) =>
    bus.broadcast(topic, JSON.stringify([circuit, turn.is === 'opened' ? turn.until : null])),
  );
  bus.onBroadcast(topic, (text) => {
    const state = stateIn(text);
    if (state !== null) breakers.applyReport(...state);
  });
}

type BreakerState = readonly [circuit: string, until: Instant | null];

function stateIn(text: string): BreakerState | null {
  try {
    const value: unknown = JSON.parse(text);
    return isState(value) ? value : null;
  } catch {
    return null;
  }
}

function isState(value: unknown): value is BreakerState {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [circuit, until] = value as unknown[];
  return (
    typeof circuit === 'string' &&
    circuit.length <= circuitCharactersMax &&
    (until === null || typeof until === 'number')
  );
}
