/** The data of the endpoints under /dashboard/api and of a merchant's socket, as this page reads it.
 *  Boundary: types alone. Fields that the page does not show are left out. */

import type { Invoice, Subscription } from './billing-types.ts';

export type Mode = 'sandbox' | 'live';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly merchantName: string;
}

/** The logged-in user. `csrf` is sent with every request that changes something. */
export interface Me {
  readonly email: string;
  readonly role: 'operator' | 'merchant';
  readonly csrf: string;
  /** The newest ones: an operator opens older ones by their address. */
  readonly projects: readonly Project[];
}

/** The scope of a screen: one project in one mode. */
export interface Place {
  readonly projectId: string;
  readonly mode: Mode;
}

export type PaymentStatus = 'pending' | 'processing' | 'success' | 'failed' | 'cancelled' | 'refunded';
export type SessionStatus = 'pending' | 'initiated' | 'success' | 'failed' | 'cancelled' | 'expired';
export type RefundStatus = 'processing' | 'requires_action' | 'succeeded' | 'failed';
export type RefundReason = 'customer_request' | 'duplicate' | 'fraudulent' | 'other';
export type DeliveryStatus = 'pending' | 'retrying' | 'success' | 'failed';

export interface Buyer {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

/** Amounts in paisa; times as ISO texts. */
export interface Payment {
  readonly id: string;
  readonly sessionId: string;
  /** The invoice that it pays. */
  readonly invoiceId: string | null;
  /** The payment link it came by. */
  readonly linkReferenceId: string | null;
  readonly amount: number;
  /** What was asked for, where another amount was taken; null: `amount`. */
  readonly amountExpected: number | null;
  readonly provider: string;
  readonly providerRef: string | null;
  readonly traceId: string | null;
  readonly status: PaymentStatus;
  readonly failureCode: string | null;
  readonly failureReason: string | null;
  readonly refundedAmount: number;
  readonly fee: number | null;
  readonly customer: Buyer | null;
  readonly metadata: { readonly [key: string]: unknown };
  /** Of its session; only in the answer about one payment. */
  readonly description?: string | null;
  /** Only in the answer about one payment, and only of one that was booked in the wallet's app. */
  readonly walletAIntent?: WalletAIntent | null;
  readonly late: boolean;
  readonly duplicate: boolean;
  readonly needsReview: boolean;
  readonly sequence: number;
  readonly paidAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The wallet's own names of a payment in its app: what its support asks for. */
export interface WalletAIntent {
  readonly bookingId: string;
  readonly correlationId: string;
}

export interface Refund {
  readonly id: string;
  readonly paymentId: string;
  readonly amount: number;
  readonly reason: RefundReason;
  readonly status: RefundStatus;
  readonly providerRefundId: string | null;
  readonly failureReason: string | null;
  readonly notes: string | null;
  readonly mobileNumber: string | null;
  readonly sequence: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A refund to create. */
export interface RefundRequest {
  readonly paymentId: string;
  /** Paisa. */
  readonly amount: number;
  readonly reason: RefundReason;
  readonly notes: string | null;
  readonly mobileNumber: string | null;
}

/** A compact JWS that anybody can verify. */
export interface Receipt {
  readonly receipt: string;
  readonly keyId: string;
  readonly issuedAt: string;
}

export interface Checkout {
  readonly id: string;
  readonly status: SessionStatus;
  readonly flow: string;
  readonly provider: string | null;
  readonly source: string;
  readonly amount: number;
  readonly description: string | null;
  readonly checkout_url: string | null;
  readonly customer: Buyer | null;
  readonly metadata: { readonly [key: string]: unknown };
  readonly referenceId: string | null;
  readonly paymentId: string | null;
  readonly attempts: number;
  readonly late: boolean;
  readonly needsReview: boolean;
  readonly sequence: number;
  readonly expires_at: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface TimelineEntry {
  readonly at: string;
  readonly kind: string;
  readonly summary: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly cause: string | null;
  readonly durationMs: number | null;
  readonly detail: { readonly [key: string]: unknown } | null;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly enabled: boolean;
  readonly description: string | null;
  readonly disabledReason: 'merchant' | 'failing' | 'gone' | null;
  readonly createdAt: string;
}

export interface Delivery {
  readonly id: string;
  readonly webhookEndpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The envelope sent; null when it was not found with the delivery. */
  readonly payload: object | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly lastAttemptAt: string | null;
  readonly nextAttemptAt: string | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly durationMs: number | null;
  readonly createdAt: string;
}

/** The envelope of an event, as webhooks carry it. */
export interface ShopEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly [field: string]: unknown };
}

export interface LoggedRequest {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly keyId: string;
  readonly durationMs: number;
  /** Of the error it was answered with. */
  readonly code: string | null;
}

/** `next`: where the list goes on; null: there is nothing older. */
export interface RequestPage {
  readonly data: readonly LoggedRequest[];
  readonly next: string | null;
}

/** One page of a list, newest first. */
export interface Listed<Item> {
  readonly data: readonly Item[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

/** The Asia/Kathmandu day; `openCount`: checkouts open now. */
export interface Today {
  readonly paidCount: number;
  readonly paidAmount: number;
  readonly failedCount: number;
  readonly openCount: number;
}

export interface Snapshot {
  /** On the project's clock. */
  readonly at: string;
  readonly payments: readonly Payment[];
  readonly checkouts: readonly Checkout[];
  readonly today: Today;
}

/** One committed change; objects that this page does not show are ignored. */
export type Change =
  | { readonly object: 'payment'; readonly id: string; readonly sequence: number; readonly data: Payment }
  | { readonly object: 'checkout'; readonly id: string; readonly sequence: number; readonly data: Checkout }
  | { readonly object: 'refund'; readonly id: string; readonly sequence: number; readonly data: Refund }
  | { readonly object: 'delivery'; readonly id: string; readonly sequence: number; readonly data: Delivery }
  | {
      readonly object: 'subscription';
      readonly id: string;
      readonly sequence: number;
      readonly data: Subscription;
    }
  | { readonly object: 'invoice'; readonly id: string; readonly sequence: number; readonly data: Invoice };
