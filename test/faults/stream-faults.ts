/** Readers of streams that never read (F26), and all readers coming back at once after a death (F27). */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Body } from '../../src/cli/demo/api.ts';
import { Follower, judged } from '../gateways/sse/follower.ts';
import { StreamReader } from '../gateways/sse/reader.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { code, phone, premium, streamAt } from '../support/qr-shop.ts';
import {
  calmly,
  givesBack,
  holding,
  measured,
  Probe,
  type Outside,
  type OutsideFault,
  type Suffered,
} from './outside.ts';
import { failedCreates } from './provider-faults.ts';

const ms = (value: number): string => `${value.toFixed(0)} ms`;

/** Socket buffers of both kernels are filled by less than these events weigh. */
const eventsOfLog = 300;
const largeMetadata = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [`field_${at}`, 'क'.repeat(470)]),
);
const logMsMax = 120_000;

async function neverRead(outside: Outside): Promise<Suffered> {
  const { house, service } = outside;
  const shop = await calmly(() => premium(house));
  const before = holding(service());
  const session = await calmly(() => code(shop));
  const id = session.text('id');
  const count = outside.long ? 2000 : 200;
  const deaf = await opened(count, (at) => streamAt(house.url, id, { from: networkOf(at) }));
  for (const reader of deaf) reader.socket.pause();
  const readers = await opened(20, () => streamAt(house.url, id));
  const during = holding(service());
  const { result, figures, failed } = await measured(outside, async () => {
    await phone(shop, session.text('qr_message'), 'scan');
    for (const reader of readers) await reader.hears(2);
    const paying = performance.now();
    await phone(shop, session.text('qr_message'), 'pay');
    await Promise.all(readers.map((reader) => reader.end()));
    const healthyMs = performance.now() - paying;
    return { healthyMs, log: await logNobodyReads(outside, shop) };
  });
  const problems = [...failedCreates(failed), ...result.log.problems];
  problems.push(
    ...readers.flatMap(({ news }) => (news.length === 3 ? [] : [`a reader heard ${news.length} frames`])),
  );
  for (const reader of [...deaf, ...readers]) reader.leave();
  problems.push(...(await givesBack(outside, before)));
  const each = ((during.rssMiB - before.rssMiB) * 1024) / (count + readers.length);
  return {
    figures: [
      `${count} readers that never read and 20 that do: ${each.toFixed(1)} KiB each; from the phone's press to the end ` +
        `at all who read ${ms(result.healthyMs)}`,
      ...result.log.figures,
      ...figures,
    ],
    problems,
  };
}

/** Four of five event streams are not read while far more happens than may wait for them. */
async function logNobodyReads({ house }: Outside, shop: Merchant): Promise<Suffered> {
  const key = await calmly(() => house.key(shop.projectId, { kind: 'secret', mode: 'sandbox' }));
  const follow = (headers: readonly string[] = []): Promise<StreamReader> =>
    StreamReader.open({
      port: Number(new URL(house.url).port),
      path: '/v1/events/stream?types=checkout.created',
      headers: [`Authorization: Bearer ${key}`, ...headers],
      patienceMs: logMsMax,
    });
  const deaf = await opened(4, () => follow());
  for (const reader of deaf) reader.socket.pause();
  const healthy = await follow();
  await healthy.hears(1);
  for (let made = 0; made < eventsOfLog; made += 10)
    await Promise.all(
      Array.from({ length: 10 }, () => calmly(() => shop.checkout({ metadata: largeMetadata }))),
    );
  const from = performance.now();
  await healthy.hears(1 + eventsOfLog);
  const behindMs = performance.now() - from;
  const whole = idsIn(healthy);
  const problems: string[] = [];
  let cut = 0;
  for (const reader of deaf) {
    reader.socket.resume();
    await eventually(
      async () => reader.closed || idsIn(reader).length === eventsOfLog || null,
      () => 'a reader that reads again to have all, or to be cut',
      logMsMax,
    );
    const heard = [...idsIn(reader)];
    if (reader.closed) {
      cut++;
      const next = await follow(heard.length === 0 ? [] : [`Last-Event-ID: ${heard.at(-1) ?? ''}`]);
      await next.hears(1 + eventsOfLog - heard.length);
      heard.push(...idsIn(next));
      next.leave();
    }
    if (heard.join() !== whole.join()) problems.push('a reader that was cut did not hear all in its order');
    reader.leave();
  }
  healthy.leave();
  const mib = (Buffer.byteLength(healthy.body) / 1024 ** 2).toFixed(1);
  return {
    figures: [
      `event stream, ${eventsOfLog} events of ${mib} MiB in all: who reads has the last ${ms(behindMs)} after the last ` +
        `create; of 4 who do not, ${cut} were cut at 1 MiB behind and went on where they were: nothing lost, nothing twice`,
    ],
    problems: cut > 0 ? problems : [...problems, 'nobody was cut'],
  };
}

