/** The Event object: what webhooks, GET /v1/events and streams carry. */
import { Type } from 'typebox';
import { apiVersion } from '../../../src/kernel/api-releases.ts';
import { shown } from '../route/description.ts';
import { address, checkoutSession } from './checkout.ts';
import { invoice } from './invoice.ts';
import { metadataShown } from './metadata.ts';
import { flag, integer, object, oneOf, orNull, paisa, text, textOrNull, time } from './parts.ts';
import { paymentLink } from './payment-link.ts';
import { payment, paymentFields } from './payment.ts';
import { provider } from './provider.ts';
import { refund } from './refund.ts';
import { subscription } from './subscription.ts';
import { endpoint } from './webhook-endpoint.ts';

const eventPayment = object('PaymentEventData', 'A payment, and what you know the purchase by.', {
  ...paymentFields,
  session: object('PaymentEventSession', 'Your own references for the purchase.', {
    id: text('The checkout session.'),
    referenceId: textOrNull('Your own reference.'),
    metadata: metadataShown,
  }),
  customerAddress: orNull(address, 'The address that the buyer gave on our page.'),
  refund: Type.Optional(refund.schema),
});

const mismatch = object('ReconciliationMismatch', 'Our records of a payment and its provider differ.', {
  paymentId: text('The payment.'),
  provider,
  field: text('What differs: `status`, `amount` or `reference`.'),
  ours: text('The status of the payment.'),
  theirs: text('What the provider says, such as `paid`, `cancelled` or `not_found`.'),
  amountOurs: paisa('In paisa.'),
  amountProvider: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'In paisa, where the provider told an amount.',
  }),
  source: text('How it was found: `daily_lookup`, or `lookup` for any other look-up.'),
  detectedAt: time('When it was found.'),
});

const paidLink = object('PaymentLinkEventData', 'A payment link, and the payment that it was paid by.', {
  ...paymentLink.schema.properties,
  paymentId: text('The payment.'),
});

const eventInvoice = object('InvoiceEventData', 'An invoice, and the reminder that was sent.', {
  ...invoice.schema.properties,
  reminder: Type.Optional(
    object('InvoiceReminder', 'Only of `invoice.reminder_sent`.', {
      attemptNumber: integer('0: of the due day. 1, 2, ...: after it.'),
      sentAt: time('When it was sent.'),
    }),
  ),
});

const ping = object('Ping', 'The data of a `test.ping`.', { message: oneOf(['ping'], 'Says nothing else.') });

/** What events are about. An event of a new kind adds its object here. */
const objects = [
  checkoutSession.schema,
  eventPayment,
  refund.schema,
  subscription.schema,
  eventInvoice,
  paidLink,
  mismatch,
  endpoint,
  ping,
] as const;
const data = Type.Union([...objects], {
  description:
    'The whole object at the time of the event: of `checkout.*` a CheckoutSession, of ' +
    '`payment.*` a PaymentEventData (with `refund` on a `payment.refunded`), of `refund.*` a ' +
    'Refund, of `subscription.*` a Subscription, of `invoice.*` an InvoiceEventData, of ' +
    '`payment_link.paid` a PaymentLinkEventData, of `reconciliation.mismatch` a ' +
    'ReconciliationMismatch, of `webhook_endpoint.*` a WebhookEndpoint. An event of ' +
    '`POST /v1/test/events` also has the fields that you gave it.',
});

export const event = shown(
  object('Event', 'Something that happened. The same bytes in a webhook, a list and a stream.', {
    id: text('Id of the event, `evt_...`: the same each time it is sent.'),
    type: text('What happened, for example `payment.succeeded`. More types may follow.'),
    created: integer('When it happened, in seconds since 1970.'),
    timestamp: time('When it happened.'),
    livemode: flag('Whether real money moved: false in the sandbox.'),
    apiVersion: text('The version of the API it is written in.'),
    sequence: integer('The `sequence` of the object it is about.'),
    test: Type.Optional(
      flag('true on a sample that was sent to test an endpoint: nothing has happened. Absent otherwise.'),
    ),
    data,
  }),
  {
    id: 'evt_29spnm3sc7dwfb57gqqxcqe1',
    type: 'payment.succeeded',
    created: 1_795_275_190,
    timestamp: '2026-11-21T15:33:10.950Z',
    livemode: false,
    apiVersion,
    sequence: 3,
    data: {
      ...payment.example,
      session: {
        id: 'cs_wfr9z72rnbh2bzj55vtw6d93',
        referenceId: 'A-1001',
        metadata: { order_id: '1001' },
      },
      customerAddress: null,
    },
  },
);
