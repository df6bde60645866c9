/** The simulated wallet_c as a buyer sees it: its log-in, and its two unsigned return addresses. */
import {
  fateOf,
  loginProblem,
  paymentOf,
  returnAddress,
  testBuyer,
} from '../../../src/providers/wallet-c/simulator.ts';
import { isUnpaid } from '../../../src/providers/simulated-wire.ts';
import { referenceOf } from '../payments.ts';
import type { Wallet } from '../wallet.ts';
import { walletCRoot } from './wallet-c.ts';

const { wallet, pin, otp } = testBuyer;

export const walletC: Wallet = {
  is: 'wallet',
  provider: 'wallet_c',
  title: 'Simulated Wallet C',
  root: walletCRoot,
  handleName: 'session_id',
  loginFields: [
    { name: 'wallet', label: 'Wallet number', values: [wallet] },
    { name: 'pin', label: 'PIN', values: [pin] },
    { name: 'otp', label: 'OTP', values: [otp] },
  ],
  loginHint: `Test buyer: ${wallet}, PIN ${pin}, OTP ${otp}. There are ten minutes to pay.`,
  declinedStays: false,
  entersByForm: true,
  tellsPoor: true,
  declinedSays: 'Decline and Cancel go back to the shop without a payment.',
  paymentOf: (handle) => paymentOf('session', handle),
  loginProblem: (form, spelling) =>
    loginProblem(form.get('wallet') ?? '', form.get('pin') ?? '', form.get('otp') ?? '', spelling),
  fateOfLogin: (form) => fateOf(form.get('otp') ?? ''),
  returnAddress({ paymentId, state: { status, returnUrl, failureUrl = returnUrl } }) {
    return returnAddress(isUnpaid(status) ? failureUrl : returnUrl, referenceOf(paymentId));
  },
};
