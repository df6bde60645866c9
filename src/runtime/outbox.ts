/** Sends what one actor's committed `out` holds: events to its log, tells to their targets, effects to their runners
 *  (engine 7).
 *  1. Only rows of a committed document are sent; memory may repeat a row, never invent one.
 *  2. Events go all together, oldest first; tells to one target one after the other. */
import { hours, type DurationMs } from '../kernel/time.ts';
import type { Doc, OutRow } from '../store/store.ts';
import type { Activation } from './activation.ts';
import { addressFrom, type Address } from './address.ts';
import type { EffectOutRow } from './effects.ts';
import type { AskResult, Identity } from './envelope.ts';
import type { Node } from './node.ts';
import { bareDone, beginOnce, throwsMax } from './turn.ts';

/** Bytes of envelopes one append carries, so that it fits any bus. */
export const appendBytesMax = 512 * 1024;
/** A tell nobody took for this long is parked. */
export const tellLifeMs = hours(24);
const retryDelayMsMin = 10;
const retryDelayMsMax = 5000;

type TellRow = Extract<OutRow, { type: 'tell' }>;
type EventRow = Extract<OutRow, { type: 'event' }>;

export class Outbox {
  private readonly node: Node;
  private readonly activation: Activation;
  private doc: Doc | null = null;
  private settled: ReadonlySet<number> = new Set();
  private eventsUnderWay = false;
  private readonly tellsUnderWay = new Set<string>();
  private readonly effectsUnderWay = new Set<number>();
  /** Target -> highest seq it answered; told `done` once the clearing is committed. */
  private readonly answered = new Map<string, number>();

  constructor(node: Node, activation: Activation) {
    this.node = node;
    this.activation = activation;
  }

  /** Called with each committed document. */
  release(doc: Doc, settled: ReadonlySet<number>): void {
    this.doc = doc;
    this.settled = settled;
    if (!this.eventsUnderWay && this.events.length > 0) void this.sendEvents();
    for (const to of new Set(this.tells.map((row) => row.to))) {
      if (!this.tellsUnderWay.has(to)) void this.sendTells(to);
    }
    for (const row of this.effects) {
      if (!this.effectsUnderWay.has(row.q)) this.startEffect(row);
    }
    this.sayDone(doc);
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
    for (let delay = retryDelayMsMin; this.events.length > 0 && this.doc !== null;) {
      const rows = upToBytes(this.events);
      const { name } = this.activation;
      const events = rows.map(({ eseq, eventId, event, objectId, envelope, at }) => ({
        key: `${name}:${eseq}`,
        eventId,
        event,
        objectId,
        envelope,
        at,
      }));
      const result = await this.ask({ kind: 'event_log', id: this.doc.scope }, 'append', { events });
      if (result.is === 'ok') {
        this.activation.settle(rows.map((row) => row.q));
        delay = retryDelayMsMin;
      } else delay = await this.pause(delay);
    }
    this.eventsUnderWay = false;
  }

  private async sendTells(to: string): Promise<void> {
    this.tellsUnderWay.add(to);
    for (let delay = retryDelayMsMin, internals = 0; ;) {
      const row = this.tells.find((tell) => tell.to === to);
      if (row === undefined) break;
      const data = row.data as object;
      const result = await this.ask(
        addressFrom(to),
        row.command,
        data,
        this.identityOf(row),
        delay > retryDelayMsMin,
      );
      if (result.is === 'internal') internals++;
      const old = this.node.scheduler.now() - row.at > tellLifeMs;
      if (result.is === 'ok' || result.is === 'refused') this.settleTell(row);
      else if (old || internals >= throwsMax) await this.park(row, result.is);
      else {
        delay = await this.pause(delay);
        continue;
      }
      [delay, internals] = [retryDelayMsMin, 0];
    }
    this.tellsUnderWay.delete(to);
  }

  private settleTell(row: TellRow): void {
    this.answered.set(row.to, Math.max(row.q, this.answered.get(row.to) ?? 0));
    this.activation.settle([row.q]);
  }

  /** `done` is read off the committed `out`: a successor still sends what only memory has settled. */
  private identityOf(row: TellRow): Identity {
    const lowest =
      (this.doc?.out ?? []).find((other) => other.type === 'tell' && other.to === row.to)?.q ?? row.q;
    return { from: this.activation.name, seq: row.q, done: lowest - 1 };
  }

  /** Tells a target that nothing more will come again, after the commit that cleared the last tell. */
  private sayDone(doc: Doc): void {
    for (const [to, seq] of this.answered) {
      if (doc.out.some((row) => row.type === 'tell' && row.to === to)) continue;
      this.answered.delete(to);
      void this.ask(addressFrom(to), bareDone, {}, { from: this.activation.name, seq: 0, done: seq });
    }
  }

  private async park(row: TellRow, reason: string): Promise<void> {
    const parked = { tell: row.to, command: row.command, data: row.data, reason };
    await this.node.park(
      this.address,
      this.doc?.scope ?? 'system',
      `${this.activation.name}:${row.q}`,
      parked,
    );
    this.activation.settle([row.q]);
  }

  private startEffect(row: EffectOutRow): void {
    const { doc, activation, node } = this;
    const declared = activation.actor.effects[row.kind];
    if (doc === null || declared === undefined) return;
    this.effectsUnderWay.add(row.q);
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
      await node.failpoint('before_result', activation.actor.kind);
      await node.deliverSurely(activation, envelope);
      this.effectsUnderWay.delete(row.q);
    };
    if (declared.mode === 'once' && row.tries > 0) {
      void finish('unknown');
      return;
    }
    node.effects.start({
      row,
      finish,
      context: {
        scope: doc.scope,
        actorId: activation.id,
        key: `${activation.name}:${row.q}`,
        now: () => Math.max(node.clocks.now(doc.clock), doc.at),
      },
      begin: declared.mode === 'once' ? () => this.begin(row, doc) : null,
    });
  }

  /** Claims a `once` effect by a commit: an owner deposed meanwhile fails here and sends nothing. */
  private async begin(row: EffectOutRow, doc: Doc): Promise<boolean> {
    for (let delay = retryDelayMsMin; ; delay = await this.pause(delay)) {
      const result = await this.activation.deliver({
        to: this.address,
        command: beginOnce,
        data: {},
        by: 'system',
        scope: doc.scope,
        deadline: Infinity,
        settles: row.q,
      });
      // what was not executed was claimed by nobody
      if (result.is !== 'not_executed') return result.is === 'ok';
    }
  }

  private get address(): Address {
    return { kind: this.activation.actor.kind, id: this.activation.id };
  }

  private ask(
    to: Address,
    command: string,
    data: object,
    identity?: Identity,
    again = false,
  ): Promise<AskResult> {
    const scope = this.doc?.scope ?? null;
    return this.node.ask(to, command, data, {
      by: 'system',
      scope,
      again,
      ...(identity === undefined ? {} : { identity }),
    });
  }

  private async pause(delayMs: DurationMs): Promise<DurationMs> {
    await new Promise<void>((resolve) => void this.node.scheduler.after(delayMs, resolve));
    return Math.min(delayMs * 2, retryDelayMsMax);
  }
}

function upToBytes(rows: readonly EventRow[]): readonly EventRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += row.envelope.length) > appendBytesMax);
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}
