/** What a run of the tests says last. */
import { existsSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { onPath } from '../../src/cli/demo/servers.ts';
import { browserPath } from './browser.ts';
import { firstAttempt, leave } from './first-attempt.ts';
import { partLine } from './server-parts.ts';

interface Counted {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Full names of tests that passed at their second attempt. */
  readonly unsteady: readonly string[];
}

const sum = (of: readonly Counted[], what: 'passed' | 'failed' | 'skipped'): number =>
  of.reduce((total, one) => total + one[what], 0);

function counted(module: TestModule): Counted {
  const tests = [...module.children.allTests()];
  const having = (...states: readonly string[]): number =>
    tests.filter((test) => states.includes(test.result().state)).length;
  const [passed, failed] = [having('passed'), having('failed')];
  return {
    file: module.relativeModuleId,
    passed,
    failed: failed + (module.errors().length > 0 ? 1 : 0) + suitesBroken(module),
    skipped: tests.length - passed - failed,
    unsteady: tests.filter((test) => test.diagnostic()?.flaky === true).map((test) => test.fullName),
  };
}

/** Suites whose set-up or clean-up failed: their tests count as skipped. */
const suitesBroken = (module: TestModule): number =>
  [...module.children.allSuites()].filter((suite) => suite.errors().length > 0).length;

function sayParts(): void {
  const pages = existsSync(browserPath)
    ? browserPath
    : `NONE at ${browserPath}: THE PAGES WERE NOT OPENED, those tests are skipped`;
  process.stdout.write(
    `\nReal parts: Galla itself over HTTP, SQLite on real files, killed processes. Browser: ${pages}\n`,
  );
  const nginx = process.env['NGINX'] ?? '/usr/sbin/nginx';
  const proxy = existsSync(nginx) ? nginx : `NONE at ${nginx}: THE PROXY WAS NOT RUN, its tests are skipped`;
  process.stdout.write(`Proxy: ${proxy}\n`);
  const php = onPath('php') ?? "NONE on PATH: THE GUIDE'S SHOP IN PHP WAS NOT RUN, its tests are skipped";
  process.stdout.write(`PHP: ${php}\n`);
  const promtool = process.env['PROMTOOL'] ?? onPath('promtool');
  process.stdout.write(
    `Prometheus: ${promtool ?? 'NO PROMTOOL on PATH: THE ALERTS WERE NOT EVALUATED, those tests are skipped'}\n`,
  );
  process.stdout.write(`NATS: ${partLine('nats-server')}\nMongoDB: ${partLine('mongod')}\n`);
}

/** Says which real parts took part and which tests needed a second attempt, then the one plain closing line CI reads:
 *  'N passed, N failed, N skipped'. */
export const closingLines: Reporter = {
  onTestRunEnd(modules, errors) {
    const first = firstAttempt();
    const files = modules.map(counted);
    sayParts();
    for (const { file, unsteady } of files)
      for (const name of unsteady)
        process.stdout.write(`UNSTEADY, passed at its second attempt: ${file}: ${name}\n`);
    const failed = errors.length + sum(files, 'failed');
    if (first !== null && failed === 0)
      for (const file of first.failed)
        process.stdout.write(`UNSTEADY, passed when its whole file was run again: ${file}\n`);
    const [passed, skipped] = [sum(files, 'passed'), sum(files, 'skipped')];
    const others = first ?? { passed: 0, skipped: 0 };
    process.stdout.write(
      `\n${others.passed + passed} passed, ${failed} failed, ${others.skipped + skipped} skipped\n`,
    );
    if (first !== null) return;
    const whole = files.filter((one) => one.failed === 0);
    leave({
      // an error outside of any test belongs to no file that could be run again
      failed: errors.length > 0 ? [] : files.filter((one) => one.failed > 0).map(({ file }) => file),
      passed: sum(whole, 'passed'),
      skipped: sum(whole, 'skipped'),
    });
  },
};
