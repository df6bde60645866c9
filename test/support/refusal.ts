/** What every refusal of ours looks like, whatever caused it. */
import { expect } from 'vitest';
import type { Answer } from '../../src/cli/demo/api.ts';
import { errors, type ErrorCode } from '../../src/errors.ts';

/** Checks the whole envelope; `fields` are the expected entries of `errors` as `param code`. */
export function expectRefusal(answer: Answer, code: ErrorCode, fields?: readonly string[]): void {
  const { status, type } = errors[code];
  expect(answer.body.at('error.code'), answer.text).toBe(code);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.body.at('error.type')).toBe(type);
  expect(answer.body.text('error.request_id')).toMatch(/^req_[0-9a-hjkmnp-tv-z]{24}$/);
  expect(answer.headers.get('x-request-id')).toBe(answer.body.at('error.request_id'));
  expect(answer.body.text('error.message').length).toBeGreaterThan(0);
  if (fields === undefined) return;
  const listed = answer.body.list('error.errors');
  expect(listed.map((one) => `${one.text('param')} ${one.text('code')}`)).toEqual(fields);
  expect(answer.body.at('error.param')).toBe(listed[0]?.at('param'));
  expect(answer.body.at('error.message')).toBe(listed[0]?.at('message'));
}
