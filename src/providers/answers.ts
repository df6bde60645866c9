/** The words between a checkout session and its payment providers: what a start and a look-up may answer.
 *  Boundary: types alone; what they mean for the money is decided by the session. */
import type { Paisa } from '../kernel/money.ts';
import type { DurationMs, Instant } from '../kernel/time.ts';

export type { Provider } from './catalog.ts';

/** Where the buyer's browser goes to pay. */
export interface Instructions {
  readonly kind: 'form' | 'redirect' | 'qr' | 'intent';
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly fields: { readonly [name: string]: string };
  /** Of kind `qr`, whose `url` is empty: the text a bank's app scans, as the provider made it. */
  readonly qrMessage?: string;
}

export type StartAnswer =
  | {
      readonly outcome: 'started';
      readonly instructions: Instructions;
      /** What a look-up of this attempt is asked with and must answer with (wallet_b: its pidx). Internal. */
      readonly lookupReference: string;
      readonly providerExpiresAt: Instant | null;
      /** Where the provider tells what happens to the attempt; left out when it has no such socket. */
      readonly socketUrl?: string | null;
    }
  /** Refused or unanswered: nobody holds its instructions, so no money can follow. */
  | { readonly outcome: 'failed'; readonly message: string };

export type LookupOutcome =
  | 'paid'
  | 'pending'
  | 'failed'
  | 'cancelled'
  | 'expired'
  | 'refunded'
  | 'partially_refunded'
  | 'ambiguous'
  | 'not_found';

export interface LookupAnswer {
  readonly outcome: LookupOutcome;
  /** False when there was no readable answer; the outcome is then `pending`. */
  readonly answered: boolean;
  /** null when the provider names no amount. */
  readonly amountPaisa: Paisa | null;
  /** The reference as the provider repeats it; null when it does not. */
  readonly reference: string | null;
  readonly providerRef: string | null;
  readonly traceId: string | null;
  readonly failureCode: 'declined' | 'insufficient_funds' | null;
  readonly fee: Paisa | null;
  /** Of an ambiguous answer, the provider's own word: printable, blanked like `raw`, at most 100 characters. */
  readonly word?: string;
  readonly httpStatus: number | null;
  readonly durationMs: DurationMs;
  /** The answer as it came, keys, tokens and PINs blanked, at most 2 KiB. */
  readonly raw: string | null;
}

/** What was seen of an attempt, without which some provider's words cannot be understood. */
export interface Seen {
  /** The buyer came back by the way of those who have not paid. */
  readonly returnedUnpaid: boolean;
  /** A look-up has said that the provider holds the attempt open. */
  readonly wasPending: boolean;
}
