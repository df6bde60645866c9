/** Moves an embedded service into the database of a cluster while it serves (docs/decisions/0061).
 *  1. Walks through the tables while it follows the log of commits; a last walk, which the log was followed through
 *     without a gap, compares every record. Then the database lacks only what was committed in the last moments.
 *  2. The service stops and leaves its folder; this process locks it, writes what is left, and seals the folder. Only
 *     then the database is open for nodes: at no instant two may serve, and a move that is killed goes on, or leaves
 *     the service as it was.
 *  3. Every wait has a bound. A move that gives up before the seal takes its request back: the service starts again. */
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { mintId } from '../../kernel/id.ts';
import { minutes, seconds, type DurationMs } from '../../kernel/time.ts';
import { MoveTarget } from '../../store/mongo-move.ts';
import { MoveRefused, MoveSource, walkBegin, type Moving, type WalkPlace } from '../../store/move-source.ts';
import { moveLockName, moveNoteIn, writeMoveNote, type MoveNote } from '../../store/move-note.ts';
import { lockFile, lockName } from '../../store/sqlite-lock.ts';
import type { Connection } from '../../store/sqlite-bind.ts';
import type { Collection } from '../../store/store.ts';
import type { Progress } from './progress.ts';

/** Instants at which tests kill the command. */
export const movePoints = [
  'noted',
  'marked',
  'step',
  'walked',
  'asked',
  'locked',
  'written',
  'sealed',
  'ended',
] as const;
export type MovePoint = (typeof movePoints)[number];

export interface MoveParts {
  readonly dataDir: string;
  readonly url: string;
  /** The database, without a password. */
  readonly to: string;
  readonly collections: readonly Collection[];
  readonly progress: Progress;
  readonly onWarning: (line: string) => void;
  readonly passed: (point: MovePoint) => void;
}

export interface Moved {
  readonly to: string;
  readonly walks: number;
  readonly records: number;
  /** What was committed while the move was under way, and followed. */
  readonly followed: number;
  /** From the moment at which the service had left its folder. */
  readonly stopMs: DurationMs;
  readonly tookMs: DurationMs;
  /** Records of each kind in the new database. */
  readonly counts: { readonly [kind: string]: number };
}

/** Walks in which the log was written over faster than it was followed, or the service was started again. */
const walksMax = 8;
/** How often the service is asked to stop, and for how long each time it is waited for. */
const stopsMax = 3;
export const stopMsMax: DurationMs = seconds(20);
/** How long the folder may be locked before the service gets it back. */
export const lockedMsMax: DurationMs = minutes(1);
const lockEveryMs = 20;
/** Changes of one poll after which the service may be asked to stop: so few are written in a moment. */
const fewChanges = 200;
/** Polls after the walks in which more than a few changes came each time. */
const catchUpsMax = 10_000;
/** The service looks at the lock of commands for a moment. */
const aloneMsMax: DurationMs = seconds(2);

/** Rejects with MoveRefused or StoreUnusable, one line for the operator. */
export async function move(parts: MoveParts): Promise<Moved> {
  const source = new MoveSource(parts.dataDir);
  const alone = await locked(join(parts.dataDir, moveLockName));
  try {
    if (alone === null) throw new MoveRefused(`another process is moving ${parts.dataDir}: wait for it`);
    return await new Move(parts, source).run();
  } finally {
    source.close();
    alone?.close();
  }
}

async function locked(path: string): Promise<Connection | null> {
  const until = performance.now() + aloneMsMax;
  for (;;) {
    const lock = lockFile(path);
    if (lock !== null || performance.now() > until) return lock;
    await pause(lockEveryMs);
  }
}

/** What this folder is to be moved to; a new note where there is none. Throws MoveRefused. */
function noteOf({ dataDir, to }: MoveParts): MoveNote {
  const known = moveNoteIn(dataDir);
  if (known === null) return { format: 1, id: mintId('mov'), to, state: 'copying', at: Date.now() };
  if (known.to === to) return known;
  throw new MoveRefused(
    known.state === 'moved'
      ? `${dataDir} was moved to ${known.to}, and a service moves once`
      : `a move to ${known.to} was begun: go on with it, or drop that database and remove ` +
          `${join(dataDir, 'move.json')} to move to another one`,
  );
}

class Move {
  readonly #parts: MoveParts;
  readonly #source: MoveSource;
  readonly #since = performance.now();
  #note: MoveNote;
  #records = 0;
  #followed = 0;
  #walks = 0;

  constructor(parts: MoveParts, source: MoveSource) {
    this.#parts = parts;
    this.#source = source;
    this.#note = noteOf(parts);
  }

