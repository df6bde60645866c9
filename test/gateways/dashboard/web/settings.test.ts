import { expect, test } from 'vitest';
import {
  endOfDay,
  entitlementWords,
  healthState,
  includedText,
  keyState,
  missingFor,
  movedOrder,
} from '../../../../gateways/dashboard/web/words/settings.ts';

const now = Date.parse('2026-11-20T09:15:00.000Z');

test('a key is active until its end; one that is both revoked and expired is revoked', () => {
  const [past, later] = ['2026-11-20T09:15:00.000Z', '2026-11-20T09:15:00.001Z'];
  expect(keyState({ revokedAt: null, expiresAt: null }, now)).toBe('active');
  expect(keyState({ revokedAt: null, expiresAt: later }, now)).toBe('active');
  expect(keyState({ revokedAt: null, expiresAt: past }, now)).toBe('expired');
  expect(keyState({ revokedAt: past, expiresAt: past }, now)).toBe('revoked');
});

test('a chosen day ends when it ends in Nepal', () => {
  expect(new Date(endOfDay('2026-12-31')).toISOString()).toBe('2026-12-31T18:14:59.999Z');
});

test('a provider without an attempt in the window is not called up', () => {
  expect(healthState({ health: 'up', attempts15m: 0 }).word).toBe('Not tried lately');
  expect(healthState({ health: 'up', attempts15m: 1 }).word).toBe('Up');
  expect(healthState({ health: 'down', attempts15m: 0 }).word).toBe('Down');
});

test('what is missing is named, the operator’s part only in live', () => {
  const whole = { configured: true, enabled: true, liveHost: true };
  expect(missingFor(whole, 'live')).toEqual([]);
  expect(missingFor({ ...whole, liveHost: false }, 'sandbox')).toEqual([]);
  expect(missingFor({ ...whole, liveHost: false }, 'live')).toHaveLength(1);
  expect(missingFor({ configured: false, enabled: false, liveHost: false }, 'live')).toHaveLength(3);
});

test('moving one provider changes only the places that must change', () => {
  const order = new Map([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
  const moved = (from: number, to: number, ids = ['a', 'b', 'c']) =>
    movedOrder(ids, from, to, (id) => order.get(id) ?? 0);
  expect(moved(1, 0)).toEqual([
    ['b', 1],
    ['a', 2],
  ]);
  expect(moved(0, 2)).toEqual([
    ['b', 1],
    ['c', 2],
    ['a', 3],
  ]);
  expect([moved(0, -1), moved(2, 3), moved(5, 0)]).toEqual([[], [], []]);
});

test('equal places are told apart by the first move', () => {
  expect(movedOrder(['a', 'b', 'c'], 2, 1, () => 5)).toEqual([
    ['a', 1],
    ['c', 2],
    ['b', 3],
  ]);
});

test('an entitlement is told in words, an unknown one by its name', () => {
  expect(entitlementWords('qr_a.directQr').title).toBe('Direct-QR');
  expect(entitlementWords('toString')).toEqual({ title: 'toString', text: '' });
  expect(includedText({ sandbox: true, live: false })).toBe('In the sandbox only');
  expect(includedText({ sandbox: false, live: false })).toBe('Not included');
});
