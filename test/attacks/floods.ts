/** Sends many costly requests at once to a running service, and asks for its health meanwhile.
 *  1. /health is always answered within a second; a busy machine may be late, so late answers are tried again.
 *  2. Every answer has the status that is documented. Where addresses are limited, 429 begins after the burst. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Flood } from './catalogue/floods.ts';
import type { Target } from './replay.ts';

const healthMsMax = 1000;
const triesMax = 3;

/** `limited`: the service limits addresses; unknown for a service elsewhere. */
export type Limited = 'yes' | 'no' | 'unknown';

/** What was wrong, one line for each. */
export async function replayFloods(
  target: Target,
  floods: readonly Flood[],
  limited: Limited,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const flood of floods) {
    let seen = await sent(target, flood);
    for (let tries = 1; seen.healthMs > healthMsMax && tries < triesMax; tries++) {
      // a burst is full again
      await pause(2 * healthMsMax);
      seen = await sent(target, flood);
    }
    wrong.push(...problemsOf(flood, seen, limited).map((problem) => `${flood.name}: ${problem}`));
  }
  return wrong;
}

interface Seen {
  /** The slowest answer of /health; one that never came takes for ever. */
  readonly healthMs: number;
  readonly tookMs: number;
  readonly statuses: readonly number[];
}

async function sent({ url, stage }: Target, flood: Flood): Promise<Seen> {
  const { path, body, key, count, atOnce } = flood;
  const text = Buffer.from(body);
  const secret = key(stage);
  const headers = {
    'Content-Type': 'application/json',
    ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
  };
  const statuses: number[] = [];
  let [left, isOver] = [count, false];
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const answer = await fetch(new URL(path, url), { method: 'POST', headers, body: text });
      await answer.arrayBuffer();
      statuses.push(answer.status);
    }
  };
  const health = async (): Promise<number> => {
    let slowestMs = 0;
    while (!isOver) {
      const from = performance.now();
      const { ok } = await fetch(new URL('/health', url));
      if (!ok) return Number.POSITIVE_INFINITY;
      slowestMs = Math.max(slowestMs, performance.now() - from);
      await pause(20);
    }
    return slowestMs;
  };
  const from = performance.now();
  const asked = health();
  await Promise.all(Array.from({ length: atOnce }, lane));
  const tookMs = performance.now() - from;
  isOver = true;
  return { healthMs: await asked, tookMs, statuses };
}

function problemsOf(
  { limit, status }: Flood,
  { healthMs, tookMs, statuses }: Seen,
  limited: Limited,
): readonly string[] {
  const counts = new Map<number, number>();
  for (const each of statuses) counts.set(each, (counts.get(each) ?? 0) + 1);
  const refused = counts.get(429) ?? 0;
  const problems: string[] = [];
  if (healthMs > healthMsMax) problems.push(`/health took ${Math.round(healthMs)} ms`);
  // a key's own limit is met, too
  const others = [...counts.keys()].filter((each) => each !== status && each !== 429);
  if (others.length > 0) problems.push(`answered ${others.join(', ')}`);
  if (limited === 'no' && refused > 0) problems.push(`${refused} were refused without any limit`);
  if (limit === null || limited === 'no' || (limited === 'unknown' && refused === 0)) return problems;
  const taken = statuses.length - refused;
  const takenMax = limit.burst + (limit.perSecond * tookMs) / 1000 + 1;
  if (taken < limit.burst || taken > takenMax)
    problems.push(`${taken} were let in, not ${Math.round(takenMax)}`);
  return problems;
}
