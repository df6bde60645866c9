import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule } from 'vitest/node';
import { browserPath } from './test/support/browser.ts';
import { partLine } from './test/support/server-parts.ts';
import { onPath } from './src/cli/demo/servers.ts';

/** Says which real parts took part, then the one plain closing line CI reads: 'N passed, N failed, N skipped'. */
const plain: Reporter = {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors) {
    const unsteady: string[] = [];
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      if (module.errors().length > 0) failed++;
      for (const test of module.children.allTests()) {
        const state = test.result().state;
        if (test.diagnostic()?.flaky === true) unsteady.push(`${module.relativeModuleId}: ${test.fullName}`);
        if (state === 'passed') passed++;
        else if (state === 'failed') failed++;
        else skipped++;
      }
    }
    const pages = existsSync(browserPath)
      ? browserPath
      : `NONE at ${browserPath}: THE PAGES WERE NOT OPENED, those tests are skipped`;
    process.stdout.write(
      `\nReal parts: Galla itself over HTTP, SQLite on real files, killed processes. Browser: ${pages}\n`,
    );
    const nginx = process.env['NGINX'] ?? '/usr/sbin/nginx';
    const proxy = existsSync(nginx)
      ? nginx
      : `NONE at ${nginx}: THE PROXY WAS NOT RUN, its tests are skipped`;
    process.stdout.write(`Proxy: ${proxy}\n`);
    const php = onPath('php') ?? "NONE on PATH: THE GUIDE'S SHOP IN PHP WAS NOT RUN, its tests are skipped";
    process.stdout.write(`PHP: ${php}\n`);
    const promtool = process.env['PROMTOOL'] ?? onPath('promtool');
    process.stdout.write(
      `Prometheus: ${promtool ?? 'NO PROMTOOL on PATH: THE ALERTS WERE NOT EVALUATED, those tests are skipped'}\n`,
    );
    process.stdout.write(`NATS: ${partLine('nats-server')}\nMongoDB: ${partLine('mongod')}\n`);
    for (const name of unsteady) process.stdout.write(`UNSTEADY, passed at its second attempt: ${name}\n`);
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  },
};

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
  'test/faults/billing-kill.test.ts',
  'test/gateways/http/{limits,worst-bodies}.test.ts',
  'test/gateways/sse/slow-readers.test.ts',
  'test/gateways/unread.test.ts',
  'test/journeys/{backup,demo,payment-failed,slow-lists}.test.ts',
  'test/src/books/statement-check.test.ts',
  'test/src/outbound/http.test.ts',
];

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
    reporters: ['default', plain],
    projects: [
      // Socket.IO alters its own adapter for the whole process once it is attached to uWebSockets.js.
      { extends: true, test: { name: 'alone', include: sockets, isolate: true } },
      {
        extends: true,
        test: { name: 'together', include: [all], exclude: [...sockets, ...measured], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'measured',
          include: measured,
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    coverage: { provider: 'v8', include: ['{src,actors,gateways}/**/*.ts'] },
  },
});
