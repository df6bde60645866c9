/** One virtual world: a store that misbehaves, a process that dies and comes back, outsiders who remember.
 *  1. A killed process neither hears nor says anything more; only what it had sent goes on without it.
 *  2. All chance comes from one seed; nothing here reads a real clock.
 *  3. The first broken law ends the run. */
import type { Actor, Json } from '../../src/runtime/actor.ts';
import { addressText, type Address, type Scope } from '../../src/runtime/address.ts';
import type { Asking, Snapshot } from '../../src/runtime/client.ts';
import type { EffectContext, EffectRunners } from '../../src/runtime/effects.ts';
import type { AskResult } from '../../src/runtime/envelope.ts';
import type { Dispatch } from '../../src/runtime/journal-pump.ts';
import { Node, type NodeOptions } from '../../src/runtime/node.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Store } from '../../src/store/store.ts';
import type { Landed } from '../../src/store/store-sim-disk.ts';
import { createSimStore, type SimConnection, type SimStore } from '../../src/store/store-sim.ts';
import { envelopeText } from '../../actors/event-log/envelope.ts';
import type { MakeChecker } from './checkers/checker.ts';
import { Checkers, laws, type Wrong } from './checkers/checkers.ts';
import { Ledger } from './ledger.ts';
import { between, chanceOf, type Chance } from './random.ts';
import { VirtualScheduler, type ProcessScheduler } from './scheduler.ts';
import { poison } from './tally.ts';

/** The deliberately broken builds: each flips one line. */
export const breaks = ['replyBeforeCommit', 'noVersionFilter', 'noOutbox'] as const;
export type Break = (typeof breaks)[number];

/** 2026-11-20T09:15:00.000Z. */
export const worldStart = 1_795_166_100_000;

/** What runs in the process: the same parts src/main.ts would hand in. */
export interface Parts {
  readonly actors: readonly Actor[];
  readonly effects: (world: World, self: () => Process) => EffectRunners;
  readonly dispatch: (store: Store) => Dispatch;
}

export interface WorldOptions {
  readonly seed: number;
  readonly parts: Parts;
  readonly broken?: Break | null;
  readonly rowsInCommit?: boolean;
  /** All of them unless told. */
  readonly laws?: readonly MakeChecker[];
  /** Receives one line per thing that happens. */
  readonly trace?: (line: string) => void;
}

/** A process while it lives. */
export interface Process {
  readonly incarnation: string;
  readonly node: Node;
  readonly scheduler: ProcessScheduler;
  readonly connection: SimConnection;
  alive: boolean;
  serving: boolean;
  /** Ends every open ask as `unknown`: the connection broke. */
  readonly hangUp: Set<() => void>;
}

