import { expect, test } from 'vitest';
import { version } from '../../../src/telemetry/version.ts';
import { read } from '../../support/house.ts';

test('the program reports the version of its package', () => {
  expect(version).toBe((JSON.parse(read('package.json')) as { version: string }).version);
});
