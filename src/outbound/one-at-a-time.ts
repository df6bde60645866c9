/** Limits endpoints that are overloaded: after 429, 502 or 504, one post at a time for a minute. Kept in
 *  this process only; losing it costs an endpoint nothing but a few parallel posts. */
import { seconds, type DurationMs, type Instant, type Scheduler } from '../kernel/time.ts';

export const slowForMs = seconds(60);
/** How long a post waits for its turn; well within the runtime's time limit for an effect. */
export const turnWaitMsMax = seconds(30);
/** Endpoints remembered as slow; above this the oldest entries are removed. */
export const slowEndpointsMax = 10_000;

export interface OneAtATime {
  /** Waits until `id` may be posted to. Call the returned function when the post is over. null: its turn
   *  did not come in time. */
  readonly enter: (id: string) => Promise<(() => void) | null>;
  /** The endpoint `id` has asked for fewer requests. */
  readonly slow: (id: string) => void;
}

interface Lane {
  until: Instant;
  busy: boolean;
  readonly waiting: ((enter: boolean) => void)[];
}

/** Uses real time. */
export function oneAtATime(
  scheduler: Pick<Scheduler, 'now' | 'after'>,
  waitMsMax: DurationMs = turnWaitMsMax,
): OneAtATime {
  const { now } = scheduler;
  const lanes = new Map<string, Lane>();
  const leave = (lane: Lane) => (): void => {
    const next = lane.waiting.shift();
    if (next === undefined) lane.busy = false;
    else next(true);
  };
  return {
    async enter(id) {
      const lane = lanes.get(id);
      if (lane === undefined) return () => undefined;
      if (now() >= lane.until && !lane.busy) {
        lanes.delete(id);
        return () => undefined;
      }
      if (lane.busy && !(await turn(lane, scheduler, waitMsMax))) return null;
      lane.busy = true;
      return leave(lane);
    },
    slow(id) {
      const lane = lanes.get(id);
      if (lane !== undefined) lane.until = now() + slowForMs;
      else lanes.set(id, { until: now() + slowForMs, busy: false, waiting: [] });
      const oldest = lanes.keys().next();
      if (lanes.size > slowEndpointsMax && oldest.done !== true) lanes.delete(oldest.value);
    },
  };
}

function turn(lane: Lane, scheduler: Pick<Scheduler, 'after'>, waitMsMax: DurationMs): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = scheduler.after(waitMsMax, () => {
      lane.waiting.splice(lane.waiting.indexOf(enter), 1);
      resolve(false);
    });
    const enter = (mine: boolean): void => {
      cancel();
      resolve(mine);
    };
    lane.waiting.push(enter);
  });
}
