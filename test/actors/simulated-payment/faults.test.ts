import { describe, expect, test } from 'vitest';
import { faultRules } from '../../../actors/simulated-payment/fault-kinds.ts';
import { faultsMax } from '../../../actors/simulated-payment/fault-kinds.ts';
import { simulator } from '../../../actors/simulated-payment/faults.ts';
import type {
  Fault,
  FaultKind,
  SimulatedCall,
  SimulatorTypes,
} from '../../../actors/simulated-payment/messages.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';

type T = Story<SimulatorTypes>;
const begin = (): T => given(simulator, { id: 'prj_abcd:sandbox', scope: 'prj_abcd:sandbox' });
const fault = (kind: FaultKind, more: Partial<Fault> = {}): Fault => ({
  provider: 'wallet_b',
  call: 'any',
  kind,
  reference: null,
  times: null,
  delayMs: 0,
  value: null,
  ...more,
});

/** Kinds that apply to one call, in order. */
function take(story: T, call: SimulatedCall, reference = 'pay-1'): string[] {
  story.when('takeFaults', { provider: 'wallet_b', call, reference });
  const { outcome } = story.last;
  return outcome.is === 'ok'
    ? (outcome.detail['faults'] as unknown as Fault[]).map(({ kind }) => kind)
    : [outcome.is];
}

test('a project without faults has none, from the first call on', () => {
  const story = begin();
  expect(take(story, 'lookup')).toEqual([]);
  expect(story.state.faults).toEqual([]);
});

describe('which apply', () => {
  test('those of the call, of the reference, of the provider', () => {
    const story = begin().when('setFaults', {
      faults: [
        fault('delay', { call: 'lookup' }),
        fault('wrong_amount', { reference: 'pay-2' }),
        fault('status_text'),
      ],
    });
    expect(take(story, 'lookup')).toEqual(['delay', 'status_text']);
    expect(take(story, 'lookup', 'pay-2')).toEqual(['delay', 'wrong_amount', 'status_text']);
    expect(take(story, 'start')).toEqual([]);
  });

  test.each(Object.entries(faultRules))(
    '%s set for any call applies only in calls that can show it',
    (kind, { calls }) => {
      const story = begin().when('setFaults', { faults: [fault(kind as FaultKind)] });
      for (const call of ['start', 'lookup', 'refund', 'return'] as const) {
        expect(take(story, call)).toEqual(calls.includes(call) ? [kind] : []);
      }
    },
  );

  test('a fault that replaces the answer leaves the remaining faults for the next call', () => {
    const story = begin().when('setFaults', {
      faults: [
        fault('delay', { times: 1 }),
        fault('http_502', { times: 1 }),
        fault('wrong_amount', { times: 1 }),
      ],
    });
    expect(take(story, 'lookup')).toEqual(['delay', 'http_502']);
    expect(take(story, 'lookup')).toEqual(['wrong_amount']);
  });
});

describe('how often', () => {
  test('a count decreases with each call in which the fault shows', () => {
    const story = begin().when('setFaults', {
      faults: [fault('http_500_html', { call: 'lookup', times: 2 })],
    });
    expect([
      take(story, 'start'),
      take(story, 'lookup'),
      take(story, 'lookup'),
      take(story, 'lookup'),
    ]).toEqual([[], ['http_500_html'], ['http_500_html'], []]);
  });
  test('without a count it stays until cleared', () => {
    const story = begin().when('setFaults', { faults: [fault('ambiguous')] });
    for (let i = 0; i < 5; i++) expect(take(story, 'lookup')).toEqual(['ambiguous']);
    expect(take(story.when('setFaults', { faults: [] }), 'lookup')).toEqual([]);
  });
  test('one that waits for its moment is counted at that moment', () => {
    const story = begin().when('setFaults', { faults: [fault('late_success', { times: 1 })] });
    expect([take(story, 'lookup'), take(story, 'lookup')]).toEqual([['late_success'], ['late_success']]);
    story.when('spendFault', { provider: 'wallet_b', kind: 'late_success', reference: 'pay-1' });
    expect(take(story, 'lookup')).toEqual([]);
    expect(
      story.when('spendFault', { provider: 'wallet_b', kind: 'late_success', reference: 'pay-1' }).last
        .outcome.is,
    ).toBe('ok');
  });
  test("one with an end is removed at that instant of the project's clock", () => {
    const story = begin();
    story.when('addFaults', { faults: [fault('timeout', { until: story.now + 60_000 })] }).wait(59_999);
    expect(take(story, 'lookup')).toEqual(['timeout']);
    expect(take(story.wait(1), 'lookup')).toEqual([]);
    expect(story.state.faults).toEqual([]);
  });
});

test('a new outcome replaces an earlier one of the same payment, and nothing else', () => {
  const story = begin()
    .when('setFaults', {
      faults: [
        fault('delay'),
        fault('ambiguous', { reference: 'pay-1' }),
        fault('ambiguous', { reference: 'pay-2' }),
      ],
    })
    .when('addFaults', { faults: [fault('lost_redirect', { reference: 'pay-1' })], instead: 'pay-1' });
  expect(story.state.faults.map(({ kind, reference }) => `${kind} ${reference}`)).toEqual([
    'delay null',
    'ambiguous pay-2',
    'lost_redirect pay-1',
  ]);
});

test("faults of the next refund are kept when the buyer's outcome changes, and the other way round", () => {
  const kinds = ({ state }: { state: { faults: readonly Fault[] } }) => state.faults.map(({ kind }) => kind);
  const refund = fault('refund_reject', { reference: 'pay-1', call: 'refund' });
  const story = begin()
    .when('addFaults', { faults: [refund], instead: 'pay-1' })
    .when('addFaults', { faults: [fault('ambiguous', { reference: 'pay-1' })], instead: 'pay-1' })
    .when('addFaults', { faults: [], instead: 'pay-1' });
  expect(kinds(story)).toEqual(['refund_reject']);
  story
    .when('addFaults', { faults: [fault('ambiguous', { reference: 'pay-1' })], instead: 'pay-1' })
    .when('addFaults', { faults: [{ ...refund, kind: 'refund_timeout_done' }], instead: 'pay-1' });
  expect(kinds(story)).toEqual(['ambiguous', 'refund_timeout_done']);
});

test('a code that is scanned names the amount, so only there may a start have a wrong one', () => {
  const start = { call: 'start', reference: 'pay-1' } as const;
  const story = begin().when('setFaults', {
    faults: [fault('wrong_amount'), fault('wrong_amount', { provider: 'qr_a' })],
  });
  const taken = (provider: 'wallet_b' | 'qr_a'): unknown => {
    story.when('takeFaults', { ...start, provider }, { by: 'system' });
    return story.last.outcome;
  };
  expect(taken('wallet_b')).toMatchObject({ detail: { faults: [] } });
  expect(taken('qr_a')).toMatchObject({ detail: { faults: [{ kind: 'wrong_amount' }] } });
});

test('at most a hundred are kept: the oldest are removed', () => {
  const story = begin();
  for (let i = 0; i < faultsMax + 3; i++)
    story.when('addFaults', { faults: [fault('delay', { delayMs: i })] });
  expect(story.state.faults).toHaveLength(faultsMax);
  expect(story.state.faults[0]?.delayMs).toBe(3);
});
