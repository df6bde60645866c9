/** Payment links: create, list, read, change. */
import { Type, type Static } from 'typebox';
import { descriptionCharactersMax, nameCharactersMax } from '../../../src/kernel/text-bounds.ts';
import {
  linkReferenceAt,
  referenceCharacters,
  referenceOf,
} from '../../../actors/link-reference/messages.ts';
import {
  linkStatuses,
  paymentLinkAt,
  type LinkChange,
  type LinkRequest,
  type LinkState,
} from '../../../actors/payment-link/messages.ts';
import type { Metadata } from '../../../actors/metadata.ts';
import { fieldError, type FieldError } from '../../../src/errors.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import { amountPaisaMax, amountPaisaMin } from '../../../src/kernel/money.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Asking, Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import type { ApiParts } from '../api-parts.ts';
import { askAndShow, doneView, notFound, refusalOf, wholeView } from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { checkedInstant } from '../route/instant.ts';
import { answerPage, given, listQuery, queryOf } from '../route/paging.ts';
import { invalid } from '../route/route.ts';
import { about, amount, currency, instant, metadata, nullable, shopUrl, text } from '../route/schemas.ts';
import { route } from '../route/spec.ts';
import { listOf } from '../schemas/parts.ts';
import { changedPaymentLink, paymentLink } from '../schemas/payment-link.ts';
import { refusalOfMetadata } from './plans.ts';

const links: Resource = {
  name: 'Payment links',
  description:
    'A payment link is an address that many buyers pay by: in a chat, on a poster, as a QR code. Each buyer ' +
    'gets a checkout session, and `payment_link.paid` tells of each that succeeds.',
};

const maxUsesMax = 100_000;
const maxUses = Type.Integer({
  minimum: 1,
  maximum: maxUsesMax,
  description: 'How many payments it takes. null: no limit.',
});
const returnUrl = about('Where buyers return to, as for a checkout. null: our own thank-you page.', shopUrl);
const expiresAt = about('Until when buyers can pay; later than now. null: without end.', instant);
const description = about('More about it; shown to buyers.', text(descriptionCharactersMax));
const name = about('What is sold; shown to buyers.', text(nameCharactersMax, 1));

const createBody = Type.Object({
  name,
  amount: Type.Optional(about('In paisa. Absent or null: the buyer enters one.', nullable(amount))),
  minAmount: Type.Optional(
    about(`The least that a buyer can enter; ${amountPaisaMin} by default. Without \`amount\` only.`, amount),
  ),
  maxAmount: Type.Optional(
    about(`The most that a buyer can enter; ${amountPaisaMax} by default. Without \`amount\` only.`, amount),
  ),
  currency: Type.Optional(currency),
  description: Type.Optional(description),
  maxUses: Type.Optional(nullable(maxUses)),
  expiresAt: Type.Optional(nullable(expiresAt)),
  returnUrl: Type.Optional(nullable(returnUrl)),
  collectAddress: Type.Optional(Type.Boolean({ description: 'Our page asks for an address.' })),
  metadata: Type.Optional(about('Your own data; copied to each session of the link.', metadata)),
});
type CreateBody = Static<typeof createBody>;

const changeBody = Type.Object({
  name: Type.Optional(name),
  description: Type.Optional(nullable(description)),
  active: Type.Optional(Type.Boolean({ description: 'false: switched off. true: on again.' })),
  maxUses: Type.Optional(nullable(maxUses)),
  expiresAt: Type.Optional(nullable(expiresAt)),
  returnUrl: Type.Optional(nullable(returnUrl)),
  metadata: Type.Optional(about('Merged by key; a key with the value null is removed.', metadata)),
});
type ChangeBody = Static<typeof changeBody>;

const shownFields = paymentLink.schema.properties;
const fixedFields = {
  amount: shownFields.amount,
  minAmount: shownFields.minAmount,
  maxAmount: shownFields.maxAmount,
  currency: shownFields.currency,
  collectAddress: shownFields.collectAddress,
};

const linksQuery = Type.Object({
  status: Type.Optional(Type.Enum([...linkStatuses], { description: 'Only links in this status.' })),
  ...listQuery,
});

type Parts = Pick<ApiParts, 'client' | 'baseUrl'>;

