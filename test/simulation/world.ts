/** One virtual world: a store with faults, processes that die, stall and restart, clients that record their answers.
 *  1. A killed process neither receives nor sends anything more; only what it had sent may still arrive.
 *  2. All chance comes from one seed; nothing here reads a real clock.
 *  3. The first broken law ends the run. */
import { bytesOfActivation } from '../../src/runtime/activation/activation-registry.ts';
import type { Json } from '../../src/runtime/model/actor.ts';
import { addressText, type Address, type Scope } from '../../src/runtime/model/address.ts';
import type { Asking, HintOutcome, Hinting, Snapshot } from '../../src/runtime/model/client.ts';
import type { EffectContext } from '../../src/runtime/delivery/effect-job.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import { askWaitMs } from '../../src/runtime/node/command-router.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Landed } from '../support/simulated/store-sim-disk.ts';
import { createSimStore, type SimStore } from '../support/simulated/store-sim.ts';
import { breakStore, type Break } from './breaks.ts';
import { SimBusHub } from './bus-sim.ts';
import type { MakeChecker } from './checkers/checker.ts';
import { Checkers, laws, type Wrong } from './checkers/checkers.ts';
import { atHome } from './homes.ts';
import { Ledger } from './ledger.ts';
import { bear, type Parts, type Process } from './process.ts';
import { between, chanceOf, type Chance } from './random.ts';
import { VirtualScheduler } from './scheduler.ts';

/** 2026-11-20T09:15:00.000Z. */
export const worldStart = 1_795_166_100_000;

export interface WorldOptions {
  readonly seed: number;
  readonly parts: Parts;
  /** What the n-th process to boot (from 1) runs instead, e.g. a newer version. */
  readonly partsOf?: (boot: number) => Parts;
  /** Whether a process that has just come to life must give way to another one at once. */
  readonly outdated?: (name: string) => boolean;
  readonly broken?: Break | null;
  readonly rowsInCommit?: boolean;
  readonly endsWithProcess?: boolean;
  /** Processes side by side; 1 (the usual) runs embedded, more are a cluster. */
  readonly nodes?: number;
  /** All of them by default. */
  readonly laws?: readonly MakeChecker[];
  /** Receives one line per thing that happens. */
  readonly trace?: (line: string) => void;
}

export interface Lateness {
  /** Chance of one wait to end late. */
  readonly often: number;
  readonly msMax: DurationMs;
}
export const usualLateness: Lateness = { often: 0.1, msMax: 40 };
/** So little that actors go to rest, and leave memory, while others are at work. */
const tightBytes = 32 * bytesOfActivation;

const handOverMs = 2500;