export class World {
  readonly scheduler = new VirtualScheduler(worldStart);
  readonly ledger = new Ledger();
  readonly chance: Chance;
  readonly store: SimStore;
  readonly checkers: Checkers;
  process: Process | null = null;
  boots = 0;
  /** Webhook endpoints whose creation was answered. */
  readonly endpoints = new Set<string>();
  /** Webhooks the shops refuse, whatever the weather. */
  refuses: (body: string) => boolean = () => false;
  /** Chance that a wait of the process ends late, and that an outside call fails in one of its ways. */
  lateness = 0.1;
  outsideTrouble = 0;
  #ticks = 0;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.chance = chanceOf(options.seed, 'world');
    this.store = createSimStore({
      scheduler: this.scheduler,
      chance: chanceOf(options.seed, 'store'),
      rowsInCommit: options.rowsInCommit === true,
      noVersionFilter: options.broken === 'noVersionFilter',
      onLanded: (landed) => this.#landed(landed),
    });
    this.checkers = new Checkers(
      {
        disk: this.store.disk,
        ledger: this.ledger,
        endpoints: this.endpoints,
        now: () => this.scheduler.now(),
      },
      options.laws ?? laws,
    );
  }

  get wrong(): Wrong | null {
    return this.checkers.wrong;
  }

  get seed(): number {
    return this.#options.seed;
  }

  /** Now on the clock things of this scope live on, as far as the process knows. */
  clockNow(scope: Scope): Instant {
    return this.process?.node.now(scope) ?? this.scheduler.now();
  }

  tick(): number {
    return ++this.#ticks;
  }

  trace(line: string): void {
    this.#options.trace?.(`${this.scheduler.now() - worldStart} ${line}`);
  }

  /** Starts a process; it serves once its start has ended. */
  boot(): void {
    const { parts, broken } = this.#options;
    const late = (): DurationMs => (this.chance() < this.lateness ? between(this.chance, 1, 40) : 0);
    const scheduler = this.scheduler.process(late);
    const connection = this.store.connect();
    const incarnation = `n:${++this.boots}`;
    const self = (): Process => process;
    const node = new Node({
      actors: parts.actors,
      store: connection,
      scheduler,
      incarnation,
      envelopeText,
      effects: parts.effects(this, self),
      dispatch: parts.dispatch(connection),
      faults: { replyBeforeCommit: broken === 'replyBeforeCommit', noOutbox: broken === 'noOutbox' },
      log: this.#log(incarnation),
    });
    const process: Process = {
      incarnation,
      node,
      scheduler,
      connection,
      alive: true,
      serving: false,
      hangUp: new Set(),
    };
    this.process = process;
    this.trace(`boot ${incarnation}`);
    node.start().then(
      () => {
        process.serving = true;
        node.open();
      },
      (thrown: unknown) => {
        this.trace(`${incarnation} could not start: ${String(thrown)}`);
        this.kill(seconds(1));
      },
    );
  }

  /** The process dies at this instant; another comes up after `back` ms (never when null). */
  kill(back: DurationMs | null): void {
    const { process } = this;
    if (process === null) return;
    this.trace(`kill ${process.incarnation}`);
    process.alive = false;
    this.process = null;
    process.scheduler.kill();
    process.connection.kill();
    process.node.kill();
    for (const hangUp of process.hangUp) hangUp();
    if (back !== null) this.scheduler.after(back, () => this.boot());
  }

  /** The process is told to stop: it finishes what it can, then ends. */
  async stop(back: DurationMs): Promise<void> {
    const { process } = this;
    if (process === null) return;
    this.trace(`stop ${process.incarnation}`);
    process.serving = false;
    await process.node.stop();
    if (this.process === process) this.kill(back);
  }

  /** A command from outside, over a connection that can break at any time. */
  async ask(to: Address, command: string, data: Json, asking: Asking): Promise<AskResult> {
    const { process } = this;
    if (process?.serving !== true) return { is: 'not_executed', why: 'overloaded', retryAfterMs: 100 };
    return this.askFrom(process, to, command, data, asking);
  }

  /** A command from a door of this process. */
  async askFrom(
    process: Process,
    to: Address,
    command: string,
    data: Json,
    asking: Asking,
  ): Promise<AskResult> {
    const askedAt = this.tick();
    const answer = process.node.ask(to, command, data as object, asking);
    const result = await this.through<AskResult>(process, answer, { is: 'unknown' });
    this.trace(`${command} ${addressText(to)} ${JSON.stringify(data)} -> ${JSON.stringify(result)}`);
    const { identity = null } = asking;
    this.checkers.answered({ to, command, data, identity, askedAt, answeredAt: this.tick(), result });
    return result;
  }

  /** A read from outside; null when there is nothing, or nobody answered. */
  async read(to: Address, scope: Scope | null): Promise<Snapshot | null> {
    const { process } = this;
    return process?.serving === true ? this.readFrom(process, to, scope) : null;
  }

  async readFrom(process: Process, to: Address, scope: Scope | null): Promise<Snapshot | null> {
    const askedAt = this.tick();
    const answer = process.node.read<Snapshot['state']>(to, scope).catch(() => null);
    const shown = await this.through<Snapshot | null>(process, answer, null);
    if (shown !== null) {
      const { v, state } = shown;
      this.checkers.shown({ kind: to.kind, id: to.id, v, state, askedAt, answeredAt: this.tick() });
    }
    return shown;
  }

  /** The newest actors of a kind, as a door lists them. */
  async list(kind: string, scope: Scope): Promise<void> {
    const { process } = this;
    if (process?.serving !== true) return;
    const answer = process.node.list({ kind, scope, page: 1, limit: 10 }).then(
      ({ items }) => items,
      () => [],
    );
    for (const { meta, v } of await this.through<readonly Snapshot[]>(process, answer, [])) {
      this.checkers.listed({ kind, id: meta.id, v });
    }
  }

  /** What a process answers, or `broken` when it dies first. */
  through<Answer>(process: Process, answer: Promise<Answer>, broken: Answer): Promise<Answer> {
    return new Promise((resolve) => {
      const hangUp = (): void => resolve(broken);
      process.hangUp.add(hangUp);
      void answer.then((value) => {
        process.hangUp.delete(hangUp);
        if (process.alive) resolve(value);
      });
    });
  }

  /** A call of the process to somebody outside: `arrive` happens there, once or never; its answer comes or not. */
  outside<Answer>(process: Process, arrive: () => Answer): Promise<Answer> {
    const luck = this.chance();
    const trouble = this.outsideTrouble;
    const fails = luck < trouble;
    const slowly = this.chance() < 0.15 ? seconds(4) : 30;
    const [there, back] = [between(this.chance, 1, slowly), between(this.chance, 1, slowly)];
    return new Promise((resolve, reject) => {
      // never arrives, arrives and nobody hears of it, arrives long after it was given up, hangs for ever
      const how = fails ? Math.floor((luck / trouble) * 3.2) : -1;
      const giveUp = (): void => {
        if (process.alive) reject(new Error('no answer from outside'));
      };
      if (how >= 0 && how < 3) this.scheduler.after(between(this.chance, 50, seconds(12)), giveUp);
      if (how === 3) return;
      if (how === 0) return;
      this.scheduler.after(how === 2 ? there + seconds(15) : there, () => {
        const answer = arrive();
        if (how === -1) this.scheduler.after(back, () => (process.alive ? resolve(answer) : undefined));
      });
    });
  }

  /** A runner was called: the checkers look at what is durable at this instant. */
  began(process: Process, kind: string, context: EffectContext): void {
    if (!process.alive) return;
    this.trace(`effect ${kind} ${context.key}`);
    this.checkers.began({ key: context.key, kind });
  }

  #landed(landed: Landed): void {
    if (this.#options.trace !== undefined) this.trace(`landed ${lineOf(landed)}`);
    this.checkers.landed(landed);
  }

  /** Whatever throws inside the process that nobody poisoned is a broken law too. */
  #log(incarnation: string): NodeOptions['log'] {
    const say = (fields: object, message: string): void => {
      const thrown = 'err' in fields ? fields.err : null;
      this.trace(`log ${incarnation} ${message} ${String(thrown)}`);
    };
    return {
      warn: say,
      error: (fields, message) => {
        say(fields, message);
        const thrown = 'err' in fields ? fields.err : null;
        if (!(thrown instanceof Error) || expected(thrown.message)) return;
        this.checkers.fail('nothing throws but what was poisoned', thrown.stack ?? thrown.message);
      },
    };
  }
}

const expected = (message: string): boolean =>
  message.includes(poison) ||
  message.startsWith('as asked') ||
  message.includes('no answer from outside') ||
  message.startsWith('no result within') ||
  message.endsWith('is not known here') ||
  message === 'the store did not answer';

/** One thing that landed, short enough to read and exact enough to compare. */
function lineOf(landed: Landed): string {
  const it = landed.is === 'doc' ? landed.doc : landed.row;
  const digest = sha256Base32([JSON.stringify(it)], 8);
  if (landed.is === 'row') return `${it.kind}/${it.id} v${it.v} #${digest}`;
  const { tok, out, timers } = landed.doc;
  const rows = out.map((row) => `${row.q}:${row.type === 'row' ? row.row.kind : row.type}`).join(' ');
  const names = timers.map(({ name }) => name).join(' ');
  return `${it.kind}/${it.id} v${it.v} by ${tok} out [${rows}] timers [${names}] #${digest}`;
}
