/** The simulated bank_a as a buyer sees it: its log-in, its registered return addresses, and how it learns of an
 *  attempt when no browser posts the form. */
import {
  loginProblem,
  paymentOf,
  returnAddress,
  testBuyers,
} from '../../../src/providers/bank-a/simulator.ts';
import { isUnpaid } from '../../../src/providers/simulated-wire.ts';
import { registered, referenceOf, sessionOf } from '../payments.ts';
import type { Wallet } from '../wallet.ts';
import { bankARoot, startOf } from './bank-a.ts';

const { users, password } = testBuyers;

export const bankA: Wallet = {
  is: 'wallet',
  provider: 'bank_a',
  title: 'Simulated Bank A',
  root: bankARoot,
  handleName: 'TXNID',
  loginFields: [
    { name: 'user', label: 'User name', values: users },
    { name: 'password', label: 'Password', values: [password] },
  ],
  loginHint: `Test buyers: ${users.join(' and ')}, password ${password}.`,
  declinedStays: false,
  declinedSays: 'Decline and Cancel go back to the shop without a payment.',
  paymentOf,
  loginProblem: (form) => loginProblem(form.get('user') ?? '', form.get('password') ?? ''),
  returnAddress({ paymentId, state: { status, returnUrl, failureUrl = returnUrl } }) {
    return returnAddress(isUnpaid(status) ? failureUrl : returnUrl, referenceOf(paymentId));
  },
  /** Posts the form on the buyer's behalf. The form of a closed attempt is no longer handed out, but the bank may
   *  have received it earlier from another tab: such an attempt is made known without a form. */
  async introduce(deps, of, sessionId, { legs: [{ instructions }] }) {
    if (instructions !== null) {
      await deps.visitor.post(instructions.url, instructions.fields);
      return;
    }
    const session = await sessionOf(deps.client, sessionId, of.scope);
    if (session === null) return;
    const sent = { amount: session.order.amount, title: referenceOf(of.paymentId) };
    await registered(deps, of, startOf(of, { sessionId, service: deps.baseUrl }, sent), null);
  },
};
