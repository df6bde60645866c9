/** The lives of the service in one run: how each ends, in an order drawn from the seed. */
import { between, seeded, shuffled } from './random.ts';

export const failpoints = ['before_commit', 'after_commit', 'before_result'] as const;
export type Failpoint = (typeof failpoints)[number];

/** How a life ends: killed from outside after so many answers, or by itself at the n-th hit of a failpoint. */
export type Life =
  | { readonly ends: 'kill'; readonly afterAnswers: number }
  | { readonly ends: Failpoint; readonly afterHits: number };

export interface PlanOptions {
  readonly seed: number;
  readonly kills: number;
  /** Lives for each of the three failpoints. */
  readonly hitsEach: number;
}

/** Hits come faster than answers: several commits and effects per request. */
const hitsRange: { readonly [name in Failpoint]: readonly [number, number] } = {
  before_commit: [150, 400],
  after_commit: [150, 400],
  before_result: [40, 120],
};
const answersRange = [60, 250] as const;

export function plan({ seed, kills, hitsEach }: PlanOptions): readonly Life[] {
  const random = seeded(seed);
  const lives: Life[] = Array.from({ length: kills }, () => ({
    ends: 'kill',
    afterAnswers: between(random, ...answersRange),
  }));
  for (const name of failpoints) {
    for (let hit = 0; hit < hitsEach; hit++)
      lives.push({ ends: name, afterHits: between(random, ...hitsRange[name]) });
  }
  return shuffled(random, lives);
}

/** The same end at another hit of the same range: for a life that ended while too little was under way. A later hit
 *  would not do: once every checkout waits for its outcome, less is under way than just after a start. */
export const redrawn = (random: () => number, life: Life): Life =>
  life.ends === 'kill' ? life : { ...life, afterHits: between(random, ...hitsRange[life.ends]) };
