import { expect, test } from 'vitest';
import { isLoopback } from '../../../src/kernel/loopback.ts';

test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.8.8.8', '::1', '[::1]'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each([
  '0.0.0.0',
  '::',
  '10.0.0.7',
  '127.0.0.1.evil.example',
  '127.evil.example',
  'localhost.evil.example',
  'notlocalhost',
  '[::1].evil.example',
  '127.1',
  '',
])('%s is not', (host) => {
  expect(isLoopback(host)).toBe(false);
});
