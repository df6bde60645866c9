/** Sends the committed `out` of one actor: events to its log, tells to their targets, effects to their
 *  runners.
 *  1. Only rows of a committed document are sent, except a read (`beginRead`); memory may repeat a row, never invent
 *     one.
 *  2. Events go oldest first, as many together as fit in one append; tells to one target go one after the
 *     other. */
import { Backoff } from '../../kernel/backoff.ts';
import { Few } from '../../kernel/few.ts';
import { hours, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Doc, OutRow } from '../../store/store.ts';
import type { AnyActor, TellRefused } from '../model/actor.ts';
import { addressFrom, type Address } from '../model/address.ts';
import { isOnce, type BrokenBuild } from '../model/broken-builds.ts';
import type { AskUntyped } from '../model/client.ts';
import type { Clocks } from '../time/clocks.ts';
import type { Park } from '../model/dead-letter.ts';
import type { EffectOutRow } from './effect-job.ts';
import type { Effects } from './effects.ts';
import type { AskResult, Envelope, Identity } from '../model/envelope.ts';
import type { AtFailpoint } from '../model/failpoint.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { bareDone, beginOnce, throwsMax } from '../turn/turn.ts';
import type { Settled } from '../turn/working-doc.ts';

/** Maximum bytes of envelopes in one append: JSON within JSON at most doubles their size, and the bus limit
 *  is 1 MiB. */
export const appendBytesMax = 480 * 1024;
/** A tell that was not accepted for this long is parked. */
export const tellLifeMs = hours(24);
const retryDelayMsMin = 10;
const retryDelayMsMax = 5000;

/** What sending needs from the host. */
export interface DeliveryHost {
  readonly clocks: Pick<Clocks, 'now'>;
  readonly scheduler: Pick<Scheduler, 'now'>;
  readonly effects: Pick<Effects, 'start'>;
  /** The kind whose actor is the event log of a scope; null: there is none, and events wait. */
  readonly eventLogKind: string | null;
  readonly ask: AskUntyped;
  readonly park: Park;
  readonly failpoint: AtFailpoint;
  readonly faults: BrokenBuild;
}

/** The actor in memory that owns this `out`. */
export interface OutboxOwner {
  readonly actor: Pick<AnyActor, 'kind' | 'on' | 'effects'>;
  readonly id: string;
  /** `kind/id`. */
  readonly name: string;
  readonly lease: PartitionLease;
  deliver(envelope: Envelope): Promise<AskResult>;
  deliverSurely(envelope: Envelope): Promise<void>;
  settle(rows: readonly number[]): void;
  leaveIfParked(): void;
}

/** Takes the result of a read that began before its commit. Resolves when its turn has ended: `committed` with it,
 *  `late`: committed without it, `dropped`: not committed, so that its row does not exist. */
export type TakeRead = (result: Envelope) => Promise<'committed' | 'late' | 'dropped'>;

type TellRow = Extract<OutRow, { type: 'tell' }>;
type EventRow = Extract<OutRow, { type: 'event' }>;

export class Outbox {
  private readonly host: DeliveryHost;
  private readonly owner: OutboxOwner;
  private doc: Doc | null = null;
  private settled: Settled = new Few<number>();
  private eventsUnderWay = false;
  /** Events up to this row may already have been sent by the previous owner of the document. */
  private sentUpTo = 0;
  private readonly tellsUnderWay = new Few<string>();
  private readonly effectsUnderWay = new Few<number>();
  /** Effects for which their lane has no room now. */
  private readonly parked = new Few<number>();
  /** Target -> highest seq it answered; sent as `done` once the clearing is committed. */
  private answered: Map<string, number> | null = null;

  constructor(host: DeliveryHost, owner: OutboxOwner) {
    this.host = host;
    this.owner = owner;
  }

  /** The rows of a document just read may already have been sent by an earlier owner. */
  found({ oq }: Doc): void {
    this.sentUpTo = oq;
  }

  /** Called with each committed document. */
  release(doc: Doc, settled: Settled): void {
    this.doc = doc;
    this.settled = settled;
    if (doc.out.length > 0) this.startAll();
    this.reportDone(doc);
  }

  private startAll(): void {
    if (!this.eventsUnderWay && this.events.length > 0) void this.sendEvents();
    for (const to of new Set(this.tells.map((row) => row.to))) {
      if (!this.tellsUnderWay.has(to)) void this.sendTells(to);
    }
    this.offerEffects();
  }

  /** Starts every row that is not in progress; a full lane returns it. */
  offerEffects(): void {
    for (const row of this.effects) {
      if (!this.effectsUnderWay.has(row.q)) this.startEffect(row);
    }
  }