const idsIn = ({ news }: StreamReader): readonly string[] =>
  news.flatMap((frame) => /^id: (\S+)/.exec(frame)?.[1] ?? []);

/** Readers of many networks, so that none is over its bound. */
const networkOf = (at: number): string => `127.0.${1 + Math.floor(at / 500)}.1`;

/** So many at once: a listener's queue of connections that are not accepted yet is short. */
const openedAtOnce = 200;

async function opened<Reader>(count: number, open: (at: number) => Promise<Reader>): Promise<Reader[]> {
  const all: Reader[] = [];
  while (all.length < count)
    all.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(openedAtOnce, count - all.length) }, (_, at) => open(all.length + at)),
      )),
    );
  return all;
}

const herdSessions = 50;
const paidOfHerd = 5;
const backMsMax = 90_000;

/** Everybody's stream breaks in the same moment, and every reader reconnects after the 3 s it was given. */
async function herd(outside: Outside): Promise<Suffered> {
  const { house, service } = outside;
  const shop = await calmly(() => premium(house));
  const count = outside.long ? 5000 : 500;
  const held = holding(service());
  const loop = monitorEventLoopDelay();
  loop.enable();
  const codes = await opened(herdSessions, () => calmly(() => code(shop)));
  const followers: Follower[] = [];
  for (let at = 0; at < count; at++) {
    const session = codes[at % codes.length] as Body;
    const path = `/v1/qr/${session.text('id')}/events`;
    followers.push(new Follower({ places: () => [house.url], path, from: networkOf(at) }));
    if (at % openedAtOnce === 0) await allOpened(followers, 1);
  }
  await allOpened(followers, 1);
  const diedAt = performance.now();
  await outside.reborn();
  const upAt = performance.now();
  const probe = new Probe(await calmly(() => house.merchant()));
  await allOpened(followers, 2);
  const lastAt = Math.max(...followers.map(({ openedAt }) => openedAt));
  const firstAt = Math.min(...followers.map(({ openedAt }) => openedAt));
  const { count: creates, p50, p99, failed, turnedAway } = await probe.felt();
  for (const [at, session] of codes.entries())
    if (at < paidOfHerd) await phone(shop, session.text('qr_message'), 'pay');
    else await calmly(() => shop.api.must('POST', `/v1/checkout/${session.text('id')}/expire`));
  await Promise.all(followers.map(({ over }) => over));
  loop.disable();
  const problems = followers.flatMap((follower) => judged(follower, loop.max / 1e6));
  problems.push(...(await givesBack(outside, held)), ...failedCreates(failed));
  return {
    figures: [
      `${count} readers of ${herdSessions} sessions; kill -9, back after ${ms(upAt - diedAt)}; the first stream again ` +
        `${ms(firstAt - diedAt)} after the death, the last ${ms(lastAt - diedAt)}: all within ${ms(lastAt - firstAt)}`,
      `creates meanwhile: ${creates}, p50 ${ms(p50)}, p99 ${ms(p99)}, ${turnedAway} told to come later, ${failed} failed`,
      `${paidOfHerd} sessions then paid, the others expired: each of ${count} readers heard one end, its replay, and 204`,
    ],
    problems,
  };
}

async function allOpened(followers: readonly Follower[], times: number): Promise<void> {
  await eventually(
    async () => followers.every(({ opened: streams }) => streams >= times) || null,
    () =>
      `${followers.filter(({ opened: streams }) => streams < times).length} of ${followers.length} to be served`,
    backMsMax,
  );
}

export const streamFaults: readonly OutsideFault[] = [
  { id: 'F26', title: 'readers of streams never read', inflict: neverRead },
  { id: 'F27', title: 'all readers come back at once', inflict: herd },
];
