/** One node: the actors in its memory and what they share. Gateways see it as a Client (client.ts).
 *  Boundary: knows no business word; actors, effect runners and the dispatch of events are handed in. */
import { seconds, type Cancel, type DurationMs, type Instant, type Scheduler } from '../kernel/time.ts';
import type { Doc, Listed, ListQuery, Row, Store } from '../store/store.ts';
import { Activation } from './activation.ts';
import type { AnyActor, Json } from './actor.ts';
import { addressText, clockOf, type Address, type Scope } from './address.ts';
import type { BrokenBuild } from './broken-builds.ts';
import type { Asking, Client, Snapshot } from './client.ts';
import { ClockWalks } from './clock-walk.ts';
import { Clocks } from './clocks.ts';
import { Committer } from './committer.ts';
import { Effects, type EffectRunners } from './effects.ts';
import type { AskResult, Envelope, Identity } from './envelope.ts';
import { JournalPumps, type Dispatch } from './journal-pump.ts';
import { scanEveryMs, Timers } from './timers.ts';
import { mortalScheduler, mortalStore } from './mortal.ts';
import type { RuntimeLog } from './runtime-log.ts';
import { bareDone, throwsMax } from './turn.ts';
import { upcasted } from './upcast.ts';
import { Watchers } from './watchers.ts';
import { metaOf, movedClockTag, type EnvelopeText } from './working-doc.ts';

export const askWaitMs = seconds(10);
export const askWaitMsMax = seconds(30);
export const activationsMax = 100_000;
const idleMs = seconds(120);
const sweepEveryMs = seconds(30);
const busyScanEveryMs = seconds(60);
const busyScanPage = 500;

export interface NodeOptions {
  readonly actors: readonly AnyActor[];
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly effects: EffectRunners;
  /** Which commands an event of the log causes (one delivery per endpoint that hears it). */
  readonly dispatch: Dispatch;
  readonly envelopeText: EnvelopeText;
  /** Random per process start, `n:` + text. */
  readonly incarnation: string;
  readonly epoch?: number;
  readonly log: RuntimeLog;
  /** Lines flipped by the deliberately broken builds of the simulation. */
  readonly faults?: BrokenBuild;
  /** Called at named instants; the fault tests stop the process there. */
  readonly failpoint?: (name: Failpoint, kind: string) => void;
}

export type Failpoint = 'before_commit' | 'after_commit' | 'before_result';
export class Node implements Client {
  readonly incarnation: string;
  readonly store: Store;
  readonly scheduler: Scheduler;
  readonly clocks: Clocks;
  readonly committer: Committer;
  readonly effects: Effects;
  readonly timers: Timers;
  readonly log: RuntimeLog;
  readonly epoch: number;
  readonly envelopeText: EnvelopeText;
  readonly faults: BrokenBuild;
  private readonly options: NodeOptions;
  private readonly kinds: ReadonlyMap<string, AnyActor>;
  private readonly activations = new Map<string, Activation>();
  /** Those in memory that live on a project's clock. */
  private readonly byClock = new Map<string, Set<Activation>>();
  private readonly watchers = new Watchers();
  private readonly asking = new Set<(result: AskResult) => void>();
  private readonly pumps: JournalPumps;
  private readonly walks: ClockWalks;
  private tokens = 0;
  private dead = false;

  constructor(options: NodeOptions) {
    this.options = options;
    this.incarnation = options.incarnation;
    this.scheduler = mortalScheduler(options.scheduler, () => this.dead);
    this.store = mortalStore(options.store, () => this.dead);
    this.log = options.log;
    this.epoch = options.epoch ?? 1;
    this.envelopeText = options.envelopeText;
    this.faults = options.faults ?? {};
    this.kinds = new Map(options.actors.map((actor) => [actor.kind, actor]));
    this.clocks = new Clocks(this.scheduler);
    this.committer = new Committer(this.store, this.scheduler);
    this.effects = new Effects(options.effects, this.scheduler, (kind, thrown) =>
      this.log.error({ effect: kind, err: thrown }, 'an effect threw'),
    );
    this.timers = new Timers(
      this.scheduler,
      this.clocks,
      (kind, id) => void this.activation(kind, id)?.fireTimers(false),
    );
    this.pumps = new JournalPumps(this, options.dispatch);
    this.walks = new ClockWalks(this);
  }

