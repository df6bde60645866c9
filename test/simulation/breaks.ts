/** The deliberately broken builds: each changes one line, and the checkers must detect it, else clean runs would prove nothing.
 *  Most are lines of the runtime (broken-builds.ts); the others are lines of what a real database would do for it. */
import type { BrokenBuild } from '../../src/runtime/model/broken-builds.ts';
import type { SimStore } from '../support/simulated/store-sim.ts';

/** Any process can show these. */
export const breaksOfOne = [
  'replyBeforeCommit',
  'noVersionFilter',
  'noOutbox',
  'callsAgain',
  'callsBeforeCommit',
] as const;

/** These show only in a cluster. */
export const breaksOfClusters = [
  'upsertAfterCreation',
  'answerAfterHandOff',
  'localRead',
  'movedIsProof',
  'repeatsAsNew',
  'noStamp',
  'lateRegistrationRevives',
] as const;

export const breaks = [...breaksOfOne, ...breaksOfClusters] as const;

/** These do harm only in rare moments: each has a test of its own. */
export const breaksOfStories = ['walksAtOnce', 'recordsStayOpen', 'readsPastGaps'] as const;

/** Lines of actors (broken-actors.ts): nodes that keep in memory what belongs into the document. */
export const breaksOfActors = ['billsAgain', 'skipsPeriods', 'numbersAgain', 'keyForgotten'] as const;
export type BreakOfActors = (typeof breaksOfActors)[number];

export const everyBreak = [...breaks, ...breaksOfStories, ...breaksOfActors] as const;

export type Break = (typeof everyBreak)[number];

/** The flag that the runtime gets. */
export const flagsOf = (broken: Break | null | undefined): BrokenBuild =>
  broken === null || broken === undefined ? {} : { [broken]: true };

/** Flips the line that lies in the store. */
export function breakStore({ disk, directory, replicas }: SimStore, broken: Break | null | undefined): void {
  disk.noVersionFilter = broken === 'noVersionFilter';
  disk.upsertAfterCreation = broken === 'upsertAfterCreation';
  replicas.localRead = broken === 'localRead';
  directory.lateRegistrationRevives = broken === 'lateRegistrationRevives';
}
