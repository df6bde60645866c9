/** A shop and its buyers: keyed checkouts, starts, payments, hints, cancels, expiries, webhooks, clock walks. */
import type { Json } from '../../src/runtime/model/actor.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import { mintId } from '../../src/kernel/id.ts';
import { hours, minutes, seconds, type Instant } from '../../src/kernel/time.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { Order } from '../../actors/checkout-session/order.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { projectAt, type ProjectState } from '../../actors/project/messages.ts';
import { webhookEndpointAt } from '../../actors/webhook-endpoint/messages.ts';
import { insist, pause } from './client.ts';
import { changeForm, keyedPost, type KeyedPost } from './keyed-post.ts';
import { between, bytesFrom, chanceOf, oneOf, type Chance } from './random.ts';
import type { World } from './world.ts';

export const shopProject = 'prj_bb00000000000000000000bb';
export const shopScope: Scope = `${shopProject}:sandbox`;

export const endpointId = (n: number): string => `we_b${n}0000000000000000000${n}`;

export interface ShopWork {
  readonly endpoints: number;
  readonly sessions: number;
  readonly pauseMsMax: number;
  /** How often the test clock is advanced. */
  readonly advances: number;
}

export const orderOf = (chance: Chance, referenceId: string): Order => ({
  amount: between(chance, 10, 10_000) * 100,
  currency: 'NPR',
  description: null,
  returnUrl: 'https://shop.example/return',
  cancelUrl: null,
  collectAddress: false,
  customer: null,
  metadata: {},
  flow: chance() < 0.7 ? 'hosted' : 'redirect',
  preselected: 'wallet_b',
  referenceId,
  source: 'checkout',
  checkoutUrl: null,
});

/** Opens the shop, then serves its buyers side by side. */
export async function shop(world: World, work: ShopWork): Promise<void> {
  const asked = (name: string) => ({
    scope: shopScope,
    identity: { from: `k:shop.${name}`, seq: 1, done: 0 },
  });
  await insist(world, {
    ...asked('project'),
    to: projectAt(shopProject),
    command: 'open',
    by: 'operator',
    scope: 'system',
    data: { merchantId: 'mer_bb', name: 'Shop', providers: [] },
  });
  for (let n = 0; n < work.endpoints; n++) {
    const opened = await insist(world, {
      ...asked(`endpoint${n}`),
      to: webhookEndpointAt(endpointId(n)),
      command: 'open',
      by: 'merchant',
      data: {
        url: `https://shop.example/${endpointId(n)}`,
        description: null,
        events: n === 0 ? ['*'] : ['payment.succeeded', 'checkout.expired'],
        sealedSecret: 'whsec_c2VjcmV0',
        apiVersion: '2026-11-20',
      },
    });
    if (opened.is === 'ok') world.endpoints.add(endpointId(n));
  }
  await keyedForm(world);
  const buyers = Array.from({ length: work.sessions }, (_, n) => checkout(world, `ref-${n}`, work));
  await Promise.all([...buyers, clockWalks(world, work.advances)]);
}

/** Sessions with a key have records, or are their own from the start on, or change while everybody is at work. */
async function keyedForm(world: World): Promise<void> {
  const chance = chanceOf(world.seed, 'keyed');
  const form = oneOf(chance, ['records', 'sessions', 'changes'] as const);
  if (form === 'sessions') await changeForm(world, 'none');
  if (form !== 'changes') return;
  void pause(world, between(chance, 0, seconds(30))).then(() => changeForm(world, 'begin'));
}

async function checkout(world: World, key: string, work: ShopWork): Promise<void> {
  const { chance } = world;
  await pause(world, between(chance, 0, work.pauseMsMax));
  const order = orderOf(chance, key);
  const post = {
    scope: shopScope,
    key,
    sessionId: '',
    open: { order, lifeMs: between(chance, seconds(20), minutes(3)) },
  };
  const sessionId = await created(world, post);
  if (sessionId === null) return;
  if (chance() < 0.3) void created(world, post);
  await buyer(world, sessionId, work);
}

/** Repeats the request under its key until it is answered; every answer is shown to the checkers. */
async function created(world: World, post: KeyedPost): Promise<string | null> {
  for (let copies = 0; copies < 60; copies++) {
    const process = world.serving;
    const sessionId = mintId('cs', undefined, bytesFrom(world.chance));
    if (process !== null) {
      const answer = await world.through(process, keyedPost(world, process, { ...post, sessionId }), null);
      if (answer?.status === 201) {
        world.checkers.replied({ key: post.key, body: answer.body, objectId: answer.sessionId });
        return answer.sessionId;
      }
    }
    await pause(world, between(world.chance, 50, 1500));
  }
  return null;
}

/** Clicks through one purchase; what he does at the provider happens whether we are there or not. */
async function buyer(world: World, sessionId: string, work: ShopWork): Promise<void> {
  const { chance } = world;
  const to = checkoutSessionAt(sessionId);
  const held: string[] = [];
  for (let attempts = between(chance, 1, 3); attempts > 0; attempts--) {
    const paymentId = mintId('pay', sessionId, bytesFrom(chance));
    await pause(world, between(chance, 0, work.pauseMsMax));
    await insist(world, {
      to,
      command: 'start',
      by: 'buyer',
      scope: null,
      data: { paymentId, provider: 'wallet_b', variant: null },
    });
    const running = await instructed(world, sessionId);
    if (running === null) continue;
    await pause(world, between(chance, 0, 2 * work.pauseMsMax));
    const decision = oneOf(chance, ['paid', 'paid', 'paid', 'cancelled', 'declined', null] as const);
    if (decision !== null) decide(world, running, decision);
    // an earlier attempt is still open in another tab
    for (const earlier of held) if (earlier !== running && chance() < 0.4) decide(world, earlier, 'paid');
    held.push(running);
    await leave(world, sessionId, running);
  }
  await refunds(world, sessionId);
}

