import { expect, test } from 'vitest';
import { usesAppIntent } from '../../../src/providers/app-intent.ts';

const credentials = { merchantCode: 'EPAYTEST', secretKey: '8gBm/:&EnhH.1/q' };
const access = { credentials, appIntent: { isOn: true, isInPlan: true } };

test('row 80: all four conditions together lead to the app', () => {
  expect(usesAppIntent('prj_a:sandbox', 'wallet_a', access)).toBe(true);
});

test.each([
  ['a live session', 'prj_a:live', access],
  ['no merchant code', 'prj_a:sandbox', { ...access, credentials: { secretKey: 'x' } }],
  ['no secret key', 'prj_a:sandbox', { ...access, credentials: { ...credentials, secretKey: '' } }],
  ['no settings at all', 'prj_a:sandbox', null],
  ['never switched on', 'prj_a:sandbox', { credentials }],
  ['switched off', 'prj_a:sandbox', { ...access, appIntent: { isOn: false, isInPlan: true } }],
  ['not in the plan', 'prj_a:sandbox', { ...access, appIntent: { isOn: true, isInPlan: false } }],
] as const)('row 80: %s leads to the web', (_what, scope, its) => {
  expect(usesAppIntent(scope, 'wallet_a', its)).toBe(false);
});

test('a provider without an app has none, whatever is set', () => {
  expect(usesAppIntent('prj_a:sandbox', 'wallet_b', access)).toBe(false);
});
