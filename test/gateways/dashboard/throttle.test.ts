import { expect, test } from 'vitest';
import {
  createThrottle,
  triesPerAccount,
  triesPerAccountAndMinute,
  triesPerAddress,
  triesPerAddressAndMinute,
  type Throttle,
} from '../../../gateways/dashboard/throttle.ts';
import { tellEveryMs } from '../../../gateways/http/shared-use.ts';
import { createLocalBus } from '../../../src/bus/bus-local.ts';
import { minutes } from '../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../simulation/scheduler.ts';

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
  return { time, throttle: createThrottle({ now: () => time.now() }) };
}

test('an account is tried a few times from wherever, then it says when to come back', async () => {
  const { time, throttle } = one();
  expect(given(50, (at) => throttle.attempt('asha', `10.0.0.${at}`))).toBe(triesPerAccount);
  const refused = throttle.attempt('asha', '10.0.1.1');
  expect(refused).toMatchObject({ allowed: false, retryAfterSeconds: 60 / triesPerAccountAndMinute });
  expect(throttle.attempt('ram', '10.0.1.1').allowed).toBe(true);
  await time.pass(minutes(1));
  expect(given(50, (at) => throttle.attempt('asha', `10.0.2.${at}`))).toBe(triesPerAccountAndMinute);
});

test('an address is let try some accounts, then none, also none it has not tried', async () => {
  const { time, throttle } = one();
  expect(given(90, (at) => throttle.attempt(`user ${at}`, '10.0.0.1'))).toBe(triesPerAddress);
  expect(throttle.attempt('asha', '10.0.0.1').allowed).toBe(false);
  expect(throttle.attempt('asha', '10.0.0.2').allowed).toBe(true);
  await time.pass(minutes(1));
  expect(given(90, (at) => throttle.attempt(`user ${at}`, '10.0.0.1'))).toBe(triesPerAddressAndMinute);
});

test('a refused address costs the account nothing', () => {
  const { throttle } = one();
  given(90, (at) => throttle.attempt(`user ${at}`, '10.0.0.1'));
  given(90, () => throttle.attempt('asha', '10.0.0.1'));
  expect(given(50, (at) => throttle.attempt('asha', `10.0.1.${at}`))).toBe(triesPerAccount);
});

test('who has the whole of an IPv6 network is one address', () => {
  const { throttle } = one();
  const address = (at: number): string => `2001:0db8:0000:0001:0000:0000:0000:${at.toString(16)}`;
  expect(given(90, (at) => throttle.attempt(`user ${at}`, address(at)))).toBe(triesPerAddress);
});

test('somebody on IPv4 is not kept out by a neighbour, also where sockets write it as IPv6', () => {
  const { throttle } = one();
  const mapped = (end: number): string => `0000:0000:0000:0000:0000:ffff:0a00:000${end}`;
  given(90, (at) => throttle.attempt(`user ${at}`, mapped(1)));
  expect(throttle.attempt('asha', mapped(1)).allowed).toBe(false);
  expect(throttle.attempt('asha', mapped(2)).allowed).toBe(true);
});

test('who knows the password may log in as often as he likes', () => {
  const { throttle } = one();
  const logIn = (): { allowed: boolean } => {
    const verdict = throttle.attempt('asha', '10.0.0.1');
    throttle.giveBack('asha', '10.0.0.1');
    return verdict;
  };
  expect(given(200, logIn)).toBe(200);
});

test('nodes of a cluster count together', async () => {
  const { time, nodes } = throttles(3);
  const [a, b, c] = nodes as [Throttle, Throttle, Throttle];
  expect(given(50, (at) => a.attempt('asha', `10.0.0.${at}`))).toBe(triesPerAccount);
  await time.pass(tellEveryMs);
  expect(given(50, (at) => b.attempt('asha', `10.0.1.${at}`))).toBe(0);
  expect(given(50, (at) => c.attempt('asha', `10.0.2.${at}`))).toBe(0);
});
