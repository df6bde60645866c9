/** The two shops of the guide as their reader wires them: its commands as they stand, one payment each, a webhook that is
 *  verified, one that is not, a refund and its repetition. */
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onPath } from '../../src/testing/demo/servers.ts';
import { freePorts } from '../../src/testing/demo/service.ts';
import { eventually } from '../support/eventually.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { runGuide, type Guide } from '../support/guide.ts';
import { read, root } from '../support/house.ts';

const run = promisify(execFile);
const commands = [...read('docs/guides/express-and-php.md').matchAll(/```sh\n([^]*?)```/g)].map(
  ([, lines = '']) => lines,
);

/** Whether what needs PHP must be skipped; says so, naming what is missing. */
function noPhp(suite: string): boolean {
  if (onPath('php') !== null) return false;
  console.warn(`SKIPPED: ${suite}: NO php ON PATH (Debian: apt-get install php-cli php-curl)`);
  return true;
}

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

describe('the shops', { timeout: 30_000 }, () => {
  let galla: Galla;
  let folder: string;
  beforeAll(async () => {
    galla = await startGalla();
    folder = mkdtempSync(join(tmpdir(), 'galla-test-'));
  });
  afterAll(async () => {
    await galla.stop();
    rmSync(folder, { recursive: true });
  });

  /** Runs lines of the guide with these variables, the two addresses replaced; gives what they print. */
  async function printed(lines: string, shopUrl: string, env: Record<string, string>): Promise<string> {
    const text = lines
      .replaceAll('http://127.0.0.1:8080', galla.url)
      .replaceAll('http://127.0.0.1:3000', shopUrl);
    const set = { ...process.env, GALLA_DATA_DIR: galla.dataDir, ...env };
    return (await run('sh', ['-euc', text], { cwd: root, env: set })).stdout;
  }

  const shops = [
    {
      name: 'express-shop.mjs',
      state: (order: string) => `/orders/${order}`,
      refund: '/orders/$ORDER/refund',
      skipped: false,
    },
    {
      name: 'shop.php',
      state: (order: string) => `/thanks?order=${order}`,
      refund: '/refund?order=$ORDER',
      skipped: noPhp('the shop in PHP'),
    },
  ];

  for (const { name, state, refund, skipped } of shops) {
    test.skipIf(skipped)(
      `${name} sells a book by the guide's commands, and refunds a part of it once`,
      async () => {
        const [port = 0] = await freePorts(1);
        const url = `http://127.0.0.1:${port}`;
        const set = await printed(`${commands[0]}\nprintenv GALLA_KEY GALLA_WEBHOOK_SECRET`, url, {});
        const [key = '', secret = ''] = set.trim().split('\n');
        const env = { GALLA_URL: galla.url, GALLA_KEY: key, GALLA_WEBHOOK_SECRET: secret };
        const settings = { ...env, PORT: String(port), SHOP_ORDERS: join(folder, 'orders.json') };
        const shop = runGuide(name, name.endsWith('.php') ? [`127.0.0.1:${port}`] : [], settings);
        try {
          await sells(shop, { url, env, state, refund });
        } finally {
          await shop.end('SIGKILL');
        }
      },
    );
  }

  interface Wired {
    readonly url: string;
    readonly env: { readonly GALLA_KEY: string; readonly GALLA_WEBHOOK_SECRET: string };
    readonly state: (order: string) => string;
    readonly refund: string;
  }

  async function sells(shop: Guide, { url, env, state, refund }: Wired): Promise<void> {
    await shop.heard(/the shop is open|Development Server .* started/);
    const pay = commands.find((lines) => lines.startsWith('ID=')) ?? '';
    const session = JSON.parse(await printed(pay, url, env)) as { metadata: { order_id: string } };
    const order = session.metadata.order_id;
    const says = (words: string): Promise<string> =>
      eventually(
        async () => {
          const said = await (await fetch(url + state(order))).text();
          return said === words ? said : null;
        },
        () => `${words} of ${order}; the shop said ${shop.said()}`,
      );
    await says('paid');
    await shop.heard(new RegExp(`payment\\.succeeded {2}${order}`));

    const lines = commands.find((each) => each.includes('$ORDER'))?.split('\n') ?? [];
    const line = lines.find((each) => each.includes(refund)) ?? '';
    const once = await printed(line, url, { ORDER: order });
    expect(once).toMatch(/ref_\w+.*succeeded/);
    expect(await printed(line, url, { ORDER: order })).toBe(once);
    await says('paid, refunded 25050 of 125050 paisa');
    const { body } = await galla.with(env.GALLA_KEY).get(`/v1/refunds?limit=100`);
    const amounts = body.list('data').filter((each) => once.includes(each.text('id')));
    expect(amounts.map((each) => each.at('amount'))).toEqual([25_050]);

    // what is not signed with the secret is refused and changes nothing; what is signed and only a test changes nothing
    const sent = async (withSecret: string, test: boolean): Promise<number> => {
      const data = {
        id: 'pay_other',
        metadata: { order_id: order },
        sequence: 99,
        refundedAmount: 1,
        amount: 2,
      };
      const text = JSON.stringify({ id: 'evt_1', type: 'payment.succeeded', test, data });
      const now = Math.floor(Date.now() / 1000);
      const bytes = Buffer.from(withSecret.slice('whsec_'.length), 'base64');
      const answer = await fetch(`${url}/hooks`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'evt_1',
          'webhook-timestamp': String(now),
          'webhook-signature': `v1,${createHmac('sha256', bytes).update(`evt_1.${now}.${text}`).digest('base64')}`,
          'x-webhook-signature': `t=${now},v1=${createHmac('sha256', withSecret).update(`${now}.${text}`).digest('hex')}`,
        },
        body: text,
      });
      return answer.status;
    };
    expect(await sent('whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', false)).toBe(400);
    expect(await sent(env.GALLA_WEBHOOK_SECRET, true)).toBe(200);
    await says('paid, refunded 25050 of 125050 paisa');
  }
});
