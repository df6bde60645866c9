import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { closingLines } from './test/support/closing-lines.ts';
import { firstAttempt } from './test/support/first-attempt.ts';

const all = 'test/**/*.test.ts';
/** Those that attach Socket.IO to a server of node:http. */
const sockets = [
  'test/gateways/socketio/**/*.test.ts',
  'test/browser/{app-intent,buyer-pages,journey,pages,sse,waiting}.test.ts',
];
/** Those that judge how soon something is answered, or wait for a browser that has much to compute: nothing else runs
 *  meanwhile, so that they judge the service and not the company. */
const measured = [
  'test/attacks/attacks.test.ts',
  'test/browser/api-reference.test.ts',
  'test/faults/{alerts,billing-kill,cluster,move,nats-servers}.test.ts',
  'test/gateways/http/{limits,worst-bodies}.test.ts',
  'test/gateways/http/route/csv-reply.test.ts',
  'test/gateways/sse/slow-readers.test.ts',
  'test/gateways/unread.test.ts',
  'test/journeys/{backup,demo,payment-failed,slow-lists,telemetry}.test.ts',
  'test/src/books/statement-check.test.ts',
  'test/src/bus/nats-commands.test.ts',
  'test/src/outbound/http.test.ts',
];

const projects = [
  // Socket.IO alters its own adapter for the whole process once it is attached to uWebSockets.js.
  { extends: true as const, test: { name: 'alone', include: sockets, isolate: true } },
  {
    extends: true as const,
    test: { name: 'together', include: [all], exclude: [...sockets, ...measured], isolate: false },
  },
  {
    extends: true as const,
    test: {
      name: 'measured',
      include: measured,
      isolate: false,
      maxWorkers: 1,
      sequence: { groupOrder: 1 },
    },
  },
];

const secondAttempt = (include: string[]) => ({
  extends: true as const,
  test: { name: 'again', include, isolate: true, maxWorkers: 1 },
});

/** A second attempt runs the files that failed in the first one, one at a time. */
const again = firstAttempt()?.failed;

export default defineConfig({
  test: {
    globalSetup: ['test/support/fetch-mongod.ts', 'test/support/cluster-of-run.ts'],
    environment: 'node',
    pool: 'forks',
    // Many tests wait for other processes: more workers than two cores are no loss.
    maxWorkers: Math.max(3, availableParallelism()),
    // Tests of one file that are declared concurrent mostly wait: for retries, timeouts, other processes.
    maxConcurrency: 12,
    testTimeout: 10_000,
    hookTimeout: 20_000,
    // Real processes and a real browser on a busy machine: one more try, and the closing lines name who needed it.
    retry: process.env['CI'] === undefined ? 0 : 1,
    reporters: ['default', closingLines],
    projects: again ? [secondAttempt(again)] : projects,
    coverage: { provider: 'v8', include: ['{src,actors,gateways}/**/*.ts'] },
  },
});
