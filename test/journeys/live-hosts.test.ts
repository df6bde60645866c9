/** Live hosts that answer badly, or are not there: what a merchant and a buyer see, and what nobody ever sees. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Answer, type Body } from '../../src/cli/demo/api.ts';
import { buttonFor, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { failuresInRowMax } from '../../src/providers/breaker.ts';
import { entry } from '../support/cluster.ts';
import { houseOf, type House } from '../support/galla.ts';
import { expectRefusal } from '../support/refusal.ts';

const canary = 'canary_9c1f7e_secret';
const broken = 'broken_host_key';
const moved = 'moved_host_key';
const pidx = 'px_of_the_host';
const unpaid = {
  pidx,
  total_amount: 125_050,
  status: 'Pending',
  transaction_id: null,
  fee: 0,
  refunded: false,
};

/** A host that repeats what it was sent, as careless servers do. For two keys it is out of order, or has moved; those that
 *  start with `good` are accepted, and nobody has paid. */
class Host {
  readonly asked: string[] = [];
  private readonly server: Server = createServer((request, response) => {
    const key = String(request.headers.authorization);
    this.asked.push(`${key} ${request.url ?? ''}`);
    if (key.endsWith(broken)) return void response.writeHead(500).end('<h1>Oops</h1>');
    if (key.startsWith('Key good')) {
      const answer = request.url?.endsWith('/initiate/') === true ? this.started() : unpaid;
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }
    if (key.endsWith(moved)) return void response.writeHead(307, { location: `${this.url}/elsewhere` }).end();
    void textOf(request).then((text) =>
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end(JSON.stringify({ detail: `Invalid token: ${key} ${text}`, status_code: 401 })),
    );
  });

  private started = () => ({ pidx, payment_url: `${this.url}/pay`, expires_in: 1800 });
  open = (): Promise<void> => new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  close = (): Promise<unknown> => new Promise((resolve) => this.server.close(resolve));
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const bytes of request) text += String(bytes);
  return text;
}

const host = new Host();
let dataDir: string;
let service: Service;
let galla: House;
beforeAll(async () => {
  await host.open();
  dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
  // a process of its own: everything it prints is read
  const env = { GALLA_WALLET_B_URL: host.url, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'trace' };
  service = await Service.start({ dataDir, entry, env });
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  galla = await houseOf(new Api(service.url, token), async () => void (await service.stop()));
});
afterAll(async () => {
  await galla.stop();
  await host.close();
  await rm(dataDir, { recursive: true, force: true });
});

const put = (projectId: string, provider: string, body: object): Promise<Answer> =>
  galla.admin.must('PUT', `/admin/v1/projects/${projectId}/providers/${provider}`, { mode: 'live', ...body });

async function shop(provider: string, credentials: object) {
  const made = { name: 'Live Store', email: `l${performance.now()}@example.com`, plan: 'premium' };
  const projectId = (await galla.admin.must('POST', '/admin/v1/merchants', made)).body.text('project.id');
  await put(projectId, provider, { credentials });
  const api = galla.with(await galla.key(projectId, { kind: 'secret', mode: 'live' }));
  const tries = async (): Promise<{ readonly page: Page; readonly payment: Body }> => {
    const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
    const session = (await api.must('POST', '/v1/checkout', order)).body;
    const page = await press(buttonFor(await open(session.text('checkout_url')), 'provider', provider));
    const { body } = await api.must('GET', `/v1/payments?sessionId=${session.text('id')}`);
    const [payment] = body.list('data');
    if (payment === undefined) throw new Error('the buyer has tried');
    return { page, payment };
  };
  const health = async () =>
    (await api.must('GET', '/v1/providers')).body
      .list('data')
      .find((each) => each.at('id') === provider)
      ?.at('health');
  return { projectId, api, tries, health };
}

