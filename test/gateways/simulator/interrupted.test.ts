/** An answered `simulate` is a promise: whichever step of the play is interrupted, the outcome is reached. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Payment } from '../../../actors/checkout-session/attempt.ts';
import type { Provider } from '../../../src/providers/answers.ts';
import {
  simulatorAt,
  type SandboxOutcome,
  type SimulatedPaymentState,
  type SimulatorState,
} from '../../../actors/simulated-payment/messages.ts';
import { isAboutRefunds, isShownBy, outcomesShown } from '../../../actors/simulated-payment/outcome-table.ts';
import { minutes } from '../../../src/kernel/time.ts';
import { eventually } from '../../support/eventually.ts';
import { Cutter, type Cut, type How } from './cut.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

const cutter = new Cutter();

/** More than any play takes by itself. */
const stepsMax = 12;
const testMsMax = 120_000;
const endMsMax = 60_000;
const cuts: readonly Cut[] = [
  ...(['before', 'after'] satisfies How[]).flatMap((how) =>
    Array.from({ length: stepsMax }, (_, at): Cut => ({ how, step: at + 1, steps: 1 })),
  ),
  // there is no answer for a while: the next tries are interrupted, too
  { how: 'before', step: 1, steps: 3 },
  { how: 'before', step: 4, steps: 3 },
  { how: 'after', step: 7, steps: 2 },
];
/** Plays that must have been cut somewhere, of each outcome that presses a button. */
const cutMin = 6;

interface Tried {
  readonly sessionId: string;
  readonly payment: Payment;
}

async function started(world: World, provider: Provider, cut: Cut): Promise<Tried> {
  const sessionId = await world.open();
  const payment = await world.start(sessionId, provider);
  cutter.cut(payment.id, cut);
  return { sessionId, payment };
}

/** What the provider's book says in the end. */
const bookOf: { readonly [O in SandboxOutcome]: SimulatedPaymentState['status'] } = {
  success: 'paid',
  declined: 'declined',
  insufficient_funds: 'declined',
  cancelled: 'cancelled',
  scanned: 'opened',
  lost_redirect: 'paid',
  late_success: 'created',
  duplicate_callback: 'paid',
  double_payment: 'paid',
  wrong_amount: 'paid',
  bad_signature: 'paid',
  ambiguous: 'paid',
  timeout: 'paid',
  server_error: 'paid',
  outage: 'paid',
  never: 'created',
  refund_rejected: 'created',
  refund_timeout: 'created',
};
/** What the provider goes on to show. */
const faultOf: { readonly [O in SandboxOutcome]?: string } = {
  late_success: 'late_success',
  wrong_amount: 'wrong_amount',
  ambiguous: 'ambiguous',
  timeout: 'timeout',
  server_error: 'http_500_html',
  outage: 'outage_200',
};
/** Those that leave faults, in groups: the simulator's list of faults is bounded, and drops the oldest. */
const leavesFaults: readonly (readonly SandboxOutcome[])[] = [
  ['lost_redirect', 'wrong_amount'],
  ['late_success', 'ambiguous'],
];
/** Those whose buyer returns, so that no poll is needed. */
const paidAtOnce: readonly SandboxOutcome[] = ['success', 'duplicate_callback', 'bad_signature'];
const reviewed: readonly SandboxOutcome[] = ['wrong_amount', 'ambiguous'];

async function ends(world: World, { sessionId, payment }: Tried, outcome: SandboxOutcome): Promise<void> {
  const found = await eventually(
    async () => {
      const now = await world.simulated(payment.id);
      // the second payment is sent back as soon as it is found
      const isThere =
        now.status === bookOf[outcome] || (outcome === 'double_payment' && now.status === 'refunded');
      return isThere && now.plays?.length === 0 ? now : null;
    },
    () => `${payment.id} as ${bookOf[outcome]}`,
    endMsMax,
  );
  if (outcome === 'insufficient_funds' && found.provider === 'qr_a')
    expect(found.declinedFor).toBe('insufficient_funds');
  const fault = faultOf[outcome];
  if (fault !== undefined) expect(await faultsFor(world, payment)).toContain(fault);
  if (paidAtOnce.includes(outcome)) await world.until(sessionId, ({ status }) => status === 'success');
  if (outcome === 'double_payment') {
    const { payments } = await world.until(sessionId, (now) => now.payments.length === 2);
    for (const { id } of payments) expect(['paid', 'refunded']).toContain((await world.simulated(id)).status);
  }
  if (reviewed.includes(outcome))
    await world.until(sessionId, ({ payments }) => payments.some(({ needsReview }) => needsReview));
}

