/** What a page asks the API: each question with its answer, shared by all parts of the page that show it.
 *  Boundary: when a question is asked again, and which of several answers counts; asked.ts draws it.
 *  Q1. A question that is shown is asked once, by however many parts, and again when something that it depends on has
 *  changed. Shown anew, it is asked anew; the known answer is shown meanwhile.
 *  Q2. Changes never pile up: one is asked about after the answer to the last one, and after a slow answer not before
 *  `restFactor` times as long as that took, at most `restMsMax`. So a screen that follows a busy shop takes a
 *  small part of the service's time.
 *  Q3. Bounded: of the questions that nobody shows, the answers of the last `answersMax` are kept for going back. */
import { Turns } from './turns.ts';
import type { Failure, Result } from './wire/failure.ts';
import type { Cancel } from '../../../src/kernel/time.ts';

export const answersMax = 30;
export const restFactor = 2;
export const restMsMax = 5_000;

/** Time in the window, or in a test. */
export interface QuestionClock {
  readonly now: () => number;
  readonly after: (ms: number, work: () => void) => Cancel;
}

export interface Answered<Value> {
  /** The last answer; null while there is none. */
  readonly value: Value | null;
  /** Why there is no newer answer. */
  readonly failure: Failure | null;
  /** When the last answer came, on this computer's clock. */
  readonly at: number | null;
}

/** Numbers of messages: the last one that the question depends on, and the last one at all. */
export interface Heard {
  readonly due: number;
  readonly latest: number;
}

export type Ask<Value> = () => Promise<Result<Value>>;

export class Question<Value> {
  answered: Answered<Value> = { value: null, failure: null, at: null };
  private readonly clock: QuestionClock;
  private readonly readers = new Set<() => void>();
  private turns = new Turns();
  /** `latest` when it was last asked; null: not since it is shown. */
  private askedAt: number | null = null;
  private heard: Heard = { due: 0, latest: 0 };
  private restUntil = 0;
  private rest: Cancel | null = null;

  constructor(clock: QuestionClock) {
    this.clock = clock;
  }

  get isShown(): boolean {
    return this.readers.size > 0;
  }

  /** `draw`: called when the answer has changed. */
  join(draw: () => void): Cancel {
    if (!this.isShown) this.begin();
    this.readers.add(draw);
    return () => {
      this.readers.delete(draw);
      if (!this.isShown) this.end();
    };
  }

  /** Asks at first, and if something that the question depends on has changed since it was asked. */
  hear(heard: Heard, ask: Ask<Value>): void {
    const { latest } = this.heard;
    this.heard = { due: Math.max(heard.due, this.heard.due), latest: Math.max(heard.latest, latest) };
    if (this.askedAt === null) this.again(ask);
    else this.pursue(ask);
  }

  /** Sends a request even if one is under way: the reason may be newer than that one. */
  again(ask: Ask<Value>): void {
    const { turns, clock } = this;
    const number = turns.next();
    const begun = clock.now();
    this.askedAt = this.heard.latest;
    void ask().then((result) => {
      // nobody shows it any longer, or it is shown anew
      if (turns !== this.turns) return;
      const now = clock.now();
      this.restUntil = now + Math.min((now - begun) * restFactor, restMsMax);
      if (turns.takes(number)) this.take(result, now);
      this.pursue(ask);
    });
  }

  /** Sends a request unless one is under way: for polling, which must not pile up behind a slow service. */
  poll(ask: Ask<Value>): void {
    if (!this.turns.isUnderWay) this.again(ask);
  }

  private pursue(ask: Ask<Value>): void {
    const isNews = this.askedAt !== null && this.heard.due > this.askedAt;
    if (!isNews || this.turns.isUnderWay || this.rest !== null) return;
    const wait = this.restUntil - this.clock.now();
    if (wait <= 0) return this.again(ask);
    this.rest = this.clock.after(wait, () => {
      this.rest = null;
      this.pursue(ask);
    });
  }

  private take(result: Result<Value>, at: number): void {
    this.answered = result.ok
      ? { value: result.value, failure: null, at }
      : { ...this.answered, failure: result.failure };
    for (const draw of this.readers) draw();
  }

  private begin(): void {
    this.turns = new Turns();
    this.askedAt = null;
    this.heard = { due: 0, latest: 0 };
    this.restUntil = 0;
    this.answered = { ...this.answered, failure: null };
  }

  private end(): void {
    this.rest?.();
    this.rest = null;
    this.turns = new Turns();
  }
}

export class Questions {
  private readonly clock: QuestionClock;
  private readonly byKey = new Map<string, Question<unknown>>();

  constructor(clock: QuestionClock) {
    this.clock = clock;
  }

  /** The question with this key; whoever asks it with the same key asks for the same type. */
  of<Value>(key: string): Question<Value> {
    const question = this.byKey.get(key) ?? new Question<unknown>(this.clock);
    // the last entry in the map is the most recent
    this.byKey.delete(key);
    this.byKey.set(key, question);
    this.forgetOldest();
    return question as Question<Value>;
  }

  private forgetOldest(): void {
    const unseen = [...this.byKey].filter(([, { isShown }]) => !isShown);
    for (const [key] of unseen.slice(0, Math.max(0, unseen.length - answersMax))) this.byKey.delete(key);
  }
}
