/** Finds the payment that somebody means who has no key: by any reference that a shop, a buyer or a provider
 *  knows it by.
 *  Boundary: finds a session and its payment; answer.ts decides what of them is shown.
 *  1. The kinds of reference are tried in the order of the list below, and the first that matches wins.
 *  2. A reference that is not unique is answered only where one project and mode uses it: who does not know
 *     the merchant learns nothing about either.
 *  3. The work is bounded, however many objects carry a reference: index entries of at most `scopesMax`
 *     scopes, then one session. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { HiddenSession, SessionState } from '../../actors/checkout-session/state.ts';
import type { LinkState } from '../../actors/payment-link/messages.ts';
import { linkTag, orderIdTag, paidTag, providerRefTag } from '../../actors/checkout-session/view.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import { monthsBefore, type Instant } from '../../src/kernel/time.ts';
import { isLive, modes, projectOf, scopeOf, type Mode, type Scope } from '../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import type { Tagged } from '../../src/store/store.ts';
import { linkByReference } from './link-by-reference.ts';

/** How far back references are found that are not unique for ever. */
export const lookbackMonths = 6;
/** Scopes that may use one reference before it counts as ambiguous without a closer look. */
export const scopesMax = 50;

export interface Asked {
  /** Trimmed. */
  readonly query: string;
  /** Only this project; null: any. */
  readonly merchant: string | null;
  readonly mode: Mode | null;
}

export type Match = (SessionFound | LinkFound) & { readonly matchedBy: MatchedBy };

export interface SessionFound {
  readonly session: Snapshot<SessionState>;
  /** The payment that was named, otherwise the session's paying or latest one; null: nobody has tried. */
  readonly payment: Payment | null;
  /** The reference names this payment, not its session. */
  readonly namesPayment: boolean;
}

/** A payment link of many buyers: nothing of any of them is shown. */
export interface LinkFound {
  readonly session: null;
  readonly link: Snapshot<LinkState>;
}

type Looking = Pick<Client, 'read' | 'readRow' | 'newestTagged' | 'now'>;
type Found = SessionFound | LinkFound | 'ambiguous' | null;

interface Reference {
  readonly name: string;
  find(client: Looking, asked: Asked, now: Instant): Promise<Found>;
}

/** In the order of docs/reference/api/public-status.md. */
const references = [
  { name: 'payment_id', find: byPaymentId },
  { name: 'session_id', find: bySessionId },
  { name: 'order_id', find: byOrderId },
  { name: 'provider_ref', find: byProviderRef },
  { name: 'link_reference', find: byLinkReference },
] as const satisfies readonly Reference[];

export type MatchedBy = (typeof references)[number]['name'];
export const matchedBys: readonly MatchedBy[] = references.map(({ name }) => name);

/** `now` is real time. Rejects when the store does not answer. */
export async function matchOf(
  client: Looking,
  asked: Asked,
  now: Instant,
): Promise<Match | 'ambiguous' | null> {
  for (const { name, find } of references) {
    const found = await find(client, asked, now);
    if (found === 'ambiguous') return found;
    if (found !== null) return { ...found, matchedBy: name };
  }
  return null;
}

function byPaymentId(client: Looking, asked: Asked): Promise<Found> {
  return couldBeId('pay', asked.query) ? paymentAt(client, asked, asked.query) : Promise.resolve(null);
}

async function bySessionId(client: Looking, asked: Asked): Promise<Found> {
  return couldBeId('cs', asked.query) ? ofSession(await sessionAt(client, asked, asked.query)) : null;
}

async function byOrderId(client: Looking, asked: Asked, now: Instant): Promise<Found> {
  const session = await tagged(client, asked, now, orderIdTag(asked.query));
  return session === 'ambiguous' ? session : ofSession(session);
}

async function byProviderRef(client: Looking, asked: Asked, now: Instant): Promise<Found> {
  const session = await tagged(client, asked, now, providerRefTag(asked.query));
  if (session === null || session === 'ambiguous') return session;
  const named = session.state.payments.filter(({ providerRef }) => providerRef === asked.query);
  const payment = named.find(({ paidAt }) => paidAt !== null) ?? named.at(-1);
  return payment === undefined ? null : { session, payment, namesPayment: true };
}