  async run(): Promise<Moved> {
    const { dataDir, url, collections, onWarning, passed } = this.#parts;
    const isSealed = this.#note.state === 'moved';
    if (!isSealed) this.#write('copying');
    passed('noted');
    const from = resolve(dataDir);
    const { id } = this.#note;
    const target = await MoveTarget.open({ url, collections, id, from, isSealed, onWarning });
    try {
      passed('marked');
      const stopMs = isSealed ? 0 : await this.#moved(target);
      await target.end();
      passed('ended');
      const counts = await target.counts([...new Set(collections.map(({ kind }) => kind))].toSorted());
      return {
        to: this.#note.to,
        walks: this.#walks,
        records: this.#records,
        followed: this.#followed,
        stopMs: Math.round(stopMs),
        tookMs: Math.round(performance.now() - this.#since),
        counts: Object.fromEntries([...counts].filter(([, records]) => records > 0)),
      };
    } finally {
      // without effect once the folder is sealed
      if (moveNoteIn(dataDir)?.state === 'stop') this.#write('copying');
      await target.close();
    }
  }

  /** Resolves when the folder is sealed, with how long it was locked. */
  async #moved(target: MoveTarget): Promise<DurationMs> {
    // a walk that compares writes what is lacking, too
    if (!target.resumed && !(await this.#walk(target, 'copying'))) this.#source.restart();
    while (this.#walks < walksMax) {
      if ((await this.#walk(target, 'comparing')) && (await this.#caughtUp(target))) {
        const stopMs = await this.#handedOver(target);
        if (stopMs !== null) return stopMs;
      }
      this.#source.restart();
    }
    throw new MoveRefused(
      `in ${walksMax} walks through the tables the log was never followed without a gap: the service writes ` +
        'faster than the new database takes it. It goes on as before; move in a quieter hour',
    );
  }

  /** False: there was a gap. */
  async #walk(target: MoveTarget, what: 'copying' | 'comparing'): Promise<boolean> {
    this.#walks++;
    const { progress, passed } = this.#parts;
    progress.begin(what);
    for (let place: WalkPlace | null = walkBegin; place !== null;) {
      if ((await this.#follow(target)) === null) return false;
      const { records, next } = this.#source.step(place);
      if (what === 'copying') await this.#copy(target, records);
      else await this.#compare(target, records);
      progress.step(records.length, next === null ? 1 : this.#source.shareAt(next));
      passed('step');
      place = next;
    }
    passed('walked');
    return true;
  }

  async #copy(target: MoveTarget, records: readonly Moving[]): Promise<void> {
    await target.put(records);
    this.#records += records.length;
  }

  async #compare(target: MoveTarget, records: readonly Moving[]): Promise<void> {
    const { lacking, settled } = await target.compare(records);
    await this.#copy(target, lacking);
    if (settled.length > 0) await target.settle(settled);
  }

  /** Writes what was committed since the last time; how much that was, or null: there was a gap. */
  async #follow(target: MoveTarget): Promise<readonly Moving[] | null> {
    const changes = this.#source.changes();
    if (changes === null) return null;
    if (changes.length > 0) await target.put(changes);
    this.#followed += changes.length;
    return changes;
  }

  /** False: there was a gap, or the service writes faster than the database. */
  async #caughtUp(target: MoveTarget): Promise<boolean> {
    for (let polls = 0; polls < catchUpsMax; polls++) {
      const changes = await this.#follow(target);
      if (changes === null) return false;
      if (changes.length < fewChanges) return true;
    }
    return false;
  }

  /** The service stops, the rest is written, the folder is sealed. null: there was a gap, and the service goes on. */
  async #handedOver(target: MoveTarget): Promise<DurationMs | null> {
    const lock = await this.#lock(target);
    if (lock === null) return null;
    const since = performance.now();
    try {
      this.#parts.passed('locked');
      if (!(await this.#writeRest(target, since))) return null;
      this.#parts.passed('written');
      this.#write('moved');
      this.#parts.passed('sealed');
      return performance.now() - since;
    } finally {
      if (this.#note.state !== 'moved') this.#write('copying');
      lock.close();
    }
  }

  /** The lock of the folder, once the service has left it; null: there was a gap. */
  async #lock(target: MoveTarget): Promise<Connection | null> {
    const { dataDir, progress, passed } = this.#parts;
    const path = join(dataDir, lockName);
    for (let asks = 0; asks < stopsMax; asks++) {
      progress.begin('asking the service to stop');
      const until = Date.now() + stopMsMax;
      // a service that does not run needs no asking
      const free = lockFile(path);
      if (free !== null) return free;
      this.#write('stop');
      passed('asked');
      while (Date.now() < until) {
        if ((await this.#follow(target)) === null) {
          this.#write('copying');
          return null;
        }
        const lock = lockFile(path);
        if (lock !== null) return lock;
        await pause(lockEveryMs);
      }
      this.#write('copying');
    }
    throw new MoveRefused(
      `the service that uses ${dataDir} did not stop within ${stopMsMax / 1000} s, asked ${stopsMax} times: it runs ` +
        `another version, or ${basename(dataDir)} is used by something else. It goes on; restart it with this version`,
    );
  }

  /** What the service committed last, followed to the end of its log, and read back. False: there was a gap. Throws
   *  MoveRefused when it takes too long. */
  async #writeRest(target: MoveTarget, since: DurationMs): Promise<boolean> {
    for (;;) {
      const changes = await this.#follow(target);
      if (changes === null) return false;
      if (performance.now() - since > lockedMsMax)
        throw new MoveRefused(
          'the rest was not written in time: the service starts again; run the command again',
        );
      if (changes.length === 0) return true;
      const { lacking } = await target.compare(changes);
      if (lacking.length > 0)
        throw new MoveRefused(
          `the new database confirmed a ${lacking[0]?.record.kind} and lacks it: check its members, then move again`,
        );
    }
  }

  #write(state: MoveNote['state']): void {
    this.#note = { ...this.#note, state, at: Date.now() };
    writeMoveNote(this.#parts.dataDir, this.#note);
  }
}