async function faultsFor(world: World, { id }: Payment): Promise<readonly string[]> {
  const found = await world.node.client.read<SimulatorState>(simulatorAt(world.scope), world.scope);
  const reference = id.replace('_', '-');
  return (found?.state.faults ?? []).flatMap((one) => (one.reference === reference ? [one.kind] : []));
}

const pressless: readonly SandboxOutcome[] = ['late_success', 'never'];
/** Their look-ups open the provider's circuit: nobody else could start there. */
const troubles: readonly SandboxOutcome[] = ['timeout', 'server_error', 'outage'];

async function playedToItsEnd(world: World, outcome: SandboxOutcome, provider: Provider): Promise<void> {
  const tried = await Promise.all(cuts.map((cut) => started(world, provider, cut)));
  for (const { sessionId } of tried)
    expect(await world.simulate(sessionId, outcome, { provider })).toEqual({ is: 'done' });
  await Promise.all(tried.map((one) => ends(world, one, outcome)));
  const cut = tried.filter(({ payment }) => cutter.madeOf(payment.id) > 0).length;
  expect(cut).toBeGreaterThanOrEqual(pressless.includes(outcome) ? 2 : cutMin);
}

const around: NonNullable<WorldOptions['around']> = (deps, who) => cutter.around(deps, who);

// a play waits for its retries most of the time: plays of all providers wait at once, as many as `maxConcurrency` says
describe.concurrent.each(['wallet_b', 'wallet_a', 'qr_a'] as const)(
  'interrupted at any step, at %s',
  (provider) => {
    // how the next refund goes is committed with the answer: no play can be interrupted
    const played = outcomesShown.filter(
      (outcome) => isShownBy(provider, outcome) && !troubles.includes(outcome) && !isAboutRefunds(outcome),
    );
    const groups = [
      played.filter((outcome) => !leavesFaults.flat().includes(outcome)),
      ...leavesFaults.map((group) => group.filter((outcome) => played.includes(outcome))),
    ];
    describe.each(groups.map((outcomes) => ({ outcomes })))('together: $outcomes', ({ outcomes }) => {
      let world: World;
      beforeAll(async () => {
        world = await openWorld({ around });
      });
      afterAll(() => world.stop());

      test.each(outcomes)(
        '%s is played to its end',
        (outcome) => playedToItsEnd(world, outcome, provider),
        testMsMax,
      );
    });
  },
);

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  const world = await openWorld({ around });
  try {
    await work(world);
  } finally {
    await world.stop();
  }
}

test.concurrent.each(troubles)(
  'interrupted at any step, %s is played to its end',
  (outcome) => inWorld((world) => playedToItsEnd(world, outcome, 'wallet_b')),
  testMsMax,
);

describe('a buyer interrupted for long', () => {
  const forLong: Cut = { how: 'before', step: 1, steps: 1000 };
  const promised = async (
    world: World,
    outcome: SandboxOutcome,
    { sessionId, payment }: Tried,
  ): Promise<void> => {
    expect(await world.simulate(sessionId, outcome)).toEqual({ is: 'done' });
    await expect.poll(() => cutter.madeOf(payment.id), { timeout: 10_000 }).toBeGreaterThan(1);
  };
  const over = (world: World, { payment }: Tried): Promise<SimulatedPaymentState> =>
    eventually(
      async () => {
        const now = await world.simulated(payment.id);
        return now.plays?.length === 0 ? now : null;
      },
      () => `the play of ${payment.id}`,
    );

  test.concurrent.each(['success', 'declined', 'double_payment'] as const)(
    'does not continue a payment that is over: %s',
    (outcome) =>
      inWorld(async (world) => {
        const tried = await started(world, 'wallet_b', forLong);
        await promised(world, outcome, tried);
        await world.advance(minutes(30));
        await world.until(tried.sessionId, ({ status }) => status === 'expired');
        cutter.heal(tried.payment.id);
        await world.advance(minutes(1.1));
        expect(await over(world, tried)).toMatchObject({ status: 'ended' });
        expect((await world.session(tried.sessionId)).status).toBe('expired');
      }),
    testMsMax,
  );

  test.concurrent(
    'still pays when the payment was over before the play began',
    () =>
      inWorld(async (world) => {
        const tried = await started(world, 'wallet_b', forLong);
        await world.advance(minutes(30));
        await world.until(tried.sessionId, ({ status }) => status === 'expired');
        await promised(world, 'success', tried);
        cutter.heal(tried.payment.id);
        expect(await over(world, tried)).toMatchObject({ status: 'paid' });
        await world.until(tried.sessionId, ({ status }) => status === 'success');
      }),
    testMsMax,
  );
});
