/** What must not compile: a table with a hole in it. Checked by `npm run typecheck`; nothing here runs. */
import type { Static, TSchema } from 'typebox';
import type { FailureCode, PaymentStatus } from '../actors/checkout-session/attempt.ts';
import type { Order } from '../actors/checkout-session/order.ts';
import type { refundView } from '../actors/checkout-session/refund-view.ts';
import type { paymentView, sessionView } from '../actors/checkout-session/view.ts';
import type { customerView } from '../actors/customer/customer.ts';
import type { merchantView } from '../actors/merchant/merchant.ts';
import type { linkView } from '../actors/payment-link/view.ts';
import type { planView } from '../actors/plan/plan.ts';
import type { KeyRecord, testClockView } from '../actors/project/view.ts';
import type { itemView, statementView } from '../actors/statement/view.ts';
import type { invoiceView, subscriptionView } from '../actors/subscription/view.ts';
import type { deliveryView } from '../actors/webhook-delivery/view.ts';
import type { endpointView } from '../actors/webhook-endpoint/webhook-endpoint.ts';
import type { DeliveryState } from '../actors/webhook-delivery/messages.ts';
import { done, notFound } from '../gateways/http/route/answer.ts';
import { ownRoute, route } from '../gateways/http/route/spec.ts';
import type { apiKey } from '../gateways/http/schemas/api-key.ts';
import type {
  checkoutSession as checkoutSessionShown,
  sessionStatuses,
  sources,
} from '../gateways/http/schemas/checkout.ts';
import type { customer } from '../gateways/http/schemas/customer.ts';
import type { invoice } from '../gateways/http/schemas/invoice.ts';
import type { merchant } from '../gateways/http/schemas/merchant.ts';
import type { paymentLink } from '../gateways/http/schemas/payment-link.ts';
import type { failureCodes, payment, paymentStatuses } from '../gateways/http/schemas/payment.ts';
import type { plan } from '../gateways/http/schemas/plan.ts';
import { publicStatus } from '../gateways/http/schemas/public-status.ts';
import type { refund } from '../gateways/http/schemas/refund.ts';
import type { statement, statementItem } from '../gateways/http/schemas/statement.ts';
import type { subscription } from '../gateways/http/schemas/subscription.ts';
import type { testClock } from '../gateways/http/schemas/test-clock.ts';
import type { delivery, deliveryStatuses, webhookEndpoint } from '../gateways/http/schemas/webhook.ts';
import type { PublicStatus } from '../gateways/status/answer.ts';
import { actor, type ActorTypes } from '../src/runtime/model/actor.ts';
import { checkoutSession } from '../actors/checkout-session/session.ts';
import type { CheckoutSession, SessionState } from '../actors/checkout-session/state.ts';

const { on, ...rest } = checkoutSession;

/** The table as it stands compiles ... */
export const whole = actor<CheckoutSession>('checkout_session', 'cs', { ...rest, on });

/** ... without the cell `start` x `pending` it does not, ... */
export const withoutOnePair = actor<CheckoutSession>('checkout_session', 'cs', {
  ...rest,
  on: {
    ...on,
    // @ts-expect-error the pair start x pending is missing
    start: {
      by: 'buyer',
      initiated: (_s, _c, x) => x.ok(),
      _terminal: (_s, _c, x) => x.refuse('invalid_state'),
    },
  },
});

/** ... nor without any answer in its ended statuses, ... */
export const withoutTheEnd = actor<CheckoutSession>('checkout_session', 'cs', {
  ...rest,
  on: {
    ...on,
    // @ts-expect-error cancel x success, failed, cancelled, expired are missing
    cancel: {
      by: 'buyer',
      pending: (_s, _c, x) => x.ok(),
      initiated: (_s, _c, x) => x.ok(),
    },
  },
});

const { expire: _expire, ...others } = on;
/** ... nor without a whole command, ... */
export const withoutACommand = actor<CheckoutSession>('checkout_session', 'cs', {
  ...rest,
  // @ts-expect-error the row of expire is missing
  on: others,
});

interface Door extends ActorTypes {
  state: { readonly status: 'open'; readonly since: number } | { readonly status: 'shut' };
  terminal: never;
  commands: { shut: Record<string, never>; open: { readonly now: number }; tick: { readonly key: string } };
  effects: { ring: { readonly times: number } };
}

/** ... nor a next state that lacks a field, an effect or a timer that leads nowhere, a state that is none. */
export const door = actor<Door>('door', 'dr', {
  schema: 1,
  on: {
    // @ts-expect-error `since` is missing
    open: { by: 'system', open: (_s, _c, x) => x.ok(), shut: (_s, _c, x) => x.become('open', {}) },
    shut: {
      by: 'system',
      // @ts-expect-error there is no status `ajar`
      open: (_s, _c, x) => x.become('ajar', {}),
      // @ts-expect-error there is no effect `knock`
      shut: (_s, _c, x) => x.stay().effect('knock', { times: 1 }),
    },
    tick: { by: 'system', _any: (_s, _c, x) => x.ok() },
  },
  // @ts-expect-error a result that is no command
  effects: { ring: { result: 'rung', mode: 'atLeastOnce', unknown: () => ({}) } },
  // @ts-expect-error a timer's command takes `{key}`
  timers: { hour: 'open' },
  view: () => ({}),
});