  /** Learns the clocks; from then on it may be asked. */
  async start(): Promise<void> {
    await this.learnClocks();
    await this.timers.scan(this.store);
    this.every(scanEveryMs, () => this.scanTimers());
    this.every(sweepEveryMs, () => Promise.resolve(this.sweep()));
  }

  /** Begins to run effects and to go on with what the last node left: call it when the doors are there, because
   *  effects may call them. */
  open(): void {
    this.effects.begin();
    void this.scanBusy()
      .catch((thrown: unknown) => this.log.warn({ err: thrown }, 'a scan failed; it is tried again'))
      .then(() => this.every(busyScanEveryMs, () => this.scanBusy()));
  }

  /** Stops taking part at once, as a killed process would: nothing more leaves, open asks end unknown. */
  kill(): void {
    this.dead = true;
    for (const give of this.asking) give({ is: 'unknown' });
    this.asking.clear();
  }

  /** Waits until turns and outboxes are quiet (at most `waitMs`), then stops. */
  async stop(waitMs: DurationMs = seconds(5)): Promise<void> {
    this.effects.stop();
    const until = this.scheduler.now() + waitMs;
    while (this.scheduler.now() < until && [...this.activations.values()].some((one) => one.underWay))
      await this.pause(20);
    this.kill();
  }

  ask<C, K extends keyof C & string>(
    to: Address<C>,
    command: K,
    data: C[K],
    asking: Asking,
  ): Promise<AskResult>;
  ask(to: Address, command: string, data: object, asking: Asking): Promise<AskResult>;
  ask(to: Address, command: string, data: unknown, asking: Asking): Promise<AskResult> {
    const { by, scope, identity, again, waitMs = askWaitMs } = asking;
    const wait = Math.min(waitMs, askWaitMsMax);
    const envelope: Envelope = {
      to,
      command,
      data: data as Json,
      by,
      scope,
      deadline: this.scheduler.now() + wait,
      ...(identity === undefined ? {} : { identity }),
      ...(again === true ? { again } : {}),
    };
    const activation = this.dead ? undefined : this.activation(to.kind, to.id);
    if (this.dead) return Promise.resolve({ is: 'unknown' });
    if (activation === undefined) return Promise.resolve({ is: 'refused', code: 'not_found', detail: {} });
    return new Promise((resolve) => {
      const give = (result: AskResult): void => {
        cancel();
        this.asking.delete(give);
        resolve(result);
      };
      // silence past the deadline proves nothing: it may be executed at this very moment
      const cancel = this.scheduler.after(wait + 50, () => give({ is: 'unknown' }));
      this.asking.add(give);
      void activation.deliver(envelope).then(give);
    });
  }

  settled(to: Address, { from, seq }: Identity): void {
    void this.ask(to, bareDone, {}, { by: 'system', scope: null, identity: { from, seq, done: seq } });
  }

  async read<State>(to: Address, scope: Scope | null): Promise<Snapshot<State> | null> {
    const actor = this.kinds.get(to.kind);
    if (actor === undefined) return null;
    const activation = this.activations.get(addressText(to));
    const doc = activation === undefined ? await this.stored(to) : await activation.committed();
    if (doc === null || doc.gone || (scope !== null && doc.scope !== scope)) return null;
    return this.snapshot(actor, doc, activation?.viewOf(doc)) as Snapshot<State>;
  }

  async readRow(kind: string, id: string, scope: Scope | null): Promise<Row | null> {
    const row = await this.store.readRow(kind, id);
    return row === null || row.gone || (scope !== null && row.scope !== scope) ? null : row;
  }

