/** The simulated wallet_b as a buyer sees it: its log-in, and its unsigned return. */
import {
  loginProblem,
  paymentOf,
  returnAddress,
  testBuyers,
} from '../../../src/providers/wallet-b/simulator.ts';
import { referenceOf } from '../payments.ts';
import { shownOf, walletBRoot } from './wallet-b.ts';
import type { Wallet } from '../wallet.ts';

const { mobiles, mpin, otp } = testBuyers;

export const walletB: Wallet = {
  is: 'wallet',
  provider: 'wallet_b',
  title: 'Simulated Wallet B',
  root: walletBRoot,
  handleName: 'pidx',
  loginFields: [
    { name: 'mobile', label: 'Mobile number', values: mobiles },
    { name: 'mpin', label: 'MPIN', values: [mpin] },
    { name: 'otp', label: 'OTP', values: [otp] },
  ],
  loginHint: `Test buyers: ${mobiles[0]} to ${mobiles.at(-1) ?? ''}, MPIN ${mpin}, OTP ${otp}.`,
  declinedStays: true,
  declinedSays: 'Who is declined stays here until he leaves.',
  paymentOf: (handle) => paymentOf('pidx', handle),
  loginProblem: (form) =>
    loginProblem(form.get('mobile') ?? '', form.get('mpin') ?? '', form.get('otp') ?? ''),
  returnAddress(known, faults) {
    const { returnUrl, title } = known.state;
    const order = { reference: referenceOf(known.paymentId), title, mobile: mobiles[0] };
    return returnAddress(shownOf(known, faults), returnUrl, order);
  },
};