test('refused credentials: the buyer may try another way, the merchant reads why, and nobody reads the credentials', async () => {
  const { projectId, api, tries, health } = await shop('wallet_b', { secretKey: canary });
  const { page, payment } = await tries();
  expect(host.asked.at(-1)).toBe(`Key ${canary} /api/v2/epayment/initiate/`);
  expect(page.words).toContain('Wallet B could not be reached. Nothing was paid. Please try again.');
  expect(payment.value).toMatchObject({ status: 'failed', failureCode: 'provider_error', livemode: true });
  const timeline = await api.must('GET', `/v1/payments/${payment.text('id')}/timeline`);
  expect(timeline.text).toMatch(/Invalid token/);
  // it has answered: a wrong key is no outage
  expect(await health()).toBe('up');
  const refused = await galla.admin.send('PUT', `/admin/v1/projects/${projectId}/providers/wallet_b`, {
    body: { mode: 'live', credentials: { secretKey: `${canary}\n`, [canary.repeat(9)]: canary } },
  });
  expect(refused.status).toBe(400);
  const seen = await Promise.all([
    api.get('/v1/payments'),
    api.get('/v1/events'),
    api.get('/v1/providers'),
    galla.admin.get(`/admin/v1/projects/${projectId}/providers`),
    galla.admin.get('/admin/v1/dead'),
    galla.admin.get('/metrics'),
  ]);
  const texts = [page.html, timeline.text, ...seen.map(({ text }) => text), service.output];
  for (const text of texts) expect(text).not.toContain(canary);
  expect(service.output).toMatch(/check its configuration/);
  const files = (await readdir(dataDir, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  for (const { parentPath, name } of files) {
    expect((await readFile(join(parentPath, name))).includes(canary), name).toBe(false);
  }
  expect(files.length).toBeGreaterThan(2);
});

test('a host that fails for one merchant is not called for that merchant for a while, and goes on for another', async () => {
  const [down, up] = [
    await shop('wallet_b', { secretKey: broken }),
    await shop('wallet_b', { secretKey: 'another' }),
  ];
  for (let at = 0; at < failuresInRowMax; at++) await down.tries();
  expect([await down.health(), await up.health()]).toEqual(['down', 'up']);
  const before = host.asked.length;
  const session = await down.api.must('POST', '/v1/checkout', {
    amount: 1000,
    returnUrl: 'https://shop.example',
  });
  const page = await open(session.body.text('checkout_url'));
  expect(
    page.buttons.filter(({ disabled }) => !disabled).flatMap(({ fields }) => fields.get('provider') ?? []),
  ).toEqual([]);
  expect(host.asked).toHaveLength(before);
  await up.tries();
  expect(host.asked.at(-1)).toMatch(/^Key another /);
});

test('a redirect of a provider is not followed: credentials go to the configured host alone', async () => {
  const { tries } = await shop('wallet_b', { secretKey: moved });
  const { payment } = await tries();
  expect(payment.at('status')).toBe('failed');
  expect(host.asked.filter((line) => line.includes('elsewhere'))).toEqual([]);
});

test('new credentials apply to payments under way; without any these are not looked up, and nothing is started', async () => {
  const { projectId, api, tries } = await shop('wallet_b', { secretKey: 'good_old_key' });
  const { payment } = await tries();
  expect(payment.at('status')).toBe('pending');
  const comesBack = (): Promise<Page> =>
    open(`${service.url}/return/wallet_b/${payment.text('id')}/web/done?pidx=${pidx}&status=Pending`);
  await put(projectId, 'wallet_b', { credentials: { secretKey: 'good_new_key' } });
  await comesBack();
  expect(host.asked.at(-1)).toBe('Key good_new_key /api/v2/epayment/lookup/');
  await put(projectId, 'wallet_b', { credentials: null });
  const before = host.asked.length;
  await comesBack();
  expect(host.asked).toHaveLength(before);
  const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
  expectRefusal(await api.post('/v1/checkout', order), 'provider_not_configured');
  expect((await api.must('GET', `/v1/payments/${payment.text('id')}`)).body.at('status')).toBe('processing');
});

test('credentials of one mode are never sent to the other: the sandbox stays at the simulator', async () => {
  const { projectId } = await shop('wallet_b', { secretKey: 'another' });
  const sandbox = galla.with(await galla.key(projectId, { kind: 'secret', mode: 'sandbox' }));
  const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
  const before = host.asked.length;
  const session = (await sandbox.must('POST', '/v1/checkout', order)).body;
  const page = await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_b'));
  expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sim\/wallet_b\//);
  expect(host.asked).toHaveLength(before);
  // and new sandbox credentials, which the simulator does not accept, are what it is sent
  await put(projectId, 'wallet_b', { mode: 'sandbox', credentials: { secretKey: 'of_a_real_sandbox' } });
  const other = (await sandbox.must('POST', '/v1/checkout', order)).body;
  const refused = await press(buttonFor(await open(other.text('checkout_url')), 'provider', 'wallet_b'));
  expect(refused.words).toContain('Wallet B could not be reached.');
  expect(host.asked).toHaveLength(before);
  expect(host.asked.join('\n')).not.toContain('simulated_wallet_b_key');
});

test('without a live host a start is answered 502, and a buyer reads it in words', async () => {
  const credentials = { merchantCode: 'M1', secretKey: 'k', username: 'u', password: 'p' };
  const { projectId, api, tries } = await shop('qr_a', credentials);
  const settings = await galla.admin.must('GET', `/admin/v1/projects/${projectId}/providers?mode=live`);
  expect(settings.body.list('data').map((each) => [each.at('provider'), each.at('liveHost')])).toContainEqual(
    ['qr_a', false],
  );
  const order = { amount: 125_050, customer: { name: 'Asha Rai', email: 'asha@example.com' } };
  const answer = await api.post('/v1/qr/qr_a', order);
  expect([answer.status, answer.body.at('error.code')]).toEqual([502, 'provider_unavailable']);
  const { page } = await tries();
  expect(page.words).toContain('QR A could not be reached. Nothing was paid. Please try again.');
});
