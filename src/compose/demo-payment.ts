/** The test payment of the start page: a checkout of the demo merchant, made through our own API with its key. */
import { isLoopback } from '../kernel/loopback.ts';
import type { Settings } from '../config.ts';
import { apiOf, demoKeyIn } from './demo-merchant.ts';

export interface DemoPaymentOptions {
  readonly settings: Pick<Settings, 'host' | 'simulator'>;
  /** Where the demo merchant's keys lie; null: there is none. */
  readonly demoDir: string | null;
  /** Where browsers find us. */
  readonly baseUrl: string;
  /** Where our own calls go. */
  readonly listenerUrl: string;
}

/** Makes one and gives the session's id. null where nobody but this machine's own user should be offered it. */
export function demoPayment({
  settings,
  demoDir,
  baseUrl,
  listenerUrl,
}: DemoPaymentOptions): ((order: object) => Promise<string>) | null {
  const isOwnMachine = isLoopback(settings.host) && isLoopback(new URL(baseUrl).hostname);
  if (demoDir === null || !settings.simulator || !isOwnMachine) return null;
  return async (order) => {
    const { id } = await apiOf(listenerUrl, demoKeyIn(demoDir))('/v1/checkout', order);
    if (typeof id !== 'string') throw new Error('the API answered a checkout without an id');
    return id;
  };
}
