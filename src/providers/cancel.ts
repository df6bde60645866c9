/** Cancels a booking in a provider's app that the buyer has left. Best effort: a look-up tells what became of it. */
import type { SessionCommands, SessionEffects } from '../../actors/checkout-session/commands.ts';
import { make, type CallContext, type ProviderDeps } from './call.ts';

type CancelData = SessionEffects['provider.cancel'];

/** Runs `provider.cancel`. */
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
