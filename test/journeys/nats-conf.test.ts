/** Two nodes on the shipped configuration of NATS: they may do all they do, they do all they may,
 *  and what one of them has found out of the stream EVENTS, all know after a restart. */
import { randomBytes } from 'node:crypto';
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { MongoClient } from 'mongodb';
import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openNatsBus } from '../../src/bus/bus-nats.ts';
import { start, type Galla } from '../../src/main.ts';
import { Api } from '../../src/cli/demo/api.ts';
import { freePorts } from '../../src/cli/demo/service.ts';
import { address } from '../../src/runtime/model/address.ts';
import { unpublishedTag } from '../../src/runtime/delivery/journal-pump.ts';
import { bodyOf } from '../contract/bus.contract.ts';
import { onFatal } from '../support/alone.ts';
import { clusterMsMax } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf, type House } from '../support/galla.ts';
import { read } from '../support/house.ts';
import { isThere, serverOfConf, type ServerOfConf } from '../support/nats-conf.ts';
import { mongoForTests, type TestMongo } from '../support/servers.ts';

const suite = 'a cluster under config/nats.conf';
const sessions = 8;
const filled = 'Events of all projects';
/** A node that finds EVENTS unfilled fills it itself so long after its start, here sooner than usual. */
const ownTurnMs = 500;
const restartsMsMax = 60_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!isThere('nats-server', suite) || !isThere('mongod', suite))(suite, () => {
  let server: ServerOfConf;
  let mongo: TestMongo;
  let mongodbUrl: string;
  const nodes: Galla[] = [];
  let house: House;
  let nc: NatsConnection;
  let jsm: JetStreamManager;

  beforeAll(async () => {
    [server, mongo] = await Promise.all([serverOfConf({ traced: true }), mongoForTests()]);
    nc = await connect(server.operator);
    jsm = await jetstreamManager(nc);
    mongodbUrl = mongo.url('galla_nats_conf');
    // a port that the kernel has picked while listening cannot be used again at once
    nodes.push(...(await Promise.all((await freePorts(2)).map(startAt))));
    house = await houseOf(new Api(nodes[0]?.url ?? '', token), async () => {
      await Promise.all(nodes.map((node) => node.stop()));
    });
  }, clusterMsMax);
  afterAll(async () => {
    await house?.stop();
    await nc?.close();
    await mongo?.stop();
    await server?.close();
  }, clusterMsMax);

  const token = randomBytes(24).toString('hex');
  const secretsKey = randomBytes(32).toString('base64');

  async function startAt(port: number): Promise<Galla> {
    const env = {
      PORT: String(port),
      NATS_URL: server.url,
      MONGODB_URL: mongodbUrl,
      GALLA_ADMIN_TOKEN: token,
      GALLA_SECRETS_KEY: secretsKey,
      GALLA_RATE_LIMITS: 'off',
      LOG_LEVEL: 'silent',
    };
    return start({ env, onFatal, refillEveryMs: ownTurnMs });
  }

  const events = async () => {
    const { config, state } = await jsm.streams.info('EVENTS');
    return { description: config.description, messages: state.messages };
  };

  /** Waits until every log has written down that its events are published; it does so a second later. */
  async function untilLogsKnow(): Promise<void> {
    const client = new MongoClient(mongodbUrl);
    try {
      const logs = client.db().collection('event_log');
      await eventually(
        async () => ((await logs.countDocuments({ tags: unpublishedTag })) === 0 ? true : null),
        () => 'the logs to know what is published',
      );
    } finally {
      await client.close();
    }
  }

  test(
    'EVENTS is filled, and two restarts publish nothing again',
    async () => {
      const shop = await house.merchant();
      await Promise.all(Array.from({ length: sessions }, () => shop.checkout()));
      const { body } = await eventually(
        async () => {
          const answer = await shop.api.must('GET', '/v1/events');
          return Number(answer.body.at('total')) >= sessions ? answer : null;
        },
        () => 'the events in the journal',
      );
      const whole = { description: filled, messages: Number(body.at('total')) };
      await eventually(
        async () => (JSON.stringify(await events()) === JSON.stringify(whole) ? true : null),
        () => `EVENTS to be ${JSON.stringify(whole)}`,
      );
      await untilLogsKnow();
      // what is published again within this window would not be counted: an operator shortens it
      await jsm.streams.update('EVENTS', { duplicate_window: 1e9 });
      for (const [at, node] of nodes.entries()) {
        await node.stop();
        nodes[at] = await startAt(Number(new URL(node.url).port));
      }
      await pause(6 * ownTurnMs);
      expect(await events()).toEqual(whole);
    },
    restartsMsMax,
  );

  test('the nodes lack no permission, and the file grants none that they do not use', async () => {
    const merchant = (await house.admin.must('GET', '/admin/v1/merchants')).body.list('data')[0];
    const id = merchant?.text('id') ?? expect.unreachable();
    // a page waits for a session, wherever that lives
    const shop = await house.merchant();
    for (let at = 0; at < sessions; at++) await shop.start(await shop.checkout());
    // what nodes remember of a merchant is to be forgotten
    await house.admin.must('POST', `/admin/v1/merchants/${id}/suspend`, { reason: 'Review.' });
    await house.admin.must('POST', `/admin/v1/merchants/${id}/unsuspend`);
    // the durable road: in the service a buyer takes it whose session does not answer
    const log = { warn: () => undefined, error: () => undefined };
    const bus = await openNatsBus({ url: server.url, name: 'posting', partitions: 256, log });
    const to = address('checkout_session', 'cs_000000000000000000000000');
    expect(await bus.post(bodyOf({ to, command: 'hint', by: 'buyer', scope: null }))).toBe(true);
    await eventually(
      async () => ((await jsm.streams.info('MAILBOX')).state.messages === 0 ? true : null),
      () => 'the nodes to take the hint',
    );
    await bus.close();
    // what another program sends
    const session = (await shop.checkout()).text('id');
    const told: string[] = [];
    nc.subscribe('outcome.>', { callback: (_err, msg) => void told.push(msg.string()) });
    const command = JSON.stringify({ command: 'expire', at: new Date().toISOString() });
    const subject = `command.${shop.projectId}.sandbox.checkout_session.${session}.billing`;
    await jetstream(nc).publish(subject, command, { msgID: 'of-the-journey' });
    const [outcome = ''] = await eventually(
      () => Promise.resolve(told.length > 0 ? told : null),
      () => 'the outcome of the command',
    );
    expect(JSON.parse(outcome)).toMatchObject({ status: 200, body: { id: session, status: 'expired' } });
    const { published, subscribed, refused } = server.used();
    expect(refused).toEqual([]);
    const unused = (allowed: readonly string[], used: ReadonlySet<string>): readonly string[] =>
      allowed.filter((one) => ![...used].some((subject) => covers(one, subject)));
    const [publish, subscribe] = [allowedTo('publish'), allowedTo('subscribe')];
    expect(publish.length).toBeGreaterThan(10);
    expect([unused(publish, published), unused(subscribe, subscribed)]).toEqual([[], []]);
  }, 60_000);
});

/** The subjects config/nats.conf allows. */
function allowedTo(what: 'publish' | 'subscribe'): readonly string[] {
  const list = new RegExp(`${what}: \\[([^\\]]*)\\]`).exec(read('config/nats.conf'))?.[1] ?? '';
  return [...list.matchAll(/"([^"]+)"/g)].map(([, subject = '']) => subject);
}

const covers = (allowed: string, subject: string): boolean =>
  allowed.endsWith('>') ? subject.startsWith(allowed.slice(0, -1)) : subject === allowed;
