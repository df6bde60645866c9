/** What differs from one simulated wallet to the next where a buyer stands: its page, its log-in, its way back.
 *  Boundary: types; the page.ts of each wallet's folder fills them, wallet-page.ts works with them. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import type { Provider } from '../../src/providers/answers.ts';
import type { Fault } from '../../actors/simulated-payment/messages.ts';
import type { Known, PlayDeps, Whose } from './payments.ts';

export interface LoginField {
  readonly name: string;
  readonly label: string;
  /** What is filled in already; several to choose from. */
  readonly values: readonly string[];
}

export interface Wallet {
  readonly is: 'wallet';
  readonly provider: Provider;
  /** `Simulated Wallet B`. */
  readonly title: string;
  /** `/sim/wallet_b`; its page is there, with a slash behind. */
  readonly root: string;
  /** Under this name the page's address and forms carry the payment's handle. */
  readonly handleName: string;
  readonly loginFields: readonly LoginField[];
  readonly loginHint: string;
  /** A declined buyer stays here, pays otherwise or gives up; else he is sent back at once. */
  readonly declinedStays: boolean;
  /** What Decline does, for the page's reader. */
  readonly declinedSays: string;
  /** The payment a handle names; null for one that cannot be ours. */
  paymentOf(handle: string): string | null;
  /** What is wrong with a log-in; null when it is a test buyer's. */
  loginProblem(form: URLSearchParams): string | null;
  returnAddress(known: Known, faults: readonly Fault[]): string;
  /** Makes an attempt known to a wallet that hears of it by the browser alone, where no browser takes part. */
  readonly introduce?: (deps: PlayDeps, of: Whose, sessionId: string, attempt: Payment) => Promise<void>;
}

/** Where a buyer of this payment stands, on our own address. */
export const pagePathOf = ({ root, handleName }: Wallet, { state }: Known): string =>
  `${root}/?${handleName}=${state.handle}`;
