/** How the budget of memory is shared. */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { budgetMibMin, memoryBudget, mib, usableBytes } from '../../../src/compose/memory.ts';
import { settingsOf } from '../../../src/compose/settings.ts';
import { tailBudgetCharsMax } from '../../../src/runtime/delivery/journal-tail-cache.ts';
import { startGalla } from '../../support/galla.ts';

const embedded = settingsOf({});
const ofCluster = settingsOf({
  NATS_URL: 'nats://127.0.0.1:4222',
  MONGODB_URL: 'mongodb://127.0.0.1:27017/galla',
  GALLA_ADMIN_TOKEN: 'a'.repeat(24),
  GALLA_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
});
const tailMib = tailBudgetCharsMax / mib;

test('without a setting the budget is a quarter of what the process may use, and at least 64 MiB', () => {
  expect(memoryBudget(embedded, 2048 * mib)).toEqual({
    sqliteBytes: 128 * mib,
    actorBytes: (512 - 128 - tailMib) * mib,
  });
  expect(memoryBudget(embedded, 100 * mib)).toEqual({
    sqliteBytes: 16 * mib,
    actorBytes: (budgetMibMin - 16 - tailMib) * mib,
  });
});

test('GALLA_MEMORY_MB is the budget, whatever the process may use', () => {
  const settings = settingsOf({ GALLA_MEMORY_MB: '200' });
  expect(memoryBudget(settings, 2048 * mib)).toEqual({
    sqliteBytes: 50 * mib,
    actorBytes: (200 - 50 - tailMib) * mib,
  });
});

test('a node of a cluster has no page cache of SQLite', () => {
  expect(memoryBudget(ofCluster, 2048 * mib)).toEqual({ sqliteBytes: 0, actorBytes: (512 - tailMib) * mib });
});

test('a process may use what the machine has, but not more than its container and V8 allow', () => {
  const limit = process.constrainedMemory();
  expect(usableBytes()).toBeLessThanOrEqual(Math.min(totalmem(), getHeapStatistics().heap_size_limit));
  if (limit > 0) expect(usableBytes()).toBeLessThanOrEqual(limit);
  expect(usableBytes()).toBeGreaterThan(0);
});

test('a service that is given GALLA_MEMORY_MB keeps its actors within it', async () => {
  const galla = await startGalla({ GALLA_MEMORY_MB: '200' });
  try {
    expect(galla.node.registry.bytesMax).toBe((200 - 50 - tailMib) * mib);
  } finally {
    await galla.stop();
  }
});
