/** Sends the committed `out` of one actor: events and tells (out-messages.ts), and effects (out-effects.ts).
 *  1. Only rows of a committed document are sent, except a read (`beginRead`); memory may repeat a row, never invent
 *     one. */
import type { DurationMs } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import type { Settled } from '../turn/working-doc.ts';
import type { EffectOutRow } from './effect-job.ts';
import { OutEffects, type EffectsHost, type TakeRead } from './out-effects.ts';
import { OutMessages, type MessagesHost } from './out-messages.ts';
import { OutRows, type OutboxOwner } from './out-rows.ts';

/** What sending needs from the host. */
export type DeliveryHost = MessagesHost & EffectsHost;

export class Outbox {
  private readonly host: DeliveryHost;
  private readonly rows = new OutRows();
  private readonly messages: OutMessages;
  private readonly effects: OutEffects;

  constructor(host: DeliveryHost, owner: OutboxOwner) {
    this.host = host;
    this.messages = new OutMessages(host, owner, this.rows);
    this.effects = new OutEffects(host, owner, this.rows);
  }

  /** The rows of a document just read may already have been sent by an earlier owner. */
  found({ oq }: Doc): void {
    this.messages.sentUpTo = oq;
  }

  /** Called with each committed document. */
  release(doc: Doc, settled: Settled): void {
    this.rows.doc = doc;
    this.rows.settled = settled;
    if (doc.out.length > 0) {
      this.messages.send();
      this.effects.offer();
    }
    this.messages.reportDone(doc);
  }

  /** Starts every effect that is not in progress; a full lane returns it. */
  offerEffects(): void {
    this.effects.offer();
  }

  /** Starts a read of a document that is not committed yet. */
  beginRead(doc: Doc, row: EffectOutRow, take: TakeRead): void {
    this.effects.start(row, doc, take);
  }

  /** The turn of this row was not committed: another row may have its number. */
  dropRead(row: EffectOutRow): void {
    this.effects.drop(row);
  }

  /** For how long the oldest row has been waiting to be sent. Events carry instants of the actor's clock,
   *  the other rows real time. */
  get oldestMs(): DurationMs {
    const { host, rows } = this;
    const { doc, settled } = rows;
    let oldest = 0;
    for (const row of doc?.out ?? []) {
      if (row.type === 'row' || settled.has(row.q)) continue;
      const now = row.type === 'event' ? host.clocks.now(doc?.clock ?? null) : host.scheduler.now();
      oldest = Math.max(oldest, now - row.at);
    }
    return oldest;
  }

  /** All rows still to be sent wait for room in a lane, so the actor need not stay in memory. */
  get onlyParked(): boolean {
    const { out = [] } = this.rows.doc ?? {};
    return out.length > 0 && out.every(({ q }) => this.effects.isParked(q));
  }
}
