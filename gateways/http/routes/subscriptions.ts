/** Subscriptions: create, list, read, change. What is done to one is in subscription-actions.ts. */
import { Type, type Static } from 'typebox';
import { referenceCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { customerCopyOf } from '../../../actors/customer/messages.ts';
import type { Metadata } from '../../../actors/metadata.ts';
import { planCopyOf } from '../../../actors/plan/messages.ts';
import {
  subscriptionAt,
  type SubscriptionCommands,
  type SubscriptionRequest,
} from '../../../actors/subscription/messages.ts';
import { trialMsMax } from '../../../actors/subscription/requests.ts';
import { displayStatuses, type SubscriptionState } from '../../../actors/subscription/state.ts';
import { fieldError, type FieldError } from '../../../src/errors.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import { days, iso, seconds, type DurationMs, type Instant } from '../../../src/kernel/time.ts';
import type { DetailOf } from '../../../src/runtime/model/actor.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Asking, Client, Snapshot } from '../../../src/runtime/model/client.ts';
import { watchUntil } from '../../live/watch-until.ts';
import type { ApiParts } from '../api-parts.ts';
import {
  askAndShow,
  doneView,
  noSuch,
  notFound,
  refusalOf,
  refused,
  type Answer,
  type NotDone,
  type Refused,
} from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { checkedInstant, latestStart } from '../route/instant.ts';
import { given, isPage, listed, listQuery, pageOf, queryOf } from '../route/paging.ts';
import { invalid } from '../route/route.ts';
import { about, billingProvider, instant, metadata, nullable, text } from '../route/schemas.ts';
import { route, type Call } from '../route/spec.ts';
import { listOf } from '../schemas/parts.ts';
import { changedSubscription, subscription } from '../schemas/subscription.ts';
import { subscriptionShown, subscriptionsShown } from '../subscriptions-shown.ts';
import type { Caller } from '../access/auth.ts';
import { customerIn } from './customers.ts';
import { planIn, refusalOfMetadata } from './plans.ts';

export const subscriptions: Resource = {
  name: 'Subscriptions',
  description:
    'A subscription bills a customer by a plan: it opens an invoice for each period, reminds the customer, and ' +
    'ends or pauses by its rules. Nobody is charged by itself: each invoice is paid by the customer, at its page.',
};

/** How long an answer waits for an invoice that is opening: for its number, and for what the store says. */
const openingMsMax: DurationMs = seconds(10);
/** A start that has passed counts as now, up to this. */
const startedMsMax = days(1);
const cyclesMax = 1000;

const providerPreference = billingProvider(
  'The provider that invoice pages show first. null: as the plan says.',
);
const referenceId = about('Your own reference.', nullable(text(referenceCharactersMax)));
const totalCycles = Type.Integer({
  minimum: 1,
  maximum: cyclesMax,
  description: 'How many periods it bills; it is completed after the last one. null: no end.',
});

const createBody = Type.Object({
  customerId: Type.String({ description: 'Whom it bills.' }),
  planId: Type.String({ description: 'By which plan.' }),
  startDate: Type.Optional(
    about(
      'When it begins; now by default. At most 24 hours ago, which counts as now, and no later than 2100.',
      instant,
    ),
  ),
  trialDays: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      description: 'Days that are free, from the start; those of the plan by default.',
    }),
  ),
  trialEndsAt: Type.Optional(
    about('The end of the trial, in place of `trialDays`: at most 365 days after the start.', instant),
  ),
  providerPreference: Type.Optional(providerPreference),
  referenceId: Type.Optional(referenceId),
  totalCycles: Type.Optional(nullable(totalCycles)),
  metadata: Type.Optional(about('Your own data.', metadata)),
});
type CreateBody = Static<typeof createBody>;

const changeBody = Type.Object({
  providerPreference: Type.Optional(providerPreference),
  referenceId: Type.Optional(referenceId),
  totalCycles: Type.Optional(nullable(about('Not fewer than it has billed. null: no end.', totalCycles))),
  metadata: Type.Optional(about('Merged by key; a key with the value null is removed.', metadata)),
});

const { startDate, trialEndsAt } = subscription.schema.properties;
const fixedFields = {
  customerId: Type.String({ description: 'Whom it bills.' }),
  planId: Type.String({ description: 'Its plan.' }),
  startDate,
  trialDays: Type.Integer({ description: 'Days from the start to the end of its trial; 0 without one.' }),
  trialEndsAt,
};

