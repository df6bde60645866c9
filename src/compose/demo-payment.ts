/** The test payment of the start page: a checkout of the demo merchant, created through our own API with
 *  its key. */
import { isLoopback } from '../kernel/loopback.ts';
import type { Settings } from '../config.ts';
import { apiOf, demoKeyIn } from './demo-merchant.ts';

export interface DemoPaymentOptions {
  readonly settings: Pick<Settings, 'host' | 'simulator'>;
  /** Where the demo merchant's keys are stored; null: there is none. */
  readonly demoDir: string | null;
  /** Our address for browsers. */
  readonly baseUrl: string;
  /** The address for our own calls. */
  readonly listenerUrl: string;
}

/** Creates one and returns the session's id. null unless the service can be reached only from this machine,
 *  and has a demo merchant and the simulator. */
export function demoPayment({
  settings,
  demoDir,
  baseUrl,
  listenerUrl,
}: DemoPaymentOptions): ((order: object) => Promise<string>) | null {
  const isOwnMachine = isLoopback(settings.host) && isLoopback(new URL(baseUrl).hostname);
  if (demoDir === null || settings.simulator === 'off' || !isOwnMachine) return null;
  return async (order) => {
    const { id } = await apiOf(listenerUrl, demoKeyIn(demoDir))('/v1/checkout', order);
    if (typeof id !== 'string') throw new Error('the API answered a checkout without an id');
    return id;
  };
}
