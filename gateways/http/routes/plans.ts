/** Plans: create, list, read, change. */
import { Type, type Static } from 'typebox';
import { descriptionCharactersMax, nameCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { metadataKeysMax } from '../../../actors/checkout-session/order.ts';
import type { Metadata } from '../../../actors/metadata.ts';
import { planAt, type PlanChange, type PlanRequest, type PlanState } from '../../../actors/plan/messages.ts';
import { intervalUnits } from '../../../actors/subscription/calendar.ts';
import { overdueActions, type DunningTerms } from '../../../actors/subscription/invoice-dates.ts';
import { fieldError } from '../../../src/errors.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { ApiParts } from '../api-parts.ts';
import {
  askAndShow,
  doneView,
  notFound,
  refusalOf,
  wholeView,
  type NotDone,
  type Refused,
} from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { answerPage, given, listQuery, queryOf } from '../route/paging.ts';
import { invalid } from '../route/route.ts';
import { about, amount, billingProvider, currency, metadata, nullable, text } from '../route/schemas.ts';
import { route } from '../route/spec.ts';
import { listOf } from '../schemas/parts.ts';
import { changedPlan, overdueActionText, plan } from '../schemas/plan.ts';

const plans: Resource = {
  name: 'Plans',
  description:
    'A plan says what a subscription costs and how often. Its amount, interval and trial never change: those ' +
    'who subscribed agreed to them. Plans are not deleted; switch one off instead.',
};

const days = (most: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: most, description }));

const name = about('Its name; customers see it on invoices.', text(nameCharactersMax, 1));
const description = about('More about it.', nullable(text(descriptionCharactersMax)));
const defaultProvider = billingProvider('The provider that invoice pages show first. null: none.');
const gracePeriodDays = days(
  365,
  'Days after the due date until an unpaid invoice is past due; never less than 24 hours after it opened.',
);
const reminderDaysBeforeDue = days(30, 'How many days before it is due an invoice opens.');
const overdueReminderIntervalDays = days(
  30,
  'A reminder every so many days after the due date, for 60 days. 0: no reminders.',
);
const overdueAction = Type.Optional(
  Type.Enum([...overdueActions], {
    description: `What happens to the subscription of an invoice that is past due. ${overdueActionText}`,
  }),
);

const createBody = Type.Object({
  name,
  amount: about('In paisa, for each period.', amount),
  intervalUnit: Type.Enum([...intervalUnits], { description: 'What a period is counted in.' }),
  description: Type.Optional(description),
  currency: Type.Optional(currency),
  intervalCount: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, description: 'How many of these a period has; 1 by default.' }),
  ),
  gracePeriodDays,
  trialDays: days(365, 'Days that a new subscription is free; 0 by default.'),
  defaultProvider: Type.Optional(defaultProvider),
  reminderDaysBeforeDue,
  overdueReminderIntervalDays,
  overdueAction,
  metadata: Type.Optional(about('Your own data.', metadata)),
});

const changeBody = Type.Object({
  name: Type.Optional(name),
  description: Type.Optional(description),
  active: Type.Optional(
    Type.Boolean({ description: 'false: it takes no new subscriptions. true: it does again.' }),
  ),
  defaultProvider: Type.Optional(defaultProvider),
  gracePeriodDays,
  reminderDaysBeforeDue,
  overdueReminderIntervalDays,
  overdueAction,
  metadata: Type.Optional(about('Merged by key; a key with the value null is removed.', metadata)),
});

const { amount: price, currency: only, intervalUnit, intervalCount, trialDays } = plan.schema.properties;
const fixedFields = { amount: price, currency: only, intervalUnit, intervalCount, trialDays };

const plansQuery = Type.Object({
  active: Type.Optional(Type.Boolean({ description: 'Only plans that take new subscriptions, or do not.' })),
  ...listQuery,
});

