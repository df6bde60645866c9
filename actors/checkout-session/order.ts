/** What the merchant requested: the part of a session that never changes. */
import type { Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/answers.ts';
import type { Json } from '../../src/runtime/model/actor.ts';

/** Keys of a merchant's metadata, of a session or of a payment link. */
export const metadataKeysMax = 50;

export interface PostalAddress {
  readonly line1: string;
  readonly line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
}

export interface Customer {
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
  readonly address: PostalAddress | null;
}

/** The merchant's request, validated at the gateway; the same in every status. */
export interface Order {
  readonly amount: Paisa;
  readonly currency: 'NPR';
  readonly description: string | null;
  /** null for Direct-QR, which has no page to return from, and for links whose buyers stay on our page. */
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  readonly collectAddress: boolean;
  readonly customer: Customer | null;
  readonly metadata: { readonly [key: string]: Json };
  readonly flow: 'hosted' | 'redirect';
  /** The provider of a redirect flow, or the one a hosted page preselects. */
  readonly preselected: Provider | null;
  readonly referenceId: string | null;
  readonly source: 'checkout' | 'direct_qr' | 'payment_link' | 'invoice';
  /** The payment link it came by; absent: none. `held`: the hour in which the link reserved the use. */
  readonly link?: { readonly id: string; readonly referenceId: string; readonly held: Instant };
  /** The invoice it pays, and the billing customer who was sent it; only with source `invoice`. */
  readonly invoiceId?: string;
  /** Whose invoice it is: it is asked what verified money pays. Absent, as in older documents: nobody is. */
  readonly subscriptionId?: string;
  readonly customerId?: string;
  /** Where the buyer opens it; the gateway builds it from BASE_URL. */
  readonly checkoutUrl: string | null;
}
