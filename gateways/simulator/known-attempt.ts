/** A payment as its simulated provider knows it; created here where a wallet learns of it only through the
 *  browser. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import { knownPayment, simulatedIdOf, type Known, type PlayDeps } from './payments.ts';
import { walletOf } from './simulated.ts';

/** null: the provider does not know it, and refused the form that would create it. */
export async function knownAttempt(
  deps: PlayDeps,
  scope: Scope,
  sessionId: string,
  attempt: Payment,
): Promise<Known | null> {
  const known = await knownPayment(deps.client, simulatedIdOf(attempt), scope);
  // its provider was called to book it
  if (attempt.legs[0].name === 'intent') return known;
  const makeKnown = walletOf(attempt.provider)?.makeKnown;
  if (known !== null || makeKnown === undefined) return known;
  await makeKnown(deps, { paymentId: attempt.id, scope }, sessionId, attempt);
  return knownPayment(deps.client, attempt.id, scope);
}
