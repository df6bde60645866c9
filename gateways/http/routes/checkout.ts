/** Checkout sessions: create, list, read, expire. */
import { Type, type Static } from 'typebox';
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
import { done, doneView, notFound, refusalOf, refused, unavailable, type Answer } from '../route/answer.ts';
import type { Caller } from '../access/auth.ts';
import type { Door } from '../../server/door.ts';
import { answerPage, given, listQuery, queryOf } from '../route/paging.ts';
import { checkoutProviders } from '../../../src/providers/catalog.ts';
import type { MakeRoute } from '../route/route.ts';
import type { ApiParts } from '../api-parts.ts';
import { amount, currency, email, metadata, postalAddress, shopUrl, text } from '../route/schemas.ts';

/** Default lifetime of a session, in minutes. */
export const lifeMinutesUsual = 30;
/** Sessions of invoices are read through their invoice; a hidden session has no source. */
export const sourcesShown = ['checkout', 'direct_qr', 'payment_link'] as const;

const createBody = Type.Object({
  amount,
  returnUrl: shopUrl,
  currency: Type.Optional(currency),
  description: Type.Optional(text(500)),
  customer: Type.Optional(
    Type.Object({
      name: Type.Optional(text(100)),
      email: Type.Optional(email),
      phone: Type.Optional(text(30)),
      address: Type.Optional(postalAddress),
    }),
  ),
  metadata: Type.Optional(metadata),
  flow: Type.Optional(Type.Enum(['hosted', 'redirect'])),
  provider: Type.Optional(Type.Enum(checkoutProviders)),
  cancelUrl: Type.Optional(shopUrl),
  collectAddress: Type.Optional(Type.Boolean()),
  referenceId: Type.Optional(text(120)),
  expiresInMinutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 1440 })),
});
type CreateBody = Static<typeof createBody>;

const sessionsQuery = Type.Object({
  status: Type.Optional(Type.Enum(['pending', 'initiated', 'success', 'failed', 'cancelled', 'expired'])),
  provider: Type.Optional(Type.Enum(checkoutProviders)),
  orderId: Type.Optional(Type.String()),
  source: Type.Optional(Type.Enum([...sourcesShown, 'invoice'])),
  ...listQuery,
});

type Parts = Pick<ApiParts, 'client' | 'baseUrl'>;

export const checkoutRoutes = (route: MakeRoute, { client, baseUrl }: Parts): readonly Door[] => [
  route({
    method: 'POST',
    path: '/v1/checkout',
    key: 'secret',
    creates: true,
    reply: 201,
    mints: { session: () => mintId('cs') },
    body: createBody,
    rules: ({ flow }, sent) =>
      flow === 'redirect' && !sent('provider') ? [fieldError('provider', 'required')] : [],
    async handle({ caller, body, ids, identity }) {
      const id = ids['session'] ?? '';
      if (!isConfigured(caller, body)) return refused('provider_not_configured');
      const order = orderOf(body, `${baseUrl}/pay/${id}`);
      const lifeMs = minutes(body.expiresInMinutes ?? lifeMinutesUsual);
      const asking = { by: 'merchant', scope: caller.scope, ...identity } as const;
      const result = await client.ask(checkoutSessionAt(id), 'open', { order, lifeMs }, asking);
      return result.is === 'ok' ? shown(client, id, caller.scope) : refusalOf(result);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/checkout',
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
    path: '/v1/checkout/{id}',
    object: 'checkout session',
    key: 'any',
    reply: 200,
    handle: ({ caller, params }) =>
      whenThere(sessionIn(client, params['id'] ?? '', caller.scope), (session) => {
        if (session === null) return notFound;
        return caller.kind === 'secret' ? doneView(session.view) : done(withoutBuyer(session.view));
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/checkout/{id}/expire',
    object: 'checkout session',
    key: 'secret',
    reply: 200,
    async handle({ caller, params, identity }) {
      const id = params['id'] ?? '';
      if ((await sessionIn(client, id, caller.scope)) === null) return notFound;
      const asking = { by: 'merchant', scope: caller.scope, ...identity } as const;
      const result = await client.ask(checkoutSessionAt(id), 'expire', {}, asking);
      if (result.is !== 'ok') return refusalOf(result);
      const session = await sessionIn(client, id, caller.scope);
      if (session === null) return unavailable;
      const { status, flow, provider, expires_at } = session.view;
      return done({ id, status, flow, provider, expires_at });
    },
  }),
];

/** A session the API shows; null for any other text. */
export function sessionIn(
  client: Client,
  id: string,
  scope: Scope,
): MaybePromise<Snapshot<SessionState> | null> {
  if (!couldBeId('cs', id)) return null;
  return whenThere(client.read<SessionState>(checkoutSessionAt(id), scope), ifShown);
}

const areShown: ReadonlySet<unknown> = new Set(sourcesShown);

const ifShown = (session: Snapshot<SessionState> | null): Snapshot<SessionState> | null =>
  areShown.has(session?.view['source']) ? session : null;

async function shown(client: Client, id: string, scope: Scope): Promise<Answer> {
  const session = await client.read(checkoutSessionAt(id), scope);
  return session === null ? unavailable : doneView(session.view);
}

/** A redirect session needs its provider; a hosted page needs at least one provider that the session can be
 *  paid with. */
function isConfigured({ providers }: Caller, { flow, provider }: CreateBody): boolean {
  const usable = providers.filter((each) => each.enabled).map((each) => each.provider);
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
