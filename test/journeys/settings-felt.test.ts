/** The effects of settings, seen from outside: each reaches the part it is for. */
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { io } from 'socket.io-client';
import { Api, type Answer } from '../../src/cli/demo/api.ts';
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import { freePorts } from '../../src/cli/demo/service.ts';
import { slotOf } from '../../src/kernel/id.ts';
import { start, type Galla } from '../../src/main.ts';
import { onFatal } from '../support/alone.ts';
import { clusterMsMax, missingClusterToHurt, startCluster } from '../support/cluster.ts';
import { Page } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startGalla } from '../support/galla.ts';
import { numbersOf, sumOf } from '../support/numbers.ts';
import { code, paymentOf, phone, premium } from '../support/qr-shop.ts';
import { expectRefusal } from '../support/refusal.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function folder(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const there = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function started(dataDir: string, env: { readonly [name: string]: string }): Promise<Galla> {
  const galla = await start({
    onFatal,
    env: { PORT: '0', GALLA_DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env },
  });
  ends.push(() => galla.stop());
  return galla;
}

describe('a service of one node', () => {
  test('without the simulator creates sandbox checkouts that nobody can pay', async () => {
    const galla = await startGalla({ GALLA_SIMULATOR: 'off' });
    ends.push(() => galla.stop());
    const shop = await galla.merchant();
    const session = await shop.checkout();
    const simulated = await shop.api.post(`/v1/test/checkout/${session.text('id')}/simulate`, {
      outcome: 'success',
      provider: 'wallet_b',
    });
    expectRefusal(simulated, 'endpoint_not_found');
    for (const path of ['/sim/control/payments', '/sim/wallet_a/', '/sim/qr_a/'])
      expect([path, (await shop.api.get(path)).status]).toEqual([path, 404]);
    const page = await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_b'));
    expect(page.url).toContain(`${galla.url}/pay/`);
    expect((await shop.session(session.text('id'))).at('status')).not.toBe('success');
  });

  test('gives a payment that a buyer starts an id in the partition of its session', async () => {
    const galla = await startGalla();
    ends.push(() => galla.stop());
    const shop = await galla.merchant();
    for (let made = 0; made < 3; made++) {
      const session = await shop.checkout();
      await shop.start(session);
      const { body } = await shop.api.must('GET', `/v1/payments?sessionId=${session.text('id')}`);
      expect(slotOf(body.text('data.0.id'))).toBe(slotOf(session.text('id')));
    }
  });

  test('uses the given operator’s token and secrets key, and generates none', async () => {
    const dataDir = await folder();
    const adminToken = 'an-operator-token-of-tests';
    const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
    const of = (byte: number) =>
      started(dataDir, { GALLA_ADMIN_TOKEN: adminToken, GALLA_SECRETS_KEY: key(byte) });
    const first = await of(1);
    expect((await new Api(first.url, adminToken).get('/admin/v1/nodes')).status).toBe(200);
    expect([await there(join(dataDir, 'admin-token')), await there(join(dataDir, 'secrets-key'))]).toEqual([
      false,
      false,
    ]);
    const login = (galla: Galla): Promise<number> =>
      new Api(galla.url, null)
        .post(
          '/dashboard/login',
          { email: galla.demo?.email, password: galla.demo?.password },
          { headers: { origin: galla.url } },
        )
        .then(({ status }) => status);
    expect(await login(first)).toBe(200);
    const shopOf = ({ url, demo }: Galla): Api => new Api(url, demo?.secretKey ?? null);
    const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
    const offered = async ({ url }: Galla, id: string): Promise<number> =>
      (await (await fetch(`${url}/pay/${id}`)).text()).match(/name="provider"/g)?.length ?? 0;
    const session = (await shopOf(first).must('POST', '/v1/checkout', order)).body.text('id');
    expect(await offered(first, session)).toBe(3);
    await first.stop();
    // secrets are kept under that key: with another one the service does not start, and changes nothing
    await expect(of(2)).rejects.toThrow('does not open with this GALLA_SECRETS_KEY');
    const again = await of(1);
    expect(await login(again)).toBe(200);
    const listed = (await shopOf(again).must('GET', '/v1/providers')).body.list('data');
    expect(listed.filter((each) => each.at('configured')).length).toBeGreaterThan(0);
    expect(await offered(again, session)).toBe(3);
  });

  test('reports at /health that it is not ready until the demo merchant exists', async () => {
    const dataDir = await folder();
    const [port = 0] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const before: unknown[] = [];
    // asked again as soon as it has answered: the demo merchant is made within a few ms
    const ready = async (): Promise<string> => {
      for (const until = Date.now() + 20_000; Date.now() < until;) {
        const answer = await fetch(`${url}/health`).catch(() => null);
        if (answer?.status === 200) return readFile(join(dataDir, 'demo.json'), 'utf8');
        if (answer === null) await new Promise(setImmediate);
        else before.push(((await answer.json()) as { readonly missing?: unknown }).missing);
      }
      throw new Error('the service was not ready within 20 s');
    };
    const [text] = await Promise.all([ready(), started(dataDir, { PORT: String(port) })]);
    expect(JSON.parse(text)).toHaveProperty('secretKey');
    expect(before).toContainEqual(['doors']);
  });

  test('that could not start releases its folder for the next one', async () => {
    const dataDir = await folder();
    const other = await startGalla();
    ends.push(() => other.stop());
    await expect(started(dataDir, { PORT: new URL(other.url).port })).rejects.toMatchObject({
      name: 'PortUnavailable',
    });
    const galla = await started(dataDir, {});
    expect((await new Api(galla.url, null).get('/health')).status).toBe(200);
  });
});

