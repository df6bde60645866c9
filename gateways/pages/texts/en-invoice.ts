/** The texts about invoices in English. */
import type { InvoiceTexts } from './texts.ts';

export const enInvoice: InvoiceTexts = {
  heading: (number) => `Invoice ${number}`,
  byHand: 'Nothing is charged automatically: you choose how to pay on the next page.',
  pay: 'Pay this invoice',
  overdue: (since) => [`Overdue since ${since}.`, 'It can still be paid here.'],
  paid: ['This invoice is paid', 'Thank you. There is nothing left to do.'],
  paidByHand: 'The shop has recorded this payment.',
  voided: [
    'This invoice was cancelled',
    'There is nothing to pay. If you have questions, please ask the shop.',
  ],
  noWay: [
    'It cannot be paid here right now.',
    'The shop has no payment provider switched on for this amount. Please ask the shop, or try again later.',
  ],
  facts: {
    number: 'Invoice',
    customer: 'Billed to',
    period: 'Period',
    appliesTo: 'Now pays for',
    due: 'Due',
    paidOn: 'Paid on',
    payment: 'Payment',
  },
  days: (first, last) => `${first} to ${last}`,
  unknown: [
    'We do not know this invoice',
    'The link may be incomplete or mistyped. Please open it from the message you received.',
  ],
  cancel: 'Cancel this payment',
  ended: {
    failed: 'It could not be paid this time. To try again, open the invoice from the message you received.',
    cancelled: 'Nothing more happens here. To try again, open the invoice from the message you received.',
    expired:
      'The invoice shows whether there is still something to pay: open it from the message you received.',
  },
  duplicate: 'This invoice was settled before your payment arrived. The shop gives this payment back to you.',
};
