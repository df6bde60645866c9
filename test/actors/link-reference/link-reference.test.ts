import { expect, test } from 'vitest';
import { linkReference } from '../../../actors/link-reference/link-reference.ts';
import { referenceIdIn, referenceOf } from '../../../actors/link-reference/messages.ts';
import { given } from '../../support/simulated/test-runner.ts';
import { scopeOf } from '../../../src/runtime/model/address.ts';

const scope = scopeOf('prj_pjc0e83mhrawse3s6h8bhrbw', 'sandbox');

test('a reference belongs to the first link that claims it; its own repeat succeeds', () => {
  const story = given(linkReference, { id: '7k2m9q4x', scope });
  const outcome = (linkId: string, from = {}) => story.when('claim', { linkId }, from).last.outcome;
  expect(outcome('lnk_1').is).toBe('ok');
  expect(outcome('lnk_1').is).toBe('ok');
  expect(outcome('lnk_2')).toMatchObject({ is: 'refused', code: 'reference_taken' });
  const other = scopeOf('prj_zzc0e83mhrawse3s6h8bhrbw', 'live');
  expect(outcome('lnk_3', { scope: other })).toMatchObject({ is: 'refused', code: 'not_found' });
  expect(story.view).toEqual({ referenceId: 'PL-7K2M9Q4X', linkId: 'lnk_1' });
});

test('a typed reference may be in small letters, and may have an O for a zero', () => {
  expect(referenceOf('7k2m9q4x')).toBe('PL-7K2M9Q4X');
  for (const typed of ['PL-7K2M9Q40', 'pl-7k2m9q4o', ' Pl-7K2M9Q4O '])
    expect(referenceIdIn(typed)).toBe('7k2m9q40');
  for (const typed of ['PL-1K2M9Q4X', 'PL-IK2M9Q4X', 'pl-lk2m9q4x'])
    expect(referenceIdIn(typed)).toBe('1k2m9q4x');
  for (const typed of ['', 'PL-', 'PL-7K2M9Q4', 'PL-7K2M9Q4XX', 'PL-7K2M9Q4U', 'QL-7K2M9Q4X', '7K2M9Q4X'])
    expect(referenceIdIn(typed)).toBeNull();
});