  async list(query: ListQuery): Promise<Listed<Snapshot>> {
    const actor = this.kinds.get(query.kind);
    if (actor === undefined) return { items: [], total: 0 };
    const { items: stored, total } = await this.store.listDocs(query);
    const items = stored.map((doc) => upcasted(actor, doc));
    await this.writeRowsOf(items);
    return { items: items.map((doc) => this.snapshot(actor, doc)), total };
  }

  listRows(query: ListQuery): Promise<Listed<Row>> {
    return this.store.listRows(query);
  }

  watch(id: string, onNotice: () => void): Cancel {
    return this.watchers.watch(id, onNotice);
  }

  now(scope: Scope): Instant {
    return this.clocks.now(clockOf(scope));
  }

  /** The actor in memory, brought there if need be; undefined for a kind nobody plays. */
  activation(kind: string, id: string): Activation | undefined {
    const name = `${kind}/${id}`;
    const known = this.activations.get(name);
    const actor = this.kinds.get(kind);
    if (known !== undefined || actor === undefined || this.dead) return known;
    const fresh = new Activation(this, actor, id);
    this.activations.set(name, fresh);
    return fresh;
  }

  /** Drops an actor from memory; the store has all there is to know of it. */
  forget(activation: Activation): void {
    if (this.activations.get(activation.name) === activation) this.activations.delete(activation.name);
    const { clock } = activation;
    const beside = clock === null ? undefined : this.byClock.get(clock);
    beside?.delete(activation);
    if (clock !== null && beside?.size === 0) this.byClock.delete(clock);
  }

  private livesOn(activation: Activation, clock: string | null): void {
    if (clock === null) return;
    const beside = this.byClock.get(clock) ?? new Set();
    this.byClock.set(clock, beside.add(activation));
  }

  /** Delivers a command of the runtime's own (a timer, a result) until it was executed or parked. */
  async deliverSurely(activation: Activation, envelope: Envelope): Promise<void> {
    for (let throwsLeft = throwsMax, delay = 10; throwsLeft > 0; delay = Math.min(delay * 2, 1000)) {
      const result = await activation.deliver(envelope);
      if (result.is === 'ok' || result.is === 'refused') return;
      if (result.is === 'internal') throwsLeft--;
      if (throwsLeft > 0) await this.pause(delay);
    }
  }

  /** Called by activations after each commit, once nothing of it may be held back any more. */
  committedNow(activation: Activation, doc: Doc): void {
    const { actor } = activation;
    if (actor.clock !== undefined && doc.body !== null) {
      this.clocks.learn(activation.id, actor.clock(doc.body as never));
      this.walks.heed(activation.id);
    }
    this.livesOn(activation, doc.clock);
    if (doc.wake !== null) this.timers.note({ kind: doc.kind, id: doc.id, wake: doc.wake }, doc.clock);
    if (actor.kind === 'event_log' && doc.body !== null) this.pumps.heed(doc);
    this.watchers.tell(activation.id);
  }

  /** Everything in memory that lives on this clock and is not at rest. */
  restless(clock: string): readonly Activation[] {
    return [...(this.byClock.get(clock) ?? [])].filter((one) => !one.quiet);
  }

  /** Whether each log of this clock has dispatched all it holds. */
  dispatched(clock: string): boolean {
    return this.pumps.idle(clock);
  }

  /** Commits what each log of this clock has dispatched; the walk of a test clock does not wait for it. */
  saveCursors(clock: string): void {
    this.pumps.saveNow(clock);
  }

  /** A scan that meets a silent store is made up for by the next one. */
  async scanTimers(): Promise<void> {
    await this.timers
      .scan(this.store)
      .catch((thrown: unknown) => this.log.warn({ err: thrown }, 'timers wait for the store'));
  }

