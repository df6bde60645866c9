/** The numbers of invoices, without gaps per project and mode.
 *  B1. A number is assigned in the order of arrival, and told in the same commit.
 *  B2. A request of an invoice is executed once, however often it is sent: so no number is lost, and none is
 *      given twice. */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { subscriptionAt } from '../subscription/messages.ts';
import type { InvoiceBookCommands, InvoiceBookState, InvoiceBookTypes } from './messages.ts';
import type { Kind } from '../kind.ts';

type X = Turn<InvoiceBookTypes>;

export const invoiceBook = actor<InvoiceBookTypes>('invoice_book', '', {
  schema: 1,
  deferrable: true,
  on: {
    assign: {
      by: 'system',
      creates: (command, x) => assign({ status: 'open', last: 0 }, command, x),
      _any: assign,
    },
  },
  effects: {},
  timers: {},
  view: ({ last }) => ({ last }),
});

export const invoiceBookKind = { actor: invoiceBook } as const satisfies Kind;

function assign(
  { last }: InvoiceBookState,
  { subscriptionId, invoiceId }: InvoiceBookCommands['assign'],
  x: X,
): Verdict {
  const number = last + 1;
  return x
    .become('open', { last: number })
    .tell(subscriptionAt(subscriptionId), 'numbered', { invoiceId, number });
}
