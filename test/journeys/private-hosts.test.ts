import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Api, type Answer, type Body } from '../../src/cli/demo/api.ts';
import { Shop } from '../../src/cli/demo/shop.ts';
import { start, type Galla } from '../../src/main.ts';
import { eventually } from '../support/eventually.ts';
import { onFatal } from '../support/alone.ts';
import { NameServer } from '../support/name-server.ts';

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

async function namesOfOurs(): Promise<NameServer> {
  const names = await NameServer.open();
  ends.push(() => names.close());
  return names;
}

/** The service as it starts with these settings and no others, called with the demo merchant's sandbox key. */
async function serving(dataDir: string, env: { readonly [name: string]: string }, names?: NameServer) {
  const service: Galla = await start({
    onFatal,
    ...(names === undefined ? {} : { nameServers: [names.address] }),
    env: { PORT: '0', LOG_LEVEL: 'silent', GALLA_DATA_DIR: dataDir, ...env },
  });
  ends.push(() => service.stop());
  const { secretKey, projectId } = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as {
    secretKey: string;
    projectId: string;
  };
  const url = `http://127.0.0.1:${new URL(service.url).port}`;
  return { service, api: new Api(url, secretKey), url, projectId, dataDir };
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

/** Of the demo merchant. */
async function liveOf({ url, projectId, dataDir }: Awaited<ReturnType<typeof serving>>): Promise<Api> {
  const token = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  const asked = { kind: 'secret', mode: 'live' };
  const made = await new Api(url, token).must('POST', `/admin/v1/projects/${projectId}/keys`, asked);
  return new Api(url, made.body.text('key'));
}

/** Refused as they are saved, where private hosts are not allowed. */
const refusedUrls = [
  'http://127.0.0.1:4000/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://10.1.2.3/',
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]:4000/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[2002:7f00:1::]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::7f00:1]/',
  'http://[2001:0:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://localhost:4000/',
  'http://hooks.localhost./',
];
/** Refused everywhere. */
const neverAllowed = ['http://user:pw@shop.example/', 'http://user@127.0.0.1/', 'http://shop.example:22/'];

const codeOf = async (asked: Promise<Answer>): Promise<unknown> =>
  (await asked).body.at('error.errors.0.code');

/** A public address by every rule, of a block that IANA has given to nobody: no connection reaches anything. */
const nobodys = '2d00::1';
const refused = { status: 'failed', responseStatus: null, responseBody: 'address not allowed' };

test('row 66: private addresses are refused in every form, and a name that has one is never connected to', async () => {
  const [shop, names] = [await shopOfOurs(), await namesOfOurs()];
  const settings = { WEBHOOK_ALLOW_PRIVATE_HOSTS: 'off', GALLA_RATE_LIMITS: 'off' };
  const { api } = await serving(await folder(), settings, names);
  const { port } = new URL(shop.url);
  const named = new Map([
    ['loopback.example', { A: ['127.0.0.1'] }],
    ['loopback6.example', { AAAA: ['::1'] }],
    ['mapped.example', { AAAA: ['::ffff:127.0.0.1'] }],
    ['private.example', { A: ['10.1.2.3'] }],
    ['one-of-two.example', { A: ['127.0.0.1'], AAAA: [nobodys] }],
    ['alias.example', { CNAME: 'loopback.example', A: ['127.0.0.1'] }],
  ]);
  const ids = new Map<string, string>();
  for (const [name, records] of named) {
    names.set(name, records);
    const made = await api.must('POST', '/v1/webhooks', { url: `http://${name}:${port}/hooks` });
    ids.set(name, made.body.text('id'));
  }
  const id = ids.get('loopback.example') ?? '';
  for (const url of [...refusedUrls, ...neverAllowed]) {
    expect(await codeOf(api.post('/v1/webhooks', { url })), url).toBe('url_not_allowed');
    const changed = api.send('PATCH', `/v1/webhooks/${id}`, { body: { url } });
    expect(await codeOf(changed), url).toBe('url_not_allowed');
  }
  // each try looks the name up again
  for (let tries = 1; tries <= 2; tries++) {
    for (const [name, each] of ids) {
      expect((await tried(api, each)).value, name).toMatchObject(refused);
      expect(names.asked(name), name).toBe(tries);
    }
  }
  expect(shop.webhooks).toEqual([]);
});

// where IPv6 has a way out of the machine, the first try waits for the answer that nobody is there
test(
  'row 66: a name that is public when it is checked and private a moment later is not connected to',
  { timeout: 30_000 },
  async () => {
    const [shop, names] = [await shopOfOurs(), await namesOfOurs()];
    const settings = { WEBHOOK_ALLOW_PRIVATE_HOSTS: 'off', GALLA_RATE_LIMITS: 'off' };
    const { api } = await serving(await folder(), settings, names);
    const url = `http://rebound.example:${new URL(shop.url).port}/hooks`;
    names.set('rebound.example', { AAAA: [nobodys] }, { A: ['127.0.0.1'] });
    const made = await api.must('POST', '/v1/webhooks', { url });
    // the first try goes to the address that was checked: the name is not looked up a second time for the connection
    const first = await tried(api, made.body.text('id'));
    expect(first.at('responseStatus')).toBeNull();
    expect(first.at('responseBody')).not.toBe(refused.responseBody);
    expect(names.asked('rebound.example')).toBe(1);
    expect((await tried(api, made.body.text('id'))).value).toMatchObject(refused);
    expect(names.asked('rebound.example')).toBe(2);
    expect(shop.webhooks).toEqual([]);
  },
);

test('row 66: what the sandbox allows for tests is never allowed in live, and no redirect leads there', async () => {
  const [shop, inner, names] = [await shopOfOurs(), await shopOfOurs(), await namesOfOurs()];
  const { port } = new URL(inner.url);
  names.set('inner.example', { A: ['127.0.0.1'] });
  shop.answering = ({ path }) => ({
    status: 307,
    headers: { location: path === '/name' ? `http://inner.example:${port}/hooks` : `${inner.url}/hooks` },
  });
  const settings = { WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on', GALLA_RATE_LIMITS: 'off' };
  const on = await serving(await folder(), settings, names);
  const [api, live] = [on.api, await liveOf(on)];
  for (const path of ['/address', '/name']) {
    const { body } = await api.must('POST', '/v1/webhooks', { url: `${shop.url}${path}` });
    expect((await tried(api, body.text('id'))).value).toMatchObject({
      status: 'failed',
      responseStatus: 307,
    });
  }
  expect([shop.webhooks.length, inner.webhooks.length, names.asked('inner.example')]).toEqual([2, 0, 0]);
  for (const url of [...refusedUrls.map((each) => each.replace('http:', 'https:')), ...neverAllowed])
    expect(await codeOf(live.post('/v1/webhooks', { url })), url).toBe('url_not_allowed');
  const made = await live.must('POST', '/v1/webhooks', { url: `https://inner.example:${port}/hooks` });
  expect((await tried(live, made.body.text('id'))).value).toMatchObject(refused);
});
