/** The provider effects of actors: start calls, look-ups, refund calls, listening. Joins calls and sockets. */
import type { SessionCommands, SessionEffects } from '../../actors/checkout-session/commands.ts';
import { isLoopback } from '../kernel/loopback.ts';
import { realScheduler } from '../kernel/time.ts';
import { openWebSockets } from '../outbound/web-socket.ts';
import {
  providerLookup,
  providerRefund,
  providerStart,
  type ProviderDeps,
  make,
  type CallContext,
} from './call.ts';
import { providerConnectMs } from './sender.ts';
import { ProviderSockets, type Listened } from './sockets.ts';
import { address, isLive, type Scope } from '../runtime/model/address.ts';
import type { Client } from '../runtime/model/client.ts';
import type { EffectContext } from '../runtime/delivery/effect-job.ts';
import type { EffectRunners } from '../runtime/delivery/effects.ts';

export interface ProviderEffects {
  readonly runners: EffectRunners;
  /** Closes every socket and stops listening. */
  stop(): Promise<void>;
}

/** Concurrent calls to providers of one kind, over all projects. */
const callsAtOnce = 200;

type Lookup = SessionEffects['provider.lookup'];
type Listen = SessionEffects['provider.listen'];

/** `client` is called when the first hint is sent. */
export function providerEffects(deps: ProviderDeps, client: () => Pick<Client, 'ask'>): ProviderEffects {
  const webSockets = openWebSockets({ connectMs: providerConnectMs });
  const sockets = new ProviderSockets({
    open: (url, events) => webSockets.open(url, events),
    adapter: (provider) => deps.adapter(provider),
    address: (scope, provider, url) => socketAddress(deps.root(scope, provider), scope, url),
    hint: ({ scope, sessionId }, hint) =>
      client().ask(address<SessionCommands>('checkout_session', sessionId), 'hint', hint, {
        by: 'provider',
        scope,
      }),
    scheduler: realScheduler,
    log: deps.log,
  });
  const lookup = providerLookup(deps);
  return {
    runners: {
      'provider.start': { run: providerStart(deps), atOnce: callsAtOnce },
      'provider.cancel': { run: providerCancel(deps), atOnce: callsAtOnce },
      'provider.lookup': {
        async run(data: Lookup, context: EffectContext) {
          const of = listenedIn(data, context);
          // a polled attempt is also listened to; once it is polled no more, or late, its messages are
          // ignored
          if (of === null) sockets.drop(data.paymentId);
          else sockets.listen(of);
          const answered = await lookup(data, context);
          if (answered.answer.outcome === 'paid') sockets.drop(data.paymentId);
          return answered;
        },
        atOnce: callsAtOnce,
      },
      // the runtime runs it at most once; without a result it answers `unknown`
      'provider.refund': { run: providerRefund(deps), atOnce: callsAtOnce },
      'provider.listen': {
        async run(data: Listen, context: EffectContext): Promise<SessionCommands['listening']> {
          const of = listenedIn(data, context);
          if (of !== null) sockets.listen(of);
          return { paymentId: data.paymentId };
        },
        atOnce: callsAtOnce,
      },
    },
    async stop() {
      sockets.stop();
      await webSockets.close();
    },
  };
}

function listenedIn(data: Lookup | Listen, { scope, actorId }: EffectContext): Listened | null {
  const { paymentId, provider, lookupReference: reference, socketUrl: url } = data;
  if (url === undefined || url === null) return null;
  return { scope, sessionId: actorId, paymentId, provider, reference, url };
}

/** In sandbox the simulator's own sockets, at our listening address. In live the address the provider
 *  names: wss, and on this machine only if the provider itself is there, where ws is allowed too. null: must
 *  not be opened. */
export function socketAddress(root: string | null, scope: Scope, url: string): string | null {
  if (root === null || !URL.canParse(url)) return null;
  const [named, ours] = [new URL(url), new URL(root)];
  if (isLive(scope)) {
    const isOurs = isLoopback(named.hostname);
    const allowed = isOurs ? isLoopback(ours.hostname) : named.protocol === 'wss:';
    return allowed ? named.href : null;
  }
  const origin = `${ours.protocol === 'https:' ? 'wss:' : 'ws:'}//${ours.host}`;
  return `${origin}${named.pathname}${named.search}`;
}

type CancelData = SessionEffects['provider.cancel'];

/** Runs `provider.cancel`: a booking in a provider's app that the buyer has left. Best effort: a look-up tells what
 *  became of it. */
export const providerCancel =
  (deps: ProviderDeps) =>
  async (
    { paymentId, provider, booking }: CancelData,
    ctx: CallContext,
  ): Promise<SessionCommands['bookingCancelled']> => {
    const call = deps.adapter(provider)?.appIntent?.cancel;
    const made = await make(deps, ctx, { provider, leg: 'intent', name: 'cancel' }, call, { booking });
    return { paymentId, done: made.answer?.done ?? false, durationMs: made.durationMs };
  };
