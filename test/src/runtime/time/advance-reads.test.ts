/** How often an advance of a test clock asks the store, with subscriptions that have something to do on many days. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { days } from '../../../../src/kernel/time.ts';
import { start, type Galla as Service } from '../../../../src/main.ts';
import type { Store } from '../../../../src/store/store.ts';
import { Api } from '../../../../src/cli/demo/api.ts';
import { onFatal } from '../../../support/alone.ts';
import { Billing, threeSeven } from '../../../support/billing.ts';
import { missingCluster } from '../../../support/cluster.ts';
import { houseOf, startGalla, type House } from '../../../support/galla.ts';
import { mongoForTests, startNats, type RunningServer, type TestMongo } from '../../../support/servers.ts';

const questionsMax = 15;
const monthSeconds = days(31) / 1000;

interface Asked {
  due: number;
  busy: number;
}

/** Counts what the node asks of its store from now on. */
function countedIn({ node: { store } }: Pick<Service, 'node'>): Asked {
  const asked: Asked = { due: 0, busy: 0 };
  const itself = { ...store };
  const counting: Pick<Store, 'due' | 'busy'> = {
    due(query) {
      asked.due++;
      return itself.due(query);
    },
    busy(query) {
      asked.busy++;
      return itself.busy(query);
    },
  };
  Object.assign(store, counting);
  return asked;
}

/** Nobody pays: each invoice has an opening, its due day, an overdue action and a reminder every week. */
async function subscribed(billing: Billing, units: readonly ('month' | 'week')[]): Promise<void> {
  for (const intervalUnit of units)
    await billing.subscribe(await billing.plan({ ...threeSeven, intervalUnit }));
}

test('an advance of a month asks a store that one process owns at most 15 times, whatever fires in it', async () => {
  const galla = await startGalla();
  const billing = new Billing(await galla.merchant());
  await subscribed(billing, ['month', 'week', 'week', 'week', 'week']);
  const asked = countedIn(galla);
  const clock = await billing.advance(monthSeconds);
  await galla.stop();
  expect(Number(clock.at('fired'))).toBeGreaterThan(100);
  expect(asked.due + asked.busy).toBeLessThanOrEqual(questionsMax);
}, 60_000);

const suite = 'an advance in a cluster';
describe.skipIf(missingCluster(suite))(suite, () => {
  let servers: { readonly mongo: TestMongo; readonly nats: RunningServer };
  let service: Service;
  let house: House;
  beforeAll(async () => {
    const [mongo, nats] = await Promise.all([mongoForTests(), startNats()]);
    servers = { mongo, nats };
    const adminToken = 'admin-token-of-at-least-32-characters';
    service = await start({
      onFatal,
      env: {
        PORT: '0',
        NATS_URL: nats.url,
        MONGODB_URL: mongo.url(`galla_advance_${process.pid}`),
        GALLA_ADMIN_TOKEN: adminToken,
        GALLA_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
        GALLA_RATE_LIMITS: 'off',
        LOG_LEVEL: 'silent',
      },
    });
    house = await houseOf(new Api(service.url, adminToken), () => service.stop());
  }, 120_000);
  afterAll(async () => {
    await house.stop();
    await Promise.all([servers.mongo.stop(), servers.nats.stop()]);
  });

  test('of a month of one monthly subscription asks what is due at most 15 times: once for each step', async () => {
    const billing = new Billing(await house.merchant());
    await subscribed(billing, ['month']);
    const asked = countedIn(service);
    const clock = await billing.advance(monthSeconds);
    const fired = Number(clock.at('fired'));
    expect(fired).toBeGreaterThanOrEqual(8);
    // one more for the end, and the scans of timers that follow; there may be one every 15 s beside it
    expect(asked.due).toBeLessThanOrEqual(fired + 5);
    expect(asked.due).toBeLessThanOrEqual(questionsMax);
  }, 60_000);
});
