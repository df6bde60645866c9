/** A model of a store on another machine, for the seeded simulation: what it answers is late, lost or cut
 *  short, what it holds is always the truth.
 *  Boundary: time and chance are handed in; faults are what `weather` says at the moment of sending.
 *  1. Each write meets its own fate: a batch can be cut anywhere (with `rowsInCommit`: whole or not at all).
 *  2. `unknown` tells nothing: the write may have landed, may land much later, or never.
 *  3. What a dead client had sent may still land; nothing is ever answered to it.
 *  4. Everything goes in and out through JSON, so no two parties ever share an object.
 *  One node needs no rollback: a primary that forgets would restore `Disk` to an older copy of itself. */
import { assert } from '../kernel/assert.ts';
import type { Directory } from './directory.ts';
import { DirectoryDisk, simDirectory } from './directory-sim.ts';
import { Disk, type Landed } from './store-sim-disk.ts';
import { calmWeather, type Weather } from './store-sim-weather.ts';
import type { DurationMs, Instant, Scheduler } from '../kernel/time.ts';
import type { Row, Store, Write, Written } from './store.ts';

export interface SimStoreOptions {
  readonly scheduler: Scheduler;
  /** A seeded number in [0, 1). */
  readonly chance: () => number;
  /** Documents and rows land together, as in SQLite; else apart, as in MongoDB. */
  readonly rowsInCommit: boolean;
  /** The broken build: an update no longer asks for the version it was made from. */
  readonly noVersionFilter?: boolean;
  /** Called at the instant something lands; for checkers. */
  readonly onLanded?: (landed: Landed) => void;
}

/** What a directed test may do to one request, instead of its luck. */
export interface Interception {
  /** Called when a request is about to land: let it, drop it, or land it this many ms later. */
  before?: (request: Request) => 'land' | 'drop' | DurationMs;
  /** Called when it has landed, before its answer leaves. */
  after?: (request: Request) => void;
}

export type Request =
  | { readonly is: 'commit'; readonly writes: readonly Write[] }
  | { readonly is: 'rows'; readonly rows: readonly Row[] }
  | { readonly is: 'directory'; readonly what: string };

/** One process's connection. `kill` is the death of that process. */
export interface SimConnection extends Store {
  readonly directory: Directory;
  kill(): void;
  /** Nothing of this process's arrives before this instant, and no answer reaches it: its network is cut. */
  cutUntil(at: Instant): void;
}

/** Hands an answer to a process, now or when it runs again. */
export type Hold = (work: () => void) => void;

export interface SimStore {
  readonly disk: Disk;
  readonly weather: Weather;
  readonly interception: Interception;
  readonly directory: DirectoryDisk;
  connect(hold?: Hold): SimConnection;
}

/** A new, empty store. */
export function createSimStore(options: SimStoreOptions): SimStore {
  const disk = new Disk(options.noVersionFilter === true, options.onLanded);
  const weather = { ...calmWeather };
  const interception: Interception = {};
  const directory = new DirectoryDisk();
  return {
    disk,
    weather,
    interception,
    directory,
    connect: (hold = (work) => work()) =>
      connection({ ...options, disk, weather, interception, directory, hold }),
  };
}

interface Machine extends SimStoreOptions {
  readonly disk: Disk;
  readonly weather: Weather;
  readonly interception: Interception;
  readonly directory: DirectoryDisk;
  readonly hold: Hold;
}

/** A request on its way: `land` runs once at most; a dead client's may be moved or dropped. */
interface Flight {
  cancel: () => void;
  land: () => void;
}

type Fate = 'fine' | 'silent' | 'lost' | 'late';

function connection(machine: Machine): SimConnection {
  const { disk } = machine;
  const line = new Line(machine);
  return {
    rowsInCommit: machine.rowsInCommit,
    commit: (writes) => sendCommit(machine, line, writes),
    putRows: (rows) => sendRows(machine, line, rows),
    read: (kind, id) => line.read(() => disk.readDoc(kind, id)),
    readRow: (kind, id) => line.read(() => disk.readRow(kind, id)),
    listDocs: (query) => line.read(() => disk.listDocs(query)),
    listRows: (query) => line.read(() => disk.listRows(query)),
    journalAfter: (scope, after, limit) => line.read(() => disk.journalAfter(scope, after, limit)),
    due: (query) => line.read(() => disk.due(query)),
    countTimers: (clock) => line.read(() => disk.countTimers(clock)),
    busy: (query) => line.read(() => disk.busy(query)),
    close: () => {
      line.closed = true;
      return Promise.resolve();
    },
    directory: simDirectory(machine.directory, (what, land) => asked(line, what, land), machine.scheduler),
    kill: () => line.kill(),
    cutUntil: (at) => {
      line.cutUntil = at;
    },
  };
}

