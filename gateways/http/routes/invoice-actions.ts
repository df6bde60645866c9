/** What is done to an invoice: void, mark as paid, send again, give out an address to pay at.
 *  1. The subscription decides. An invoice that it keeps no longer was settled long ago; its row says how. */
import { Type } from 'typebox';
import { notesCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { subscriptionAt, type SubscriptionCommands } from '../../../actors/subscription/messages.ts';
import type { SubscriptionState } from '../../../actors/subscription/state.ts';
import { invoiceView } from '../../../actors/subscription/view.ts';
import { fieldError } from '../../../src/errors.ts';
import { mintId } from '../../../src/kernel/id.ts';
import { iso, type Instant } from '../../../src/kernel/time.ts';
import type { Snapshot } from '../../../src/runtime/model/client.ts';
import type { Row } from '../../../src/store/store.ts';
import { openedSession } from '../page-sessions.ts';
import {
  askAndShow,
  done,
  notFound,
  unavailable,
  type Answer,
  type NotDone,
  type Refused,
} from '../route/answer.ts';
import { checkedInstant } from '../route/instant.ts';
import { invalid } from '../route/route.ts';
import { about, instant, text } from '../route/schemas.ts';
import { route, type ById, type Call } from '../route/spec.ts';
import { invoice, paidInvoice, payLink, voidedInvoice } from '../schemas/invoice.ts';
import { invoiceIn, invoices } from './invoices.ts';
import { refusedAs } from './subscription-asks.ts';
import { openedSubscription, type SubscriptionParts } from './subscriptions.ts';

const markPaidBody = Type.Object({
  paidAt: Type.Optional(about('When it was paid; now by default, and not later than now.', instant)),
  notes: Type.Optional(about('How it was paid. No customer sees it.', text(notesCharactersMax))),
});

type ActionCall = Pick<Call<'secret', unknown, object, ById>, 'caller' | 'params' | 'identity'>;

const common = {
  resource: invoices,
  object: 'invoice',
  key: 'secret',
  reply: 200,
  errors: ['invalid_state'],
} as const;

export const invoiceActionRoutes = (parts: SubscriptionParts) => [
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/invoices/{id}/void', dashboard: true, command: 'invoice.void' },
    operation: 'voidInvoice',
    summary: 'Void an invoice',
    description:
      'It can no longer be paid, and its period is not billed again. Money that arrives for it all the same ' +
      'is refunded.',
    answer: voidedInvoice,
    handle: (call) => acted(parts, call, 'voidInvoice', {}, 'be voided'),
  }),
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/invoices/{id}/mark-paid', dashboard: true },
    operation: 'markInvoicePaid',
    summary: 'Mark an invoice as paid in another way',
    description: 'For money that reached you by other means. It has no payment then.',
    answer: paidInvoice,
    exampleBody: { notes: 'Paid in cash' },
    body: markPaidBody,
    async handle(call) {
      const { caller, params, body } = call;
      if ((await invoiceIn(parts.client, params.id, caller.scope)) === null) return notFound;
      const paidAt = body.paidAt === undefined ? null : checkedInstant(body.paidAt);
      if (paidAt !== null && paidAt > parts.client.now(caller.scope))
        return invalid([fieldError('paidAt', 'too_large', 'now')]);
      const notes = body.notes === undefined || body.notes === '' ? null : body.notes;
      return acted(parts, call, 'markPaid', { paidAt, notes }, 'be marked as paid');
    },
  }),
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/invoices/{id}/send', dashboard: true },
    operation: 'sendInvoice',
    summary: 'Send an invoice to its customer again',
    description:
      'By e-mail, where the customer has one. At most one mail a minute: further ones are left out.',
    answer: invoice,
    handle: (call) => acted(parts, call, 'sendInvoice', {}, 'be sent'),
  }),
  route({
    ...common,
    method: 'POST',
    at: { api: '/v1/billing/invoices/{id}/pay-link', dashboard: true },
    operation: 'createPayLink',
    summary: 'Get an address to pay an invoice at',
    description:
      'Of a checkout session that runs for two hours; while one runs, its address is answered again. ' +
      '`hostedUrl` of the invoice does the same and stays valid.',
    answer: payLink,
    mints: { session: () => mintId('cs') },
    handle: (call) => payLinkOf(parts, call),
  }),
];

type InvoiceCommand = 'voidInvoice' | 'markPaid' | 'sendInvoice';

/** Sends a command; answers the invoice. */
async function acted<K extends InvoiceCommand>(
  parts: SubscriptionParts,
  { caller: { scope }, params, identity }: ActionCall,
  command: K,
  data: Omit<SubscriptionCommands[K], 'invoiceId'>,
  cannot: string,
): Promise<Answer> {
  const { client } = parts;
  const invoiceId = params.id;
  const row = await invoiceIn(client, invoiceId, scope);
  if (row === null) return notFound;
  const id = subscriptionOf(row);
  const asked = { ...data, invoiceId } as SubscriptionCommands[K];
  const asking = { by: 'merchant', scope, ...identity } as const;
  return askAndShow(
    client,
    subscriptionAt(id),
    command,
    asked,
    asking,
    // one that was opening is voided once it is open
    async (found: Snapshot<SubscriptionState>) => shownIn(parts, await openedSubscription(parts, found), row),
    (result) => refusedFor(row, result, cannot),
  );
}

/** Its own word for an invoice that its subscription has forgotten. */
const refusedFor = (row: Row, result: NotDone, cannot: string): Refused =>
  result.is === 'refused' && result.code === 'not_found'
    ? refusedAs(
        'invoice',
        { ...result, code: 'invalid_state', detail: { currentStatus: fieldOf(row, 'status') } },
        cannot,
      )
    : refusedAs('invoice', result, cannot);

const subscriptionOf = (row: Row): string => fieldOf(row, 'subscriptionId');
// its subscription wrote the row: these are texts
const fieldOf = ({ body }: Row, name: 'status' | 'subscriptionId'): string => body[name] as string;

async function shownIn(
  { client }: SubscriptionParts,
  { state, meta }: Snapshot<SubscriptionState>,
  row: Row,
): Promise<Answer> {
  const kept = state.invoices.find(({ id }) => id === row.id);
  if (kept !== undefined) return done(invoiceView(state, kept, meta));
  const now = await invoiceIn(client, row.id, meta.scope);
  return now === null ? unavailable : done(now.body);
}

async function payLinkOf(
  parts: SubscriptionParts,
  {
    caller: { scope },
    params,
    identity,
    ids,
  }: Call<'secret', unknown, object, ById, { readonly session: string }>,
): Promise<Answer> {
  const { client, baseUrl } = parts;
  const invoiceId = params.id;
  const row = await invoiceIn(client, invoiceId, scope);
  if (row === null) return notFound;
  const sessionId = ids.session;
  const url = `${baseUrl}/pay/${sessionId}`;
  const command = { invoiceId, sessionId, url };
  const asking = { by: 'merchant', scope, ...identity } as const;
  const result = await client.ask(subscriptionAt(subscriptionOf(row)), 'payInvoice', command, asking);
  if (result.is !== 'ok') return refusedFor(row, result, 'be paid');
  const running = result.detail as { sessionId: string; url: string; expiresAt: Instant };
  // its own end is another one where its buyer is in a wallet's app
  const session = await openedSession(parts, running.sessionId);
  return done({
    invoiceId,
    url: running.url,
    sessionId: running.sessionId,
    expires_at: iso(session?.state.expiresAt ?? running.expiresAt),
  });
}
