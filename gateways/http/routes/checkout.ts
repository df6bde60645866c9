/** Checkout sessions: create, list, read, expire. */
import { Type, type Static } from 'typebox';
import {
  buyerPhoneCharactersMax,
  descriptionCharactersMax,
  nameCharactersMax,
  referenceCharactersMax,
} from '../../../src/kernel/text-bounds.ts';
import { checkoutSessionAt } from '../../../actors/checkout-session/commands.ts';
import type { Customer, Order } from '../../../actors/checkout-session/order.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import { orderIdTag } from '../../../actors/checkout-session/view.ts';
import { fieldError } from '../../../src/errors.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import { whenThere, type MaybePromise } from '../../../src/kernel/maybe-promise.ts';
import { minutes } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import { askAndShow, done, doneView, notFound, refused, wholeView } from '../route/answer.ts';
import { answerPage, given, listQuery, queryOf } from '../route/paging.ts';
import { checkoutProviders, type Provider } from '../../../src/providers/catalog.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Caller } from '../access/auth.ts';
import type { Opening } from '../keyed-sessions.ts';
import { usableProviders } from '../usable-providers.ts';
import {
  about,
  amount,
  currency,
  email,
  emailText,
  metadata,
  postalAddress,
  shopUrl,
  text,
} from '../route/schemas.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { checkoutSession, expiredSession, sessionByAnyKey, sessionStatuses } from '../schemas/checkout.ts';
import { listOf } from '../schemas/parts.ts';

const checkouts: Resource = {
  name: 'Checkout',
  description:
    'A checkout session is what a buyer is asked to pay, once. Create one, send the ' +
    'buyer to its page, and learn the outcome by a webhook or by reading it.',
};

/** Default lifetime of a session, in minutes. */
const lifeMinutesUsual = 30;
/** Sessions of invoices are read through their invoice; a hidden session has no source. */
export const sourcesShown = ['checkout', 'direct_qr', 'payment_link'] as const;

const createBody = Type.Object({
  amount,
  returnUrl: about('Where the buyer returns to. An http or https URL; in live mode https.', shopUrl),
  currency: Type.Optional(currency),
  description: Type.Optional(about('What is paid; shown to the buyer.', text(descriptionCharactersMax))),
  customer: Type.Optional(
    Type.Object(
      {
        name: Type.Optional(about('Full name.', text(nameCharactersMax))),
        email: Type.Optional(about(emailText, email)),
        phone: Type.Optional(about('Phone number.', text(buyerPhoneCharactersMax))),
        address: Type.Optional(postalAddress),
      },
      { description: 'Who pays.' },
    ),
  ),
  metadata: Type.Optional(metadata),
  flow: Type.Optional(
    Type.Enum(['hosted', 'redirect'], {
      description: '`hosted` (default): the buyer chooses on our page. `redirect`: directly to `provider`.',
    }),
  ),
  provider: Type.Optional(
    Type.Enum(checkoutProviders, {
      description: 'Required with `redirect`; with `hosted` it is only shown first.',
    }),
  ),
  cancelUrl: Type.Optional(about('Where a buyer goes after cancelling; `returnUrl` by default.', shopUrl)),
  collectAddress: Type.Optional(Type.Boolean({ description: 'Our page asks for an address.' })),
  referenceId: Type.Optional(about('Your own reference.', text(referenceCharactersMax))),
  expiresInMinutes: Type.Optional(
    Type.Integer({ minimum: 5, maximum: 1440, description: `${lifeMinutesUsual} by default.` }),
  ),
});
type CreateBody = Static<typeof createBody>;

const exampleBody: CreateBody = {
  amount: 125_050,
  returnUrl: 'https://shop.example/return',
  cancelUrl: 'https://shop.example/basket',
  description: 'Order 1001',
  customer: {
    name: 'Asha Rai',
    email: 'asha@example.com',
    phone: '9800000000',
    address: { line1: 'Ward 4', city: 'Patan' },
  },
  metadata: { order_id: '1001' },
  referenceId: 'A-1001',
};

const sessionsQuery = Type.Object({
  status: Type.Optional(Type.Enum([...sessionStatuses], { description: 'Only sessions in this status.' })),
  provider: Type.Optional(Type.Enum(checkoutProviders, { description: 'Only sessions with this provider.' })),
  orderId: Type.Optional(Type.String({ description: 'The `order_id` or `orderId` of your metadata.' })),
  source: Type.Optional(
    Type.Enum([...sourcesShown, 'invoice'], { description: 'Only sessions that were made by this.' }),
  ),
  ...listQuery,
});

type Parts = Pick<ApiParts, 'client' | 'baseUrl' | 'credentials' | 'keyedSessions'>;

