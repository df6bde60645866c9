/** One checkout, one provider, everything at once (the engine's own list of demands, by number). */
import { expect, test, vi } from 'vitest';
import { mintId } from '../../src/kernel/id.ts';
import { seconds } from '../../src/kernel/time.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import { isPaid } from '../../actors/checkout-session/payment.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import { webhookEndpointAt } from '../../actors/webhook-endpoint/messages.ts';
import { climateOf, trouble } from './chaos.ts';
import { insist, pause } from './client.ts';
import { everyWay, inWorld, killWhen, longStories, until, writesOf } from './directed.ts';
import { between, bytesFrom, oneOf } from './random.ts';
import { endpointId, orderOf, shopScope } from './shop-work.ts';
import { keyed } from './telling.ts';
import type { World } from './world.ts';

vi.setConfig(longStories);

const merchant = { by: 'merchant', scope: shopScope } as const;

async function endpoint(world: World): Promise<void> {
  const opened = await insist(world, {
    ...merchant,
    to: webhookEndpointAt(endpointId(0)),
    command: 'open',
    identity: keyed('endpoint'),
    data: {
      url: `https://shop.example/${endpointId(0)}`,
      events: ['*'],
      description: null,
      sealedSecret: 'whsec_c2VjcmV0',
      apiVersion: '2026-11-20',
    },
  });
  expect(opened.is).toBe('ok');
  world.endpoints.add(endpointId(0));
}

async function session(world: World, lifeMs: number): Promise<string> {
  const id = mintId('cs', undefined, bytesFrom(world.chance));
  const data = { order: orderOf(world.chance, 'ref-1'), lifeMs };
  await insist(world, {
    ...merchant,
    to: checkoutSessionAt(id),
    command: 'open',
    data: data as never,
    identity: keyed('session'),
  });
  return id;
}

const stateOf = (world: World, id: string): SessionState | undefined =>
  world.store.disk.doc('checkout_session', id)?.body as unknown as SessionState | undefined;

/** An attempt the buyer holds the instructions of. */
async function attempt(world: World, id: string): Promise<string> {
  const paymentId = mintId('pay', id, bytesFrom(world.chance));
  await insist(world, {
    to: checkoutSessionAt(id),
    command: 'start',
    by: 'buyer',
    scope: null,
    data: { paymentId, provider: 'wallet_b', variant: null },
  });
  await until(
    world,
    () =>
      stateOf(world, id)?.payments.some(
        (payment) => payment.id === paymentId && payment.legs[0].instructions !== null,
      ) === true,
  );
  return paymentId;
}

const journalOf = (world: World, event: string): number =>
  world.store.disk.rows('journal').filter((row) => row.body['event'] === event).length;

test('engine test 2: a process dies between commit and reply: one event, one webhook', async () => {
  await everyWay(20, async (world) => {
    await endpoint(world);
    const killed = killWhen(world, 'after', (request) => writesOf(request, 'checkout_session').length > 0);
    await session(world, seconds(600));
    expect(killed.done).toBe(true);
    await until(world, () => world.ledger.receipts.size > 0);
    await pause(world, seconds(20));
    expect(journalOf(world, 'checkout.created')).toBe(1);
    expect([...world.ledger.receipts.values()].map(({ bodies }) => bodies.length)).toEqual([1]);
  });
});

test('a webhook that waits for an earlier one of its object is sent as soon as that one has ended', async () => {
  await everyWay(6, async (world) => {
    await endpoint(world);
    const id = await session(world, seconds(600));
    const paymentId = await attempt(world, id);
    await until(world, () => world.ledger.receipts.size === 1);
    // payment.failed is refused once and comes again after 5 s; payment.cancelled, of the same object, waits for it
    let refused = 0;
    world.refuses = (body) => body.includes('"payment.failed"') && ++refused === 1;
    const cancelled = world.scheduler.now();
    await world.ask(checkoutSessionAt(id), 'cancel', {}, { by: 'buyer', scope: null });
    const taken = (): number => [...world.ledger.receipts.values()].filter((receipt) => receipt.taken).length;
    await until(world, () => taken() === 4);
    expect(refused).toBe(2);
    const took = world.scheduler.now() - cancelled;
    expect(took).toBeGreaterThan(seconds(4));
    // a shop may take its seconds; without the word of the one before it would be 60
    expect(took).toBeLessThan(seconds(40));
    expect(stateOf(world, id)?.payments.map((payment) => payment.id)).toEqual([paymentId]);
  });
});

