/** Circuits of all nodes: each tells the others what it found out, so that a page shown by any of them knows.
 *  Boundary: src/providers/breaker.ts decides; the bus carries hints, which may be lost.
 *  1. A hint that is lost costs a buyer one vain try on the node that did not hear it, until its own calls have failed.
 *  2. Anybody on the same NATS can say anything: what is no news of ours is dropped, and none holds for a minute. */
import type { Bus } from '../bus/bus.ts';
import type { Instant } from '../kernel/time.ts';
import type { Breakers } from './breaker.ts';

const topic = 'breakers';
/** A provider, a blank and a scope are far less. */
const circuitCharactersMax = 200;

/** Begins to tell and to hear. */
export function shareBreakers(breakers: Breakers, bus: Pick<Bus, 'broadcast' | 'onBroadcast'>): void {
  breakers.onTurned = (circuit, until) => bus.broadcast(topic, JSON.stringify([circuit, until]));
  bus.onBroadcast(topic, (text) => {
    const news = newsIn(text);
    if (news !== null) breakers.told(...news);
  });
}

type News = readonly [circuit: string, until: Instant | null];

function newsIn(text: string): News | null {
  try {
    const value: unknown = JSON.parse(text);
    return isNews(value) ? value : null;
  } catch {
    return null;
  }
}

function isNews(value: unknown): value is News {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [circuit, until] = value as unknown[];
  return (
    typeof circuit === 'string' &&
    circuit.length <= circuitCharactersMax &&
    (until === null || typeof until === 'number')
  );
}
