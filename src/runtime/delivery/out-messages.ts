/** The events and tells of one actor: asks its log and the actors it tells, until they have answered.
 *  1. Events go oldest first, as many together as fit in one append; tells to one target go one after the
 *     other. */
import { Backoff } from '../../kernel/backoff.ts';
import { SmallSet } from '../../kernel/small-set.ts';
import { hours } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import type { TellRefused } from '../model/actor.ts';
import { addressFrom, type Address } from '../model/address.ts';
import type { AskUntyped } from '../model/client.ts';
import type { Park } from '../model/dead-letter.ts';
import type { AskResult, Identity } from '../model/envelope.ts';
import { bareDone, throwsMax } from '../turn/turn.ts';
import {
  addressOf,
  retryDelayMsMax,
  retryDelayMsMin,
  type OutboxOwner,
  type OutRowOf,
  type OutRows,
} from './out-rows.ts';

/** Maximum bytes of envelopes in one append: JSON within JSON at most doubles their size, and the bus limit
 *  is 1 MiB. */
const appendBytesMax = 480 * 1024;
/** A tell that was not accepted for this long is parked. */
const tellLifeMs = hours(24);

export interface MessagesHost {
  /** The kind whose actor is the event log of a scope; null: there is none, and events wait. */
  readonly eventLogKind: string | null;
  readonly ask: AskUntyped;
  readonly park: Park;
}

type TellRow = OutRowOf<'tell'>;

export class OutMessages {
  private readonly host: MessagesHost;
  private readonly owner: OutboxOwner;
  private readonly rows: OutRows;
  /** Events up to this row may already have been sent by the previous owner of the document. */
  sentUpTo = 0;
  private eventsUnderWay = false;
  private readonly tellsUnderWay = new SmallSet<string>();
  /** Target -> highest seq it answered; sent as `done` once the clearing is committed. */
  private answered: Map<string, number> | null = null;

  constructor(host: MessagesHost, owner: OutboxOwner, rows: OutRows) {
    this.host = host;
    this.owner = owner;
    this.rows = rows;
  }

  /** Starts what is not in progress. */
  send(): void {
    if (!this.eventsUnderWay && this.rows.left('event').length > 0) void this.sendEvents();
    for (const to of new Set(this.rows.left('tell').map((row) => row.to)))
      if (!this.tellsUnderWay.has(to)) void this.sendTells(to);
  }

  /** Notifies a target that no more copies will come, after the commit that cleared the last tell. */
  reportDone(doc: Doc): void {
    if (this.answered === null) return;
    for (const [to, seq] of this.answered) {
      if (doc.out.some((row) => row.type === 'tell' && row.to === to)) continue;
      this.answered.delete(to);
      void this.ask(addressFrom(to), bareDone, {}, { from: this.owner.name, seq: 0, done: seq });
    }
  }

  private async sendEvents(): Promise<void> {
    this.eventsUnderWay = true;
    const backoff = this.backoff();
    const { host, owner, rows } = this;
    const { eventLogKind } = host;
    while (eventLogKind !== null && rows.doc !== null) {
      const some = upToBytes(rows.left('event'));
      if (some.length === 0) break;
      const again = some.some(({ q }) => q <= this.sentUpTo);
      this.sentUpTo = Math.max(this.sentUpTo, ...some.map(({ q }) => q));
      const events = some.map(({ eseq, eventId, event, objectId, envelope, at }) => ({
        key: `${owner.name}:${eseq}`,
        eventId,
        event,
        objectId,
        envelope,
        at,
      }));
      const log = { kind: eventLogKind, id: rows.doc.scope };
      const result = await this.ask(log, 'append', { events }, undefined, again);
      if (result.is === 'ok') {
        owner.settle(some.map((row) => row.q));
        backoff.reset();
      } else await backoff.wait();
    }
    this.eventsUnderWay = false;
  }

  private async sendTells(to: string): Promise<void> {
    this.tellsUnderWay.add(to);
    const backoff = this.backoff();
    for (let internals = 0; ;) {
      const row = this.rows.left('tell').find((tell) => tell.to === to);
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
    const { owner, rows } = this;
    // a build that no longer knows the command has no handler to call
    if (rows.doc === null || row.refused === undefined || !Object.hasOwn(owner.actor.on, row.refused))
      return this.settleTell(row);
    this.heard(row);
    const { to, command, data } = row;
    const refused: TellRefused = { to, command, data, code, detail };
    await owner.deliverSurely({
      to: addressOf(owner),
      command: row.refused,
      data: { ...refused },
      by: 'system',
      scope: rows.doc.scope,
      deadline: Infinity,
      settles: row.q,
    });
    if (rows.left('tell').some((tell) => tell.q === row.q)) owner.settle([row.q]);
  }

  private heard({ to, q }: TellRow): void {
    this.answered ??= new Map();
    this.answered.set(to, Math.max(q, this.answered.get(to) ?? 0));
  }

  /** `done` is computed from the committed `out`: a successor still sends rows that are settled only in
   *  memory. */
  private identityOf(row: TellRow): Identity {
    const { out = [] } = this.rows.doc ?? {};
    const lowest = out.find((other) => other.type === 'tell' && other.to === row.to)?.q ?? row.q;
    return { from: this.owner.name, seq: row.q, done: lowest - 1 };
  }

  private async park(row: TellRow, reason: string): Promise<void> {
    const { owner, rows } = this;
    const parked = { tell: row.to, command: row.command, data: row.data, reason };
    await this.host.park(addressOf(owner), rows.doc?.scope ?? 'system', `${owner.name}:${row.q}`, parked);
    owner.settle([row.q]);
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
    const scope = this.rows.doc?.scope ?? null;
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

function upToBytes(rows: readonly OutRowOf<'event'>[]): readonly OutRowOf<'event'>[] {
  let bytes = 0;
  const end = rows.findIndex((row) => (bytes += Buffer.byteLength(row.envelope)) > appendBytesMax);
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}
