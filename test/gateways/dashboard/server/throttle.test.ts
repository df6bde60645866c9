import { expect, test } from 'vitest';
import {
  createThrottle,
  triesPerAccountAndMinute,
  triesPerNetwork,
  triesPerNetworkAndMinute,
  triesPerPair,
  triesPerPairAndMinute,
  type Throttle,
} from '../../../../gateways/dashboard/server/throttle.ts';
import { broadcastEveryMs } from '../../../../gateways/http/access/distributed-rate-limit.ts';
import { createLocalBus } from '../../../support/simulated/bus-local.ts';
import { minutes } from '../../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';

const given = (tries: number, attempt: (at: number) => { allowed: boolean }): number =>
  Array.from({ length: tries }, (_, at) => attempt(at)).filter(({ allowed }) => allowed).length;

function throttles(count: number): { time: VirtualScheduler; nodes: readonly Throttle[] } {
  const time = new VirtualScheduler(1_000_000);
  const hub = createLocalBus({ scheduler: time });
  const nodes = Array.from({ length: count }, (_, n) =>
    createThrottle({ now: () => time.now(), sharing: { bus: hub.connect(`n${n}`), scheduler: time } }),
  );
  return { time, nodes };
}

function one(): { time: VirtualScheduler; throttle: Throttle } {
  const time = new VirtualScheduler(1_000_000);
  return { time, throttle: createThrottle({ now: () => time.now(), sharing: null }) };
}

/** Another network for each number. */
const networkAt = (at: number): string => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;

test('an account has a few tries from one network, then a few per minute', async () => {
  const { time, throttle } = one();
  expect(given(50, () => throttle.attempt('asha', '10.0.0.1'))).toBe(triesPerPair);
  await time.pass(minutes(2));
  expect(given(50, () => throttle.attempt('asha', '10.0.0.1'))).toBe(2 * triesPerPairAndMinute);
});

test('a refused login is told when to retry', () => {
  const { throttle } = one();
  given(triesPerPair, () => throttle.attempt('asha', '10.0.0.1'));
  expect(throttle.attempt('asha', '10.0.0.1')).toMatchObject({
    limit: triesPerPair,
    retryAfterSeconds: 60 / triesPerPairAndMinute,
  });
  expect(throttle.attempt('ram', '10.0.0.1').allowed).toBe(true);
});

test('tries of one network do not limit other networks', async () => {
  const { time, throttle } = one();
  for (let minute = 0; minute < 10; minute++) {
    given(2 * triesPerAccountAndMinute, () => throttle.attempt('operator', '10.0.0.1'));
    await time.pass(minutes(1));
  }
  expect(given(50, () => throttle.attempt('operator', '10.0.0.2'))).toBe(triesPerPair);
});

test('an account is blocked for everybody above a thousand tries a minute, and not below', async () => {
  const { time, throttle } = one();
  const tries = (count: number, from: number): number =>
    given(count, (at) => throttle.attempt('operator', networkAt(from + at)));
  expect(tries(triesPerAccountAndMinute - 1, 1)).toBe(triesPerAccountAndMinute - 1);
  expect(throttle.attempt('operator', '192.0.2.1').allowed).toBe(true);
  const closed = throttle.attempt('operator', '192.0.2.1');
  expect(closed).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
  expect(throttle.attempt('asha', '192.0.2.1').allowed).toBe(true);
  await time.pass(minutes(1));
  // what was refused has cost this network nothing of that account
  expect(given(50, () => throttle.attempt('operator', '192.0.2.1'))).toBe(triesPerPair);
});

test('an address may try some accounts, then none, also none it has not tried', async () => {
  const { time, throttle } = one();
  expect(given(90, (at) => throttle.attempt(`user ${at}`, '10.0.0.1'))).toBe(triesPerNetwork);
  expect(throttle.attempt('asha', '10.0.0.1').allowed).toBe(false);
  expect(throttle.attempt('asha', '10.0.0.2').allowed).toBe(true);
  await time.pass(minutes(1));
  expect(given(90, (at) => throttle.attempt(`user ${at}`, '10.0.0.1'))).toBe(triesPerNetworkAndMinute);
});

test('a refused try does not count for the account', () => {
  const { throttle } = one();
  given(90, (at) => throttle.attempt(`user ${at}`, '10.0.0.1'));
  given(2 * triesPerAccountAndMinute, () => throttle.attempt('asha', '10.0.0.1'));
  expect(given(50, () => throttle.attempt('asha', '10.0.1.1'))).toBe(triesPerPair);
});

test('all addresses of an IPv6 network count as one', () => {
  const { throttle } = one();
  const address = (at: number): string => `2001:0db8:0000:0001:0000:0000:0000:${at.toString(16)}`;
  expect(given(90, (at) => throttle.attempt(`user ${at}`, address(at)))).toBe(triesPerNetwork);
});

test('IPv4 addresses are counted separately, also when written as IPv6', () => {
  const { throttle } = one();
  const mapped = (end: number): string => `0000:0000:0000:0000:0000:ffff:0a00:000${end}`;
  given(90, (at) => throttle.attempt(`user ${at}`, mapped(1)));
  expect(throttle.attempt('asha', mapped(1)).allowed).toBe(false);
  expect(throttle.attempt('asha', mapped(2)).allowed).toBe(true);
});

test('successful log-ins are not limited', () => {
  const { throttle } = one();
  const logIn = (): { allowed: boolean } => {
    const verdict = throttle.attempt('asha', '10.0.0.1');
    throttle.giveBack('asha', '10.0.0.1');
    return verdict;
  };
  expect(given(200, logIn)).toBe(200);
});

test('nodes of a cluster count together, and keep networks apart', async () => {
  const { time, nodes } = throttles(3);
  const [a, b, c] = nodes as [Throttle, Throttle, Throttle];
  expect(given(50, () => a.attempt('asha', '10.0.0.1'))).toBe(triesPerPair);
  await time.pass(broadcastEveryMs);
  for (const node of [b, c]) {
    expect(given(50, () => node.attempt('asha', '10.0.0.1'))).toBe(0);
    expect(node.attempt('asha', '10.0.0.2').allowed).toBe(true);
  }
});

test('nodes of a cluster close an account together', async () => {
  const { time, nodes } = throttles(2);
  const [a, b] = nodes as [Throttle, Throttle];
  given(triesPerAccountAndMinute, (at) => a.attempt('asha', networkAt(at)));
  await time.pass(broadcastEveryMs);
  expect(given(50, (at) => b.attempt('asha', networkAt(70_000 + at)))).toBeLessThanOrEqual(5);
});
