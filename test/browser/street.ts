/** The session actor and the buyer's doors without a service around them, for a real browser: cheap, and on a clock that
 *  the test turns. */
import type { SessionEffects } from '../../actors/checkout-session/commands.ts';
import type { StartAnswer } from '../../src/providers/answers.ts';
import type { Order } from '../../actors/checkout-session/order.ts';
import type { BuyerParts } from '../../gateways/buyer/parts.ts';
import { hostedNamespace } from '../../gateways/socketio/hosted.ts';
import { pendingOf } from '../actors/checkout-session/buyer.ts';
import { Till } from '../gateways/buyer/till.ts';
import { unwatched } from '../support/alone.ts';
import { listen, plainPage, type Served } from './rig.ts';

/** Our doors on one origin, the provider and the shop each on another, as it is in life. */
export interface Street {
  readonly till: Till;
  readonly ours: Served;
  readonly provider: Served;
  readonly shop: Served;
  /** The provider opens no payment before the test allows it. */
  providerHolds: boolean;
}

type Started = Extract<StartAnswer, { outcome: 'started' }>;

export interface StreetOptions {
  readonly sockets?: boolean;
  readonly parts?: Partial<BuyerParts>;
  /** What the provider answers to a start, at its origin; by default the address of its page. */
  readonly started?: (call: SessionEffects['provider.start'], origin: string) => Partial<Started>;
}

export async function street(
  order: Partial<Order> = {},
  { sockets = true, parts: more = {}, started = () => ({}) }: StreetOptions = {},
): Promise<Street> {
  const shop = await listen((_method, path) => Promise.resolve(plainPage('Example Store', path)));
  let ours: Served | null = null;
  const provider = await listen((_method, path) => {
    const paymentId = new URL(path, 'http://x').searchParams.get('pidx') ?? '';
    const back = `${ours?.origin ?? ''}/return/wallet_b/${paymentId}/web/done?status=Completed`;
    return Promise.resolve(plainPage('Wallet B', `<a href="${back}">Pay</a>`));
  });
  // in sandbox the provider's pages lie under our public address, wherever the buyer opened ours
  const parts = { baseUrl: provider.origin, ...more };
  const till = new Till({ parts, order: { returnUrl: `${shop.origin}/return`, ...order } });
  const { client } = till;
  let place: Street | null = null;
  const hosted = hostedNamespace({
    ...unwatched,
    client,
    scheduler: till.clock,
    log: quietLog,
    limits: true,
  });
  ours = await listen(
    async (method, path, body, headers) => {
      if (path.startsWith('/socket.io/')) return { status: 403, body: null };
      const reply = till.send(method, path, body, headers);
      // the provider opens what it is asked to open
      await new Promise(setImmediate);
      const isAsked = till.story.pending.some(({ kind }) => kind === 'provider.start');
      if (isAsked && place?.providerHolds !== true) opensAt(till, provider.origin, started);
      return reply;
    },
    sockets ? (namespace) => hosted.open(namespace) : undefined,
  );
  place = { till, ours, provider, shop, providerHolds: false };
  return place;
}

const quietLog = { warn: () => undefined, error: () => undefined };

/** The provider opens the payment that it is asked to open. */
export const opensAt = (
  till: Till,
  origin: string,
  started: Required<StreetOptions>['started'] = () => ({}),
): void =>
  till.happens((story) => {
    const call = pendingOf(story, 'provider.start');
    const { paymentId } = call;
    story.settle('provider.start', {
      paymentId,
      durationMs: 1,
      answer: {
        outcome: 'started',
        lookupReference: paymentId,
        providerExpiresAt: null,
        instructions: { kind: 'redirect', method: 'GET', url: `${origin}/?pidx=${paymentId}`, fields: {} },
        ...started(call, origin),
      },
    });
  });
