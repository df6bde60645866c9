/** The captured Message object. */
import { shown } from '../route/description.ts';
import { object, oneOf, text, textOrNull, time } from './parts.ts';

export const capturedMessage = shown(
  object('Message', 'An e-mail or SMS that the sandbox has kept instead of sending it.', {
    id: text('Id of the message, `msg_...`.'),
    channel: oneOf(['email', 'sms'], 'How it would have been sent.'),
    to: text('The e-mail address or phone number.'),
    subject: textOrNull('null for an SMS.'),
    text: text('The message as plain text.'),
    html: textOrNull('The same as HTML. null for an SMS.'),
    paymentId: textOrNull('The payment it is about, for a receipt.'),
    invoiceId: textOrNull('The invoice it is about.'),
    createdAt: time('When its cause happened.'),
  }),
  {
    id: 'msg_dcr04ackxsm0g5771p7748n0',
    channel: 'sms',
    to: '9800000000',
    subject: null,
    text: 'Paid NPR 1,250.50 to Qr Pasal. Payment pay_4t8z1m6q3x9k2v7b.',
    html: null,
    paymentId: 'pay_4t8z1m6q3x9k2v7b',
    invoiceId: null,
    createdAt: '2026-11-20T09:16:41.000Z',
  },
);
