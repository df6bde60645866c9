import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Api, type Body } from '../../src/testing/demo/api.ts';
import { Shop } from '../../src/testing/demo/shop.ts';
import { start, type Galla } from '../../src/main.ts';
import { eventually } from '../support/eventually.ts';
import { onFatal } from '../support/alone.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function folder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

async function shopOfOurs(): Promise<Shop> {
  const shop = await Shop.open();
  ends.push(() => shop.close());
  return shop;
}

/** The service as it starts with these settings and no others, called with the demo merchant's sandbox key. */
async function serving(dataDir: string, env: { readonly [name: string]: string }) {
  const service: Galla = await start({
    onFatal,
    env: { PORT: '0', LOG_LEVEL: 'silent', GALLA_DATA_DIR: dataDir, ...env },
  });
  ends.push(() => service.stop());
  const { secretKey } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as {
    secretKey: string;
  };
  return { service, api: new Api(`http://127.0.0.1:${new URL(service.url).port}`, secretKey) };
}

test.each([
  ['on loopback private webhooks are allowed', {}, 201],
  ['a loopback name is loopback', { HOST: 'localhost' }, 201],
  ['open to the network they are not', { HOST: '0.0.0.0' }, 400],
  [
    'open to the network they are when somebody says so',
    { HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on' },
    201,
  ],
  ['on loopback they are not when somebody says so', { WEBHOOK_ALLOW_PRIVATE_HOSTS: 'off' }, 400],
])('%s', async (_what, env, status) => {
  const { api } = await serving(await folder(), env);
  const answer = await api.post('/v1/webhooks', { url: 'http://127.0.0.1:4000/hooks' });
  expect(answer.status, answer.text).toBe(status);
  if (status === 400) expect(answer.body.text('error.errors.0.code')).toBe('url_not_allowed');
});

/** Sends a sample to the endpoint; the state of its delivery after the first try. */
async function tried(api: Api, endpointId: string): Promise<Body> {
  const id = (await api.must('POST', `/v1/webhooks/${endpointId}/test`, {})).body.text('id');
  return eventually(
    async () => {
      const { body } = await api.must('GET', `/v1/webhooks/deliveries/${id}`);
      return body.at('status') === 'pending' ? null : body;
    },
    () => `a try of ${id}`,
  );
}

test('an endpoint saved with a loopback address is not called any more once the service is open to the network', async () => {
  const dataDir = await folder();
  const shop = await shopOfOurs();
  const before = await serving(dataDir, {});
  const made = await before.api.must('POST', '/v1/webhooks', { url: `${shop.url}/hooks` });
  const id = made.body.text('id');
  expect((await tried(before.api, id)).at('responseStatus')).toBe(200);
  expect(shop.webhooks.length).toBe(1);
  await before.service.stop();

  const { api } = await serving(dataDir, { HOST: '0.0.0.0' });
  expect((await tried(api, id)).value).toMatchObject({ responseStatus: null });
  expect(shop.webhooks.length).toBe(1);
});