type Frozen<T> = T extends readonly (infer Each)[]
  ? readonly Frozen<Each>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;
/** true: a view is what the schema describes, field by field; else the fields in which they differ. `ByRoute`: what the
 *  route adds or replaces. */
type Described<Schema extends TSchema, View, ByRoute extends PropertyKey = never> =
  Differing<Frozen<Omit<Static<Schema>, ByRoute>>, Omit<View, ByRoute>> extends infer Names
    ? [Names] extends [never]
      ? true
      : { readonly differs: Names }
    : never;
type Differing<Schema, View> =
  | Exclude<keyof View, keyof Schema>
  | {
      [Name in keyof Schema]: Name extends keyof View ? FieldOf<Schema[Name], View[Name], Name> : Name;
    }[keyof Schema];
type FieldOf<Schema, View, Name> = [View] extends [Schema] ? never : Name;
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;

/** What routes declare is what the views of actors are: neither imports the other (the import laws), so both are
 *  compared here. */
export const views: readonly true[] = [
  true satisfies Described<typeof checkoutSessionShown.schema, ReturnType<typeof sessionView>>,
  true satisfies Described<typeof payment.schema, ReturnType<typeof paymentView>>,
  true satisfies Described<typeof refund.schema, ReturnType<typeof refundView>>,
  true satisfies Described<typeof paymentLink.schema, ReturnType<typeof linkView>>,
  true satisfies Described<typeof plan.schema, ReturnType<typeof planView>>,
  true satisfies Described<typeof customer.schema, ReturnType<typeof customerView>>,
  true satisfies Described<typeof subscription.schema, ReturnType<typeof subscriptionView>>,
  true satisfies Described<typeof invoice.schema, ReturnType<typeof invoiceView>>,
  true satisfies Described<typeof statement.schema, ReturnType<typeof statementView>>,
  true satisfies Described<typeof statementItem.schema, ReturnType<typeof itemView>>,
  true satisfies Described<typeof webhookEndpoint.schema, ReturnType<typeof endpointView>>,
  true satisfies Described<typeof delivery.schema, ReturnType<typeof deliveryView>, 'payload'>,
  true satisfies Described<typeof merchant.schema, ReturnType<typeof merchantView>>,
  true satisfies Described<typeof apiKey.schema, KeyRecord>,
  true satisfies Described<
    typeof testClock.schema,
    ReturnType<typeof testClockView>,
    'pendingTimers' | 'nextTimerAt'
  >,
  true satisfies Described<typeof publicStatus.schema, PublicStatus>,
  // @ts-expect-error a field less, and one more
  true satisfies Described<
    typeof refund.schema,
    Omit<ReturnType<typeof refundView>, 'notes'> & { hidden: 1 }
  >,
];

/** Every value that a state can have is described, and no other. */
export const values: readonly true[] = [
  true satisfies Same<FailureCode, (typeof failureCodes)[number]>,
  true satisfies Same<PaymentStatus, (typeof paymentStatuses)[number]>,
  true satisfies Same<SessionState['status'], (typeof sessionStatuses)[number]>,
  true satisfies Same<Order['source'], (typeof sources)[number]>,
  true satisfies Same<DeliveryState['status'], (typeof deliveryStatuses)[number]>,
];

/** A route of the API without a description does not compile. */
export const undescribed = () =>
  // @ts-expect-error operation, summary, resource and answer are missing
  route({ method: 'GET', at: { api: '/v1/x' }, key: 'secret', reply: 200, handle: () => notFound });

/** What its paths and `mints` do not name, a handler cannot read; a name of only one of two paths may be absent. */
export const named = () => [
  ownRoute({
    method: 'POST',
    at: { dashboard: 'things/{id}' },
    does: 'creates a thing',
    reply: 200,
    mints: { thing: () => 'th_1' },
    handle: ({ params, ids }) => {
      // @ts-expect-error the path has no such name
      const key: string = params.key;
      // @ts-expect-error no such id is minted
      const other: string = ids.other;
      return done({ id: params.id satisfies string, thing: ids.thing satisfies string, key, other });
    },
  }),
  route({
    resource: { name: 'Things', description: 'Things.' },
    operation: 'readThing',
    summary: 'Read a thing',
    answer: publicStatus,
    key: 'operator',
    reply: 200,
    method: 'GET',
    at: { operator: '/admin/v1/projects/{id}/things/{kind}', dashboard: 'things' },
    handle: ({ params }) =>
      // @ts-expect-error at the dashboard there is no such kind; the project is that of the place
      done({ id: params.id satisfies string, kind: params.kind satisfies string }),
  }),
];
