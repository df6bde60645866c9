/** The two shops of the guide as their reader wires them: its commands as they stand, one payment each, webhooks that are
 *  verified and one that is not, two refunds and a repetition. */
import { createHmac } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../../src/cli/demo/service.ts';
import { eventually } from '../../support/eventually.ts';
import { noPhp } from '../no-php.ts';
import { objectsIn, walked, type Lent, type Program } from './walk.ts';

const usual = '127.0.0.1:3000';
const skipped = noPhp('the shop in PHP');

const walk = walked('express-and-php.md');
type Name = 'wire' | 'express' | 'php' | 'verify' | 'pay' | 'refund';
let blocks: { readonly [name in Name]: Lent };
beforeAll(() => {
  blocks = {
    wire: walk().lend('sh', 'export GALLA_URL'),
    express: walk().lend('sh', 'npm init'),
    php: walk().lend('sh', 'php -S'),
    verify: walk().lend('php', 'require __DIR__'),
    pay: walk().lend('sh', 'GALLA_URL='),
    refund: walk().lend('sh', 'curl -s http'),
  };
  if (skipped) for (const name of ['php', 'verify', 'refund'] as const) blocks[name].skip();
  for (const name of ['express-shop.mjs', 'shop.php', 'verify-webhook.php'])
    copyFileSync(join(walk().folder, 'docs/guides', name), join(walk().folder, name));
});

/** A shop at an address of its own. */
interface Wired {
  readonly host: string;
  readonly program: Program;
  readonly state: (order: string) => string;
  /** Where its line among the two stands. */
  readonly refundLine: number;
  readonly secret: string;
}

async function wired(shop: Lent, rest: Pick<Wired, 'state' | 'refundLine'>): Promise<Wired> {
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const replace = { [usual]: host };
  await blocks.wire.run({ before: `PORT=${port}\nexport PORT`, replace });
  const secret = (await walk().shelled('printenv GALLA_WEBHOOK_SECRET')).trim();
  const program = await shop.start(shop === blocks.php ? { replace } : {});
  return { host, program, secret, ...rest };
}

async function sells({ host, program, state, refundLine, secret }: Wired): Promise<void> {
  await program.heard(/the shop is open|Development Server .* started/);
  const [session] = objectsIn(await blocks.pay.run({ replace: { [usual]: host } }));
  const order = (session as { readonly metadata: { readonly order_id: string } }).metadata.order_id;
  const says = (words: string): Promise<string> =>
    eventually(
      async () => {
        const said = await (await fetch(`http://${host}${state(order)}`)).text();
        return said === words ? said : null;
      },
      () => `${words} of ${order}; the shop said ${program.said()}`,
    );
  await says('paid');
  await program.heard(new RegExp(`payment\\.succeeded {2}${order}`));

  const refunded = (replace: { readonly [text: string]: string } = {}) =>
    blocks.refund.run({ line: refundLine, replace: { [usual]: host, ...replace } });
  const isPhp = refundLine === 1;
  const decision = isPhp ? 'decision=' : '"decision":"';
  const once = await refunded();
  expect(once).toMatch(/ref_\w+.*succeeded/);
  expect(await refunded()).toBe(once);
  await says('paid, refunded 25050 of 125050 paisa');
  const another = await refunded({ [`${decision}1`]: `${decision}2` });
  expect(another).toMatch(/ref_\w+.*succeeded/);
  await says('paid, refunded 50100 of 125050 paisa');
  const amounts = await amountsOf([once, another]);
  expect(amounts).toEqual([25_050, 25_050]);

  // what cannot be refunded is answered with its reason, and with no page of HTML
  const tooMuch = await refunded({ [`${decision}1`]: `${decision}3`, '25050': '125050' });
  expect(tooMuch).toContain('Only 74950 paisa can still be refunded');
  expect(await refunded({ [isPhp ? ' -d decision=1' : ',"decision":"1"']: '' })).toMatch(/Send a decision/);
  expect(tooMuch).not.toContain('<');

  // what is not signed with the secret is refused and changes nothing; what is signed and only a test changes nothing
  const posted = (withSecret: string, isTest: boolean): Promise<number> =>
    sent(host, order, withSecret, isTest);
  expect(await posted('whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', false)).toBe(400);
  expect(await posted(secret, true)).toBe(200);
  await says('paid, refunded 50100 of 125050 paisa');
}

async function amountsOf(refunds: readonly string[]): Promise<readonly unknown[]> {
  const { body } = await walk().galla.with(walk().galla.keys.secretKey).get('/v1/refunds?limit=100');
  return body
    .list('data')
    .filter((each) => refunds.some((said) => said.includes(each.text('id'))))
    .map((each) => each.at('amount'));
}

async function sent(host: string, order: string, secret: string, isTest: boolean): Promise<number> {
  const data = { id: 'pay_other', metadata: { order_id: order }, sequence: 99, refundedAmount: 1, amount: 2 };
  const text = JSON.stringify({ id: 'evt_1', type: 'payment.succeeded', test: isTest, data });
  return (await signedPost(`http://${host}/hooks`, text, secret)).status;
}

function signedPost(url: string, text: string, secret: string): Promise<Response> {
  const now = Math.floor(Date.now() / 1000);
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(now),
      'webhook-signature': `v1,${createHmac('sha256', bytes).update(`evt_1.${now}.${text}`).digest('base64')}`,
      'x-webhook-signature': `t=${now},v1=${createHmac('sha256', secret).update(`${now}.${text}`).digest('hex')}`,
    },
    body: text,
  });
}

describe('the guide sells a book, and refunds parts of it once each', { timeout: 60_000 }, () => {
  test('with Express', async () => {
    await sells(await wired(blocks.express, { state: (order) => `/orders/${order}`, refundLine: 0 }));
  });

  test.skipIf(skipped)('with PHP', async () => {
    await sells(await wired(blocks.php, { state: (order) => `/thanks?order=${order}`, refundLine: 1 }));
  });

  test.skipIf(skipped)('and its lines of PHP take what is signed, and nothing else', async () => {
    const [port = 0] = await freePorts(1);
    blocks.verify.write('lines.php', { before: '<?php', after: "echo $event['id'];" });
    const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
    await walk().shelled(`GALLA_WEBHOOK_SECRET=${secret}\nexport GALLA_WEBHOOK_SECRET`);
    const program = await walk().started(`php -S 127.0.0.1:${port} lines.php`);
    await program.heard(/Development Server .* started/);
    const answered = async (withSecret: string) => {
      const answer = await signedPost(`http://127.0.0.1:${port}/`, '{"id":"evt_1"}', withSecret);
      return [answer.status, await answer.text()];
    };
    expect(await answered(secret)).toEqual([200, 'evt_1']);
    expect(await answered(secret.replace('MDE', 'MDF'))).toEqual([400, '']);
  });
});
