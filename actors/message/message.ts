/** One e-mail or SMS, from its cause to the answer of the server that takes it.
 *  N1. In sandbox nothing leaves: the message is kept for 30 days, for the merchant to read.
 *  N2. Once the server's acceptance is recorded, it is not sent again. A crash before that may send it a
 *      second time, under the same id.
 *  N3. Tries are bounded: after the last one it has failed. */
import {
  actor,
  isLive,
  type Change,
  type Json,
  type Turn,
  type Verdict,
  type ViewMeta,
} from '../../src/runtime/model/actor.ts';
import {
  keptMs,
  retryDelays,
  type MessageCommands,
  type MessageState,
  type MessageTypes,
  type Written,
} from './messages.ts';
import type { Kind } from '../kind.ts';
import { iso } from '../../src/kernel/time.ts';

type X = Turn<MessageTypes>;
type Sending = Extract<MessageState, { status: 'sending' }>;
type End = Extract<MessageState, { reason: string }>['status'];

export const message = actor<MessageTypes>('message', 'msg', {
  schema: 2,
  upcast: (body) => body as unknown as MessageState,
  // a build without mails of invoices would write one as a receipt
  downcast: (s) => (s.notice.is === 'invoice' ? null : (s as unknown as Json)),
  deferrable: true,
  on: {
    open: {
      by: 'system',
      creates: ({ notice }, x) => {
        const { channel } = notice;
        const opened: Sending = { status: 'sending', channel, notice, createdAt: x.now, tries: 0 };
        return send(opened, x).timer('end', x.now + keptMs);
      },
      _any: (_s, _c, x) => x.ok(),
    },
    tried: { by: 'system', sending: tried, _terminal: (_s, _c, x) => x.ok() },
    retryDue: { by: 'system', sending: (s, _c, x) => send(s, x), _terminal: (_s, _c, x) => x.ok() },
    keptLong: { by: 'system', _any: (_s, _c, x) => x.delete() },
  },
  effects: {
    'message.send': {
      result: 'tried',
      mode: 'atLeastOnce',
      unknown: () => ({ outcome: { is: 'failed', reason: 'failed on our side' } }),
    },
  },
  timers: { retry: 'retryDue', end: 'keptLong' },
  view: messageView,
  indexes: ['status', 'channel', 'to'],
});

export const messageKind = { actor: message } as const satisfies Kind;

function send(s: Sending, x: X): Change<MessageTypes> {
  const { status, ...fields } = s;
  // a server that does not answer holds up its own messages, none of the sandbox or of the other server
  const lane = isLive(x.scope) ? s.channel : 'sandbox';
  return x.become(status, fields).effect('message.send', { messageId: x.id, notice: s.notice }, { lane });
}

function tried(before: Sending, { outcome }: MessageCommands['tried'], x: X): Verdict {
  const { status, ...fields } = { ...before, tries: before.tries + 1 };
  switch (outcome.is) {
    case 'captured':
      return x.become('captured', { ...fields, ...outcome.written });
    case 'accepted':
      return end(fields, 'sent', outcome.reply, x);
    case 'not_sent':
      return end(fields, 'not_sent', outcome.reason, x);
    case 'refused':
      return end(fields, 'failed', outcome.reason, x);
    case 'failed': {
      const delay = retryDelays[before.tries];
      if (delay === undefined) return end(fields, 'failed', outcome.reason, x);
      return x.become(status, fields).timer('retry', x.now + delay);
    }
  }
}

/** A payment's timeline tells what became of its receipt. */
function end(fields: Omit<Sending, 'status'>, status: End, reason: string, x: X): Verdict {
  const change = x.become(status, { ...fields, reason }).noTimer('retry');
  const { notice, channel, tries } = fields;
  if (notice.is !== 'receipt') return change;
  const summary = `Receipt by ${channel === 'sms' ? 'SMS' : 'e-mail'}: ${endWords[status]}`;
  const detail = { messageId: x.id, channel, tries, reason };
  return change.note({ about: notice.paymentId, kind: 'note', summary, detail });
}

const endWords: { readonly [status in End]: string } = {
  sent: 'the server has accepted it',
  not_sent: 'not sent',
  failed: 'could not be sent',
};

const unwritten = { to: null, subject: null, text: null, html: null };

function messageView(s: MessageState, { id }: Pick<ViewMeta, 'id'>): { readonly [key: string]: unknown } {
  const { to, subject, text, html }: Written | typeof unwritten = s.status === 'captured' ? s : unwritten;
  const { notice } = s;
  const paymentId = notice.is === 'receipt' ? notice.paymentId : null;
  const invoiceId = notice.is === 'invoice' ? notice.invoiceId : null;
  const createdAt = iso(s.createdAt);
  return { id, channel: s.channel, to, subject, text, html, paymentId, invoiceId, createdAt };
}