  /** For how long the oldest row has been waiting to be sent. Events carry instants of the actor's clock,
   *  the other rows real time. */
  get oldestMs(): DurationMs {
    const { doc, host } = this;
    let oldest = 0;
    for (const row of doc?.out ?? []) {
      if (row.type === 'row' || this.settled.has(row.q)) continue;
      const now = row.type === 'event' ? host.clocks.now(doc?.clock ?? null) : host.scheduler.now();
      oldest = Math.max(oldest, now - row.at);
    }
    return oldest;
  }

  /** All rows still to be sent wait for room in a lane, so the actor need not stay in memory. */
  get onlyParked(): boolean {
    const { out = [] } = this.doc ?? {};
    return out.length > 0 && out.every((row) => this.parked.has(row.q));
  }

  private get events(): readonly EventRow[] {
    return (this.doc?.out ?? []).filter(
      (row) => row.type === 'event' && !this.settled.has(row.q),
    ) as EventRow[];
  }

  private get tells(): readonly TellRow[] {
    return (this.doc?.out ?? []).filter(
      (row) => row.type === 'tell' && !this.settled.has(row.q),
    ) as TellRow[];
  }

  private get effects(): readonly EffectOutRow[] {
    return (this.doc?.out ?? []).filter(
      (row) => row.type === 'effect' && !this.settled.has(row.q),
    ) as EffectOutRow[];
  }

  private async sendEvents(): Promise<void> {
    this.eventsUnderWay = true;
    const backoff = this.backoff();
    const { eventLogKind } = this.host;
    while (eventLogKind !== null && this.events.length > 0 && this.doc !== null) {
      const rows = upToBytes(this.events);
      const again = rows.some(({ q }) => q <= this.sentUpTo);
      this.sentUpTo = Math.max(this.sentUpTo, ...rows.map(({ q }) => q));
      const { name } = this.owner;
      const events = rows.map(({ eseq, eventId, event, objectId, envelope, at }) => ({
        key: `${name}:${eseq}`,
        eventId,
        event,
        objectId,
        envelope,
        at,
      }));
      const log = { kind: eventLogKind, id: this.doc.scope };
      const result = await this.ask(log, 'append', { events }, undefined, again);
      if (result.is === 'ok') {
        this.owner.settle(rows.map((row) => row.q));
        backoff.reset();
      } else await backoff.wait();
    }
    this.eventsUnderWay = false;
  }

  private async sendTells(to: string): Promise<void> {
    this.tellsUnderWay.add(to);
    const backoff = this.backoff();
    for (let internals = 0; ;) {
      const row = this.tells.find((tell) => tell.to === to);
      if (row === undefined) break;
      const data = row.data as object;
      // once a refusal has been reported, no copy may succeed after it
      const again = backoff.waited || row.refused !== undefined;
      const result = await this.ask(addressFrom(to), row.command, data, this.identityOf(row), again);
      if (result.is === 'internal') internals++;
      const old = this.owner.lease.scheduler.now() - row.at > tellLifeMs;
      if (result.is === 'ok') this.settleTell(row);
      else if (result.is === 'refused') await this.returnRefusal(row, result.code, result.detail);
      else if (old || internals >= throwsMax) await this.park(row, result.is);
      else {
        await backoff.wait();
        continue;
      }
      backoff.reset();
      internals = 0;
    }
    this.tellsUnderWay.delete(to);
  }

  private settleTell(row: TellRow): void {
    this.heard(row);
    this.owner.settle([row.q]);
  }

  /** A refusal is an answer too: it returns as a command, whose commit removes the row. */
  private async returnRefusal(row: TellRow, code: string, detail: TellRefused['detail']): Promise<void> {
    const { owner, doc } = this;
    // a build that no longer knows the command has no handler to call
    if (doc === null || row.refused === undefined || !Object.hasOwn(owner.actor.on, row.refused))
      return this.settleTell(row);
    this.heard(row);
    const { to, command, data } = row;
    const refused: TellRefused = { to, command, data, code, detail };
    await owner.deliverSurely({
      to: this.address,
      command: row.refused,
      data: { ...refused },
      by: 'system',
      scope: doc.scope,
      deadline: Infinity,
      settles: row.q,
    });
    if (this.tells.some((tell) => tell.q === row.q)) owner.settle([row.q]);
  }

  private heard({ to, q }: TellRow): void {
    this.answered ??= new Map();
    this.answered.set(to, Math.max(q, this.answered.get(to) ?? 0));
  }

  /** `done` is computed from the committed `out`: a successor still sends rows that are settled only in
   *  memory. */
  private identityOf(row: TellRow): Identity {
    const lowest =
      (this.doc?.out ?? []).find((other) => other.type === 'tell' && other.to === row.to)?.q ?? row.q;
    return { from: this.owner.name, seq: row.q, done: lowest - 1 };
  }

