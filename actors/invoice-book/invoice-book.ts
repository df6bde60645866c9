/** The numbers of invoices, without gaps per project and mode.
 *  B1. A number is assigned in the order of arrival, and told in the same commit.
 *  B2. A request of an invoice is executed once, however often it is sent: so no number is lost, and none is
 *      given twice.
 *  B3. After a restore there is one gap: numbers that were given in the lost time are not given again. */
import { actor, type Eras, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { subscriptionAt } from '../subscription/messages.ts';
import {
  invoicesCounter,
  type InvoiceBookCommands,
  type InvoiceBookState,
  type InvoiceBookTypes,
} from './messages.ts';
import type { Kind } from '../kind.ts';

type X = Turn<InvoiceBookTypes>;

/** Where an operator names no number: more than can have been given between a backup and its restore. */
const numbersLost = 1000;

export const invoiceBook = actor<InvoiceBookTypes>('invoice_book', '', {
  schema: 1,
  deferrable: true,
  on: {
    assign: {
      by: 'system',
      creates: (command, x) => assign(continued({ status: 'open', last: 0 }, x.eras), command, x),
      _any: assign,
    },
  },
  effects: {},
  timers: {},
  restored: continued,
  view: ({ last }) => ({ last }),
});

export const invoiceBookKind = { actor: invoiceBook } as const satisfies Kind;

/** After each restore: behind the highest number that the operator knows, or with a gap. */
function continued(s: InvoiceBookState, eras: Eras): InvoiceBookState {
  const last = eras.reduce((at, { highest }) => {
    const named = highest[invoicesCounter];
    return named === undefined ? at + numbersLost : Math.max(at, named);
  }, s.last);
  return { ...s, last };
}

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
