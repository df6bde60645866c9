/** The verifier of webhooks in PHP, which shops copy. The guide to the two shops is walked in
 *  test/docs/guides/express-and-php.test.ts. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { root } from '../support/house.ts';
import { noPhp } from './no-php.ts';

const run = promisify(execFile);
describe('the verifier in PHP', () => {
  const skipped = noPhp('the verifier in PHP');
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
  const body = '{"id":"evt_1","type":"payment.succeeded"}';
  const right = 'v1=46deeb301315445063ae15c596c3f3dadec21a27c33b7d28dfef4c83e569ec41';
  const then = 1_711_234_567;

  test.skipIf(skipped)('accepts the test vector and nothing else', async () => {
    const asked = [
      [body, `t=${then},${right}`, secret, then],
      [body, `t=${then},v1=${'0'.repeat(64)},${right}`, secret, then + 300],
      [body, `t=${then},${right}`, secret, then + 301],
      [body, `t=${then},${right}`, secret, then - 301],
      [`${body} `, `t=${then},${right}`, secret, then],
      [body, `t=${then},${right}`, secret.replace('MDE', 'MDF'), then],
      [body, `t=${then + 1},${right}`, secret, then],
      [body, `t=${then}`, secret, then],
      [body, right, secret, then],
      [body, '', secret, then],
      [body, ',=,t=x,v1', secret, then],
    ];
    const script = `require 'docs/guides/verify-webhook.php';
      echo json_encode(array_map(fn($each) => is_signed(...$each), json_decode($argv[1])));`;
    const { stdout } = await run('php', ['-r', script, JSON.stringify(asked)], { cwd: root });
    expect(JSON.parse(stdout)).toEqual(asked.map((_each, at) => at < 2));
  });
});