export const planRoutes = ({ client }: Pick<ApiParts, 'client'>) => [
  route({
    method: 'POST',
    at: { api: '/v1/billing/plans', dashboard: true },
    resource: plans,
    operation: 'createPlan',
    summary: 'Create a plan',
    description:
      'By default an invoice opens when it is due, nobody is reminded, and the subscription of an invoice ' +
      'that is not paid within a day becomes `past_due`.',
    answer: plan,
    exampleBody: {
      name: 'Pro monthly',
      amount: 150_000,
      intervalUnit: 'month',
      gracePeriodDays: 3,
      defaultProvider: 'wallet_b',
      reminderDaysBeforeDue: 3,
      overdueReminderIntervalDays: 7,
    },
    key: 'secret',
    reply: 201,
    mints: { plan: () => mintId('bp') },
    body: createBody,
    async handle({ caller: { scope }, body, ids, identity }) {
      const asking = { by: 'merchant', scope, ...identity } as const;
      return askAndShow(client, planAt(ids.plan), 'create', requestOf(body), asking, wholeView);
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/billing/plans', dashboard: true },
    resource: plans,
    operation: 'listPlans',
    summary: 'List plans',
    description: 'Newest first.',
    answer: listOf(plan),
    key: 'secret',
    reply: 200,
    query: plansQuery,
    handle({ caller, query }) {
      const { active } = query;
      const status = active === undefined ? undefined : active ? 'active' : 'inactive';
      return answerPage(
        query,
        (page) => client.list(queryOf('plan', caller.scope, page, query, { equals: given({ status }) })),
        ({ view }) => view,
      );
    },
  }),
  route({
    method: 'GET',
    at: { api: '/v1/billing/plans/{id}', dashboard: true },
    resource: plans,
    operation: 'readPlan',
    summary: 'Read a plan',
    answer: plan,
    object: 'plan',
    key: 'secret',
    reply: 200,
    async handle({ caller, params }) {
      const found = await planIn(client, params.id, caller.scope);
      return found === null ? notFound : doneView(found.view);
    },
  }),
  route({
    method: 'PATCH',
    at: { api: '/v1/billing/plans/{id}', dashboard: true },
    resource: plans,
    operation: 'changePlan',
    summary: 'Change a plan',
    description:
      'What is absent stays as it is. `amount`, `currency`, `intervalUnit`, `intervalCount` and `trialDays` ' +
      'never change: another value than the stored one is 400 `not_changeable`. A change of the grace period ' +
      'or of reminders touches only invoices that open later.',
    answer: changedPlan,
    exampleBody: { active: false },
    object: 'plan',
    key: 'secret',
    reply: 200,
    body: changeBody,
    fixed: {
      fields: fixedFields,
      stored: async (id, scope) => (await planIn(client, id, scope))?.view ?? null,
    },
    async handle({ caller: { scope }, params, body }) {
      const id = params.id;
      if ((await planIn(client, id, scope)) === null) return notFound;
      const asking = { by: 'merchant', scope } as const;
      return askAndShow(client, planAt(id), 'change', changeOf(body), asking, wholeView, refusalOfMetadata);
    },
  }),
];

/** After merging. */
const tooManyKeys = invalid([fieldError('metadata', 'metadata_too_many_keys', `${metadataKeysMax} keys`)]);

/** The refusal of a change that merges metadata. */
export const refusalOfMetadata = (result: NotDone): Refused =>
  result.is === 'refused' && result.code === 'metadata_too_many_keys' ? tooManyKeys : refusalOf(result);

/** A plan of this scope; null for any other text. */
export async function planIn(client: Client, id: string, scope: Scope): Promise<Snapshot<PlanState> | null> {
  return couldBeId('bp', id) ? client.read<PlanState>(planAt(id), scope) : null;
}

const requestOf = (body: Static<typeof createBody>): PlanRequest => ({
  name: body.name,
  description: body.description ?? null,
  amount: body.amount,
  interval: { unit: body.intervalUnit, count: body.intervalCount ?? 1 },
  trialDays: body.trialDays ?? 0,
  defaultProvider: body.defaultProvider ?? null,
  terms: {
    gracePeriodDays: body.gracePeriodDays ?? 0,
    reminderDaysBeforeDue: body.reminderDaysBeforeDue ?? 0,
    overdueReminderIntervalDays: body.overdueReminderIntervalDays ?? 0,
    overdueAction: body.overdueAction ?? 'mark_past_due',
  },
  // checked JSON, stored as received
  metadata: (body.metadata ?? {}) as Metadata,
});

function changeOf({
  metadata: data,
  gracePeriodDays,
  reminderDaysBeforeDue,
  overdueReminderIntervalDays,
  overdueAction,
  ...rest
}: Static<typeof changeBody>): PlanChange {
  const terms: Partial<DunningTerms> = {
    ...(gracePeriodDays === undefined ? {} : { gracePeriodDays }),
    ...(reminderDaysBeforeDue === undefined ? {} : { reminderDaysBeforeDue }),
    ...(overdueReminderIntervalDays === undefined ? {} : { overdueReminderIntervalDays }),
    ...(overdueAction === undefined ? {} : { overdueAction }),
  };
  return { ...rest, terms, ...(data === undefined ? {} : { metadata: data as Metadata }) };
}
