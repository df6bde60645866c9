/** A merchant with subscriptions, customers who pay or do not, and a test clock that walks over days: every call races every
 *  timer. */
import type { Json } from '../../src/runtime/model/actor.ts';
import { mintId, placedBeside } from '../../src/kernel/id.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { days, hours, seconds } from '../../src/kernel/time.ts';
import { customerAt } from '../../actors/customer/messages.ts';
import { planAt } from '../../actors/plan/messages.ts';
import { projectAt } from '../../actors/project/messages.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { subscriptionAt } from '../../actors/subscription/messages.ts';
import { isPayable, type PlanCopy, type SubscriptionState } from '../../actors/subscription/state.ts';
import { insist, pause } from './client.ts';
import { between, bytesFrom, oneOf, type Chance } from './random.ts';
import { shopProject, shopScope } from './shop-work.ts';
import type { World } from './world.ts';

export interface BillingWork {
  readonly subscriptions: number;
  /** Of the merchant, to each. */
  readonly calls: number;
  readonly walks: number;
  readonly pauseMsMax: number;
}

const merchant = { by: 'merchant', scope: shopScope } as const;
const customer = {
  id: 'bc_bb00000000000000000000bb',
  name: 'Asha Rai',
  email: 'asha@example.com',
  phone: null,
};

const plansOf = (chance: Chance): readonly PlanCopy[] =>
  ['a', 'b'].map((name) => ({
    id: `bp_bb0000000000000000000bb${name}`,
    name: `Plan ${name}`,
    amount: between(chance, 10, 10_000) * 100,
    interval: { unit: 'day', count: between(chance, 1, 4) },
    defaultProvider: null,
    terms: {
      gracePeriodDays: between(chance, 0, 3),
      reminderDaysBeforeDue: between(chance, 0, 2),
      overdueReminderIntervalDays: between(chance, 0, 2),
      // most subscriptions are to live long
      overdueAction: chance() < 0.1 ? 'cancel' : oneOf(chance, ['keep_active', 'mark_past_due', 'pause']),
    },
  }));

/** Opens the shop, then lets everybody do what they do. */
export async function billing(world: World, work: BillingWork): Promise<void> {
  const plans = plansOf(world.chance);
  const once = (name: string) => ({ identity: { from: `k:billing.${name}`, seq: 1, done: 0 } });
  await insist(world, {
    ...once('project'),
    to: projectAt(shopProject),
    command: 'open',
    by: 'operator',
    scope: 'system',
    data: { merchantId: 'mer_bb', name: 'Shop', providers: [] },
  });
  const { id, ...who } = customer;
  await insist(world, {
    ...merchant,
    ...once('customer'),
    to: customerAt(id),
    command: 'create',
    data: { ...who, externalCustomerId: null, metadata: {} },
  });
  for (const { id: planId, ...plan } of plans)
    await insist(world, {
      ...merchant,
      ...once(planId),
      to: planAt(planId),
      command: 'create',
      data: { ...plan, description: null, trialDays: 0, metadata: {} } as unknown as Json,
    });
  let over = false;
  const walks = clockWalks(world, work).then(() => {
    over = true;
  });
  const all = Array.from({ length: work.subscriptions }, (_, n) =>
    subscription(world, { n, plans, work, isOver: () => over }),
  );
  await Promise.all([...all, walks]);
}

interface Of {
  readonly n: number;
  readonly plans: readonly PlanCopy[];
  readonly work: BillingWork;
  readonly isOver: () => boolean;
}

async function subscription(world: World, { n, plans, work, isOver }: Of): Promise<void> {
  const { chance } = world;
  const id = mintId('sub', undefined, bytesFrom(chance));
  await pause(world, between(chance, 0, work.pauseMsMax));
  const data = {
    customer,
    plan: plans[n % plans.length],
    startDate: null,
    trialEndsAt: null,
    trialDays: chance() < 0.3 ? between(chance, 1, 3) : 0,
    providerPreference: null,
    referenceId: null,
    totalCycles: chance() < 0.2 ? between(chance, 2, 9) : null,
    metadata: {},
    baseUrl: 'https://pay.example',
  };
  const identity = { from: `k:billing.sub${n}`, seq: 1, done: 0 };
  const to = subscriptionAt(id);
  await insist(world, { ...merchant, to, command: 'create', data: data as unknown as Json, identity });
  const calls = async (): Promise<void> => {
    for (let call = 0; call < work.calls; call++) {
      await pause(world, between(chance, 0, work.pauseMsMax));
      await merchantCall(world, id, plans, `${n}.${call}`);
    }
  };
  const payments = async (): Promise<void> => {
    while (!isOver()) {
      await pause(world, between(chance, 0, 2 * work.pauseMsMax));
      await customerPays(world, id);
    }
  };
  await Promise.all([calls(), payments()]);
}