const subscriptionsQuery = Type.Object({
  status: Type.Optional(
    Type.Enum([...displayStatuses], { description: 'Only subscriptions with this `displayStatus`.' }),
  ),
  customerId: Type.Optional(Type.String({ description: 'Only subscriptions of this customer.' })),
  planId: Type.Optional(Type.String({ description: 'Only subscriptions that have this plan now.' })),
  ...listQuery,
});

export type SubscriptionParts = Pick<ApiParts, 'client' | 'scheduler' | 'baseUrl'>;

export const subscriptionRoutes = (parts: SubscriptionParts) => [
  route({
    method: 'POST',
    at: { api: '/v1/billing/subscriptions', dashboard: true },
    resource: subscriptions,
    operation: 'createSubscription',
    summary: 'Create a subscription',
    description:
      'Without a trial its first invoice opens at once, and is due now; with a start ahead, or a trial, it is ' +
      'due then.',
    answer: subscription,
    exampleBody: {
      customerId: 'bc_4hb3anpsq6g635dy35q0jc0h',
      planId: 'bp_4qxtznp9tjryzx4hdy5tbw4j',
      referenceId: 'A-1001',
    },
    errors: ['resource_not_found', 'plan_inactive'],
    key: 'secret',
    reply: 201,
    mints: { subscription: () => mintId('sub') },
    body: createBody,
    handle: (call) => created(parts, call),
  }),
  route({
    method: 'GET',
    at: { api: '/v1/billing/subscriptions', dashboard: true },
    resource: subscriptions,
    operation: 'listSubscriptions',
    summary: 'List subscriptions',
    description: 'Newest first.',
    answer: listOf(subscription),
    key: 'secret',
    reply: 200,
    query: subscriptionsQuery,
    async handle({ caller, query }) {
      const { client } = parts;
      const page = pageOf(query);
      if (!isPage(page)) return page;
      const { status, customerId, planId } = query;
      const equals = given<string>({ status, customerId, planId });
      const { items, total } = await client.list(
        queryOf('subscription', caller.scope, page, query, { equals }),
      );
      // documents of this kind
      const found = items as unknown as readonly Snapshot<SubscriptionState>[];
      return listed(await subscriptionsShown(client, found), total, page);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/billing/subscriptions/{id}', dashboard: true },
    resource: subscriptions,
    operation: 'readSubscription',
    summary: 'Read a subscription',
    answer: subscription,
    object: 'subscription',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const found = await subscriptionIn(parts.client, params.id, caller.scope);
      return found === null ? notFound : shownOf(parts, found);
    },
  }),
  route({
    method: 'PATCH',
    at: { api: '/v1/billing/subscriptions/{id}', dashboard: true },
    resource: subscriptions,
    operation: 'changeSubscription',
    summary: 'Change a subscription',
    description:
      'What is absent stays as it is. Its customer, its plan, its start and its trial are not changed here: ' +
      'another value than the stored one is 400 `not_changeable`. The plan has `change-plan`, the trial ' +
      '`extend-trial` and `end-trial`.',
    answer: changedSubscription,
    exampleBody: { referenceId: 'A-1002', totalCycles: 12 },
    errors: ['invalid_state'],
    object: 'subscription',
    key: 'secret',
    reply: 200,
    body: changeBody,
    fixed: {
      fields: fixedFields,
      stored: async (id, scope) => storedTerms(await subscriptionIn(parts.client, id, scope)),
    },
    async handle({ caller: { scope }, params, body }) {
      const id = params.id;
      if ((await subscriptionIn(parts.client, id, scope)) === null) return notFound;
      const { metadata: data, ...rest } = body;
      const change = { ...rest, ...(data === undefined ? {} : { metadata: data as Metadata }) };
      const asking = { by: 'merchant', scope } as const;
      return askAndShowOpened(parts, id, 'change', change, asking, (result) =>
        result.is === 'refused' && result.code === 'total_cycles_too_small'
          ? invalid([fieldError('totalCycles', 'too_small', 'the cycles it has billed')])
          : refusalOfMetadata(result),
      );
    },
  }),
];

/** A subscription of this scope; null for any other text. */
export async function subscriptionIn(
  client: Client,
  id: string,
  scope: Scope,
): Promise<Snapshot<SubscriptionState> | null> {
  return couldBeId('sub', id) ? client.read<SubscriptionState>(subscriptionAt(id), scope) : null;
}

/** What it was created with, under the names of the request. */
function storedTerms(found: Snapshot<SubscriptionState> | null): { readonly [name: string]: unknown } | null {
  if (found === null) return null;
  const { customer, plan, startDate: start, trialEndsAt: trialEnd } = found.state;
  return {
    ...found.view,
    customerId: customer.id,
    planId: plan.id,
    trialDays: trialEnd === null ? 0 : (trialEnd - start) / days(1),
  };
}