export const paymentLinkRoutes = ({ client, baseUrl }: Parts) => [
  route({
    method: 'POST',
    at: { api: '/v1/payment-links', dashboard: true },
    resource: links,
    operation: 'createPaymentLink',
    summary: 'Create a payment link',
    description:
      'Send buyers to its `url`, or show them its QR code: the same address and `/qr.png` or `/qr.svg`.',
    answer: paymentLink,
    exampleBody: {
      name: 'Workshop seat',
      description: 'Saturday, 10 am, Patan',
      amount: 50_000,
      maxUses: 20,
      metadata: { course: 'pottery' },
    },
    key: 'secret',
    reply: 201,
    mints: { link: () => mintId('lnk'), draws: () => mintId('draws') },
    body: createBody,
    rules: amountRules,
    async handle({ caller, body, ids, identity }) {
      const id = ids.link;
      // a repeat may find it made, and its time over meanwhile
      if (
        isPast(body.expiresAt, client.now(caller.scope)) &&
        (await linkIn(client, id, caller.scope)) === null
      )
        return invalid([notLater]);
      const asking = { by: 'merchant', scope: caller.scope, ...identity } as const;
      const claimed = await claim(client, ids.draws, id, asking);
      if (claimed.is !== 'ok') return refusalOf(claimed);
      const { referenceId } = claimed;
      const url = `${baseUrl}/link/${referenceId}`;
      const command = { ...requestOf(body), referenceId, url };
      return askAndShow(client, paymentLinkAt(id), 'open', command, asking, wholeView);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/payment-links', dashboard: true },
    resource: links,
    operation: 'listPaymentLinks',
    summary: 'List payment links',
    description: 'Newest first.',
    answer: listOf(paymentLink),
    key: 'secret',
    reply: 200,
    query: linksQuery,
    handle({ caller, query }) {
      const { status } = query;
      return answerPage(
        query,
        (page) =>
          client.list(queryOf('payment_link', caller.scope, page, query, { equals: given({ status }) })),
        ({ view }) => view,
      );
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/payment-links/{id}', dashboard: true },
    resource: links,
    operation: 'readPaymentLink',
    summary: 'Read a payment link',
    answer: paymentLink,
    object: 'payment link',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const link = await linkIn(client, params.id, caller.scope);
      return link === null ? notFound : doneView(link.view);
    },
  }),
  route({
    method: 'PATCH',
    at: { api: '/v1/payment-links/{id}', dashboard: true },
    resource: links,
    operation: 'changePaymentLink',
    summary: 'Change a payment link',
    description:
      'What is absent stays as it is. Its amount, its bounds, its currency and `collectAddress` never change: ' +
      'another value than the stored one is 400 `not_changeable`. A link that has expired ' +
      'or is used up is active again once its limit is raised; send `active: false` with it to keep it ' +
      'switched off. `active: true` alone is refused then.',
    answer: changedPaymentLink,
    exampleBody: { maxUses: 40 },
    errors: ['invalid_state'],
    object: 'payment link',
    key: 'secret',
    reply: 200,
    body: changeBody,
    fixed: {
      fields: fixedFields,
      stored: async (id, scope) => (await linkIn(client, id, scope))?.view ?? null,
    },
    async handle({ caller, params, body }) {
      const id = params.id;
      if ((await linkIn(client, id, caller.scope)) === null) return notFound;
      if (isPast(body.expiresAt, client.now(caller.scope))) return invalid([notLater]);
      const asking = { by: 'merchant', scope: caller.scope } as const;
      const change = changeOf(body);
      return askAndShow(client, paymentLinkAt(id), 'change', change, asking, wholeView, refusalOfMetadata);
    },
  }),
];

/** A fixed amount has no bounds, and bounds have an order. */
function amountRules({ amount: fixed, minAmount, maxAmount }: Partial<CreateBody>): readonly FieldError[] {
  if (typeof fixed === 'number') {
    return [
      ...(minAmount === undefined
        ? []
        : [fieldError('minAmount', 'mutually_exclusive', 'amount, minAmount')]),
      ...(maxAmount === undefined
        ? []
        : [fieldError('maxAmount', 'mutually_exclusive', 'amount, maxAmount')]),
    ];
  }
  if (minAmount === undefined || maxAmount === undefined || minAmount <= maxAmount) return [];
  return [fieldError('maxAmount', 'too_small', `minAmount, ${minAmount}`)];
}

/** The drawn text holds three references: the first one that no other link has. */
async function claim(
  client: Client,
  drawn: string,
  linkId: string,
  asking: Asking,
): Promise<{ readonly is: 'ok'; readonly referenceId: string } | Exclude<AskResult, { is: 'ok' }>> {
  const draws = drawn.slice(drawn.indexOf('_') + 1);
  for (let at = 0; at + referenceCharacters <= draws.length; at += referenceCharacters) {
    const id = draws.slice(at, at + referenceCharacters);
    const result = await client.ask(linkReferenceAt(id), 'claim', { linkId }, asking);
    if (result.is === 'ok') return { is: 'ok', referenceId: referenceOf(id) };
    // another link's, of this project or of another one
    if (result.is !== 'refused') return result;
  }
  return { is: 'not_executed', why: 'overloaded', retryAfterMs: 0 };
}

const isPast = (text: string | null | undefined, now: Instant): boolean =>
  typeof text === 'string' && checkedInstant(text) <= now;
const notLater = fieldError('expiresAt', 'must_be_later', 'now');

function requestOf(body: CreateBody): LinkRequest {
  const fixed = body.amount ?? null;
  const bound = (given: number | undefined, usual: number): number | null =>
    fixed === null ? (given ?? usual) : null;
  return {
    name: body.name,
    description: body.description ?? null,
    amount: fixed,
    minAmount: bound(body.minAmount, amountPaisaMin),
    maxAmount: bound(body.maxAmount, amountPaisaMax),
    maxUses: body.maxUses ?? null,
    expiresAt: typeof body.expiresAt === 'string' ? checkedInstant(body.expiresAt) : null,
    returnUrl: body.returnUrl ?? null,
    collectAddress: body.collectAddress ?? false,
    // checked JSON, stored as received
    metadata: (body.metadata ?? {}) as Metadata,
  };
}

function changeOf({ expiresAt: at, metadata: data, ...rest }: ChangeBody): LinkChange {
  return {
    ...rest,
    ...(at === undefined ? {} : { expiresAt: at === null ? null : checkedInstant(at) }),
    ...(data === undefined ? {} : { metadata: data as Metadata }),
  };
}

/** A link of this scope; null for any other text. */
async function linkIn(client: Client, id: string, scope: Scope): Promise<Snapshot<LinkState> | null> {
  return couldBeId('lnk', id) ? client.read<LinkState>(paymentLinkAt(id), scope) : null;
}
