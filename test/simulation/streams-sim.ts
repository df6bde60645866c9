/** What stays in the middle of a simulated cluster: EVENTS, for other systems, and MAILBOX, where hints are stored.
 *  1. What was stored and not acknowledged is stored all the same; a repeated key is stored once.
 *  2. A copy of a hint is delivered again until a node has accepted it.
 *  3. All of it may be lost at once, after every acknowledgement (`lose`): nothing that exists only here may matter.
 *     The first node that notices fills EVENTS again; until it is filled, the others try in turn. */
import type { PublishedEvent } from '../../src/bus/bus.ts';
import type { Envelope } from '../../src/runtime/model/envelope.ts';
import { minutes, seconds, type DurationMs } from '../../src/kernel/time.ts';
import { between, type Chance } from './random.ts';
import type { ProcessScheduler, VirtualScheduler } from './scheduler.ts';

/** How a process reaches the streams. */
export interface Reaching {
  readonly process: ProcessScheduler;
  alive(): boolean;
  cut(): boolean;
  loses(): boolean;
  latency(): DurationMs;
}

type Deliver = (envelope: Envelope) => Promise<boolean>;
type Refill = (made: string) => Promise<boolean>;

/** A copy nobody acknowledged goes to another after this time; one that was given back, after that. */
const ackWaitMs = seconds(30);
const againMs = seconds(1);
const confirmMsMax = seconds(5);
/** Whoever finds EVENTS unfilled leaves it for this long to whoever was there before. */
const leftAloneMs = minutes(1);

export class SimStreams {
  /** By key, in the order they were stored. */
  readonly events = new Map<string, PublishedEvent>();
  readonly #mail = new Set<string>();
  readonly #takers = new Map<Reaching, Deliver>();
  readonly #refills = new Map<Reaching, Refill>();
  /** How often EVENTS was made. */
  #made = 0;
  #whole = true;
  readonly #scheduler: VirtualScheduler;
  readonly #chance: Chance;

  constructor(scheduler: VirtualScheduler, chance: Chance) {
    this.#scheduler = scheduler;
    this.#chance = chance;
  }

  /** Whether EVENTS holds, or will hold, all it should. */
  get whole(): boolean {
    return this.#whole;
  }

  /** Hints on their way. */
  get mail(): number {
    return this.#mail.size;
  }

  publish(from: Reaching, events: readonly PublishedEvent[]): Promise<void> {
    const text = JSON.stringify(events);
    const store = (): void => {
      for (const event of JSON.parse(text) as PublishedEvent[])
        if (!this.events.has(event.key)) this.events.set(event.key, event);
    };
    return this.#sent(from, store).then((stored) => {
      if (!stored) throw new Error('the stream did not answer');
    });
  }

  post(from: Reaching, envelope: Envelope): Promise<boolean> {
    const text = JSON.stringify(envelope);
    return this.#sent(from, () => {
      this.#mail.add(text);
      this.#offer(text);
    });
  }

  forward(to: Reaching, deliver: Deliver): () => void {
    this.#takers.set(to, deliver);
    return () => void this.#takers.delete(to);
  }

  onLost(to: Reaching, refill: Refill): () => void {
    this.#refills.set(to, refill);
    if (!this.#whole) this.#fillLater(to, leftAloneMs);
    return () => void this.#refills.delete(to);
  }

  /** A process is gone. */
  leave(member: Reaching): void {
    this.#takers.delete(member);
    this.#refills.delete(member);
  }

  /** Everything stored is gone; one of those who notice makes the streams anew. */
  lose(): void {
    this.events.clear();
    this.#mail.clear();
    this.#whole = false;
    this.#made++;
    const [first, ...others] = [...this.#refills.keys()].filter((one) => one.alive() && !one.cut());
    if (first !== undefined) this.#fillLater(first, first.latency());
    for (const other of others) this.#fillLater(other, leftAloneMs);
  }

  #fillLater(member: Reaching, afterMs: DurationMs): void {
    this.#scheduler.after(afterMs, () => {
      const refill = this.#refills.get(member);
      if (this.#whole || !member.alive() || refill === undefined) return;
      if (member.cut()) return this.#fillLater(member, leftAloneMs);
      const made = this.#made;
      member.process.hold(
        () =>
          void refill(String(made)).then((told) => {
            if (!member.alive()) return;
            if (told && made === this.#made && !member.cut()) this.#whole = true;
            else this.#fillLater(member, leftAloneMs);
          }),
      );
    });
  }

  /** Whether the acknowledgement came. */
  #sent(from: Reaching, store: () => void): Promise<boolean> {
    return new Promise((resolve) => {
      const stop = from.process.after(confirmMsMax, () => resolve(false));
      if (from.cut() || from.loses()) return;
      this.#scheduler.after(from.latency(), () => {
        store();
        if (from.cut() || from.loses()) return;
        this.#scheduler.after(from.latency(), () =>
          from.process.hold(() => {
            stop();
            resolve(true);
          }),
        );
      });
    });
  }

  /** Delivers a hint to a consumer, repeatedly until it was accepted. */
  #offer(text: string): void {
    const takers = [...this.#takers].filter(([member]) => member.alive() && !member.cut());
    const taker = takers[takers.length < 2 ? 0 : between(this.#chance, 0, takers.length - 1)];
    const again = (ms: DurationMs): void => {
      this.#scheduler.after(ms, () => {
        if (this.#mail.has(text)) this.#offer(text);
      });
    };
    if (taker === undefined) return again(againMs);
    const [member, deliver] = taker;
    let answered = false;
    this.#scheduler.after(member.latency(), () =>
      member.process.hold(
        () =>
          void deliver(JSON.parse(text) as Envelope).then((taken) => {
            if (answered || !member.alive() || member.cut()) return;
            answered = true;
            if (taken) this.#mail.delete(text);
            else again(againMs);
          }),
      ),
    );
    this.#scheduler.after(ackWaitMs, () => {
      if (answered) return;
      answered = true;
      again(0);
    });
  }
}
