/** The network between one process and the simulated store: the result of each request is decided here, as
 *  `weather` sets at the moment of sending.
 *  1. Each part of a write is applied once or never; its answer arrives, is lost, or arrives when the
 *     sender no longer waits.
 *  2. Requests of a dead process may still be applied, unless the store ends with it; it never gets an answer. */
import { assert } from '../../../src/kernel/assert.ts';
import type { DurationMs, Instant, Scheduler } from '../../../src/kernel/time.ts';
import type { Weather } from './store-sim-weather.ts';
import type { PurgeQuery, Row, SettledDoc, Write } from '../../../src/store/store.ts';

/** What a directed test may do to one request, instead of a random result. */
export interface Interception {
  /** Called when a request is about to be applied: apply it, drop it, or apply it this many ms later. */
  before?: (request: Request) => 'land' | 'drop' | DurationMs;
  /** Called when it has been applied, before its answer is sent. */
  after?: (request: Request) => void;
}

export type Request =
  | { readonly is: 'commit'; readonly writes: readonly Write[] }
  | { readonly is: 'rows'; readonly rows: readonly Row[] }
  | { readonly is: 'settle'; readonly docs: readonly SettledDoc[] }
  | { readonly is: 'purge'; readonly query: PurgeQuery }
  | { readonly is: 'directory'; readonly what: string };

/** Requests on their way to the store, from living and dead processes; periodic requests do not count. */
export interface Traffic {
  writes: number;
}

/** How a request counts as traffic. */
const weightOf = (request: Request): number =>
  request.is === 'directory' && ['beat', 'look', 'time'].includes(request.what) ? 0 : 1;

/** Delivers an answer to a process, now or when it runs again. */
export type Hold = (work: () => void) => void;

/** The dependencies of the network. */
export interface LineParts {
  readonly scheduler: Scheduler;
  /** A seeded number in [0, 1). */
  readonly chance: () => number;
  readonly weather: Weather;
  readonly interception: Interception;
  readonly traffic: Traffic;
  readonly hold: Hold;
  /** Nothing of a dead process is applied: what it has sent was applied in its order, up to some request. */
  readonly endsWithProcess?: boolean;
}

/** A request on its way: `land` runs at most once; a dead client's request may be delayed or dropped. */
interface Flight {
  /** Changes what exists; creates nothing. */
  readonly update: boolean;
  readonly weight: number;
  cancel: () => void;
  land: () => void;
}

type Fate = 'fine' | 'silent' | 'lost' | 'late';

export interface Sending<Answer> {
  readonly request: Request;
  readonly parts: readonly (() => void)[];
  readonly answer: () => Answer;
  readonly silence: () => Answer;
  /** Nothing of it was written, and never will be. */
  readonly refusal: () => Answer;
  readonly update?: boolean;
  /** It reaches only a primary that will roll it back. */
  readonly fork?: (until: Instant) => void;
}

/** The network between one client and the store. */
export class Line {
  closed = false;
  cutUntil: Instant = 0;
  #dead = false;
  readonly #flights = new Set<Flight>();
  readonly #parts: LineParts;

  constructor(parts: LineParts) {
    this.#parts = parts;
  }

