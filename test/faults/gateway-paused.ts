/** A node with gateways only (GALLA_ROLES=gateways) is paused for 20 s, with open streams and requests, and
 *  continues (F5). A cluster of its own. */
import { Follower, judged } from '../gateways/sse/follower.ts';
import { startCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { code, phone, premium } from '../support/qr-shop.ts';
import { pause } from './line.ts';
import { Load, patientOf, type Suffered } from './outside.ts';
import type { Body } from '../../src/cli/demo/api.ts';

const gateway = 2;
const sessions = 12;
/** Of each session, at the gateway and at the node beside it. */
const followersEach = 4;
/** A balancer that looks at /health notices after a moment. */
const noticedMs = 1000;
const toldMsMax = 60_000;

export interface GatewayOptions {
  readonly seed: number;
  readonly buyers: number;
  readonly pausedMs: number;
}

export async function gatewayPaused({ seed, buyers, pausedMs }: GatewayOptions): Promise<Suffered> {
  const cluster = await startCluster({
    nodes: 3,
    envOf: (at): { readonly [name: string]: string } => (at === gateway ? { GALLA_ROLES: 'gateways' } : {}),
  });
  const patient = await patientOf({ house: cluster }, seed);
  try {
    const shop = await premium(cluster);
    const codes = await Promise.all(Array.from({ length: sessions }, () => shown(shop)));
    const followers = codes.map((session) => followed(session, cluster.urls));
    await allHeard(followers.flat(), 'connected');
    const load = new Load(patient.stage, buyers);
    await pause(2000);
    const node = cluster.node(gateway);
    const { balancer } = cluster.cluster;
    node.pause();
    const pausedAt = Date.now();
    await pause(noticedMs);
    balancer.send(cluster.urls.filter((url) => url !== node.url));
    const early = codes.slice(0, sessions / 2);
    await Promise.all(early.map((session) => pressed(shop, session)));
    await pause(Math.max(0, pausedMs - (Date.now() - pausedAt)));
    node.resume();
    const resumedAt = Date.now();
    const waiting = followers.slice(0, sessions / 2).flat();
    await allHeard(waiting, 'qr.paid');
    const toldMs = Date.now() - resumedAt;
    balancer.send(cluster.urls);
    await Promise.all(codes.slice(sessions / 2).map((session) => pressed(shop, session)));
    await Promise.all(followers.flat().map(({ over }) => over));
    await load.end();
    const verdict = await patient.verdict(load.made);
    const cut = followers
      .flat()
      .flatMap(({ told }) => told.filter(({ status, ended }) => status === 200 && !ended));
    return {
      figures: [
        `${sessions * followersEach * 2} streams, half of them at the gateway that stood still for ` +
          `${((resumedAt - pausedAt) / 1000).toFixed(0)} s: what was paid meanwhile was told ${toldMs} ms after it went on; ` +
          `${cut.length} streams were cut, each heard one end`,
        `checkouts meanwhile: ${verdict.accepted} accepted, ${verdict.lost} lost, ${verdict.paid} paid, ` +
          `${verdict.outwardDuplicates} duplicates`,
      ],
      problems: [...verdict.problems, ...followers.flat().flatMap((follower) => judged(follower, pausedMs))],
    };
  } finally {
    await cluster.stop();
    await patient.close();
  }
}

/** A client told that nothing was created tries again. */
const shown = (shop: Merchant): Promise<Body> =>
  eventually(
    () => code(shop).catch(() => null),
    () => 'a code',
    toldMsMax,
  );

const followed = (session: Body, urls: readonly string[]): readonly Follower[] =>
  [gateway, 0].flatMap((at) =>
    Array.from(
      { length: followersEach },
      () => new Follower({ places: () => urls, path: `/v1/qr/${session.text('id')}/events`, haste: 10 }, at),
    ),
  );

const allHeard = (followers: readonly Follower[], event: string): Promise<true> =>
  eventually(
    async () => followers.every(({ heard }) => heard.includes(event)) || null,
    () => `everybody to hear ${event}`,
    toldMsMax,
  );

const pressed = (shop: Merchant, session: Body): Promise<true> =>
  eventually(
    () =>
      phone(shop, session.text('qr_message'), 'pay').then(
        () => true,
        () => null,
      ),
    () => 'the phone to pay',
    toldMsMax,
  );
