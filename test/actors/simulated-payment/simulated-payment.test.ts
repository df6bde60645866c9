import { describe, expect, test } from 'vitest';
import type {
  SimulatedPaymentCommands,
  SimulatedStatus,
} from '../../../actors/simulated-payment/messages.ts';
import {
  logEntriesMax,
  logTextMax,
  simulatedPayment,
} from '../../../actors/simulated-payment/simulated-payment.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';
import type { SimulatedPaymentTypes } from '../../../actors/simulated-payment/messages.ts';

type T = Story<SimulatedPaymentTypes>;
const lifeMs = 1_800_000;

const created = (): T => {
  const story = given(simulatedPayment, { id: 'pay_4t8z1m6q3x9k2v7b', scope: 'prj_abcd:sandbox' });
  return story.when('register', {
    provider: 'wallet_b',
    sessionId: 'cs_4t',
    amount: 125050,
    handle: 'px4t',
    returnUrl: 'https://pay.example/return',
    title: 'Order 1001',
    lifeEndsAt: story.now + lifeMs,
  });
};

/** A payment in each state, reached by commands alone. */
const inState: { readonly [S in SimulatedStatus]: () => T } = {
  created,
  opened: () => created().when('open', {}),
  paid: () => created().when('pay', {}),
  declined: () => created().when('decline', {}),
  cancelled: () => created().when('cancel', {}),
  ended: () => created().wait(lifeMs),
  partly_refunded: () => created().when('pay', {}).when('refund', { amount: 25050 }),
  refunded: () => created().when('pay', {}).when('refund', { amount: null }),
};
const states = Object.keys(inState) as SimulatedStatus[];

type Command = 'open' | 'pay' | 'decline' | 'cancel' | 'refund';
const R = 'refused';
/** Providers 9, state x command, as sandbox control sends them. */
const table: { readonly [S in SimulatedStatus]: { readonly [C in Command]: SimulatedStatus | typeof R } } = {
  created: { open: 'opened', pay: 'paid', decline: 'declined', cancel: 'cancelled', refund: R },
  opened: { open: 'opened', pay: 'paid', decline: 'declined', cancel: 'cancelled', refund: R },
  paid: { open: R, pay: R, decline: R, cancel: R, refund: 'refunded' },
  declined: { open: R, pay: 'paid', decline: R, cancel: R, refund: R },
  cancelled: { open: R, pay: 'paid', decline: R, cancel: R, refund: R },
  ended: { open: R, pay: 'paid', decline: R, cancel: R, refund: R },
  partly_refunded: { open: R, pay: R, decline: R, cancel: R, refund: 'refunded' },
  refunded: { open: R, pay: R, decline: R, cancel: R, refund: R },
};
const cells = states.flatMap((state) =>
  (Object.keys(table[state]) as Command[]).map((command) => [state, command, table[state][command]] as const),
);

test.each(cells)('%s x %s: %s', (state, command, becomes) => {
  const story = inState[state]();
  expect(story.state.status).toBe(state);
  const data: SimulatedPaymentCommands['refund'] = { amount: null };
  story.when(command, command === 'refund' ? data : ({} as never), { by: 'merchant' });
  if (becomes === R) expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
  else expect(story.last.outcome.is).toBe('ok');
  expect(story.state.status).toBe(becomes === R ? state : becomes);
});

describe('its lifetime', () => {
  test("ends 1800 s after its start, on the project's clock, if undecided", () => {
    expect(created().wait(lifeMs - 1).state.status).toBe('created');
    expect(inState.opened().wait(lifeMs).state.status).toBe('ended');
  });
  test.each(['paid', 'declined', 'cancelled', 'partly_refunded', 'refunded'] as const)(
    'does not end what is %s',
    (state) => {
      const story = inState[state]();
      expect(story.timer('lifeEnds')).toBeNull();
      expect(story.when('lifeEnds', { key: '' }).wait(lifeMs * 2).state.status).toBe(state);
    },
  );
  test.each(['declined', 'cancelled', 'ended'] as const)(
    'money for one that is %s comes from sandbox control, never from the page',
    (state) => {
      const story = inState[state]().when('pay', {}, { by: 'buyer' });
      expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'invalid_state' });
      expect(story.when('pay', {}, { by: 'system' }).state.status).toBe('paid');
    },
  );
});

test('a repeated start for a known reference changes nothing', () => {
  const story = inState.opened().when('register', {
    provider: 'wallet_b',
    sessionId: 'cs_x',
    amount: 1,
    handle: 'other',
    returnUrl: 'https://evil.example',
    title: 'x',
    lifeEndsAt: null,
  });
  expect(story.state).toMatchObject({ status: 'opened', sessionId: 'cs_4t', amount: 125050, handle: 'px4t' });
});

