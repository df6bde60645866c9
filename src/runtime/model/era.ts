/** Eras: each restore of a backup begins one (docs/decisions/0060). What was given to outsiders after the backup is
 *  lost here and known there, so nothing that is counted or derived in a new era may repeat what the era before could
 *  have given.
 *  1. A service that was never restored is in era 0, and nothing of it differs.
 *  2. The upper bits of every `q` name the era: those of a document, `oq`, name the era of its last commit. The first
 *     commit of an era takes the document into it, once, and raises what it counts. */

/** The begin of an era, as `galla restore` has written it. */
export interface EraBegun {
  /** 1 is the first restore. */
  readonly era: number;
  /** Real time of the backup; null: the operator has not named it. */
  readonly backupAt: number | null;
  readonly restoredAt: number;
  /** The highest numbers that were given before, as far as the operator knows them, by the name of what is counted. */
  readonly highest: { readonly [counter: string]: number };
}

/** All that have begun, the oldest first: their count is the era. */
export type Eras = readonly EraBegun[];

/** So many restores of one service; each is a row that every start reads. */
export const erasMax = 1000;
/** What each era adds to sequences, positions and counts: more than may have been given between backup and restore. */
export const eraStep = 1_000_000;
/** Of these there are enough for a thousand commits a second over 30 years, and for all eras. */
const qPerEra = 2 ** 40;

export const eraOfQ = (q: number): number => Math.floor(q / qPerEra);

/** The last `q` before those of an era. */
export const qBefore = (era: number): number => era * qPerEra;

/** The parts of a derived id: in each era another one. */
export const ofEra = (parts: readonly string[], eras: Eras): readonly string[] =>
  eras.length === 0 ? parts : [...parts, `era ${eras.length}`];

/** With its sequence so much higher that none of the eras before is repeated. */
export const raised = <S extends { readonly sequence: number }>(object: S, { length }: Eras): S => ({
  ...object,
  sequence: object.sequence + length * eraStep,
});
