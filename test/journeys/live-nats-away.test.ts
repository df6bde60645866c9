/** NATS dies under three nodes (kill -9) and comes back: what happened meanwhile, at nodes that hear nothing of one
 *  another, reaches every screen, page and stream that was open, and nothing comes twice. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import type { Shop } from '../../src/cli/demo/shop.ts';
import { Page } from '../gateways/socketio/hosted-rig.ts';
import { Follower, judged } from '../gateways/sse/follower.ts';
import { clusterMsMax, missingClusterToHurt, startCluster, type ClusterOfTest } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { code, premium } from '../support/qr-shop.ts';
import { forgetScreens, Screen } from '../support/screen.ts';

const sessions = 9;
const codes = 3;
const madeMeanwhile = 4;
/** Each node finds NATS again by itself, and what was not sent waits for its next try. */
const heardMsMax = 60_000;
const storyMsMax = 180_000;

describe.skipIf(missingClusterToHurt('sockets through the death of NATS'))('while NATS is gone', () => {
  let cluster: ClusterOfTest;
  let merchant: Merchant;
  let shop: Shop;
  let endpoint = '';
  const pages: Page[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    merchant = await premium(cluster);
    shop = await cluster.shop();
    endpoint = (await merchant.endpoint(shop, ['checkout.expired'])).id;
  }, clusterMsMax);
  afterAll(() => cluster?.stop(), clusterMsMax);
  afterEach(({ task }) => {
    forgetScreens();
    for (const { socket } of pages.splice(0)) socket.disconnect();
    if (task.result?.state === 'fail') process.stdout.write(cluster.output());
  });

  const nodeAt = (at: number): string => cluster.urls[at % cluster.urls.length] ?? '';
  const at = (node: string): Api => new Api(node, merchant.api.key);

  const page = (session: Body, node: number): Page => {
    const opened = new Page(nodeAt(node), { session: session.text('id') });
    pages.push(opened);
    return opened;
  };

  /** By whichever node can: without NATS that is the one that owns the session. */
  const byItsOwner = <Found>(work: (api: Api) => Promise<Found | null>, what: string): Promise<Found> =>
    eventually(
      async () => {
        for (const node of cluster.urls) {
          const found = await work(at(node));
          if (found !== null) return found;
        }
        return null;
      },
      () => what,
      heardMsMax,
    );

  const expire = ({ value }: Body): Promise<true> => {
    const { id } = value as { readonly id: string };
    return byItsOwner(
      async (api) => ((await api.post(`/v1/checkout/${id}/expire`)).status === 200 ? true : null),
      `${id} to expire`,
    );
  };

  const made = (): Promise<Body> =>
    byItsOwner(async (api) => {
      const order = { amount: 70_000, returnUrl: 'http://127.0.0.1:9/return' };
      const { status, body } = await api.post('/v1/checkout', order);
      return status === 201 ? body : null;
    }, 'a checkout to be made');

  const untilTold = (screen: Screen, object: string, is: (change: Body) => boolean, what: string) =>
    eventually(
      async () => screen.changes(object).findLast(is) ?? null,
      () => what,
      heardMsMax,
    );

  /** Everything it received, in order, and nothing twice. */
  function expectInOrder(screen: Screen): void {
    expect([screen.all('snapshot').length, screen.ended]).toEqual([1, null]);
    const last = new Map<string, number>();
    for (const change of screen.all('change')) {
      const [id, sequence] = [change.text('id'), Number(change.at('sequence'))];
      expect(sequence, `${id} after ${last.get(id)}`).toBeGreaterThan(last.get(id) ?? -1);
      last.set(id, sequence);
    }
  }

  test(
    'screens, pages and streams of every node miss changes while NATS is away; when it is back they receive all of them, once',
    async () => {
      const before = await Promise.all(Array.from({ length: sessions }, () => merchant.checkout()));
      const shown = await Promise.all(Array.from({ length: codes }, () => code(merchant)));
      const screens = await Promise.all(cluster.urls.map((node) => Screen.of(merchant.api.key ?? '', node)));
      const open = before.map((session, n) => page(session, n));
      const streams = shown.flatMap((session) =>
        cluster.urls.map(
          (_, n) =>
            new Follower(
              { places: () => cluster.urls, path: `/v1/qr/${session.text('id')}/events`, haste: 10 },
              n,
            ),
        ),
      );
      await eventually(
        async () =>
          (open.every(({ states }) => states.length === 1) &&
            streams.every(({ heard }) => heard.includes('connected'))) ||
          null,
        () => 'everybody to be there',
        heardMsMax,
      );

      await cluster.nats?.kill();
      const meanwhile = await Promise.all(Array.from({ length: madeMeanwhile }, made));
      // away for all alike: no proxy may take them all away
      await eventually(
        async () => {
          const said = await Promise.all(cluster.urls.map((node) => new Api(node, null).get('/health')));
          const alike = said.every(({ text }) => text === '{"status":"ok","away":["bus"]}');
          return alike ? true : null;
        },
        () => 'every node to be ready without its bus',
        heardMsMax,
      );
      // a new client is admitted by what the store contains
      const late = before.map((session, n) => page(session, n + 1));
      await eventually(
        async () => late.every(({ states }) => states.length === 1) || null,
        () => `pages to be let in: ${JSON.stringify(late.map(({ refused }) => refused))}`,
        heardMsMax,
      );
      await Promise.all([...before, ...shown].map(expire));
      await cluster.nats?.restart();

      await Promise.all(streams.map(({ over }) => over));
      for (const stream of streams) {
        expect(judged(stream), JSON.stringify(stream.told)).toEqual([]);
        expect(stream.heard.filter((event) => event === 'qr.expired').length).toBeGreaterThan(0);
      }
      for (const { states, ended } of await allEnded([...open, ...late])) {
        expect(states.map((state) => (state as { status: unknown }).status)).toEqual(['pending', 'expired']);
        expect(ended).toBe('io server disconnect');
      }
      await shop.webhook(() => shop.webhooks.length >= sessions + codes, heardMsMax);
      for (const screen of screens) {
        for (const session of [...before, ...meanwhile, ...shown]) {
          const id = session.text('id');
          const now = await merchant.session(id);
          const told = await untilTold(
            screen,
            'checkout',
            (change) => change.at('id') === id && change.at('sequence') === now.at('sequence'),
            `${id} as it stands`,
          );
          expect(told.at('data')).toEqual(now.value);
        }
        const { body } = await merchant.api.must('GET', `/v1/webhooks/${endpoint}/deliveries?limit=100`);
        expect(body.list('data').length).toBe(sessions + codes);
        for (const delivery of body.list('data'))
          await untilTold(
            screen,
            'delivery',
            (change) => change.at('id') === delivery.at('id') && change.at('data.status') === 'success',
            `${delivery.text('id')} to be delivered`,
          );
        await eventually(
          async () => (screen.all('today').at(-1)?.at('openCount') === madeMeanwhile ? true : null),
          () => `${madeMeanwhile} open checkouts: ${JSON.stringify(screen.all('today').at(-1)?.value)}`,
          heardMsMax,
        );
        expectInOrder(screen);
      }
    },
    storyMsMax,
  );

  const allEnded = (all: readonly Page[]): Promise<readonly Page[]> =>
    eventually(
      async () => (all.every(({ ended }) => ended !== null) ? all : null),
      () => `the end of all pages: ${all.map(({ states }) => states.length).join(' ')}`,
      heardMsMax,
    );
});