  /** Notifies a target that no more copies will come, after the commit that cleared the last tell. */
  private reportDone(doc: Doc): void {
    if (this.answered === null) return;
    for (const [to, seq] of this.answered) {
      if (doc.out.some((row) => row.type === 'tell' && row.to === to)) continue;
      this.answered.delete(to);
      void this.ask(addressFrom(to), bareDone, {}, { from: this.owner.name, seq: 0, done: seq });
    }
  }

  private async park(row: TellRow, reason: string): Promise<void> {
    const parked = { tell: row.to, command: row.command, data: row.data, reason };
    await this.host.park(this.address, this.doc?.scope ?? 'system', `${this.owner.name}:${row.q}`, parked);
    this.owner.settle([row.q]);
  }

  /** Starts a read of a document that is not committed yet. */
  beginRead(doc: Doc, row: EffectOutRow, take: TakeRead): void {
    this.startEffect(row, doc, take);
  }

  /** The turn of this row was not committed: another row may have its number. */
  dropRead({ q }: EffectOutRow): void {
    this.effectsUnderWay.delete(q);
  }

  private startEffect(row: EffectOutRow, doc = this.doc, take: TakeRead | null = null): void {
    const { owner, host } = this;
    const declared = owner.actor.effects[row.kind];
    if (doc === null || declared === undefined) return;
    this.effectsUnderWay.add(row.q);
    this.parked.delete(row.q);
    const once = isOnce(declared, host.faults);
    const finish = async (result: object | 'unknown'): Promise<void> => {
      const data = (result === 'unknown' ? declared.unknown(row.data as never) : result) as never;
      const envelope = {
        to: this.address,
        command: declared.result,
        data,
        by: 'system' as const,
        scope: doc.scope,
        deadline: Infinity,
        settles: row.q,
      };
      await host.failpoint('before_result', owner.actor.kind, owner.id);
      if (once && result !== 'unknown')
        await host.failpoint('before_once_result', owner.actor.kind, owner.id);
      // a successor produces its own result
      const taken = take === null ? 'late' : await owner.lease.whileMine(take(envelope));
      if (taken === 'dropped') return;
      if (taken === 'late') await owner.lease.whileMine(owner.deliverSurely(envelope));
      this.effectsUnderWay.delete(row.q);
    };
    if (once && row.tries > 0) {
      void finish('unknown');
      return;
    }
    host.effects.start({
      row,
      finish: async (result) => {
        await finish(result);
        owner.lease.acted();
      },
      context: {
        scope: doc.scope,
        actorId: owner.id,
        key: `${owner.name}:${row.q}`,
        now: () => Math.max(host.clocks.now(doc.clock), doc.at),
      },
      ready: () => owner.lease.toAct(),
      begin: once ? () => this.begun(row, doc) : null,
      park: () => {
        this.effectsUnderWay.delete(row.q);
        this.parked.add(row.q);
        owner.leaveIfParked();
      },
    });
  }

  /** Whether this owner may run the effect. If the lease ends during a claim, the claim gets no answer, and
   *  it must not block the lane. */
  private async begun(row: EffectOutRow, doc: Doc): Promise<boolean> {
    const begun = (await this.owner.lease.whileMine(this.begin(row, doc))) === true;
    if (begun) await this.host.failpoint('before_once_call', this.owner.actor.kind, this.owner.id);
    return begun;
  }

  /** Claims an `atMostOnce` effect by a commit: a former owner fails here and sends nothing. */
  private async begin(row: EffectOutRow, doc: Doc): Promise<boolean> {
    for (const backoff = this.backoff(); ; await backoff.wait()) {
      const result = await this.owner.deliver({
        to: this.address,
        command: beginOnce,
        data: {},
        by: 'system',
        scope: doc.scope,
        deadline: Infinity,
        settles: row.q,
      });
      // a claim that was not executed has claimed nothing
      if (result.is !== 'not_executed') return result.is === 'ok';
    }
  }

  private get address(): Address {
    return { kind: this.owner.actor.kind, id: this.owner.id };
  }

  /** Sends only while this node may act for the actor; the result is handled under the same condition. */
  private async ask(
    to: Address,
    command: string,
    data: object,
    identity?: Identity,
    again = false,
  ): Promise<AskResult> {
    const { lease } = this.owner;
    if (!lease.maySend) await lease.untilMaySend();
    const scope = this.doc?.scope ?? null;
    const result = await this.host.ask(to, command, data, {
      by: 'system',
      scope,
      again,
      // events have their own keys
      ...(identity === undefined ? { idempotent: true } : { identity }),
    });
    if (!lease.maySend) await lease.untilMaySend();
    return result;
  }

  private backoff(): Backoff {
    return new Backoff(this.owner.lease.scheduler, retryDelayMsMin, retryDelayMsMax);
  }
}

function upToBytes(rows: readonly EventRow[]): readonly EventRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += Buffer.byteLength(row.envelope)) > appendBytesMax);
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}
