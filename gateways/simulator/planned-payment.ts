/** A payment that a simulated wallet or bank learns of by the browser's form alone, where no browser takes
 *  part. */
import { outcomeIn } from '../../actors/simulated-payment/outcome-table.ts';
import { knownPayment, sessionOf, type Known, type Named, type PlayDeps, type Whose } from './payments.ts';
import type { Wallet } from './wallet.ts';

/** The payment, if it is known; with a planned outcome for its session it is made known now. */
export async function plannedPayment(
  deps: PlayDeps,
  { provider, makeKnown }: Pick<Wallet, 'provider' | 'makeKnown'>,
  of: Whose,
  { sessionId, metadata }: Named,
): Promise<Known | null> {
  const found = await knownPayment(deps.client, of.paymentId, of.scope);
  if (found !== null || outcomeIn(metadata, provider) === null) return found;
  const session = await sessionOf(deps.client, sessionId, of.scope);
  const attempt = session?.payments.find(({ id }) => id === of.paymentId);
  // only a form that is still handed out includes the plan
  if (attempt === undefined || attempt.legs[0].instructions === null) return null;
  await makeKnown?.(deps, of, sessionId, attempt);
  return knownPayment(deps.client, of.paymentId, of.scope);
}