export class World {
  readonly scheduler = new VirtualScheduler(worldStart);
  readonly ledger = new Ledger();
  readonly chance: Chance;
  readonly store: SimStore;
  readonly checkers: Checkers;
  readonly hub: SimBusHub;
  readonly processes: Process[] = [];
  boots = 0;
  /** Webhook endpoints whose creation was answered. */
  readonly endpoints = new Set<string>();
  /** Webhooks the shops refuse, whatever the weather. */
  refuses: (body: string) => boolean = () => false;
  /** How many waits of the process end late, and by how much. */
  lateness: Lateness = usualLateness;
  /** What actors may take in the memory of a process that boots. */
  actorBytesMax = tightBytes;
  /** Chance that an outside call fails in one of its ways. */
  outsideTrouble = 0;
  /** A wall clock was wrong at some time. */
  jumped = false;
  #ticks = 0;
  readonly #options: WorldOptions;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.chance = chanceOf(options.seed, 'world');
    this.store = createSimStore({
      scheduler: this.scheduler,
      chance: chanceOf(options.seed, 'store'),
      rowsInCommit: options.rowsInCommit === true,
      endsWithProcess: options.endsWithProcess === true,
      onLanded: (landed) => this.#landed(landed),
    });
    breakStore(this.store, options.broken);
    this.store.directory.onNode = (before, after) => {
      if (before?.state !== 'dead' || after.state === 'dead') return;
      this.checkers.fail('who was declared dead stays dead', `${after.inc} lives again`);
    };
    this.hub = new SimBusHub(this.scheduler, chanceOf(options.seed, 'bus'), (name, partition) =>
      this.#spoke(name, partition),
    );
    this.checkers = new Checkers(
      {
        disk: this.store.disk,
        ledger: this.ledger,
        endpoints: this.endpoints,
        streams: this.clustered ? this.hub.streams : null,
        ticks: () => this.#ticks,
        now: () => this.scheduler.now(),
      },
      options.laws ?? laws,
    );
  }

  get wrong(): Wrong | null {
    return this.checkers.wrong;
  }

  /** The first that lives; the only one unless this is a cluster. */
  get process(): Process | null {
    return this.processes[0] ?? null;
  }

  get clustered(): boolean {
    return (this.#options.nodes ?? 1) > 1;
  }

  /** How many processes there should be. */
  get nodes(): number {
    return this.#options.nodes ?? 1;
  }

  /** Any that serves, as a load balancer would choose; null when none does. */
  get serving(): Process | null {
    return this.oneOf(this.processes.filter(({ serving }) => serving));
  }

  /** Whether all that should be there serves. */
  get whole(): boolean {
    return this.processes.length === this.nodes && this.processes.every(({ serving }) => serving);
  }

  oneOf<Item>(items: readonly Item[]): Item | null {
    return items.length < 2 ? (items[0] ?? null) : (items[between(this.chance, 0, items.length - 1)] ?? null);
  }

  get seed(): number {
    return this.#options.seed;
  }

  /** Now on the clock things of this scope live on, as far as the process knows. */
  clockNow(scope: Scope): Instant {
    return this.process?.node.client.now(scope) ?? this.scheduler.now();
  }

  tick(): number {
    return ++this.#ticks;
  }

  /** Traces one event; an expensive line is built only when the trace is on. */
  trace(line: string | (() => string)): void {
    const { trace } = this.#options;
    if (trace === undefined) return;
    trace(`${this.scheduler.now() - worldStart} ${typeof line === 'string' ? line : line()}`);
  }

  /** Starts a process; it serves once its start has ended. */
  boot(): void {
    const boot = ++this.boots;
    const { parts, partsOf = () => parts, outdated = () => false, broken } = this.#options;
    bear(this, { name: `n:${boot}`, parts: partsOf(boot), outdated, broken });
  }

  /** A process (any one by default) dies at this instant; another comes up after `back` ms (never when null). */
  kill(back: DurationMs | null, process: Process | null = this.oneOf(this.processes)): void {
    if (process === null || !process.alive) return;
    this.trace(`kill ${process.incarnation}`);
    process.alive = false;
    process.serving = false;
    this.processes.splice(this.processes.indexOf(process), 1);
    process.scheduler.kill();
    process.connection.kill();
    process.bus?.kill();
    process.node.kill();
    for (const hangUp of process.hangUp) hangUp();
    if (back !== null) this.scheduler.after(back, () => this.boot());
  }

  /** A process is told to stop: it gives away what it owns while whoever it serves still asks, finishes what it can, then
   *  ends. */
  async stop(back: DurationMs, process: Process | null = this.oneOf(this.processes)): Promise<void> {
    if (process === null) return;
    this.trace(`stop ${process.incarnation}`);
    await process.node.handOver(handOverMs);
    process.serving = false;
    await process.node.stop();
    this.kill(back, process);
  }

  /** The process that sends the next change of a tally named like this dies with it on the wire: it lands long after,
   *  when another owns the actor. */
  killSending(prefix: string, lateMs: DurationMs, back: DurationMs): void {
    const { interception } = this.store;
    interception.before = (request) => {
      const update =
        request.is === 'commit' &&
        request.writes.find(({ doc, expect }) => expect > 0 && doc.id.startsWith(prefix));
      if (update === false || update === undefined) return 'land';
      interception.before = () => 'land';
      const sender = this.processes.find(({ incarnation }) => update.doc.tok.startsWith(`${incarnation}-`));
      if (sender !== undefined) this.kill(back, sender);
      return lateMs;
    };
  }

  /** A process is paused, as by SIGSTOP: only its clocks continue. */
  freeze(forMs: DurationMs, process: Process | null = this.oneOf(this.processes)): void {
    this.trace(`freeze ${process?.incarnation} for ${forMs}`);
    process?.scheduler.freeze(forMs);
  }

  /** A process is cut off from the others in both directions. */
  cutBus(forMs: DurationMs, process: Process | null = this.oneOf(this.processes)): void {
    this.trace(`cut ${process?.incarnation} off the bus for ${forMs}`);
    process?.bus?.cutUntil(this.scheduler.now() + forMs);
  }

  /** A process does not reach the store. */
  cutStore(forMs: DurationMs, process: Process | null = this.oneOf(this.processes)): void {
    this.trace(`cut ${process?.incarnation} off the store for ${forMs}`);
    process?.connection.cutUntil(this.scheduler.now() + forMs);
  }

  /** Every connection is restored. */
  reconnect(): void {
    for (const { bus, connection, scheduler } of this.processes) {
      if (this.clustered) scheduler.setRight();
      bus?.cutUntil(0);
      connection.cutUntil(0);
    }
  }

  /** A command from outside, over a connection that can break at any time. */
  async ask(to: Address, command: string, data: Json, asking: Asking): Promise<AskResult> {
    const process = this.serving;
    if (process === null) return { is: 'not_executed', why: 'overloaded', retryAfterMs: 100 };
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
    const { identity = null, waitMs = askWaitMs } = asking;
    const deadline = process.scheduler.now() + waitMs;
    const answer = process.node.client.ask(to, command, data as object, asking);
    const result = await this.through<AskResult>(process, answer, { is: 'unknown' });
    // what is shown is a read: a repeat gets the same outcome, and shows what is committed by then
    const { shown, ...outcome } = 'shown' in result ? result : { ...result, shown: undefined };
    this.trace(() => `${command} ${addressText(to)} ${JSON.stringify(data)} -> ${JSON.stringify(outcome)}`);
    this.checkers.answered({
      to,
      command,
      data,
      identity,
      askedAt,
      answeredAt: this.tick(),
      deadline: this.jumped ? Infinity : deadline,
      result: outcome,
    });
    if (shown !== undefined) this.checkers.shown({ ...to, ...shown, askedAt, answeredAt: this.tick() });
    return result;
  }

  /** A hint from outside: asked first, else left on the durable road. */
  async hint(to: Address, command: string, data: Json, hinting: Hinting): Promise<void> {
    const process = this.serving;
    if (process === null) return;
    const fate = await this.through<HintOutcome>(
      process,
      process.node.client.hint(to, command, data, hinting),
      'lost',
    );
    this.trace(() => `${command} ${addressText(to)} ${JSON.stringify(data)} -> ${fate}`);
  }

  /** A read from outside; null when there is nothing, or no answer. */
  async read(to: Address, scope: Scope | null): Promise<Snapshot | null> {
    const process = this.serving;
    return process === null ? null : this.readFrom(process, to, scope);
  }

  async readFrom(process: Process, to: Address, scope: Scope | null): Promise<Snapshot | null> {
    const askedAt = this.tick();
    const answer = Promise.resolve(process.node.client.read<Snapshot['state']>(to, scope)).catch(() => null);
    const shown = await this.through<Snapshot | null>(process, answer, null);
    if (shown !== null) this.checkers.shown({ ...to, ...shown, askedAt, answeredAt: this.tick() });
    if (scope !== null && process.alive) await this.tellReader(process, scope);
    return shown;
  }

  /** Up to where a reader of the journal may go now. */
  private async tellReader(process: Process, scope: Scope): Promise<void> {
    const asked = Promise.resolve(process.node.client.eventsUpTo(scope)).catch(() => 0);
    this.checkers.told({ scope, upTo: await this.through(process, asked, 0) });
  }

  /** The newest actors of a kind, as a door lists them. */
  async list(kind: string, scope: Scope): Promise<void> {
    const process = this.serving;
    if (process === null) return;
    const answer = process.node.client.list({ kind, scope, page: 1, limit: 10 }).then(
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
      // never arrives, arrives with a lost answer, arrives long after it was given up, never ends
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
    this.trace(() => `landed ${lineOf(landed)}`);
    this.checkers.landed(landed);
    if (this.nodes > 1 || landed.is !== 'row' || landed.row.kind !== 'journal') return;
    // where one node has everything, readers may ask as often as there is something new
    for (const one of this.processes) if (one.serving) void this.tellReader(one, landed.row.scope);
  }

  /** All is over: every law looks once more. */
  ended(): void {
    this.checkers.ended();
    if (!this.clustered || atHome(this)) return;
    this.checkers.fail('in the end every partition has an owner that lives and serves', 'one has none');
  }

  /** An answer leaves a process over the network: only the current owner may answer. */
  #spoke(name: string, partition: number): void {
    const { owner, epoch } = this.store.directory.owner(partition);
    if (owner?.startsWith(`${name}-`) === true) return;
    const what = `${name} answered for partition ${partition}, which ${owner ?? 'nobody'} owns under epoch ${epoch}`;
    this.checkers.fail('no two epochs speak: who answers for a partition owns it', what);
  }
}

/** One thing that landed, short enough to read and exact enough to compare. */
function lineOf(landed: Landed): string {
  if (landed.is === 'settled') return `settled ${addressText(landed.doc)} v${landed.doc.v}`;
  const it = landed.is === 'doc' ? landed.doc : landed.row;
  const digest = sha256Base32([JSON.stringify(it)], 8);
  if (landed.is === 'row') return `${it.kind}/${it.id} v${it.v} #${digest}`;
  const { tok, out, timers } = landed.doc;
  const rows = out.map((row) => `${row.q}:${row.type === 'row' ? row.row.kind : row.type}`).join(' ');
  const names = timers.map(({ name }) => name).join(' ');
  return `${it.kind}/${it.id} v${it.v} by ${tok} out [${rows}] timers [${names}] #${digest}`;
}