export const checkoutRoutes = ({ client, baseUrl, credentials, keyedSessions }: Parts) => [
  route({
    method: 'POST',
    at: { api: '/v1/checkout' },
    resource: checkouts,
    operation: 'createCheckout',
    summary: 'Create a checkout session',
    description:
      'Send the buyer to its `checkout_url`. When the buyer returns to you, read the ' +
      'session or wait for the webhook: the address of the return is only a hint.',
    answer: checkoutSession,
    exampleBody,
    errors: ['provider_not_configured'],
    key: 'secret',
    creates: true,
    reply: 201,
    mints: { session: () => mintId('cs') },
    body: createBody,
    rules: ({ flow }, sent) =>
      flow === 'redirect' && !sent('provider') ? [fieldError('provider', 'required')] : [],
    once: ({ caller, body }, keyed) =>
      keyedSessions.begin(keyed, {
        operation: 'createCheckout',
        ...openingOf({ baseUrl, credentials }, caller, body),
      }),
    async handle({ caller, body, ids, identity }) {
      const id = ids.session;
      const opening = openingOf({ baseUrl, credentials }, caller, body);
      if (opening.refusal !== null) return opening.refusal;
      const { lifeMs } = opening;
      const order = opening.orderOf(id);
      const asking = { by: 'merchant', scope: caller.scope, ...identity } as const;
      return askAndShow(client, checkoutSessionAt(id), 'open', { order, lifeMs }, asking, wholeView);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/checkout', dashboard: true },
    resource: checkouts,
    operation: 'listCheckouts',
    summary: 'List checkout sessions',
    description: 'Newest first.',
    answer: listOf(checkoutSession),
    key: 'secret',
    reply: 200,
    query: sessionsQuery,
    metadataFilter: true,
    handle({ caller, query, metadataTags }) {
      const { status, provider, orderId, source } = query;
      const filters = {
        equals: given({ status, provider }),
        anyOf: { source: sourcesShown.filter((each) => source === undefined || each === source) },
        tags: [...metadataTags, ...(orderId === undefined ? [] : [orderIdTag(orderId)])],
      };
      return answerPage(
        query,
        (page) => client.list(queryOf('checkout_session', caller.scope, page, query, filters)),
        ({ view }) => view,
      );
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/checkout/{id}', dashboard: true },
    resource: checkouts,
    operation: 'readCheckout',
    summary: 'Read a checkout session',
    description: 'A publishable key may read it, too, without what is known about the buyer.',
    answer: sessionByAnyKey,
    object: 'checkout session',
    key: 'any',
    reply: 200,
    handle: ({ caller, params }) =>
      whenThere(sessionIn(client, params.id, caller.scope), (session) => {
        if (session === null) return notFound;
        return caller.kind === 'secret' ? doneView(session.view) : done(withoutBuyer(session.view));
      }),
  }),
  route({
    method: 'POST',
    at: { api: '/v1/checkout/{id}/expire', command: 'checkout_session.expire' },
    resource: checkouts,
    operation: 'expireCheckout',
    summary: 'End a checkout session',
    description:
      'It cannot be paid any more. A session that has ended already stays as it is, and ' +
      'its status is answered. Money that is on its way is still looked for.',
    answer: expiredSession,
    object: 'checkout session',
    key: 'secret',
    reply: 200,
    async handle({ caller, params, identity }) {
      const id = params.id;
      if ((await sessionIn(client, id, caller.scope)) === null) return notFound;
      const asking = { by: 'merchant', scope: caller.scope, ...identity } as const;
      return askAndShow(client, checkoutSessionAt(id), 'expire', {}, asking, ({ view }) => {
        const { status, flow, provider, expires_at } = view;
        return done({ id, status, flow, provider, expires_at });
      });
    },
  }),
];

/** What a create opens, with a key and without one. */
const openingOf = (
  { baseUrl, credentials }: Pick<Parts, 'baseUrl' | 'credentials'>,
  caller: Caller,
  body: CreateBody,
): Omit<Opening, 'operation'> => ({
  lifeMs: minutes(body.expiresInMinutes ?? lifeMinutesUsual),
  orderOf: (id) => orderOf(body, `${baseUrl}/pay/${id}`),
  refusal: canBePaid(usableProviders(credentials, caller), body) ? null : refused('provider_not_configured'),
});

/** A session the API shows; null for any other text. */
export const sessionIn = (
  client: Client,
  id: string,
  scope: Scope,
): MaybePromise<Snapshot<SessionState> | null> => whenThere(anySessionIn(client, id, scope), ifShown);

/** A session whatever made it; null for any other text. */
export const anySessionIn = (
  client: Client,
  id: string,
  scope: Scope,
): MaybePromise<Snapshot<SessionState> | null> =>
  couldBeId('cs', id) ? client.read<SessionState>(checkoutSessionAt(id), scope) : null;

const areShown: ReadonlySet<unknown> = new Set(sourcesShown);

const ifShown = (session: Snapshot<SessionState> | null): Snapshot<SessionState> | null =>
  areShown.has(session?.view['source']) ? session : null;

/** A redirect session needs its provider; a hosted page needs at least one provider that the session can be
 *  paid with. */
function canBePaid(usable: readonly Provider[], { flow, provider }: CreateBody): boolean {
  return flow === 'redirect'
    ? provider !== undefined && usable.includes(provider)
    : checkoutProviders.some((each) => usable.includes(each));
}

const orderOf = (body: CreateBody, checkoutUrl: string): Order => ({
  amount: body.amount,
  currency: 'NPR',
  description: body.description ?? null,
  returnUrl: body.returnUrl,
  cancelUrl: body.cancelUrl ?? null,
  collectAddress: body.collectAddress ?? false,
  customer: customerOf(body.customer),
  // checked JSON, stored as received
  metadata: (body.metadata ?? {}) as Order['metadata'],
  flow: body.flow ?? 'hosted',
  preselected: body.provider ?? null,
  referenceId: body.referenceId ?? null,
  source: 'checkout',
  checkoutUrl,
});

/** A customer as sent. */
export function customerOf(customer: CreateBody['customer']): Customer | null {
  if (customer === undefined) return null;
  const { name = null, email: mail = null, phone = null, address } = customer;
  return {
    name,
    email: mail,
    phone,
    address:
      address === undefined
        ? null
        : {
            line1: address.line1,
            line2: address.line2 ?? null,
            city: address.city,
            state: address.state ?? null,
            postalCode: address.postalCode ?? null,
            country: address.country ?? null,
          },
  };
}

/** What a publishable key may see. */
const withoutBuyer = (view: Snapshot['view']): Snapshot['view'] => ({
  ...view,
  customer: null,
  customerAddress: null,
  metadata: null,
});
