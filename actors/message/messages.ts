/** The commands of one message to a buyer or a merchant: an e-mail or an SMS. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import { days, hours, minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/catalog.ts';

export const messageAt = (id: string): Address<MessageCommands> => address('message', id);

/** What causes a message names it: the same cause has one message, in the slot of the object that caused
 *  it. */
export const messageIdOf = (objectId: string, cause: readonly string[]): string =>
  placedBeside('msg', objectId, sha256Base32([objectId, ...cause], 24));

export type Channel = 'email' | 'sms';
export type Language = 'en' | 'ne';

/** A buyer has paid. */
export interface ReceiptNotice {
  readonly is: 'receipt';
  readonly channel: Channel;
  /** The buyer's address or number, as the merchant or the buyer gave it. */
  readonly to: string;
  readonly language: Language;
  readonly paymentId: string;
  readonly amount: Paisa;
  readonly description: string | null;
  readonly provider: Provider;
  readonly providerRef: string | null;
  readonly paidAt: Instant;
}

/** We have stopped sending to a webhook endpoint. It goes to the merchant's address. */
export interface EndpointDisabledNotice {
  readonly is: 'endpoint_disabled';
  readonly channel: 'email';
  readonly endpointId: string;
  readonly url: string;
  readonly reason: 'failing' | 'gone';
}

/** An invoice of a subscription is to be paid. Its customer's address is read when it is written, because the
 *  merchant may have corrected it. */
export interface InvoiceNotice {
  readonly is: 'invoice';
  readonly channel: 'email';
  /** `again`: the merchant sends it once more. */
  readonly cause: 'opened' | 'due' | 'overdue' | 'again';
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly invoiceId: string;
  /** `INV-000001`. */
  readonly number: string;
  readonly planName: string;
  readonly amount: Paisa;
  readonly dueAt: Instant;
  readonly periodStart: Instant;
  readonly periodEnd: Instant;
}

export type Notice = ReceiptNotice | EndpointDisabledNotice | InvoiceNotice;

/** A message as it was written. */
export interface Written {
  readonly to: string;
  /** null for an SMS. */
  readonly subject: string | null;
  readonly text: string;
  /** null for an SMS. */
  readonly html: string | null;
}

export type Outcome =
  /** Sandbox: kept, and not sent. */
  | { readonly is: 'captured'; readonly written: Written }
  /** Accepted by the server: `reply` is its answer. */
  | { readonly is: 'accepted'; readonly reply: string }
  /** There is no way to send it, or it is not due to be sent. */
  | { readonly is: 'not_sent'; readonly reason: string }
  /** Refused for good. */
  | { readonly is: 'refused'; readonly reason: string }
  /** May succeed later. */
  | { readonly is: 'failed'; readonly reason: string };

export interface MessageCommands {
  open: { readonly notice: Notice };
  /** One try has ended. */
  tried: { readonly outcome: Outcome };
  retryDue: { readonly key: string };
  /** It is kept no longer. */
  keptLong: { readonly key: string };
}

export interface MessageEffects {
  /** Writes the message, and sends it in live. At least once: the server knows a repeat by its id. */
  'message.send': { readonly messageId: string; readonly notice: Notice };
}

/** How long a message is kept. */
export const keptMs: DurationMs = days(30);

/** The delay before each try after the first: about 21 hours in all. */
export const retryDelays: readonly DurationMs[] = [
  minutes(1),
  minutes(5),
  minutes(30),
  hours(2),
  hours(6),
  hours(12),
];

interface MessageFields {
  readonly channel: Channel;
  readonly notice: Notice;
  readonly createdAt: Instant;
  /** Tries that have ended. */
  readonly tries: number;
}

export type MessageState =
  | (MessageFields & { readonly status: 'sending' })
  | (MessageFields & Written & { readonly status: 'captured' })
  | (MessageFields & { readonly status: 'sent' | 'not_sent' | 'failed'; readonly reason: string });

export interface MessageTypes {
  state: MessageState;
  terminal: 'captured' | 'sent' | 'not_sent' | 'failed';
  commands: MessageCommands;
  effects: MessageEffects;
}