/** One change of the directory: lands once or never; without an answer it rejects. */
async function asked<Answer>(line: Line, what: string, land: () => Answer): Promise<Answer> {
  let landed: { readonly answer: Answer } | null = null;
  const answer = await line.write<{ readonly answer: Answer } | null>({
    request: { is: 'directory', what },
    parts: [
      () => {
        const text = JSON.stringify([land()]);
        landed = { answer: (JSON.parse(text) as [Answer])[0] };
      },
    ],
    answer: () => landed,
    silence: () => null,
    refusal: () => null,
  });
  if (answer === null) throw new Error('the store did not answer');
  return answer.answer;
}

/** What was sent, cut loose from its sender's objects. */
interface Copied<Item> {
  readonly item: Item;
  readonly text: string;
}

function copied<Item>(item: Item): Copied<Item> {
  const text = JSON.stringify(item);
  return { item: JSON.parse(text) as Item, text };
}

/** One write each: landed with a definite answer, or still without. */
function sendCommit(machine: Machine, line: Line, writes: readonly Write[]): Promise<readonly Written[]> {
  const apart = writes.every(({ rows }) => rows.length === 0);
  assert(machine.rowsInCommit || apart, 'rows ride in `out` of this store');
  const sent = writes.map(({ expect, doc, rows }) => ({ expect, doc: copied(doc), rows: rows.map(copied) }));
  const results: (Written | null)[] = sent.map(() => null);
  const landOne = (index: number): void => {
    const write = sent[index];
    assert(write !== undefined, 'a write per index');
    results[index] = machine.disk.landWrite(write.expect, write.doc);
    if (results[index].is !== 'applied') return;
    for (const { item, text } of write.rows) machine.disk.landRow(item, text);
  };
  const parts = machine.rowsInCommit ? [sent.map((_, index) => index)] : line.parts(sent.length);
  return line.write({
    request: {
      is: 'commit',
      writes: sent.map(({ expect, doc, rows }) => ({
        expect,
        doc: doc.item,
        rows: rows.map(({ item }) => item),
      })),
    },
    parts: parts.map((part) => () => part.forEach(landOne)),
    answer: () => results.map((result) => result ?? { is: 'unknown' as const }),
    silence: () => sent.map(() => ({ is: 'unknown' as const })),
    refusal: () => sent.map(() => full),
  });
}

/** Rows of one call land in their order; a cut leaves the first of them. */
function sendRows(machine: Machine, line: Line, rows: readonly Row[]): Promise<'applied' | 'unknown'> {
  const sent = rows.map(copied);
  let landed = 0;
  const parts = line.parts(sent.length).map((part) => () => {
    // ordered: what comes after something lost never lands
    if (part[0] !== landed) return;
    for (const index of part) {
      const row = sent[index];
      assert(row !== undefined, 'a row per index');
      machine.disk.landRow(row.item, row.text);
      landed += 1;
    }
  });
  return line.write({
    request: { is: 'rows', rows: sent.map(({ item }) => item) },
    parts,
    answer: () => (landed === sent.length ? 'applied' : 'unknown'),
    silence: () => 'unknown',
    refusal: () => 'unknown',
  });
}

const full: Written = { is: 'error', of: 'store', reason: 'database or disk is full' };

interface Sending<Answer> {
  readonly request: Request;
  readonly parts: readonly (() => void)[];
  readonly answer: () => Answer;
  readonly silence: () => Answer;
  /** Nothing of it was written, and never will be. */
  readonly refusal: () => Answer;
}