  viewOf(actor: AnyActor, doc: Doc): { readonly [key: string]: unknown } {
    return actor.view(doc.body as never, metaOf(doc));
  }

  nextToken(): string {
    return `${this.incarnation}.${++this.tokens}`;
  }

  async failpoint(name: Failpoint, kind: string): Promise<void> {
    this.options.failpoint?.(name, kind);
  }

  /** Puts something nobody could take where an operator finds it. */
  async park(
    owner: Address,
    scope: Scope,
    id: string,
    body: { readonly [key: string]: Json },
  ): Promise<void> {
    this.log.error({ actor: addressText(owner), id }, 'parked as dead');
    await this.committer.putRows([
      {
        kind: 'dead',
        id,
        owner: { kind: owner.kind, id: owner.id },
        scope,
        v: 0,
        once: true,
        gone: false,
        created: this.scheduler.now(),
        tags: [],
        body,
      },
    ]);
  }

  pause(delayMs: DurationMs): Promise<void> {
    return new Promise((resolve) => void this.scheduler.after(delayMs, resolve));
  }

  private async stored({ kind, id }: Address): Promise<Doc | null> {
    const doc = await this.store.read(kind, id);
    const actor = this.kinds.get(kind);
    if (doc === null || actor === undefined) return null;
    await this.writeRowsOf([doc]);
    return upcasted(actor, doc);
  }

  /** View rows a document still owes are written before it is shown: anybody may, a repeat is harmless. */
  private async writeRowsOf(docs: readonly Doc[]): Promise<void> {
    const rows = docs.flatMap(({ out }) => out.flatMap((row) => (row.type === 'row' ? [row.row] : [])));
    if (rows.length > 0) await this.committer.putRows(rows);
  }

  private snapshot(actor: AnyActor, doc: Doc, view = this.viewOf(actor, doc)): Snapshot {
    return { state: doc.body ?? {}, meta: metaOf(doc), view, v: doc.v };
  }

  private async learnClocks(): Promise<void> {
    for (const actor of this.kinds.values()) {
      if (actor.clock === undefined) continue;
      for (let page = 1; ; page++) {
        const { items } = await this.store.listDocs({
          kind: actor.kind,
          scope: null,
          tags: [movedClockTag],
          page,
          limit: 100,
        });
        for (const doc of items.map((one) => upcasted(actor, one))) {
          this.clocks.learn(doc.id, actor.clock(doc.body as never));
          this.walks.heed(doc.id);
        }
        if (items.length < 100) break;
      }
    }
  }

  /** Activates whoever still has something to send, a page at a time. */
  private async scanBusy(): Promise<void> {
    let after: { kind: string; id: string } | undefined;
    do {
      const page: readonly { kind: string; id: string }[] = await this.store.busy({
        limit: busyScanPage,
        ...(after === undefined ? {} : { after }),
      });
      await Promise.all(page.map((one) => this.stirUp(one)));
      after = page.length < busyScanPage ? undefined : page.at(-1);
    } while (after !== undefined);
  }

  private async stirUp({ kind, id }: { kind: string; id: string }): Promise<void> {
    const known = this.activations.get(`${kind}/${id}`);
    if (known === undefined) await this.activation(kind, id)?.committed();
    else await known.refresh();
  }

  /** Forgets actors that have been idle for two minutes; above the bound any quiet one, oldest in memory first. */
  private sweep(): void {
    const now = this.scheduler.now();
    let over = this.activations.size - activationsMax;
    for (const one of this.activations.values()) {
      if (!one.quiet || (over <= 0 && now - one.lastUsedAt < idleMs)) continue;
      this.forget(one);
      over--;
    }
  }

  private every(ms: DurationMs, work: () => Promise<void>): void {
    const again = (): void => {
      this.scheduler.after(ms, () => {
        void work()
          .catch((thrown: unknown) => this.log.warn({ err: thrown }, 'a scan failed; it is tried again'))
          .then(again);
      });
    };
    again();
  }
}
