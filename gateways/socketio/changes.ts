/** The objects that have changed when a merchant's actor has committed: the API objects that it holds, in
 *  their current state. One entry per kind of actor whose objects are shown; notices about other kinds are
 *  ignored.
 *  1. An actor is read once, so all objects inside it are reported at the same version. */
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { HiddenSession, SessionState } from '../../actors/checkout-session/state.ts';
import { refundRows } from '../../actors/checkout-session/refund-view.ts';
import { paymentRows } from '../../actors/checkout-session/view.ts';
import { paymentLinkAt, type LinkState } from '../../actors/payment-link/messages.ts';
import { subscriptionAt } from '../../actors/subscription/messages.ts';
import type { SubscriptionState } from '../../actors/subscription/state.ts';
import { invoiceView } from '../../actors/subscription/view.ts';
import { webhookDeliveryAt, type DeliveryState } from '../../actors/webhook-delivery/messages.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { sourcesShown } from '../http/routes/checkout.ts';
import { withPayloads } from '../http/routes/deliveries.ts';
import { subscriptionShown } from '../http/subscriptions-shown.ts';

export type Reading = Pick<Client, 'read' | 'listRows'>;
export type View = { readonly [key: string]: unknown };

/** As sent to clients. */
export interface Change {
  readonly object:
    | 'checkout'
    | 'payment'
    | 'refund'
    | 'delivery'
    | 'payment_link'
    | 'subscription'
    | 'invoice';
  readonly id: string;
  /** Rises with each change of the object, not always by one. */
  readonly sequence: number;
  readonly data: View;
}

/** An object in its current state, and the number that shows whether it is news. */
export interface ObjectState {
  readonly change: Change;
  /** More changes will follow: it is read again even without a notice. */
  readonly open: boolean;
  /** When it last changed; null when its view does not include that. */
  readonly changedAt: Instant | null;
  /** For an object whose sequence also rises when its view does not change. */
  readonly digest: string | null;
}

type Read = (client: Reading, id: string, scope: Scope) => Promise<readonly ObjectState[]>;

const readers: { readonly [prefix: string]: Read } = {
  cs: sessionOf,
  lnk: linkOf,
  sub: subscriptionOf,
  whd: deliveryOf,
};

const readerOf = (id: string): Read | undefined => {
  const prefix = id.slice(0, id.indexOf('_'));
  return Object.hasOwn(readers, prefix) && couldBeId(prefix, id) ? readers[prefix] : undefined;
};

/** Whether any object of the actor with this id is shown. */
export const isShown = (id: string): boolean => readerOf(id) !== undefined;

/** The current objects of this actor; none when the scope has no such actor. Rejects when it cannot be
 *  read. */
export const objectStatesOf = async (
  client: Reading,
  id: string,
  scope: Scope,
): Promise<readonly ObjectState[]> => (await readerOf(id)?.(client, id, scope)) ?? [];

async function sessionOf(client: Reading, id: string, scope: Scope): Promise<readonly ObjectState[]> {
  const found = await client.read<SessionState | HiddenSession>(checkoutSessionAt(id), scope);
  if (found === null || found.state.status === 'hidden') return [];
  const { view, state, meta } = found;
  const inside = [
    ...paymentRows(state, meta).map(({ body }) => paymentState(body)),
    ...refundRows(state, meta).map(({ body }) => refundState(body)),
  ];
  return sourcesShown.some((source) => source === view['source']) ? [...inside, checkoutState(view)] : inside;
}

/** Its uses, as they happen. It never ends for good, so it is found by its events and notices alone. */
async function linkOf(client: Reading, id: string, scope: Scope): Promise<readonly ObjectState[]> {
  const found = await client.read<LinkState>(paymentLinkAt(id), scope);
  return found === null ? [] : [apiState('payment_link', found.view, [])];
}

/** With the invoices it keeps. It lives for years, so like a link it is found by its events and notices alone. */
async function subscriptionOf(client: Reading, id: string, scope: Scope): Promise<readonly ObjectState[]> {
  const found = await client.read<SubscriptionState>(subscriptionAt(id), scope);
  if (found === null) return [];
  const { state, meta } = found;
  return [
    ...state.invoices.map((invoice) => apiState('invoice', invoiceView(state, invoice, meta), [])),
    apiState('subscription', await subscriptionShown(client, found), []),
  ];
}

/** From a Checkout session object of the API. */
export const checkoutState = (view: View): ObjectState =>
  apiState('checkout', view, ['pending', 'initiated']);

/** From a Payment object of the API. */
export const paymentState = (view: View): ObjectState => apiState('payment', view, ['pending', 'processing']);

/** From a Refund object of the API. One that requires action may stay so for ever: its next change has an event,
 *  by which it is found. */
const refundState = (view: View): ObjectState => apiState('refund', view, ['processing']);

/** Our own views: the types of `id`, `sequence`, `status` and `updatedAt` are trusted. */
const apiState = (object: Change['object'], view: View, openStatuses: readonly string[]): ObjectState => ({
  change: { object, id: String(view['id']), sequence: Number(view['sequence']), data: view },
  open: openStatuses.includes(String(view['status'])),
  changedAt: Date.parse(String(view['updatedAt'])),
  digest: null,
});

/** A delivery has no sequence of its own: its version rises with each change, and with some that are not
 *  visible. */
async function deliveryOf(client: Reading, id: string, scope: Scope): Promise<readonly ObjectState[]> {
  const found = await client.read<DeliveryState>(webhookDeliveryAt(id), scope);
  if (found === null) return [];
  const { view, v, state } = found;
  const [data = view] = await withPayloads({ client, versions: null }, [found], scope);
  return [
    {
      change: { object: 'delivery', id, sequence: v, data },
      open: state.status === 'pending' || state.status === 'retrying',
      changedAt: null,
      digest: sha256Base32([JSON.stringify(view)], 24),
    },
  ];
}