/** The wire between one client and the store. */
class Line {
  closed = false;
  cutUntil: Instant = 0;
  #dead = false;
  readonly #flights = new Set<Flight>();
  readonly #machine: Machine;

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  /** Sends a write and tells what became of it, or of nothing once the client is dead. */
  write<Answer>(sending: Sending<Answer>): Promise<Answer> {
    const { scheduler, weather, interception } = this.#machine;
    assert(!this.closed, 'an open store');
    return new Promise((resolve) => {
      let told = false;
      const tell = (answer: Answer): void =>
        this.#machine.hold(() => {
          if (told || this.#dead) return;
          told = true;
          stopWaiting();
          resolve(answer);
        });
      const stopWaiting = scheduler.after(weather.answerMsMax, () => tell(sending.silence()));
      const fate = this.#fate();
      if (fate === 'lost') return;
      if (scheduler.now() < weather.fullUntil || this.#happens(weather.refused)) {
        scheduler.after(this.#arrival() + this.#latency(), () => tell(sending.refusal()));
        return;
      }
      const spread = sending.parts.length > 1;
      const late = fate === 'late' ? weather.answerMsMax + this.#upTo(weather.lateMsMax) : 0;
      let at = this.#arrival() + late;
      const cutAt = spread && this.#happens(weather.cut) ? this.#upTo(sending.parts.length) : Infinity;
      sending.parts.forEach((part, index) => {
        if (index >= cutAt) return;
        if (index > 0) at += this.#upTo(2);
        this.#fly(at, () =>
          this.#meet(sending.request, () => {
            part();
            interception.after?.(sending.request);
            if (index + 1 < sending.parts.length || fate === 'silent' || this.#cut) return;
            scheduler.after(this.#latency(), () => tell(sending.answer()));
          }),
        );
      });
    });
  }

  /** Answers what the disk held at one instant between question and answer; rejects after too long. */
  read<Answer>(look: () => Answer): Promise<Answer> {
    const { scheduler, weather } = this.#machine;
    if (this.closed) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      let told = false;
      const tell = (say: () => void): void =>
        this.#machine.hold(() => {
          if (told || this.#dead) return;
          told = true;
          stopWaiting();
          say();
        });
      const stopWaiting = scheduler.after(weather.answerMsMax, () =>
        tell(() => reject(new Error('the store did not answer'))),
      );
      const stalled = this.#happens(weather.stall) ? this.#upTo(weather.stallMsMax) : 0;
      const before = this.#happens(0.5) ? stalled : 0;
      scheduler.after(this.#arrival() + before, () => {
        if (this.#dead) return;
        if (this.#cut) return;
        const say = answerOf(look, resolve, reject);
        scheduler.after(this.#latency() + stalled - before, () => tell(say));
      });
    });
  }

  /** The indexes 0 to count - 1, in one part or each landing by itself. */
  parts(count: number): readonly (readonly number[])[] {
    const all = Array.from({ length: count }, (_, index) => index);
    const alone = count > 1 && (this.#machine.weather.cut > 0 || this.#happens(0.2));
    return alone ? all.map((index) => [index]) : [all];
  }

  /** The process is gone: no answers any more; what it had sent lands as planned, much later, or never. */
  kill(): void {
    this.#dead = true;
    for (const flight of this.#flights) {
      const luck = this.#machine.chance();
      if (luck < 0.34) continue;
      flight.cancel();
      this.#flights.delete(flight);
      const { scheduler, weather } = this.#machine;
      if (luck < 0.67) scheduler.after(this.#upTo(weather.lateMsMax), flight.land);
    }
  }

  #meet(request: Request, land: () => void): void {
    const verdict = this.#machine.interception.before?.(request) ?? 'land';
    if (verdict === 'land') land();
    else if (verdict !== 'drop') this.#machine.scheduler.after(verdict, land);
  }

  #fly(delay: DurationMs, land: () => void): void {
    const flight: Flight = { cancel: () => undefined, land };
    flight.cancel = this.#machine.scheduler.after(delay, () => {
      this.#flights.delete(flight);
      land();
    });
    this.#flights.add(flight);
  }

  #fate(): Fate {
    const { silent, lost, late } = this.#machine.weather;
    const luck = this.#machine.chance();
    if (this.#cut) return 'lost';
    if (luck < silent) return 'silent';
    if (luck < silent + lost) return 'lost';
    return luck < silent + lost + late ? 'late' : 'fine';
  }

  get #cut(): boolean {
    return this.#machine.scheduler.now() < this.cutUntil;
  }

  #arrival(): DurationMs {
    const { scheduler, weather } = this.#machine;
    return this.#latency() + Math.max(0, weather.awayUntil - scheduler.now());
  }

  #latency(): DurationMs {
    const { latencyMsMin, latencyMsMax } = this.#machine.weather;
    return latencyMsMin + this.#upTo(latencyMsMax - latencyMsMin);
  }

  #upTo(limit: number): number {
    return Math.floor(this.#machine.chance() * limit);
  }

  #happens(chance: number): boolean {
    return chance > 0 && this.#machine.chance() < chance;
  }
}

/** A question the store does not understand is refused, not looked for. */
function answerOf<Answer>(
  look: () => Answer,
  resolve: (answer: Answer) => void,
  reject: (why: unknown) => void,
): () => void {
  try {
    const answer = look();
    return () => resolve(answer);
  } catch (thrown) {
    return () => reject(thrown);
  }
}
