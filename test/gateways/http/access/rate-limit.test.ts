import { describe, expect, test } from 'vitest';
import {
  createLimits,
  limitHeaders,
  publicStatusLimit,
  tighter,
  type Limits,
} from '../../../../gateways/http/access/rate-limit.ts';
import { type Verdict } from '../../../../gateways/http/access/buckets.ts';
import { seconds } from '../../../../src/kernel/time.ts';

function limitsAt(
  start = 1_000_000,
  bucketsMax?: number,
): { readonly limits: Limits; readonly pass: (ms: number) => void } {
  const clock = { now: start };
  const limits = createLimits({
    sharing: null,
    on: true,
    now: () => clock.now,
    ...(bucketsMax === undefined ? {} : { bucketsMax }),
  });
  return { limits, pass: (ms) => void (clock.now += ms) };
}

/** How many of `tries` calls in one instant are allowed. */
const allowed = (tries: number, take: () => Verdict | null): number =>
  Array.from({ length: tries }, take).filter((verdict) => verdict?.allowed === true).length;

describe('a key', () => {
  test('may call 25 times a second in sandbox, with a burst of two seconds', () => {
    const { limits, pass } = limitsAt();
    expect(allowed(100, () => limits.key('key_a', 'sandbox'))).toBe(50);
    pass(seconds(1));
    expect(allowed(100, () => limits.key('key_a', 'sandbox'))).toBe(25);
    pass(seconds(100));
    expect(allowed(100, () => limits.key('key_a', 'sandbox'))).toBe(50);
  });
  test('has four times as much in live, counted separately', () => {
    const { limits } = limitsAt();
    expect(allowed(500, () => limits.key('key_a', 'live'))).toBe(200);
    expect(allowed(500, () => limits.key('key_b', 'live'))).toBe(200);
  });
});

describe('a project', () => {
  test('creates 20 a second in sandbox, 100 in live, or what the operator has set', () => {
    const { limits } = limitsAt();
    expect(allowed(200, () => limits.create('prj_a', 'sandbox', null))).toBe(20);
    expect(allowed(200, () => limits.create('prj_a', 'live', null))).toBe(100);
    expect(allowed(2000, () => limits.create('prj_b', 'live', 500))).toBe(500);
  });
});

describe('an address', () => {
  test('of IPv4 has its own bucket, also when written as IPv6', () => {
    const { limits } = limitsAt();
    const mapped = (end: number): string => `0000:0000:0000:0000:0000:ffff:cb00:710${end}`;
    expect(allowed(100, () => limits.perAddress('auth', mapped(7), 60))).toBe(60);
    expect(allowed(100, () => limits.perAddress('auth', mapped(8), 60))).toBe(60);
    expect(allowed(100, () => limits.perAddress('auth', '203.0.113.7', 60))).toBe(0);
  });
  test('has a bucket for each kind of request', () => {
    const { limits, pass } = limitsAt();
    expect(allowed(100, () => limits.perAddress('auth', '203.0.113.7', 60))).toBe(60);
    expect(allowed(100, () => limits.perAddress('forms', '203.0.113.7', 30))).toBe(30);
    expect(allowed(100, () => limits.perAddress('auth', '203.0.113.8', 60))).toBe(60);
    pass(seconds(2));
    expect(allowed(100, () => limits.perAddress('auth', '203.0.113.7', 60))).toBe(2);
  });
  test('of IPv6 counts as its network, because one client owns all of it', () => {
    const { limits } = limitsAt();
    const near = (host: string) => `2001:0db8:0001:0002:0000:0000:0000:${host}`;
    expect(allowed(60, () => limits.perAddress('auth', near('0001'), 60))).toBe(60);
    expect(limits.perAddress('auth', near('0002'), 60)?.allowed).toBe(false);
    expect(limits.perAddress('auth', '2001:0db8:0001:0003:0000:0000:0000:0001', 60)?.allowed).toBe(true);
  });
});

test('row 95: of one address 30 look-ups in a minute are taken, the 31st says when to come back', () => {
  const { limits, pass } = limitsAt();
  const ask = () => limits.perAddress(publicStatusLimit.door, '203.0.113.7', publicStatusLimit.perMinute);
  const asked = Array.from({ length: 31 }, ask);
  expect(asked.map((verdict) => verdict?.allowed)).toEqual([...Array<boolean>(30).fill(true), false]);
  expect(limitHeaders(asked[30] ?? expect.unreachable())).toEqual({
    'RateLimit-Limit': '30',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '60',
    'Retry-After': '2',
  });
  pass(seconds(2));
  expect(ask()?.allowed).toBe(true);
});

test('the headers show the limit, and when to retry', () => {
  const { limits } = limitsAt();
  const first = limits.key('key_a', 'sandbox');
  expect(first === null ? null : limitHeaders(first)).toEqual({
    'RateLimit-Limit': '50',
    'RateLimit-Remaining': '49',
    'RateLimit-Reset': '1',
  });
  for (let n = 0; n < 49; n++) limits.key('key_a', 'sandbox');
  const refused = limits.key('key_a', 'sandbox');
  expect(refused === null ? null : limitHeaders(refused)).toEqual({
    'RateLimit-Limit': '50',
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': '2',
    'Retry-After': '1',
  });
});

test('of two limits the nearer one is shown, a refusal first', () => {
  const verdict = (remaining: number, ok = true): Verdict => ({
    allowed: ok,
    limit: 50,
    remaining,
    resetSeconds: 1,
    retryAfterSeconds: 0,
  });
  expect(tighter(verdict(9), verdict(3))?.remaining).toBe(3);
  expect(tighter(verdict(3), verdict(9))?.remaining).toBe(3);
  expect(tighter(verdict(3), verdict(9, false))?.allowed).toBe(false);
  expect(tighter(null, verdict(9))?.remaining).toBe(9);
  expect(tighter(null, null)).toBeNull();
});

test('memory is bounded: of too many buckets the least recently used is dropped', () => {
  const { limits } = limitsAt(0, 3);
  const spend = (id: string) => allowed(500, () => limits.key(id, 'live'));
  expect([spend('a'), spend('b'), spend('c')]).toEqual([200, 200, 200]);
  limits.key('a', 'live');
  expect(spend('d')).toBe(200);
  expect(limits.key('a', 'live')?.allowed).toBe(false);
  expect(limits.key('b', 'live')?.allowed).toBe(true);
});

test('a clock that jumps back neither adds nor removes tokens', () => {
  const { limits, pass } = limitsAt();
  expect(allowed(40, () => limits.key('key_a', 'sandbox'))).toBe(40);
  pass(-seconds(3600));
  expect(allowed(40, () => limits.key('key_a', 'sandbox'))).toBe(10);
});

test('off means off', () => {
  const limits = createLimits({ on: false, now: () => 0, sharing: null });
  expect([
    limits.key('k', 'live'),
    limits.create('p', 'live', 1),
    limits.perAddress('auth', '::1', 1),
  ]).toEqual([null, null, null]);
});