/** An unknown object that a body or a query names. */
export const unknownIn = (
  param: 'customerId' | 'planId',
  object: string,
  id: string,
  { mode }: Pick<Caller, 'mode'>,
): Refused => refused('resource_not_found', { param, message: noSuch(object, id, mode) });

async function created(
  parts: SubscriptionParts,
  {
    caller,
    body,
    ids,
    identity,
  }: Call<'secret', CreateBody, object, object, { readonly subscription: string }>,
): Promise<Answer> {
  const { client, baseUrl } = parts;
  const { scope } = caller;
  const id = ids.subscription;
  // a repeat may find it made, and its dates or its plan changed meanwhile
  const isMade = (await subscriptionIn(client, id, scope)) !== null;
  const wrong = isMade ? [] : wrongDates(body, client.now(scope));
  if (wrong.length > 0) return invalid(wrong);
  const customer = await customerIn(client, body.customerId, scope);
  if (customer === null) return unknownIn('customerId', 'customer', body.customerId, caller);
  const plan = await planIn(client, body.planId, scope);
  if (plan === null) return unknownIn('planId', 'plan', body.planId, caller);
  if (!isMade && plan.state.status === 'inactive') return refused('plan_inactive');
  const request: SubscriptionRequest = {
    customer: customerCopyOf(customer.meta.id, customer.state),
    plan: planCopyOf(plan.meta.id, plan.state),
    startDate: instantIn(body.startDate),
    trialEndsAt: instantIn(body.trialEndsAt),
    trialDays: body.trialDays ?? plan.state.trialDays,
    providerPreference: body.providerPreference ?? null,
    referenceId: body.referenceId ?? null,
    totalCycles: body.totalCycles ?? null,
    // checked JSON, stored as received
    metadata: (body.metadata ?? {}) as Metadata,
    baseUrl,
  };
  const asking = { by: 'merchant', scope, ...identity } as const;
  return askAndShowOpened(parts, id, 'create', request, asking);
}

const instantIn = (text: string | undefined): Instant | null =>
  text === undefined ? null : checkedInstant(text);

/** The rules that depend on the time. */
function wrongDates({ startDate, trialEndsAt }: CreateBody, now: Instant): readonly FieldError[] {
  const start = instantIn(startDate) ?? now;
  const trialEnd = instantIn(trialEndsAt);
  const begins = Math.max(start, now);
  return [
    ...(start < now - startedMsMax ? [fieldError('startDate', 'too_small', '24 hours before now')] : []),
    ...(start > latestStart ? [fieldError('startDate', 'too_large', iso(latestStart))] : []),
    ...(trialEnd !== null && trialEnd <= begins
      ? [fieldError('trialEndsAt', 'must_be_later', 'the start')]
      : []),
    ...(trialEnd !== null && trialEnd > begins + trialMsMax
      ? [fieldError('trialEndsAt', 'too_large', '365 days after the start')]
      : []),
  ];
}

/** A subscription, as a command has left it, once no invoice of it is opening, or after ten seconds. */
export async function openedSubscription(
  parts: Pick<SubscriptionParts, 'client' | 'scheduler'>,
  found: Snapshot<SubscriptionState>,
): Promise<Snapshot<SubscriptionState>> {
  if (found.state.opening === null) return found;
  const { id, scope } = found.meta;
  const settled = await watchUntil(
    parts,
    id,
    async () => {
      const now = await subscriptionIn(parts.client, id, scope);
      return now === null || now.state.opening !== null ? null : now;
    },
    openingMsMax,
  );
  return settled ?? (await subscriptionIn(parts.client, id, scope)) ?? found;
}

/** Asks a subscription and answers it once no invoice of it is opening. */
export const askAndShowOpened = <K extends keyof SubscriptionCommands>(
  parts: SubscriptionParts,
  id: string,
  command: K,
  data: SubscriptionCommands[K],
  asking: Asking<DetailOf<SubscriptionCommands[K]>>,
  refusal: (result: NotDone) => Refused = refusalOf,
): Promise<Answer> =>
  askAndShow(
    parts.client,
    subscriptionAt(id),
    command,
    data,
    asking,
    async (found: Snapshot<SubscriptionState>) => shownOf(parts, await openedSubscription(parts, found)),
    refusal,
  );

async function shownOf(
  { client }: Pick<SubscriptionParts, 'client'>,
  found: Snapshot<SubscriptionState>,
): Promise<Answer> {
  return doneView(await subscriptionShown(client, found));
}
