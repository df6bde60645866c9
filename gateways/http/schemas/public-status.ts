/** The PublicStatus object. */
import { modes } from '../../../src/runtime/model/address.ts';
import { Type } from 'typebox';
import { providerNames } from '../../../src/providers/catalog.ts';
import { matchedBys } from '../../status/lookup.ts';
import { statusCodes } from '../../status/status-codes.ts';
import { shown } from '../route/description.ts';
import {
  currency,
  flag,
  integer,
  object,
  oneOf,
  orNull,
  paisa,
  text,
  textOrNull,
  time,
  urlOrNull,
} from './parts.ts';
import { sessionStatuses } from './checkout.ts';
import { paymentStatuses } from './payment.ts';

const part = Type.Object;

export const publicStatus = shown(
  object(
    'PublicStatus',
    'Where a payment stands, for anybody who knows a reference of it. Nothing of the buyer, no failure text ' +
      'and no address of the shop is in it.',
    {
      lookup: part(
        {
          query: text('What was asked for, without the spaces around it.'),
          matchedBy: oneOf(matchedBys, 'The kind of reference that matched.'),
          type: oneOf(
            ['payment', 'session', 'payment_link'],
            '`session` while nobody has tried to pay. `payment_link`: only a link matched.',
          ),
          lookbackMonths: integer(
            'How far back order ids, references of providers and of payment links are found.',
          ),
        },
        { description: 'What was asked for, and what matched.' },
      ),
      status: part(
        {
          code: oneOf(
            statusCodes,
            'Of the payment when a payment id or a reference of a provider was asked for, otherwise of the ' +
              'session or of the payment link.',
          ),
          label: text('The same in a word or two, for people.'),
          summary: text('The same in a sentence, for people.'),
          terminal: flag('Nothing is expected to change it.'),
          autoRefresh: flag('Ask again after `refreshIntervalMs`.'),
          refreshIntervalMs: integer('In milliseconds; 0 where nothing changes any more.'),
        },
        { description: 'Where it stands.' },
      ),
      merchant: part(
        {
          name: text('The name of the shop.'),
          logoUrl: urlOrNull('Its logo.'),
          verified: flag('The operator has checked who the merchant is.'),
        },
        { description: 'The shop.' },
      ),
      amount: orNull(
        part({
          value: paisa('In paisa.'),
          currency,
          display: text('The same for people.'),
        }),
        'What is paid. null for a payment link whose buyers enter an amount.',
      ),
      provider: orNull(
        part({ id: oneOf(providerNames, 'The provider.'), label: text('Its name for people.') }),
        'null while none is chosen.',
      ),
      payment: orNull(
        part({
          id: text('Id of the payment, `pay_...`.'),
          status: oneOf(paymentStatuses, 'As `GET /v1/payments/{id}` shows it.'),
          providerRef: textOrNull("The provider's own id of the payment."),
          createdAt: time('When the attempt began.'),
          updatedAt: time('When it last changed.'),
        }),
        'The payment asked for, otherwise the paying or the latest one. null while nobody has tried.',
      ),
      session: orNull(
        part({
          id: text('Id of the checkout session, `cs_...`.'),
          status: oneOf(sessionStatuses, 'As `GET /v1/checkout/{id}` shows it.'),
          referenceId: textOrNull("The shop's own reference."),
          expiresAt: time('Until when it can be paid.'),
          createdAt: time('When it was created.'),
          updatedAt: time('When it last changed.'),
        }),
        'The checkout session. null where only a payment link matched.',
      ),
      references: part(
        {
          orderId: textOrNull('`metadata.order_id` or `metadata.orderId`, as text.'),
          linkReferenceId: textOrNull('The payment link it came by. null for a payment without one.'),
          providerRef: textOrNull("The provider's own id of the payment."),
        },
        { description: 'What it can be found by.' },
      ),
      mode: oneOf(modes, 'Whether real money moves: in `live`.'),
      updatedAt: time('When anything shown here last changed.'),
    },
  ),
  {
    lookup: { query: '1001', matchedBy: 'order_id', type: 'payment', lookbackMonths: 6 },
    status: {
      code: 'paid',
      label: 'Paid',
      summary: 'The payment was confirmed by the provider.',
      terminal: true,
      autoRefresh: false,
      refreshIntervalMs: 0,
    },
    merchant: { name: 'Demo Pasal', logoUrl: null, verified: false },
    amount: { value: 125_050, currency: 'NPR', display: 'NPR 1,250.50' },
    provider: { id: 'wallet_b', label: 'Wallet B' },
    payment: {
      id: 'pay_wfvvvc5fkjjqm0pf',
      status: 'success',
      providerRef: 'TXWFVVVC5FKJJQM0PF',
      createdAt: '2026-11-21T15:33:10.884Z',
      updatedAt: '2026-11-21T15:33:10.950Z',
    },
    session: {
      id: 'cs_wfr9z72rnbh2bzj55vtw6d93',
      status: 'success',
      referenceId: 'A-1001',
      expiresAt: '2026-11-21T16:03:10.850Z',
      createdAt: '2026-11-21T15:33:10.850Z',
      updatedAt: '2026-11-21T15:33:10.950Z',
    },
    references: { orderId: '1001', linkReferenceId: null, providerRef: 'TXWFVVVC5FKJJQM0PF' },
    mode: 'sandbox',
    updatedAt: '2026-11-21T15:33:10.950Z',
  },
);
