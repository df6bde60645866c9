/** Every secret there is, searched for in all that the service writes: its log at the finest level, its metrics, its
 *  error bodies, its files, and what it prints when it crashes.
 *  1. The service is a process of its own, so that its output is all of it.
 *  2. A secret is also searched for in other writings: base64, base64url, hex. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type Answer } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { eventually } from '../support/eventually.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { houseOf, type House } from '../support/galla.ts';
import { MailServer } from '../support/mail-server.ts';
import { entry } from '../faults/run.ts';
import { catalogue } from './catalogue/catalogue.ts';
import { replayAll } from './replay.ts';
import { prepare, type Scene } from './stage.ts';

const operatorToken = 'an-operator-token-of-this-test-1f9c';
const smsSecret = `whsec_${Buffer.from('the secret of the SMS endpoint').toString('base64')}`;
const smtpPassword = 'open sesame';
/** Throws where nobody catches, at a signal. */
const crashAtSignal = `process.on('SIGUSR2', () => { throw new Error('a crash of this test'); });`;

let dataDir = '';
let service: Service;
let mail: MailServer;
let scene: Scene;
let metrics = '';
let errorBodies = '';
let printed = '';
/** By what they are. */
const secrets = new Map<string, string>();

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galla-secrets-'));
  mail = await MailServer.open('galla');
  service = await Service.start({
    dataDir,
    entry,
    printed: (text) => (printed += text),
    env: {
      LOG_LEVEL: 'trace',
      GALLA_RATE_LIMITS: 'off',
      GALLA_ADMIN_TOKEN: operatorToken,
      GALLA_SMTP_URL: mail.url.replace('smtp://', `smtp://galla:${encodeURIComponent(smtpPassword)}@`),
      GALLA_MAIL_FROM: 'pay@galla.example',
      GALLA_SMS_URL: 'https://sms.example/send',
      GALLA_SMS_SECRET: smsSecret,
      WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on',
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(crashAtSignal)}`,
    },
  });
  const house = await houseOf(new Api(service.url, operatorToken), () => Promise.resolve());
  keep('operator token', operatorToken);
  keep('secret of the SMS endpoint', smsSecret);
  keep('secrets key', (await readFile(join(dataDir, 'secrets-key'))).toString().trim());
  scene = await prepare(house);
  await useEverything(house, scene);
  const attacks = Object.values(catalogue).flat();
  expect(await replayAll({ url: new URL(service.url), stage: scene.stage }, attacks)).toEqual([]);
  metrics = (await house.admin.must('GET', '/metrics')).text;
  await crash();
}, 60_000);
afterAll(async () => {
  await service.kill();
  await mail.close();
  await rm(dataDir, { recursive: true, force: true });
});

const keep = (what: string, secret: string): void => void secrets.set(what, secret);

const isError = ({ status }: Answer): boolean => status >= 400;

/** Each secret is made, used, and sent where it does not belong. */
async function useEverything(house: House, { stage, shop }: Scene): Promise<void> {
  for (const name of ['secret', 'publishable', 'read', 'live', 'revoked', 'expired', 'stranger'] as const)
    keep(`key: ${name}`, stage[name]);
  keep('form token', stage.formToken);
  await useProviders(house, stage.projectId);
  await useWebhooks(house, scene);
  keep('live ticket', (await shop.api.must('POST', '/v1/live/tickets')).body.text('ticket'));
  const person = await merchantWithLogin(house.admin, { email: 'secrets@example.com' });
  const login = new Page(service.url);
  await login.logIn(person);
  keep('password', person.password);
  keep('session cookie', login.cookie.slice(login.cookie.indexOf('.') + 1));
  keep('CSRF token', login.csrf);
  await misplaced(house, person.password);
}

async function useProviders({ admin }: House, projectId: string): Promise<void> {
  const credentials: { readonly [provider: string]: { readonly [name: string]: string } } = {
    wallet_a: { merchantCode: 'EPAYSECRETTEST', secretKey: 'wallet-a-secret-8c1d5e' },
    wallet_b: { secretKey: 'wallet-b-secret-2f77aa' },
  };
  for (const [provider, fields] of Object.entries(credentials)) {
    const path = `/admin/v1/projects/${projectId}/providers/${provider}`;
    const answer = await admin.send('PUT', path, { body: { mode: 'live', credentials: fields } });
    expect(answer.status, answer.text).toBe(200);
    keep(`credential of ${provider}`, fields['secretKey'] ?? '');
  }
}

async function useWebhooks(house: House, { shop }: Scene): Promise<void> {
  const server = await house.shop();
  const made = await shop.api.must(
    'POST',
    '/v1/webhooks',
    { url: server.url },
    { idempotencyKey: 'kept-sealed' },
  );
  const id = made.body.text('id');
  keep('signing secret', made.body.text('signing_secret'));
  const rotated = await shop.api.must('POST', `/v1/webhooks/${id}/rotate-secret`, {});
  keep('rotated signing secret', rotated.body.text('signing_secret'));
  await shop.api.must('POST', `/v1/webhooks/${id}/test`, {});
  await server.close();
  // and a try that fails
  await shop.api.send('POST', `/v1/webhooks/${id}/test`, { body: {} });
  await shop.api.must('DELETE', `/v1/webhooks/${id}`);
}

/** Secrets in requests that are refused. */
async function misplaced(house: House, password: string): Promise<void> {
  const page = new Page(service.url);
  const body = (secret: string): object => ({
    amount: 'x',
    returnUrl: 5,
    customer: { email: 3 },
    note: secret,
  });
  for (const secret of secrets.values()) {
    const answers = await Promise.all([
      house.with(secret).post('/v1/checkout', body(secret)),
      house.with(`${secret}x`).get('/v1/payments'),
      house.nobody.get(`/v1/payments?key=${encodeURIComponent(secret)}`),
      scene.shop.api.post('/v1/checkout', body(secret), { idempotencyKey: `${secret} ` }),
      scene.shop.api.send('POST', '/v1/checkout', { body: `{"key":"${secret}"` }),
      page.post('/dashboard/login', { email: 'secrets@example.com', password: `${secret}x` }),
    ]);
    errorBodies += answers
      .filter(isError)
      .map(({ text }) => text)
      .join('\n');
  }
  const wrong = await page.post('/dashboard/login', { email: password, password: 5 });
  errorBodies += wrong.text;
}

async function crash(): Promise<void> {
  process.kill(service.pid, 'SIGUSR2');
  const { code } = await service.over;
  expect(code).not.toBe(0);
  await eventually(
    async () => (printed.includes('a crash of this test') ? true : null),
    () => 'the crash to be printed',
  );
}

/** How a secret may be written. */
const writingsOf = (secret: string): readonly string[] => {
  const bytes = Buffer.from(secret);
  return [
    secret,
    bytes.toString('hex'),
    bytes.toString('base64url'),
    bytes.toString('base64').replace(/=+$/, ''),
  ];
};

const foundIn = (bytes: Buffer | string): readonly string[] =>
  [...secrets]
    .filter(([, secret]) => writingsOf(secret).some((one) => bytes.includes(one)))
    .map(([what]) => what);

describe('no secret is', () => {
  test('missing from this test', () => {
    expect([...secrets.keys()].toSorted()).toMatchInlineSnapshot(`
      [
        "CSRF token",
        "credential of wallet_a",
        "credential of wallet_b",
        "form token",
        "key: expired",
        "key: live",
        "key: publishable",
        "key: read",
        "key: revoked",
        "key: secret",
        "key: stranger",
        "live ticket",
        "operator token",
        "password",
        "rotated signing secret",
        "secret of the SMS endpoint",
        "secrets key",
        "session cookie",
        "signing secret",
      ]
    `);
    for (const secret of secrets.values()) expect(secret.length).toBeGreaterThan(8);
  });

  test('in the log, at its finest level, nor in what a crash prints', () => {
    expect(printed).toContain('"level":');
    expect(printed).toContain('a crash of this test');
    expect(foundIn(printed)).toEqual([]);
  });

  test('in the metrics', () => {
    expect(metrics).toContain('galla_');
    expect(foundIn(metrics)).toEqual([]);
  });

  test('in the body of an error', () => {
    expect(errorBodies).toContain('api_key_invalid');
    expect(foundIn(errorBodies)).toEqual([]);
  });

  test('in the files of the store', async () => {
    const files = (await readdir(dataDir)).filter((file) => file.startsWith('galla.db'));
    const bytes = Buffer.concat(await Promise.all(files.map((file) => readFile(join(dataDir, file)))));
    expect(bytes.includes('secrets@example.com')).toBe(true);
    // a key is known by its hash
    expect(bytes.includes(createHash('sha256').update(scene.stage.secret).digest('hex'))).toBe(true);
    expect(foundIn(bytes)).toEqual([]);
  });
});
