/** The commands of the invoice book of one project and mode. Its id is its scope. */
import { address, type ActorTypes, type Address, type Scope } from '../../src/runtime/model/actor.ts';

export const invoiceBookAt = (scope: Scope): Address<InvoiceBookCommands> => address('invoice_book', scope);

/** The highest number of any project, where an operator names it at a restore. */
export const invoicesCounter = 'invoices';

export interface InvoiceBookCommands {
  /** Sent by a subscription, once per invoice: `numbered` is told back. */
  assign: { readonly subscriptionId: string; readonly invoiceId: string };
}

export interface InvoiceBookState {
  readonly status: 'open';
  /** The last number that was assigned. */
  readonly last: number;
}

export interface InvoiceBookTypes extends ActorTypes {
  state: InvoiceBookState;
  terminal: never;
  commands: InvoiceBookCommands;
  effects: Record<never, never>;
}
