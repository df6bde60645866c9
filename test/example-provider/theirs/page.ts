/** The simulated wallet_z in front of a buyer: its log-in, and its unsigned way back. */
import { loginProblem, paymentOf, testBuyer } from '../../../src/providers/wallet-z/simulator.ts';
import type { Wallet } from '../wallet.ts';
import { walletZRoot } from './wallet-z.ts';

const { phone, pin } = testBuyer;

export const walletZ: Wallet = {
  is: 'wallet',
  provider: 'wallet_z',
  title: 'Simulated Wallet Z',
  root: walletZRoot,
  handleName: 'id',
  loginFields: [
    { name: 'phone', label: 'Phone', values: [phone] },
    { name: 'pin', label: 'PIN', values: [pin] },
  ],
  loginHint: `Test buyer: ${phone}, PIN ${pin}.`,
  declinedStays: false,
  declinedSays: 'Decline and Cancel go back to the shop without a payment.',
  paymentOf,
  loginProblem: (form) => loginProblem(form.get('phone') ?? '', form.get('pin') ?? ''),
  returnAddress: ({ state }) => `${state.returnUrl}?id=${state.handle}`,
};
