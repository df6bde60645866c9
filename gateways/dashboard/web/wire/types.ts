/** The data of the endpoints under /dashboard/api and of a merchant's socket: the types of the API's own schemas, and
 *  of what the dashboard's own routes answer.
 *  Boundary: types alone; nothing of the service is in the page. Amounts in paisa; times as ISO texts. */
import type { apiKey, newApiKey } from '../../../http/schemas/api-key.ts';
import type { merchant, newMerchant } from '../../../http/schemas/merchant.ts';
import type { paymentLink } from '../../../http/schemas/payment-link.ts';
import type { payment } from '../../../http/schemas/payment.ts';
import type { providerSettings } from '../../../http/schemas/provider-settings.ts';
import type { receipt } from '../../../http/schemas/receipt.ts';
import type { refund } from '../../../http/schemas/refund.ts';
import type { statement, statementItem } from '../../../http/schemas/statement.ts';
import type { testClock } from '../../../http/schemas/test-clock.ts';
import type { timelineEntry } from '../../../http/schemas/timeline.ts';
import type { delivery, newWebhookEndpoint, webhookEndpoint } from '../../../http/schemas/webhook.ts';
import type { Invoice, Subscription } from './billing-types.ts';
import type { BodyOf, Mode, ObjectOf, Place, ValueOf } from './call.ts';

export type { Mode, Place };

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

/** One page of a list, newest first. */
export interface Listed<Item> {
  readonly data: readonly Item[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
}

type OnePayment = ValueOf<'GET payments/{id}'>;
/** `description` and `walletAIntent`: only in the answer about one payment. */
export type Payment = ObjectOf<typeof payment> & Partial<Pick<OnePayment, 'description' | 'walletAIntent'>>;
export type PaymentStatus = Payment['status'];
export type Buyer = NonNullable<Payment['customer']>;
export type Receipt = ObjectOf<typeof receipt>;
export type TimelineEntry = ObjectOf<typeof timelineEntry>;

export type Refund = ObjectOf<typeof refund>;
export type RefundStatus = Refund['status'];
export type RefundReason = Refund['reason'];
export type RefundRequest = BodyOf<'POST /v1/refunds'>;

export type Checkout = ValueOf<'GET /v1/checkout/{id}'>;
export type SessionStatus = Checkout['status'];

export type Endpoint = ObjectOf<typeof webhookEndpoint>;
export type EndpointRequest = Pick<Endpoint, 'url' | 'events' | 'description'>;
export type NewSecret = Pick<ObjectOf<typeof newWebhookEndpoint>, 'signing_secret'>;
export type Delivery = Omit<ObjectOf<typeof delivery>, 'payload'> & { readonly payload: object | null };
export type DeliveryStatus = Delivery['status'];
export type WebhookHealth = ValueOf<'GET webhook-health'>;
export type EndpointHealth = WebhookHealth['data'][number];
export type Tries = ValueOf<'GET webhooks/deliveries/{id}/tries'>;
export type Try = Tries['tries'][number];
/** The envelope of an event, as webhooks carry it. */
export type ShopEvent = Omit<ValueOf<'GET /v1/events/{id}'>, 'data'> & {
  readonly data: { readonly [field: string]: unknown };
};

export type RequestPage = ValueOf<'GET requests'>;
export type LoggedRequest = RequestPage['data'][number];

export type PaymentLink = ObjectOf<typeof paymentLink>;
export type LinkStatus = PaymentLink['status'];
export type LinkRequest = BodyOf<'POST /v1/payment-links'>;
export type LinkChange = BodyOf<'PATCH /v1/payment-links/{id}'>;

export type Merchant = ObjectOf<typeof merchant>;
export type MerchantPlan = Merchant['plan'];
export type MerchantChange = Pick<Merchant, 'plan' | 'verified' | 'createPerSecond'>;
export type NewMerchant = ObjectOf<typeof newMerchant>;

export type ReviewItem = ValueOf<'POST reviews/{id}/look-up'>;
export type Review = ReviewItem['review'];
export type ReviewWay = Review['ways'][number];
/** What waits for a person, in numbers. */
export type Attention = ValueOf<'GET attention'>;

export type ApiKey = ObjectOf<typeof apiKey>;
export type NewApiKey = ObjectOf<typeof newApiKey>;
export type KeyKind = ApiKey['kind'];
export type KeyAccess = ApiKey['access'];
export type KeyRequest = BodyOf<'POST keys'>;
export type Business = ValueOf<'GET business'>;
/** How this project uses a provider in this mode. */
export type ProviderSettings = ObjectOf<typeof providerSettings>;
export type ProviderIncidents = ValueOf<'GET provider-incidents'>;
export type ProviderIncident = ProviderIncidents['open'][number];
export type FailedCalls = Extract<ProviderIncident, { readonly kind: 'down' }>['failed'][number];

export type Statement = ObjectOf<typeof statement>;
export type StatementStatus = Statement['status'];
export type StatementItem = ObjectOf<typeof statementItem>;
export type StatementResult = StatementItem['result'];
export type StatementRequest = BodyOf<'POST /v1/reconciliation/statements'>;
export type StatementMapping = NonNullable<StatementRequest['mapping']>;

export type TestClock = ObjectOf<typeof testClock>;
export type Advance = BodyOf<'POST /v1/test/clock/advance'>;

/** The Asia/Kathmandu day; `openCount`: checkouts open now. */
export type Today = ValueOf<'GET today'>;

export interface Snapshot {
  /** On the project's clock. */
  readonly at: string;
  readonly payments: readonly Payment[];
  readonly checkouts: readonly Checkout[];
  readonly today: Today;
}

interface Changed<Name, Value> {
  readonly object: Name;
  readonly id: string;
  readonly sequence: number;
  readonly data: Value;
}
/** One committed change; objects that this page does not show are ignored. */
export type Change =
  | Changed<'payment', Payment>
  | Changed<'checkout', Checkout>
  | Changed<'refund', Refund>
  | Changed<'delivery', Delivery>
  | Changed<'subscription', Subscription>
  | Changed<'invoice', Invoice>;
