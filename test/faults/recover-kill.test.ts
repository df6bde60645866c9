/** The service is killed in the middle of a recovery: what the endpoint missed arrives, oldest first. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { change, Hooks, recover } from '../support/hooks.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { entry } from './run.ts';

const missed = 200;
const callsAtOnce = 10;
const created = 'checkout.created';
/** Several are sent at once, and one of them may be slow: on average each is near its place. */
const distanceMax = 25;
/** So slowly does the shop answer that a hundred wait when the service is killed. */
const answersAfterMs = 200;

/** Every event of the kind, oldest first. */
async function logOf(shop: Merchant): Promise<readonly Body[]> {
  const all: Body[] = [];
  for (let page = 1; all.length < missed; page++) {
    const { body } = await shop.api.must('GET', `/v1/events?type=${created}&limit=100&page=${page}`);
    all.push(...body.list('data'));
    if (body.list('data').length === 0) throw new Error(`${all.length} events in the log`);
  }
  return all.toReversed();
}

test('row 64: killed in the middle of a recovery, what was missed arrives, oldest first, and once but for what was under way', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'galla-recover-kill-'));
  const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };
  let service = await Service.start({ dataDir, entry, env });
  const { port, url } = service;
  const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
  const end = async (): Promise<void> => void (await service.stop());
  const house = await houseOf(admin, end, await service.keys(dataDir));
  try {
    const hooks = await Hooks.open(house);
    hooks.answersAfterMs = answersAfterMs;
    const hook = await hooks.add({}, [created]);
    const { shop } = hook;
    await change(hook, { enabled: false });
    const since = Date.parse((await shop.clock()).text('now'));
    for (let made = 0; made < missed; made += callsAtOnce)
      await Promise.all(Array.from({ length: callsAtOnce }, () => shop.checkout()));
    await eventually(
      async () =>
        (await shop.api.get(`/v1/events?type=${created}&limit=1`)).body.at('total') === missed || null,
      () => `${missed} events in the log`,
    );
    // what happened while it was disabled has been passed over
    await shop.advance(1);
    await change(hook, { enabled: true });
    await shop.advance(1);
    expect(hook.heard()).toEqual([]);

    // when a third of them has arrived, on however slow a machine
    const killed = new Promise<void>((resolve) => {
      hooks.arrived = () => {
        if (hook.heard().length === Math.ceil(missed / 3)) void service.kill().then(() => resolve());
      };
    });
    expect((await recover(hook, since)).body.at('queued')).toBe(missed);
    await killed;
    const beforeTheKill = hook.heard().length;
    expect(beforeTheKill).toBeLessThan(missed);
    service = await Service.start({ dataDir, entry, port, env });
    const ids = (): ReadonlySet<string> => new Set(hook.heard().map(({ id }) => id));
    await eventually(
      () => Promise.resolve(ids().size === missed || null),
      () => `${missed} to arrive; ${ids().size} have`,
    );

    const log = await logOf(shop);
    const place = new Map(log.map((event, at) => [event.text('id'), at]));
    const first = [...ids()];
    expect(first.toSorted()).toEqual([...place.keys()].toSorted());
    const far = first.map((id, at) => Math.abs((place.get(id) ?? 0) - at));
    expect(Math.max(...far), far.join()).toBeLessThan(distanceMax);
    // only what had arrived, and whose answer was not recorded yet
    const under = new Set(
      hook
        .heard()
        .slice(0, beforeTheKill)
        .map(({ id }) => id),
    );
    const twice = hook.heard().filter(({ id }, at, all) => all.findIndex((one) => one.id === id) < at);
    expect(new Set(twice.map(({ id }) => id)).size).toBe(twice.length);
    expect(twice.filter(({ id }) => !under.has(id))).toEqual([]);
    for (const { id, raw } of hook.heard())
      expect(raw.toString()).toBe(JSON.stringify(log[place.get(id) ?? -1]?.value));
    expect((await recover(hook, since)).body.at('queued')).toBe(0);
  } finally {
    await house.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 60_000);
