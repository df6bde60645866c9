/** Which kinds of objects have changed since what, and what follows for a question to the API. Pure.
 *  N1. Messages are numbered. A snapshot stands for all kinds: anything may have changed before it.
 *  N2. The one rule of how new a screen is. What follows kinds is asked again when one of them has changed, and every
 *  `lostMs`, as a notice may be lost. What follows `nothing` is of the moment when it was asked, and its screen
 *  says so. While nothing arrives by itself, everything is asked every `unconnectedMs`. */
import type { NewsKind } from '../../../socketio/news-kinds.ts';

export const lostMs = 15_000;
export const unconnectedMs = 10_000;
/** How long the first questions of a page wait for its socket. */
export const firstAskMsMax = 2_000;

/** Kinds that are shown beside those whose changes the socket sends whole (live-state.ts); none: all is sent whole. */
export type Follows = readonly NewsKind[] | 'nothing';

export interface NewsHeard {
  /** The number of the last message. */
  readonly latest: number;
  /** That of the last one that stands for all kinds. */
  readonly all: number;
  readonly of: { readonly [kind in NewsKind]?: number };
}

export const noNews: NewsHeard = { latest: 0, all: 0, of: {} };

export const afterAll = ({ latest, of }: NewsHeard): NewsHeard => ({
  latest: latest + 1,
  all: latest + 1,
  of,
});

export function afterNews({ latest, all, of }: NewsHeard, kinds: readonly NewsKind[]): NewsHeard {
  const number = latest + 1;
  return { latest: number, all, of: { ...of, ...Object.fromEntries(kinds.map((kind) => [kind, number])) } };
}

/** The last message that what follows these depends on. */
export const dueOf = ({ all, of }: NewsHeard, follows: Follows): number =>
  Math.max(all, ...(follows === 'nothing' ? [] : follows).map((kind) => of[kind] ?? 0));

/** How often it is asked without a reason; null: never. */
export function pollMsOf(isLive: boolean, follows: Follows): number | null {
  if (!isLive) return unconnectedMs;
  return follows === 'nothing' || follows.length === 0 ? null : lostMs;
}
