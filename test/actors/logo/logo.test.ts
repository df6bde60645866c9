import { expect, test } from 'vitest';
import { logo } from '../../../actors/logo/logo.ts';
import { logoAt } from '../../../actors/logo/messages.ts';
import { given } from '../../support/simulated/test-runner.ts';

const { id } = logoAt('prj_pjc0e83mhrawse3s6h8bhrbw');
const png = { format: 'png', sha256: 'a'.repeat(64), bytes: 'iVBORw0KGgo=' } as const;
const svg = { format: 'svg', sha256: 'b'.repeat(64), bytes: 'PHN2Zy8+' } as const;
const by = { by: 'merchant' } as const;
const kept = () => given(logo, { id, scope: 'system' }).when('put', png, by);

test('a picture is kept; its view names it and holds no bytes', () => {
  const story = kept();
  expect(story.state).toMatchObject({ status: 'kept', ...png });
  expect(story.view).toEqual({ format: 'png', sha256: png.sha256 });
});

test('the same picture again changes nothing; another one replaces it', () => {
  const story = kept();
  const before = story.state;
  expect(story.when('put', png, by).state).toBe(before);
  expect(story.when('put', svg, by).state).toMatchObject({ status: 'kept', ...svg });
});

test('a removed picture is gone, also when it is removed twice, and may be put again', () => {
  const story = kept().when('remove', {}, by);
  expect(story.state).toEqual({ status: 'removed' });
  expect(story.view).toEqual({ format: null, sha256: null });
  expect(story.when('remove', {}, by).state).toEqual({ status: 'removed' });
  expect(story.when('put', png, by).state).toMatchObject({ status: 'kept', ...png });
});