describe('refunds', () => {
  test('add up to the amount and not more', () => {
    const story = inState.partly_refunded();
    expect(story.state.refunded).toBe(25050);
    story.when('refund', { amount: 100_001 });
    expect(story.last.outcome).toMatchObject({ is: 'refused', detail: { left: 100_000 } });
    story.when('refund', { amount: 99_999 }).when('refund', { amount: null });
    expect(story.last.outcome).toMatchObject({ is: 'ok', detail: { amount: 1 } });
    expect(story.state).toMatchObject({ status: 'refunded', refunded: 125050 });
  });
  test('of nothing is refused', () => {
    expect(inState.paid().when('refund', { amount: 0 }).last.outcome.is).toBe('refused');
  });
});

describe('its log', () => {
  test('keeps the newest hundred exchanges, each cut to a limit', () => {
    const story = created();
    for (let i = 0; i < logEntriesMax + 5; i++)
      story.when('record', { call: 'lookup', request: `${i}`, response: 'x'.repeat(9000) });
    expect(story.state.log).toHaveLength(logEntriesMax);
    expect(story.state.log[0]).toMatchObject({ call: 'lookup', request: '5' });
    expect(story.state.log.at(-1)?.response).toHaveLength(logTextMax);
  });
  test('counts the look-ups that returned the state, and starts again with the next state', () => {
    const story = inState.declined();
    story.when('record', { call: 'lookup', request: '', response: '500' });
    expect(story.state.lookupsShown).toBe(0);
    story.when('record', { call: 'lookup', request: '', response: '200', shows: true });
    expect(story.state.lookupsShown).toBe(1);
    expect(story.when('pay', {}, { by: 'system' }).state.lookupsShown).toBe(0);
  });
});

describe('a plan', () => {
  const effect = (since: number) => ({
    paymentId: 'pay_4t8z1m6q3x9k2v7b',
    sessionId: 'cs_4t',
    outcome: 'success',
    play: 1,
    since,
    interruptions: 0,
    newest: true,
  });
  test('for now is played at once', () => {
    const story = created();
    expect(
      story.when('plan', { outcome: 'success', at: story.now }).last.effects.map(({ data }) => data),
    ).toEqual([effect(story.now)]);
    story.settle('buyer.play', { how: 'played', play: 1 });
    expect(story.last.outcome.is).toBe('ok');
  });
  test("for later waits on the project's clock, and a newer one replaces it", () => {
    const story = created();
    story.when('plan', { outcome: 'cancelled', at: story.now + 60_000 }).wait(30_000);
    story.when('plan', { outcome: 'success', at: story.now + 60_000 }).wait(59_999);
    expect(story.pending).toEqual([]);
    story.wait(1);
    expect(story.pending.map(({ data }) => data)).toEqual([effect(story.now)]);
    story.wait(600_000);
    expect(story.pending).toHaveLength(1);
  });
  test('played now clears a plan for later', () => {
    const story = created();
    story
      .when('plan', { outcome: 'cancelled', at: story.now + 60_000 })
      .when('plan', { outcome: 'success', at: story.now });
    expect(story.wait(120_000).pending).toHaveLength(1);
  });
});

test('a reset project no longer has it', () => {
  const story = inState.paid().when('forget', {});
  expect(story.doc?.gone).toBe(true);
  expect(story.when('open', {}).last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
});

describe('a lifetime that starts when the buyer opens it', () => {
  const handed = (): T =>
    given(simulatedPayment, { id: 'pay_4t8z1m6q3x9k2v7b', scope: 'prj_abcd:sandbox' }).when('register', {
      provider: 'wallet_a',
      sessionId: 'cs_4t',
      amount: 125050,
      handle: 'pay-4t8z1m6q3x9k2v7b',
      returnUrl: 'https://pay.example/success',
      failureUrl: 'https://pay.example/failure',
      title: 'pay-4t8z1m6q3x9k2v7b',
      lifeEndsAt: null,
      lifeOnceOpenMs: 300_000,
    });

  test('does not end before that, but five minutes after', () => {
    const story = handed().wait(3_600_000);
    expect(story.state.status).toBe('created');
    story.when('open', {}).wait(299_999);
    expect(story.state.status).toBe('opened');
    expect(story.wait(1).state.status).toBe('ended');
  });
  test('is not restarted by a second log-in', () => {
    const story = handed().when('open', {}).wait(200_000).when('open', {});
    expect(story.wait(100_000).state.status).toBe('ended');
  });
  test('ends with any decision', () => {
    const story = handed().when('open', {}).when('pay', {});
    expect(story.wait(3_600_000).state.status).toBe('paid');
  });
});
