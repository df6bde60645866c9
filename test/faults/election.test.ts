/** A started service of a cluster while the primary of its MongoDB changes, or while a majority of it is slow. A client
 *  creates checkouts; what each was answered, and when, is looked at afterwards. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { start, type Galla } from '../../src/main.ts';
import { missingClusterToHurt } from '../support/cluster.ts';
import { onFatal } from '../support/alone.ts';
import { houseOf } from '../support/galla.ts';
import {
  mongoForTests,
  startNats,
  withAdmin,
  type RunningServer,
  type TestMongo,
} from '../support/servers.ts';
import { pause } from './line.ts';

const suite = 'elections of MongoDB';
const everyMs = 50;
const patienceMs = 3000;
/** What an answer may take beside what is waited for: a machine with other work. */
const slackMs = 1500;

type FailPoint = 'election' | 'latency' | 'linearizableDelay';

interface Answer {
  readonly status: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

describe.skipIf(missingClusterToHurt(suite))(suite, { timeout: 90_000 }, () => {
  let nats: readonly RunningServer[];
  let mongo: TestMongo;
  let server: RunningServer;
  let patient: Service;
  let hasty: Service;

  beforeAll(async () => {
    // each service is a cluster of its own
    nats = await Promise.all([startNats(), startNats()]);
    mongo = await mongoForTests();
    if (mongo.server === null) throw new Error('a server that may be hurt');
    ({ server } = mongo);
    const started = ['3000', '500'].map((ms, at) => Service.start(nats[at]?.url ?? '', mongo, ms));
    [patient, hasty] = (await Promise.all(started)) as [Service, Service];
  }, 120_000);
  afterEach(async () => {
    for (const name of ['election', 'latency', 'linearizableDelay'] as const) await set(name, null);
  });
  afterAll(async () => {
    await Promise.all([patient.galla.stop(), hasty.galla.stop()]);
    await Promise.all([...nats, mongo].map((one) => one.stop()));
  }, 60_000);

  const set = (name: FailPoint, data: object | null): Promise<unknown> =>
    withAdmin(server.url, (admin) =>
      admin({
        configureFailPoint: name,
        mode: data === null ? 'off' : 'alwaysOn',
        ...(data === null ? {} : { data }),
      }),
    );

  /** The answers to those that were sent from half a second before the election to 2 s after it. */
  async function through(
    ms: number,
  ): Promise<{ readonly answers: readonly Answer[]; readonly endedAt: number }> {
    const load = patient.load();
    await pause(500);
    await set('election', { ms });
    const endedAt = Date.now() + ms;
    await pause(ms + 2000);
    return { answers: await load(), endedAt };
  }

  const statuses = (answers: readonly Answer[]): readonly number[] => [
    ...new Set(answers.map(({ status }) => status)),
  ];

  test.each([1000, 2000])('one of %d ms is waited for: every request is answered 201', async (ms) => {
    const { answers } = await through(ms);
    expect(statuses(answers)).toEqual([201]);
    expect(answers.length).toBeGreaterThan(10);
  });

  test.each([5000, 12_000])(
    'one of %d ms: no 503 before its time, none later than half a second after it',
    async (ms) => {
      const { answers, endedAt } = await through(ms);
      const refused = answers.filter(({ status }) => status !== 201);
      expect(statuses(refused)).toEqual([503]);
      const from = endedAt - ms;
      expect(Math.min(...refused.map(({ answeredAt }) => answeredAt)) - from).toBeGreaterThan(
        patienceMs - 500,
      );
      // nobody waits for longer than the patience, and those who come later are told at once
      expect(Math.max(...refused.map((one) => one.answeredAt - one.sentAt))).toBeLessThan(
        patienceMs + slackMs,
      );
      expect(Math.max(...refused.map(({ sentAt }) => sentAt)) - endedAt).toBeLessThan(500);
    },
  );

  test('linearizable reads that take 900 ms longer open no breaker, however short the patience is', async () => {
    await set('linearizableDelay', { ms: 900 });
    const load = hasty.load();
    await pause(4000);
    expect(statuses(await load())).toEqual([201]);
  });

  test('a majority that confirms each write 1.5 s later makes requests slow, and refuses none', async () => {
    await set('latency', { ms: 1500 });
    const load = hasty.load(200);
    await pause(6000);
    expect(statuses(await load())).toEqual([201]);
  });
});

class Service {
  readonly galla: Galla;
  private readonly api: Api;

  private constructor(galla: Galla, api: Api) {
    this.galla = galla;
    this.api = api;
  }

  static async start(natsUrl: string, mongo: TestMongo, patience: string): Promise<Service> {
    const adminToken = randomBytes(24).toString('hex');
    const galla = await start({
      onFatal,
      drain: { noticeMs: 0, stillComingMs: 0 },
      env: {
        PORT: '0',
        NATS_URL: natsUrl,
        MONGODB_URL: mongo.url(`galla_${patience}`),
        GALLA_ADMIN_TOKEN: adminToken,
        GALLA_SECRETS_KEY: randomBytes(32).toString('base64'),
        GALLA_RATE_LIMITS: 'off',
        LOG_LEVEL: 'silent',
        GALLA_STORE_PATIENCE_MS: patience,
      },
    });
    const house = await houseOf(new Api(galla.url, adminToken), () => galla.stop());
    return new Service(galla, (await house.merchant()).api);
  }

  /** Creates checkouts until the returned function is called, which waits for all answers. */
  load(ms = everyMs): () => Promise<readonly Answer[]> {
    const asked: Promise<Answer>[] = [];
    const body = { amount: 125_050, returnUrl: 'https://shop.example/return' };
    const timer = setInterval(() => {
      const sentAt = Date.now();
      asked.push(
        this.api
          .post('/v1/checkout', body, { idempotencyKey: randomUUID() })
          .then(({ status }) => ({ status, sentAt, answeredAt: Date.now() })),
      );
    }, ms);
    return () => {
      clearInterval(timer);
      return Promise.all(asked);
    };
  }
}
