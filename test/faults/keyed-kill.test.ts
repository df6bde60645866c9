/** The service is killed around the one commit of a keyed checkout: before it, after it, before or after its answer has left,
 *  and at any instant. Each key has made one session, and every answer has the same bytes. `KEYED_KILLS=100` kills that
 *  often at each of them, `KEYED_KILLS_CLUSTER=9` nine times in a cluster. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Api, type Answer } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { clusterMsMax, startCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf } from '../support/galla.ts';
import { entry } from './run.ts';

const killsEach = Number(process.env['KEYED_KILLS'] ?? 1);
/** Kills in a cluster; by hand only, because each of them takes half a minute. */
const clusterKills = Number(process.env['KEYED_KILLS_CLUSTER'] ?? 0);
const points = ['before_commit', 'after_commit', 'answered', 'at any instant'] as const;
type Point = (typeof points)[number];
/** A machine that runs other tests beside this one takes its time to start a process. */
const readyMsMax = 60_000;
const kills = killsEach * points.length;

const armed = (point: Point): { readonly [name: string]: string } =>
  point === 'before_commit' || point === 'after_commit'
    ? { GALLA_FAILPOINT: `${point}/checkout_session` }
    : {};
/** A session commits once more when its event is in the log: nobody is to die of that. */
const clearedMs = 6000;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

type Send = (api: Api) => Promise<Answer | null>;

/** One key; its sessions are found by their reference. */
function keyedPost(at: number): Send {
  const order = {
    amount: 125_050,
    returnUrl: 'https://shop.example/return',
    metadata: { order_id: `kill-${at}` },
  };
  return (api) => api.post('/v1/checkout', order, { idempotencyKey: `kill-${at}` }).catch(() => null);
}

/** Sends it while the process dies at this point; the answer that was received, if any. */
async function killed(
  point: Point,
  api: Api,
  send: Send,
  kill: () => Promise<unknown>,
): Promise<Answer | null> {
  const asked = send(api);
  if (point === 'answered') await asked;
  if (point === 'at any instant') await pause(Math.random() * 12);
  if (armed(point)['GALLA_FAILPOINT'] === undefined) await kill();
  return asked;
}

/** The key is answered, again and again, with the bytes it was answered before, and has made one session. */
async function isOnce(apis: readonly Api[], at: number, send: Send, before: Answer | null): Promise<void> {
  const texts = before?.status === 201 ? [before.text] : [];
  for (const api of [...apis, ...apis]) {
    const answer = await eventually(
      async () => {
        const found = await send(api);
        return found?.status === 201 ? found : null;
      },
      () => `key ${at} to be answered`,
      60_000,
    );
    texts.push(answer.text);
  }
  expect(new Set(texts).size, texts.join('\n')).toBe(1);
  const [api] = apis;
  const found = await api?.must('GET', `/v1/checkout?orderId=kill-${at}`);
  expect(found?.body.at('total')).toBe(1);
}

test(
  'killed around the commit of a keyed checkout, each key has made one session, with equal bytes',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'galla-keyed-kill-'));
    const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };
    let service = await Service.start({ dataDir, entry, env, readyMsMax });
    const { port, url } = service;
    const restart = async (more: { readonly [name: string]: string }): Promise<void> => {
      await service.kill();
      service = await Service.start({ dataDir, entry, port, env: { ...env, ...more }, readyMsMax });
    };
    try {
      const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
      const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
      const { api } = await house.merchant();
      for (let at = 0; at < kills; at++) {
        const point = points[at % points.length] ?? 'answered';
        const send = keyedPost(at);
        if (armed(point)['GALLA_FAILPOINT'] !== undefined) await pause(clearedMs);
        await restart(armed(point));
        const first = await killed(point, api, send, () => service.kill());
        await service.over;
        if (armed(point)['GALLA_FAILPOINT'] !== undefined) expect(first, point).toBeNull();
        if (point === 'answered') expect(first?.status).toBe(201);
        await restart({});
        await isOnce([api], at, send, first);
      }
    } finally {
      await service.kill();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  60_000 + kills * 20_000,
);

test.skipIf(clusterKills === 0)(
  'killed around the commit of a keyed checkout in a cluster, each key has made one session',
  async () => {
    const house = await startCluster({ nodes: 2 });
    try {
      const merchant = await house.merchant();
      const apis = house.urls.map((url) => new Api(url, merchant.api.key));
      for (let at = 0; at < clusterKills; at++) {
        const point = points[at % points.length] ?? 'answered';
        const send = keyedPost(at);
        const node = house.node(0);
        await node.restart(armed(point));
        const [dying, other] = apis;
        if (dying === undefined || other === undefined) throw new Error('two nodes');
        const first = await killed(point, dying, send, () => node.kill());
        // the commit may have been the other node's: then nothing dies
        await Promise.race([node.service.over, pause(2000)]);
        await isOnce([other], at, send, first);
        await node.kill();
        await node.restart({});
        await isOnce(apis, at, send, first);
      }
    } finally {
      await house.stop();
    }
  },
  clusterMsMax + clusterKills * 90_000,
);
