/** The events of a Direct-QR session's stream. */
import type { Paisa } from '../../src/kernel/money.ts';
import type { Provider } from '../../src/providers/answers.ts';

/** One event of a Direct-QR session's stream, except `connected` and `ping`. */
export type QrEvent =
  | { readonly n: number; readonly event: 'qr.scanned'; readonly data: QrScanned }
  | { readonly n: number; readonly event: 'qr.paid'; readonly data: QrPaid }
  | { readonly n: number; readonly event: 'qr.expired'; readonly data: QrExpired };

// The keys are in wire order: `JSON.stringify(data)` is the frame's data.

export interface QrScanned {
  readonly sessionId: string;
  /** ISO 8601, like all times here. */
  readonly scannedAt: string;
}
export interface QrPaid {
  readonly paymentId: string;
  readonly sessionId: string;
  readonly amount: Paisa;
  readonly currency: 'NPR';
  readonly provider: Provider;
  readonly traceId: string | null;
}
export interface QrExpired {
  readonly sessionId: string;
  readonly expiredAt: string;
}