test('a restarted node listens to provider sockets as soon as it polls', { timeout: 60_000 }, async () => {
  const dataDir = await folder();
  const [port = 0] = await freePorts(1);
  const env = { GALLA_DATA_DIR: dataDir, PORT: String(port) };
  const first = await startGalla(env);
  const shop = await premium(first);
  const session = await code(shop);
  const payment = await paymentOf(shop, session);
  await first.stop();
  const again = await startGalla(env);
  ends.push(() => again.stop());
  // its numbers begin with it
  await eventually(
    async () => {
      const asked = [...(await numbersOf(again.url)).keys()].find(
        (series) => series.startsWith('galla_http_requests_total') && series.includes('/sim/qr_a/'),
      );
      return asked === undefined ? null : true;
    },
    () => 'a look-up',
  );
  await phone(shop, session.text('qr_message'), 'pay');
  await shop.untilStatus(session.text('id'), 'success');
  const { body } = await shop.api.must('GET', `/v1/payments/${payment.text('id')}/timeline`);
  const kinds = body.list('data').map((entry) => entry.at('kind'));
  expect(kinds).toContain('provider_socket');
});

const noServers = missingClusterToHurt('settings as a cluster feels them');
describe.skipIf(noServers)('a cluster of two roles', () => {
  test(
    'actors run on one node and gateways on the other; each names the bus that is away',
    { timeout: clusterMsMax },
    async () => {
      const roles = ['actors', 'gateways'];
      const house = await startCluster({
        nodes: 2,
        envOf: (at) => ({ GALLA_ROLES: roles[at] ?? '' }),
        behind: [1],
      });
      ends.push(() => house.stop());
      const [actors = '', doors = ''] = house.urls;
      const shop = await house.merchant();
      const session = await shop.checkout();
      await shop.simulate(session.text('id'), 'success');
      await shop.untilStatus(session.text('id'), 'success');
      const owned = await Promise.all(
        [actors, doors].map(async (url) => sumOf(await numbersOf(url), 'galla_partitions_owned')),
      );
      expect(owned).toEqual([256, 0]);
      const { body } = await house.admin.must('GET', '/admin/v1/nodes');
      expect(body.list('data').map((node) => [node.at('baseUrl'), node.at('baseUrlDiffers')])).toEqual([
        [house.url, false],
        [house.url, false],
      ]);
      const statusOf = async (url: string, path: string): Promise<number> =>
        (await new Api(url, path.startsWith('/admin') ? house.admin.key : shop.api.key).get(path)).status;
      const paid = `/pay/${session.text('id')}`;
      for (const path of ['/health', '/metrics', '/admin/v1/nodes', paid, '/sim/control/payments'])
        expect([path, await statusOf(actors, path)]).toEqual([path, 200]);
      for (const path of ['/v1/checkout', '/admin/v1/dead', '/dashboard']) {
        expect([path, await statusOf(actors, path)]).toEqual([path, 404]);
        expect([path, await statusOf(doors, path)]).toEqual([path, 200]);
      }
      expect([await isUpgraded(actors), await isUpgraded(doors)]).toEqual([false, true]);
      const names = (url: string, what: string): Promise<boolean> =>
        eventually(
          async () => {
            const answer = await fetch(`${url}/health`);
            const { away = [] } = (await answer.json()) as { readonly away?: readonly string[] };
            return away.includes(what) ? true : null;
          },
          () => `${url} to name its ${what}`,
        );
      await house.nats?.kill();
      for (const url of [actors, doors]) await names(url, 'bus');
    },
  );
});

/** A node reads cached values again after 2 s: a change seen earlier came by a notice. */
const toldWithinMs = 1200;

describe.skipIf(noServers)('what one node of a cluster reports to the other', () => {
  test('a log-out, and the rate limit used by a key', { timeout: clusterMsMax }, async () => {
    const house = await startCluster({ nodes: 2, env: { GALLA_RATE_LIMITS: 'on' } });
    ends.push(() => house.stop());
    const [one = '', other = ''] = house.urls;
    const page = new Page(one);
    const operator = { email: 'operator', password: house.admin.key ?? '' };
    expect((await page.logIn(operator, { origin: house.url })).status).toBe(200);
    const elsewhere = new Page(other, page);
    expect((await elsewhere.me()).status).toBe(200);
    expect((await page.post('/dashboard/logout', undefined, { origin: house.url })).status).toBe(204);
    await eventually(
      async () => ((await elsewhere.me()).status === 204 ? true : null),
      () => 'the log-out to be known at the other node',
      toldWithinMs,
    );
    const { api } = await house.merchant();
    const ask = (url: string): Promise<Answer> => new Api(url, api.key).get('/v1/payments');
    await eventually(
      async () => {
        await Promise.all(Array.from({ length: 60 }, () => ask(one)));
        // nodes tell each other four times a second; a sandbox key has 50, and 25 more each second
        await new Promise((resolve) => setTimeout(resolve, 400));
        const left = (await ask(other)).headers.get('ratelimit-remaining');
        return left !== null && Number(left) < 25 ? true : null;
      },
      () => 'the other node to know',
    );
  });
});

/** Whether a page's socket is let in. */
async function isUpgraded(url: string): Promise<boolean> {
  const socket = io(`${url}/hosted`, { transports: ['websocket'], reconnection: false, forceNew: true });
  try {
    return await new Promise<boolean>((resolve) => {
      // an admitted client is then asked for its session
      socket.on('connect', () => resolve(true));
      socket.on('connect_error', (error) => resolve('data' in error));
    });
  } finally {
    socket.disconnect();
  }
}