test('engine test 20: callback, poll and expiry race: one terminal state, one payment.succeeded', async () => {
  const ends = new Set<string>();
  for (let seed = 1; seed <= 30; seed++) {
    const options = { seed, rowsInCommit: seed % 2 === 0, withinMs: seconds(600) };
    const world = await inWorld(options, async (world) => {
      const { chance } = world;
      await endpoint(world);
      const id = await session(world, seconds(20));
      const paymentId = await attempt(world, id);
      let over = false;
      trouble(world, climateOf(chance), () => over);
      // money, callbacks and the merchant's own expiry meet around the instant the session's time is up
      const around = (work: () => void): void => {
        const at =
          (stateOf(world, id)?.expiresAt ?? 0) - world.scheduler.now() + between(chance, -2000, 2000);
        world.scheduler.after(at, work);
      };
      around(() => void world.ledger.decide(paymentId, 'paid', world.scheduler.now()));
      for (let hints = 0; hints < 10; hints++) {
        around(
          () =>
            void world.ask(
              checkoutSessionAt(id),
              'hint',
              {
                paymentId,
                from: oneOf(chance, ['return', 'callback']),
                says: 'paid',
                verified: true,
                summary: 'paid',
              },
              { by: 'provider', scope: null },
            ),
        );
      }
      if (seed % 3 === 0) around(() => void world.ask(checkoutSessionAt(id), 'expire', {}, merchant));
      const buyer = { by: 'buyer', scope: null } as const;
      if (seed % 3 === 1) around(() => void world.ask(checkoutSessionAt(id), 'cancel', {}, buyer));
      await pause(world, seconds(60));
      over = true;
    });
    const [end] = world.store.disk
      .docs('checkout_session')
      .map(({ body }) => body as unknown as SessionState);
    expect(end?.status).toBe('success');
    expect(journalOf(world, 'payment.succeeded')).toBe(1);
    ends.add(end?.status === 'success' && end.late ? 'late' : 'in time');
  }
  // both sides of the race were run
  expect(ends).toEqual(new Set(['late', 'in time']));
});

test('engine test 20: two attempts are both paid: one succeeds, the other is a duplicate and sent back', async () => {
  await everyWay(
    20,
    async (world) => {
      await endpoint(world);
      const id = await session(world, seconds(600));
      const first = await attempt(world, id);
      await world.ask(
        checkoutSessionAt(id),
        'hint',
        {
          paymentId: first,
          from: 'return',
          says: 'cancelled',
          verified: false,
          summary: 'came back',
        },
        { by: 'buyer', scope: null },
      );
      await pause(world, seconds(2));
      const second = await attempt(world, id);
      await pause(world, seconds(5));
      const state = stateOf(world, id);
      for (const paymentId of [first, second]) {
        world.ledger.decide(paymentId, 'paid', world.scheduler.now());
        if (world.chance() < 0.5) world.kill(100);
      }
      expect(state?.payments.length).toBe(2);
      await until(world, () => stateOf(world, id)?.payments.every(isPaid) === true);
      expect(stateOf(world, id)?.payments.filter(({ duplicate }) => duplicate)).toHaveLength(1);
      await until(world, () => journalOf(world, 'payment.duplicate') === 1);
      // and is sent back, once, whatever dies meanwhile
      await until(world, () => journalOf(world, 'refund.succeeded') === 1);
      expect([...world.ledger.refunds.values()].map(({ calls }) => calls)).toEqual([1]);
      expect(journalOf(world, 'payment.succeeded')).toBe(1);
    },
    seconds(900),
  );
});

const calls = (request: Parameters<typeof writesOf>[0], tries: number): boolean =>
  writesOf(request, 'checkout_session').some(({ doc }) =>
    doc.out.some((row) => row.type === 'effect' && row.kind === 'provider.refund' && row.tries === tries),
  );
const isAnswered = (request: Parameters<typeof writesOf>[0]): boolean =>
  writesOf(request, 'checkout_session').some(({ doc }) =>
    (doc.body as unknown as SessionState).refunds.some(({ call }) => call === 'answered'),
  );

/** Where a process dies around the one call of a refund. */
const deaths = [
  ['before the call is recorded', 'before', (request) => calls(request, 1)],
  ['between the record and the call, or during it', 'after', (request) => calls(request, 1)],
  ['between the call and the record of its answer', 'before', isAnswered],
  ['after its answer was recorded', 'after', isAnswered],
] as const satisfies readonly (readonly [string, 'before' | 'after', Parameters<typeof killWhen>[2]])[];

test.each(deaths)(
  'engine test 23: a process dies %s: one call at most, and the refund ends',
  async (_where, when, now) => {
    await everyWay(
      10,
      async (world) => {
        const id = await session(world, seconds(600));
        const paymentId = await attempt(world, id);
        world.ledger.decide(paymentId, 'paid', world.scheduler.now());
        await until(world, () => stateOf(world, id)?.status === 'success');
        const killed = killWhen(world, when, now);
        const refundId = mintId('ref', id, bytesFrom(world.chance));
        const amount = stateOf(world, id)?.order.amount ?? 0;
        const asked = await insist(world, {
          ...merchant,
          to: checkoutSessionAt(id),
          command: 'refund',
          data: { id: refundId, paymentId, amount, reason: 'other', notes: null, mobileNumber: null },
          identity: keyed('refund'),
        });
        expect(asked.is).toBe('ok');
        await until(world, () => killed.done);
        const refund = () => stateOf(world, id)?.refunds.find((one) => one.id === refundId);
        // proven by its answer or a look-up; a call that was never made waits for a person
        const isMade = (): boolean => (world.ledger.refunds.get(refundId)?.calls ?? 0) > 0;
        await until(
          world,
          () => refund()?.call === 'answered' && (!isMade() || refund()?.status === 'succeeded'),
        );
        expect(world.ledger.refunds.get(refundId)?.calls ?? 0).toBeLessThanOrEqual(1);
      },
      seconds(900),
    );
  },
);
