/** The simulated wallet_a as a buyer sees it: its log-in, its two return addresses, and how it learns of an
 *  attempt when no browser posts the form. */
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import type { Order } from '../../../actors/checkout-session/order.ts';
import {
  loginProblem,
  paymentOf,
  successAddress,
  testBuyers,
} from '../../../src/providers/wallet-a/simulator.ts';
import { isUnpaid } from '../../../src/providers/simulated-wire.ts';
import { registered, sessionOf, type PlayDeps, type Whose } from '../payments.ts';
import { has } from '../faults.ts';
import { shownOf, startOf, walletARoot } from './wallet-a.ts';
import type { Wallet } from '../wallet.ts';

const { ids, password, mpin, token } = testBuyers;

export const walletA: Wallet = {
  is: 'wallet',
  provider: 'wallet_a',
  title: 'Simulated Wallet A',
  root: walletARoot,
  handleName: 'transaction_uuid',
  loginFields: [
    { name: 'id', label: 'Wallet ID', values: ids },
    { name: 'password', label: 'Password', values: [password] },
    { name: 'mpin', label: 'MPIN', values: [mpin] },
    { name: 'token', label: 'Token', values: [token] },
  ],
  loginHint:
    `Test buyers: ${ids[0]} to ${ids.at(-1) ?? ''}, password ${password}, MPIN ${mpin}, token ${token}. ` +
    'After the log-in there are five minutes to pay.',
  declinedStays: false,
  declinedSays: 'Decline and Cancel go back to the shop without a payment.',
  paymentOf,
  loginProblem,
  returnAddress(known, faults) {
    const { status, returnUrl, failureUrl } = known.state;
    if (isUnpaid(status) && failureUrl !== undefined) return failureUrl;
    return successAddress(shownOf(known, faults), returnUrl, {
      badSignature: has(faults, 'bad_signature') !== null,
      statusUnsigned: has(faults, 'missing_signed_field') !== null,
    });
  },
  introduce,
};

/** Posts the form on the buyer's behalf. The form of a closed attempt is no longer handed out, but the
 *  wallet may have received it earlier from another tab: such an attempt is made known without a form. */
async function introduce(deps: PlayDeps, of: Whose, sessionId: string, attempt: Payment): Promise<void> {
  const [{ instructions }] = attempt.legs;
  if (instructions !== null) {
    await deps.visitor.post(instructions.url, instructions.fields);
    return;
  }
  const session = await sessionOf(deps.client, sessionId, of.scope);
  if (session === null) return;
  await registered(deps, of, startOf(of, sessionId, formAsSent(deps, attempt, session.order)), null);
}

function formAsSent({ baseUrl }: PlayDeps, { id }: Payment, { amount }: Order) {
  const back = `${baseUrl}/return/wallet_a/${id}/web`;
  return { amount, successUrl: `${back}/success`, failureUrl: `${back}/failure` };
}
