/** Subscriptions as the API answers them: with the customer and the plan as they are now.
 *  1. A subscription keeps copies of both, from when its last invoice opened; its events show those.
 *  2. A page costs two reads more, however many subscriptions are on it. */
import type { CustomerState } from '../../actors/customer/messages.ts';
import type { PlanState } from '../../actors/plan/messages.ts';
import type { SubscriptionState } from '../../actors/subscription/state.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import { readManyMax } from '../../src/store/store.ts';

type Found = Pick<Snapshot<SubscriptionState>, 'state' | 'view' | 'meta'>;
export type View = Snapshot['view'];
type Reads = Pick<Client, 'read' | 'readStored'>;

/** One of them: what is in memory is not read. Rejects when it cannot be read. */
export async function subscriptionShown(client: Pick<Client, 'read'>, found: Found): Promise<View> {
  const [customers, plans] = await Promise.all([
    readEach<CustomerState>(client, 'customer', customerIds(found)),
    readEach<PlanState>(client, 'plan', planIds(found)),
  ]);
  return shownWith(found, customers, plans);
}

/** In the same order. Rejects when they cannot be read. */
export async function subscriptionsShown(client: Reads, found: readonly Found[]): Promise<readonly View[]> {
  const [customers, plans] = await Promise.all([
    readAll<CustomerState>(client, 'customer', found.flatMap(customerIds)),
    readAll<PlanState>(client, 'plan', found.flatMap(planIds)),
  ]);
  return found.map((one) => shownWith(one, customers, plans));
}

const customerIds = ({ state }: Found): readonly string[] => [state.customerId];
const planIds = ({ state: { planId, nextPlan } }: Found): readonly string[] =>
  nextPlan === null ? [planId] : [planId, nextPlan.plan.id];

type Kind = 'customer' | 'plan';
type All<State> = ReadonlyMap<string, State>;

/** What an actor in memory cannot answer is read from the store, many at a time. */
async function readAll<State>(client: Reads, kind: Kind, ids: readonly string[]): Promise<All<State>> {
  const wanted = [...new Set(ids)];
  const parts = Array.from({ length: Math.ceil(wanted.length / readManyMax) }, (_, at) =>
    wanted.slice(at * readManyMax, (at + 1) * readManyMax),
  );
  const stored = await Promise.all(parts.map((part) => client.readStored<State>(kind, part)));
  const all = new Map(stored.flatMap((some) => [...some].map(([id, { state }]) => [id, state] as const)));
  const others = await readEach<State>(
    client,
    kind,
    wanted.filter((id) => !all.has(id)),
  );
  return new Map([...all, ...others]);
}

async function readEach<State>(
  client: Pick<Client, 'read'>,
  kind: Kind,
  ids: readonly string[],
): Promise<All<State>> {
  const each = await Promise.all(
    ids.map(async (id) => {
      const found = await client.read<State>({ kind, id }, null);
      return found === null ? null : ([id, found.state] as const);
    }),
  );
  return new Map(each.filter((one) => one !== null));
}

/** The same view where nothing has changed since: it is serialized once. */
function shownWith({ state, view }: Found, customers: All<CustomerState>, plans: All<PlanState>): View {
  const customer = customers.get(state.customerId);
  const newName = (id: string, name: string): string | null => {
    const now = plans.get(id)?.name ?? name;
    return now === name ? null : now;
  };
  const { plan, nextPlan } = state;
  const planName = newName(plan.id, plan.name);
  const nextName = nextPlan === null ? null : newName(nextPlan.plan.id, nextPlan.plan.name);
  const isSameCustomer =
    customer === undefined ||
    (customer.name === state.customer.name && customer.email === state.customer.email);
  if (isSameCustomer && planName === null && nextName === null) return view;
  return {
    ...view,
    ...(isSameCustomer
      ? {}
      : { customer: { id: state.customerId, name: customer.name, email: customer.email } }),
    ...(planName === null ? {} : { plan: { ...objectIn(view, 'plan'), name: planName } }),
    ...(nextName === null ? {} : { nextPlan: { ...objectIn(view, 'nextPlan'), name: nextName } }),
  };
}

// its own view: these are objects
const objectIn = (view: View, field: string): object => view[field] as object;
