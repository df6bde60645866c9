/** How simulated wallets differ in their buyer pages: page, log-in, return.
 *  Boundary: types; implemented by page.ts in each wallet's folder, used by wallet-page.ts. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import type { Provider } from '../../src/providers/answers.ts';
import type { Spelling } from '../../src/providers/simulated-wire.ts';
import type { Fault } from '../../actors/simulated-payment/messages.ts';
import type { Known, PlayDeps, Whose } from './payments.ts';

export interface LoginField {
  readonly name: string;
  readonly label: string;
  /** Prefilled values; several to choose from. */
  readonly values: readonly string[];
}

export interface Wallet {
  readonly is: 'wallet';
  readonly provider: Provider;
  /** `Simulated Wallet B`. */
  readonly title: string;
  /** `/sim/wallet_b`; its page is at the same path with a trailing slash. */
  readonly root: string;
  /** The parameter name of the payment's handle in the page's address and forms. */
  readonly handleName: string;
  readonly loginFields: readonly LoginField[];
  readonly loginHint: string;
  /** After a decline the buyer stays here, pays another way or gives up; otherwise the buyer is redirected
   *  at once. */
  readonly declinedStays: boolean;
  /** What Decline does, as explained on the page. */
  readonly declinedSays: string;
  /** The payment that a handle refers to; null for a handle that cannot be ours. */
  paymentOf(handle: string): string | null;
  /** The error of a log-in; null for a test buyer's valid one. */
  loginProblem(form: URLSearchParams, spelling: Spelling): string | null;
  /** What becomes of the payment once this buyer has logged in; null: the buyer decides. */
  fateOfLogin?(form: URLSearchParams): 'pending' | 'failed' | null;
  /** It has words for a buyer without enough money. */
  readonly tellsPoor?: true;
  /** Our call has made the payment known to it, and the buyer then brings a form that it checks. */
  readonly entersByForm?: true;
  returnAddress(known: Known, faults: readonly Fault[]): string;
  /** Makes an attempt known to a wallet that learns of it only through the browser, where no browser takes
   *  part. */
  readonly makeKnown?: (deps: PlayDeps, of: Whose, sessionId: string, attempt: Payment) => Promise<void>;
}

/** The page of this payment's buyer, on our own address. */
export const pagePathOf = ({ root, handleName }: Wallet, { state }: Known): string =>
  `${root}/?${handleName}=${state.handle}`;
