/** Effects of webhook posts on virtual time: what runs, what waits in memory, and what waits in the store. */
import { waitingPerLaneMax } from '../../../../src/runtime/delivery/effect-lane.ts';
import type { EffectJob } from '../../../../src/runtime/delivery/effect-job.ts';
import { Effects } from '../../../../src/runtime/delivery/effects.ts';
import type { Feedback } from '../../../../src/runtime/delivery/lane-concurrency.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';

export const hungMs = seconds(15);

/** `atOnceMax`: how a post ends decides how many run at once. */
export function world(atOnce: number, waitingMax = waitingPerLaneMax, atOnceMax?: number, inAllMax?: number) {
  const scheduler = new VirtualScheduler(0);
  const stored = new Map<number, EffectJob>();
  const underWay = new Set<number>();
  const start = (one: EffectJob): void => {
    underWay.add(one.row.q);
    effects.start(one);
  };
  const begun: { lane: string; key: string; order: number; at: number }[] = [];
  const running = new Map<string, number>();
  /** What the posts of a lane say from now on; a success by default. */
  const feedbacks = new Map<string, Feedback>();
  const feedback = ({ lane }: { lane: string }): Feedback => feedbacks.get(lane) ?? 'faster';
  const asked: string[] = [];
  const effects = new Effects(
    {
      post: {
        atOnce,
        waitingMax,
        ...(inAllMax === undefined ? {} : { inAllMax }),
        ...(atOnceMax === undefined ? {} : { adaptive: { atOnceMax, feedback } }),
        run: ({ lane, key, ms, order }: { lane: string; key: string; ms: number; order: number }) =>
          new Promise((resolve) => {
            begun.push({ lane, key, order, at: scheduler.now() });
            running.set(lane, (running.get(lane) ?? 0) + 1);
            scheduler.after(ms, () => {
              running.set(lane, (running.get(lane) ?? 0) - 1);
              resolve({ lane });
            });
          }),
      },
    },
    scheduler,
    () => undefined,
    {
      all: () => Promise.reject(new Error('every effect here has a lane')),
      // nearly in their order, as an index of creations has them; each takes its time
      ofLane: async (_kind, lane) => {
        asked.push(lane.name);
        const ofLane = [...stored.values()].filter(({ row }) => row.lane === lane.name);
        for (const one of ofLane.toSorted((a, b) => (a.row.q ^ 1) - (b.row.q ^ 1))) {
          await new Promise<void>((resolve) => void scheduler.after(1, resolve));
          lane.offering([one.context.actorId]);
          if (stored.has(one.row.q) && !underWay.has(one.row.q)) start(one);
          if (lane.isFull) return;
        }
      },
    },
  );
  let q = 0;
  const post = (lane: string, key: string, ms: number, order = 0): void => {
    const one: EffectJob = {
      ...job(++q, lane, key, ms, order, scheduler.now()),
      finish: () => Promise.resolve(void (stored.delete(one.row.q) && underWay.delete(one.row.q))),
      park: () => void underWay.delete(one.row.q),
    };
    stored.set(one.row.q, one);
    start(one);
  };
  /** Effects from before the start, found in this order. */
  const leave = (all: readonly { lane: string; key: string; ms: number; order: number }[]): void => {
    const jobs = all.map(({ lane, key, ms, order }): EffectJob => {
      const one: EffectJob = {
        ...job(order, lane, key, ms, order, -1),
        finish: () => Promise.resolve(void (stored.delete(one.row.q) && underWay.delete(one.row.q))),
        park: () => void underWay.delete(one.row.q),
      };
      return one;
    });
    for (const one of jobs) stored.set(one.row.q, one);
    for (const one of jobs) start(one);
  };
  return { scheduler, effects, begun, post, leave, stored, underWay, running, feedbacks, asked };
}

/** Lets virtual time pass up to an instant. */
export const pass = async (scheduler: VirtualScheduler, until: number): Promise<void> => {
  scheduler.after(until - scheduler.now(), () => undefined);
  await scheduler.run(() => scheduler.now() >= until, until);
};

export const job = (q: number, lane: string, key: string, ms: number, order: number, at = 0): EffectJob => ({
  row: { q, type: 'effect', kind: 'post', data: { lane, key, ms, order }, tries: 0, at, lane, key, order },
  context: { scope: 'prj_a:sandbox', actorId: `a${q}`, key: `a:${q}`, now: () => 0 },
  begin: null,
  ready: () => Promise.resolve(true),
  finish: () => Promise.resolve(),
  park: () => undefined,
});