/** A link for one payment means the session of that payment; any other one means only itself. */
async function byLinkReference(client: Looking, asked: Asked): Promise<Found> {
  const link = await linkByReference(client, asked.query);
  if (link === null || !isAsked(asked, link.meta.scope)) return null;
  const { id, scope, createdAt } = link.meta;
  const from = monthsBefore(client.now(scope), lookbackMonths);
  if (createdAt < from) return null;
  if (link.state.maxUses !== 1) return { session: null, link };
  const query = { kind: 'checkout_session', from, scopes: [scope], limit: 1 } as const;
  const [paid] = await client.newestTagged({ ...query, tag: paidTag(linkTag(id)) });
  const [best] = paid === undefined ? await client.newestTagged({ ...query, tag: linkTag(id) }) : [paid];
  const session = best === undefined ? null : await sessionAt(client, asked, best.id);
  return ofSession(session) ?? { session: null, link };
}

/** The paid one of the sessions with this tag, otherwise the newest. */
async function tagged(
  client: Looking,
  asked: Asked,
  now: Instant,
  tag: string,
): Promise<Snapshot<SessionState> | 'ambiguous' | null> {
  const query = { kind: 'checkout_session', limit: scopesMax } as const;
  // a sandbox clock is never behind real time, and each project's own clock decides below
  const from = monthsBefore(now, lookbackMonths);
  const all = await client.newestTagged({ ...query, tag, from, scopes: scopesOf(asked) });
  const since = ({ scope }: Tagged): Instant => monthsBefore(client.now(scope), lookbackMonths);
  const [one, another] = all.filter((each) => isAsked(asked, each.scope) && each.created >= since(each));
  if (another !== undefined || all.length >= scopesMax) return 'ambiguous';
  if (one === undefined) return null;
  if (one.only) return sessionAt(client, asked, one.id);
  const paid = { ...query, tag: paidTag(tag), from: since(one), scopes: [one.scope] };
  const [best = one] = await client.newestTagged(paid);
  return sessionAt(client, asked, best.id);
}

/** The scopes that can match; null: any. */
function scopesOf({ merchant, mode }: Asked): readonly Scope[] | null {
  if (merchant === null) return null;
  if (!couldBeId('prj', merchant)) return [];
  return (mode === null ? modes : [mode]).map((each) => scopeOf(merchant, each));
}

const isAsked = ({ merchant, mode }: Asked, scope: Scope): boolean =>
  (merchant === null || projectOf(scope) === merchant) &&
  (mode === null || isLive(scope) === (mode === 'live'));

async function sessionAt(client: Looking, asked: Asked, id: string): Promise<Snapshot<SessionState> | null> {
  const found = await client.read<SessionState | HiddenSession>(checkoutSessionAt(id), null);
  return found !== null && isShown(found) && isAsked(asked, found.meta.scope) ? found : null;
}

/** The provider of a hidden session has not answered yet: for everybody outside it does not exist. */
const isShown = (found: Snapshot<SessionState | HiddenSession>): found is Snapshot<SessionState> =>
  found.state.status !== 'hidden';

async function paymentAt(client: Looking, asked: Asked, id: string): Promise<Found> {
  const row = await client.readRow('payment', id, null);
  const sessionId = row?.body['sessionId'];
  const session = typeof sessionId === 'string' ? await sessionAt(client, asked, sessionId) : null;
  const payment = session?.state.payments.find((each) => each.id === id);
  return session === null || payment === undefined ? null : { session, payment, namesPayment: true };
}

function ofSession(session: Snapshot<SessionState> | null): SessionFound | null {
  if (session === null) return null;
  const { state } = session;
  const paying = state.status === 'success' ? state.paidBy : null;
  const payment = state.payments.find(({ id }) => id === paying) ?? state.payments.at(-1) ?? null;
  return { session, payment, namesPayment: false };
}