  /** Sends a write and resolves to its result; never once the client is dead. */
  write<Answer>(sending: Sending<Answer>): Promise<Answer> {
    const { scheduler, weather, interception } = this.#parts;
    assert(!this.closed, 'an open store');
    return new Promise((resolve) => {
      let told = false;
      const tell = (answer: Answer): void =>
        this.#parts.hold(() => {
          if (told || this.#dead) return;
          told = true;
          stopWaiting();
          resolve(answer);
        });
      const stopWaiting = scheduler.after(weather.answerMsMax, () => tell(sending.silence()));
      const fate = this.#fate();
      if (fate === 'lost') {
        if (weather.forkedMsMax > 0) sending.fork?.(scheduler.now() + this.upTo(weather.forkedMsMax));
        return;
      }
      if (scheduler.now() < weather.fullUntil || this.happens(weather.refused)) {
        scheduler.after(this.#arrival() + this.#latency(), () => tell(sending.refusal()));
        return;
      }
      const spread = sending.parts.length > 1;
      const late = fate === 'late' ? weather.answerMsMax + this.#late(sending.update === true) : 0;
      let at = this.#arrival() + late;
      const cutAt = spread && this.happens(weather.cut) ? this.upTo(sending.parts.length) : Infinity;
      sending.parts.forEach((part, index) => {
        if (index >= cutAt) return;
        if (index > 0) at += this.upTo(2);
        this.#fly(at, sending, () =>
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

  /** Answers with the disk's contents at one instant between request and answer; rejects after a timeout. */
  read<Answer>(look: () => Answer): Promise<Answer> {
    const { scheduler, weather } = this.#parts;
    if (this.closed) return Promise.reject(new Error('the store is closed'));
    return new Promise((resolve, reject) => {
      let told = false;
      const tell = (say: () => void): void =>
        this.#parts.hold(() => {
          if (told || this.#dead) return;
          told = true;
          stopWaiting();
          say();
        });
      const stopWaiting = scheduler.after(weather.answerMsMax, () =>
        tell(() => reject(new Error('the store did not answer'))),
      );
      const stalled = this.happens(weather.stall) ? this.upTo(weather.stallMsMax) : 0;
      const before = this.happens(0.5) ? stalled : 0;
      scheduler.after(this.#arrival() + before, () => {
        if (this.#dead) return;
        if (this.#cut) return;
        const say = answerOf(look, resolve, reject);
        scheduler.after(this.#latency() + stalled - before, () => tell(say));
      });
    });
  }

  /** The indexes 0 to count - 1, in one part, or each applied separately. */
  parts(count: number): readonly (readonly number[])[] {
    const all = Array.from({ length: count }, (_, index) => index);
    const alone = count > 1 && (this.#parts.weather.cut > 0 || this.happens(0.2));
    return alone ? all.map((index) => [index]) : [all];
  }

  /** The process is dead: it gets no more answers; its requests are applied as planned, much later, or
   *  never. */
  kill(): void {
    this.#dead = true;
    if (this.#parts.endsWithProcess === true) return this.#end();
    for (const flight of this.#flights) {
      const luck = this.#parts.chance();
      if (luck < 0.34) continue;
      flight.cancel();
      this.#flights.delete(flight);
      const { scheduler, traffic } = this.#parts;
      if (luck < 0.67) scheduler.after(this.#late(flight.update), flight.land);
      else traffic.writes -= flight.weight;
    }
  }

  #end(): void {
    const flights = [...this.#flights];
    const applied = this.upTo(flights.length + 1);
    this.#flights.clear();
    for (const [at, { cancel, land, weight }] of flights.entries()) {
      cancel();
      if (at < applied) land();
      else this.#parts.traffic.writes -= weight;
    }
  }

  /** Creations and rows are never so late that a tombstone could already be purged. */
  #late(update: boolean): DurationMs {
    const { ancientMsMax, lateMsMax } = this.#parts.weather;
    return this.upTo(update && ancientMsMax > 0 && this.happens(0.5) ? ancientMsMax : lateMsMax);
  }

  #meet(request: Request, land: () => void): void {
    const { interception, traffic, scheduler } = this.#parts;
    const verdict = interception.before?.(request) ?? 'land';
    const arrived = (): void => {
      traffic.writes -= weightOf(request);
      if (verdict !== 'drop') land();
    };
    if (typeof verdict === 'number') scheduler.after(verdict, arrived);
    else arrived();
  }

  /** `meet` is called once, unless the request is dropped. */
  #fly(delay: DurationMs, { update = false, request }: Sending<unknown>, meet: () => void): void {
    const flight: Flight = { update, weight: weightOf(request), cancel: () => undefined, land: meet };
    this.#parts.traffic.writes += flight.weight;
    flight.cancel = this.#parts.scheduler.after(delay, () => {
      this.#flights.delete(flight);
      meet();
    });
    this.#flights.add(flight);
  }

  #fate(): Fate {
    const { silent, lost, late } = this.#parts.weather;
    const luck = this.#parts.chance();
    if (this.#cut) return 'lost';
    if (luck < silent) return 'silent';
    if (luck < silent + lost) return 'lost';
    return luck < silent + lost + late ? 'late' : 'fine';
  }

  get #cut(): boolean {
    return this.#parts.scheduler.now() < this.cutUntil;
  }

  #arrival(): DurationMs {
    const { scheduler, weather } = this.#parts;
    return this.#latency() + Math.max(0, weather.awayUntil - scheduler.now());
  }

  #latency(): DurationMs {
    const { latencyMsMin, latencyMsMax } = this.#parts.weather;
    return latencyMsMin + this.upTo(latencyMsMax - latencyMsMin);
  }

  upTo(limit: number): number {
    return Math.floor(this.#parts.chance() * limit);
  }

  happens(chance: number): boolean {
    return chance > 0 && this.#parts.chance() < chance;
  }
}

/** An invalid query is refused, not executed. */
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