/** The merchant gives money back, in parts that may be more than is left, two at a time. */
async function refunds(world: World, sessionId: string): Promise<void> {
  const { chance } = world;
  if (chance() < 0.5) return;
  await pause(world, between(chance, 0, seconds(30)));
  const shown = await world.read(checkoutSessionAt(sessionId), shopScope);
  const state = shown?.state as SessionState | undefined;
  const payments = state?.payments.filter(({ status }) => status === 'success') ?? [];
  const parts = Array.from({ length: between(chance, 1, 4) }, () => oneOf(chance, [1, 0.5, 0.4, 0.1]));
  const asked = payments.flatMap(({ id }) => parts.map((part) => ({ paymentId: id, part })));
  await Promise.all(
    asked.map(async ({ paymentId, part }, n) => {
      const id = mintId('ref', sessionId, bytesFrom(chance));
      await pause(world, between(chance, 0, seconds(5)));
      const amount = Math.max(1, Math.floor((state?.order.amount ?? 0) * part));
      const data = { id, paymentId, amount, reason: 'other', notes: null, mobileNumber: null };
      const identity = { from: `k:refund.${sessionId}.${n}`, seq: 1, done: 0 };
      const to = checkoutSessionAt(sessionId);
      await insist(world, { to, command: 'refund', data, by: 'merchant', scope: shopScope, identity });
    }),
  );
}

function decide(world: World, paymentId: string, decision: 'paid' | 'cancelled' | 'declined'): void {
  if (isClosed(world, paymentId) || !world.ledger.decide(paymentId, decision, world.scheduler.now())) return;
  world.trace(`the buyer of ${paymentId} decides: ${decision}`);
}

/** Shorter than the last late look-up may be after the end of its session. */
const openMsMax = hours(20);

/** On the test clock, like every life at the provider: nobody pays an attempt whose session ended almost a day ago. */
function isClosed({ ledger, store, scheduler }: World, paymentId: string): boolean {
  const session = store.disk.doc('checkout_session', ledger.attempts.get(paymentId)?.sessionId ?? '');
  const project = store.disk.doc('project', shopProject)?.body as unknown as ProjectState | undefined;
  const { endedAt } = (session?.body ?? {}) as { readonly endedAt?: Instant };
  if (endedAt === undefined || project === undefined) return false;
  const now = project.status === 'advancing' ? project.walk.target : scheduler.now() + project.offsetMs;
  return now - endedAt > openMsMax;
}

/** What follows a visit at the provider: a return, callbacks, in any number; or an impatient click. */
async function leave(world: World, sessionId: string, paymentId: string): Promise<void> {
  const { chance } = world;
  const to = checkoutSessionAt(sessionId);
  const say = (command: string, data: Json, by: 'buyer' | 'provider' | 'merchant'): Promise<unknown> =>
    world.ask(to, command, data, { by, scope: by === 'merchant' ? shopScope : null });
  const hint = (from: 'return' | 'callback'): Promise<unknown> => {
    const data = { paymentId, from, says: 'unknown', verified: false, summary: 'came back' };
    if (from === 'return') return say('hint', data, 'buyer');
    return world.hint(to, 'hint', data, { by: 'provider', scope: null });
  };
  for (let hints = between(chance, 0, 3); hints > 0; hints--)
    void hint(chance() < 0.5 ? 'return' : 'callback');
  if (chance() < 0.1) void say('cancel', {}, 'buyer');
  if (chance() < 0.1) void say('expire', {}, 'merchant');
  await world.read(to, shopScope);
}

/** Watches the session until it shows where to pay; null when it never does. */
async function instructed(world: World, sessionId: string): Promise<string | null> {
  for (let looks = 0; looks < 20; looks++) {
    const shown = await world.read(checkoutSessionAt(sessionId), shopScope);
    const state = shown?.state as SessionState | undefined;
    if (state !== undefined && 'endedAt' in state) return null;
    if (state?.status === 'initiated') {
      const running = state.payments.find(({ id }) => id === state.running);
      if (running !== undefined && running.legs[0].instructions !== null) return running.id;
    }
    await pause(world, between(world.chance, 20, 700));
  }
  return null;
}

/** A tester in a hurry. */
async function clockWalks(world: World, advances: number): Promise<void> {
  for (let n = 0; n < advances; n++) {
    await pause(world, between(world.chance, 0, seconds(20)));
    const toInstant = world.clockNow(shopScope) + between(world.chance, seconds(30), minutes(20));
    await insist(world, {
      to: projectAt(shopProject),
      command: 'advanceClock',
      data: { to: toInstant },
      by: 'system',
      scope: 'system',
      identity: { from: `k:advance.${n}`, seq: 1, done: 0 },
    });
  }
}