export const stateOf = (world: World, id: string): SubscriptionState | null =>
  (world.store.disk.doc('subscription', id)?.body ?? null) as unknown as SubscriptionState | null;

async function merchantCall(
  world: World,
  id: string,
  plans: readonly PlanCopy[],
  name: string,
): Promise<void> {
  const { chance } = world;
  const invoices = stateOf(world, id)?.invoices ?? [];
  const invoice = world.oneOf(invoices);
  const of = { invoiceId: invoice?.id ?? 'inv_000000000000000000000000' };
  const now = world.clockNow(shopScope);
  const asked: readonly (readonly [string, object])[] = [
    ['pause', { reason: null, resumeAt: chance() < 0.5 ? now + days(between(chance, 1, 3)) : null }],
    ['resume', {}],
    ['resume', {}],
    ['changePlan', { plan: world.oneOf(plans) }],
    ['endTrial', {}],
    ['extendTrial', { trialEndsAt: now + days(between(chance, 1, 4)) }],
    ['voidInvoice', of],
    ['markPaid', { ...of, paidAt: null, notes: 'cash' }],
    ['change', { totalCycles: chance() < 0.5 ? null : between(chance, 3, 12) }],
  ];
  const cancelling = ['cancel', { reason: null, atPeriodEnd: chance() < 0.9 }] as const;
  // most are to live long
  const [command, data] = (chance() < 0.02 ? null : world.oneOf(asked)) ?? cancelling;
  await insist(world, {
    ...merchant,
    to: subscriptionAt(id),
    command,
    data: data as unknown as Json,
    identity: { from: `k:billing.call${name}`, seq: 1, done: 0 },
  });
}

/** Opens the page of an invoice, and pays there, at once or when its session is over. */
async function customerPays(world: World, id: string): Promise<void> {
  const { chance } = world;
  const owed = stateOf(world, id)?.invoices.filter(isPayable) ?? [];
  const invoice = world.oneOf(owed);
  if (invoice === null) return;
  const { id: invoiceId } = invoice;
  const made = mintId('cs', undefined, bytesFrom(chance));
  const answer = await insist(world, {
    to: subscriptionAt(id),
    command: 'payInvoice',
    by: 'buyer',
    scope: null,
    data: { invoiceId, sessionId: made, url: `https://pay.example/pay/${made}`, now: 0 },
  });
  if (answer.is !== 'ok') return;
  const { sessionId } = answer.detail as { readonly sessionId: string };
  for (let looks = 0; looks < 20 && world.store.disk.doc('checkout_session', sessionId) === null; looks++)
    await pause(world, seconds(1));
  const stood = clockIn(world);
  const paymentId = placedBeside('pay', sessionId, sha256Base32([sessionId, String(chance())], 16));
  await insist(world, {
    to: checkoutSessionAt(sessionId),
    command: 'start',
    by: 'buyer',
    scope: null,
    data: { paymentId, provider: 'wallet_b', variant: null },
  });
  await pause(world, between(chance, 0, seconds(10)));
  // who pays a day later is found by the daily look-ups, which do not run here
  if (chance() < 0.8 && clockIn(world) === stood && wasSent(world, sessionId, paymentId))
    world.ledger.decide(paymentId, 'paid', world.scheduler.now());
}

/** Whether the provider has told us where its page is: nobody pays on a page whose address never arrived. */
function wasSent({ store }: World, sessionId: string, paymentId: string): boolean {
  const { payments = [] } = (store.disk.doc('checkout_session', sessionId)?.body ??
    {}) as Partial<SessionState>;
  return payments.some(({ id, start }) => id === paymentId && start === 'answered');
}

/** Where the test clock stands, walking or not. */
function clockIn({ store }: World): string {
  const { offsetMs, walk = null } = store.disk.doc('project', shopProject)?.body ?? {};
  return JSON.stringify([offsetMs, walk]);
}

const isWalking = (world: World): boolean =>
  world.store.disk.doc('project', shopProject)?.body?.['status'] === 'advancing';

async function clockWalks(world: World, { walks, pauseMsMax }: BillingWork): Promise<void> {
  const { chance } = world;
  for (let walk = 0; walk < walks; walk++) {
    await pause(world, between(chance, 0, 2 * pauseMsMax));
    for (let looks = 0; looks < 60 && isWalking(world); looks++) await pause(world, seconds(1));
    await insist(world, {
      to: projectAt(shopProject),
      command: 'advanceClock',
      data: { to: world.clockNow(shopScope) + hours(between(chance, 1, 120)) },
      by: 'system',
      scope: 'system',
      identity: { from: `k:billing.walk${walk}`, seq: 1, done: 0 },
    });
  }
}
