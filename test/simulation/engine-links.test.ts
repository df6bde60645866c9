/** One payment link, many buyers, and nodes that die: uses are reserved, given back and counted once each. The laws
 *  are in checkers/links.ts; here are the histories that would break them. */
import { expect, test, vi } from 'vitest';
import { minutes, seconds } from '../../src/kernel/time.ts';
import { mintId } from '../../src/kernel/id.ts';
import type { Actor } from '../../src/runtime/model/actor.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { paymentLinkAt } from '../../actors/payment-link/messages.ts';
import { paymentLink } from '../../actors/payment-link/payment-link.ts';
import { climateOf, trouble } from './chaos.ts';
import { insist, pause } from './client.ts';
import { inWorld, longStories, until } from './directed.ts';
import { parts } from './parts.ts';
import type { Parts } from './process.ts';
import { between, bytesFrom, oneOf } from './random.ts';
import { shopScope } from './shop-work.ts';
import { keyed } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const linkId = 'lnk_bb00000000000000000000bb';
const link = paymentLinkAt(linkId);
const [uses, buyers, seeds] = [2, 6, 40];

async function opened(world: World): Promise<void> {
  const data = {
    name: 'Seat',
    description: null,
    amount: 50_000,
    minAmount: null,
    maxAmount: null,
    maxUses: uses,
    expiresAt: null,
    returnUrl: null,
    collectAddress: false,
    metadata: {},
    referenceId: 'PL-BB0000BB',
    url: 'https://pay.example/link/PL-BB0000BB',
  };
  const answer = await insist(world, {
    to: link,
    command: 'open',
    by: 'merchant',
    scope: shopScope,
    data,
    identity: keyed('link'),
  });
  expect(answer.is).toBe('ok');
}

const sessionOf = (world: World, id: string): SessionState | undefined =>
  world.store.disk.doc('checkout_session', id)?.body as unknown as SessionState | undefined;

/** Submits a form, perhaps twice, and pays, leaves, or is forgotten. */
async function buyer(world: World): Promise<void> {
  const { chance } = world;
  await pause(world, between(chance, 0, seconds(20)));
  const sessionId = mintId('cs', undefined, bytesFrom(chance));
  const form = { to: link, command: 'reserve', by: 'buyer', scope: null } as const;
  const data = { sessionId, amount: null, checkoutUrl: `https://pay.example/pay/${sessionId}` };
  const copies = await Promise.all(
    Array.from({ length: chance() < 0.3 ? 2 : 1 }, () => insist(world, { ...form, data })),
  );
  if (copies.every(({ is }) => is === 'refused')) return;
  for (let looks = 0; looks < 40 && sessionOf(world, sessionId) === undefined; looks++)
    await pause(world, seconds(1));
  if (sessionOf(world, sessionId) === undefined) return;
  const to = checkoutSessionAt(sessionId);
  const decision = oneOf(chance, ['paid', 'paid', 'cancel', 'expire', null] as const);
  if (decision === 'cancel')
    await insist(world, { to, command: 'cancel', by: 'buyer', scope: null, data: {} });
  if (decision === 'cancel' || decision === null) return;
  const paymentId = mintId('pay', sessionId, bytesFrom(chance));
  await insist(world, {
    to,
    command: 'start',
    by: 'buyer',
    scope: null,
    data: { paymentId, provider: 'wallet_b', variant: null },
  });
  await pause(world, between(chance, 0, seconds(10)));
  // the money may arrive when the session has ended
  if (decision === 'expire')
    await insist(world, {
      to,
      command: 'expire',
      by: 'merchant',
      scope: shopScope,
      data: {},
      identity: keyed(sessionId),
    });
  world.ledger.decide(paymentId, 'paid', world.scheduler.now());
}

async function rush(seed: number, partsOf: () => Parts, calm = false): Promise<void> {
  await inWorld({ seed, nodes: seed % 2 === 0 ? 1 : 3, partsOf, withinMs: minutes(20) }, async (world) => {
    await opened(world);
    let over = false;
    if (!calm) trouble(world, climateOf(world.chance), () => over);
    await Promise.all(Array.from({ length: buyers }, () => buyer(world)));
    over = true;
    await until(world, (doc) => doc('payment_link', linkId) !== null);
  });
}

test('a link keeps its limit and counts each session once, whoever dies', async () => {
  for (let seed = 1; seed <= seeds; seed++) await rush(seed, () => parts);
});

const { reserve, sessionPaid } = paymentLink.on;
const mayReserve = 'active' in reserve ? reserve.active : null;
const counts = '_any' in sessionPaid ? sessionPaid._any : null;

/** The service with one line of its link changed. */
const withLink = (on: object): Parts => {
  const changed = { ...paymentLink, on: { ...paymentLink.on, ...on } } as unknown as Actor;
  return { ...parts, actors: parts.actors.map((each) => (each.kind === paymentLink.kind ? changed : each)) };
};

test.each([
  [
    'reserves nothing for running sessions',
    withLink({
      reserve: {
        ...reserve,
        active: (s: never, c: never, x: never) => mayReserve?.({ ...(s as object), held: [] } as never, c, x),
      },
    }),
    /never has more sessions/,
  ],
  [
    'keeps the use of a session that was paid',
    withLink({
      sessionPaid: {
        by: 'system',
        _any: (s: never, c: object, x: never) => counts?.(s, { ...c, held: null } as never, x),
      },
    }),
    /reserves one use for each that runs/,
  ],
  [
    'keeps the use of a session that ended without money',
    withLink({
      sessionOver: { by: 'system', _any: (_s: never, _c: never, x: { ok: () => unknown }) => x.ok() },
    }),
    /reserves one use for each that runs/,
  ],
])('a build that %s is caught', async (_name, built, law) => {
  const outcomes: string[] = [];
  for (let seed = 1; seed <= seeds && outcomes.length === 0; seed++)
    await rush(seed, () => built, true).catch((error: unknown) => outcomes.push(String(error)));
  expect(outcomes[0]).toMatch(law);
});
