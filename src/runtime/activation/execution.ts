/** Executes turns of one actor in memory: gives the pure turn function its inputs (clock, ids, schema
 *  limits).
 *  Boundary: decides nothing and commits nothing (turn.ts, committed-document.ts). */
import type { Scheduler } from '../../kernel/time.ts';
import type { Store } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import { addressText } from '../model/address.ts';
import type { Eras } from '../model/era.ts';
import { formats } from '../model/formats.ts';
import type { Clocks } from '../time/clocks.ts';
import type { CommittedDocument } from './committed-document.ts';
import type { Pending } from './mailbox.ts';
import type { Envelope } from '../model/envelope.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import { runTurn, type TurnContext, type TurnResult } from '../turn/turn.ts';
import type { EnvelopeText } from '../turn/working-doc.ts';

/** What a turn needs from the node. */
export interface TurnHost {
  readonly scheduler: Scheduler;
  readonly clocks: Pick<Clocks, 'now'>;
  readonly store: Pick<Store, 'rowsInCommit'>;
  readonly log: RuntimeLog;
  readonly envelopeText: EnvelopeText;
  readonly eventLogKind: string | null;
  readonly eras: Eras;
  /** The newest schema of a kind, or form of the runtime's own, that every node can read. */
  readByAll(kind: string): number;
  /** Unique per commit attempt. */
  nextToken(): string;
}

export class Execution {
  private readonly host: TurnHost;
  private readonly lease: PartitionLease;
  private readonly actor: AnyActor;
  private readonly id: string;
  private readonly held: CommittedDocument;
  /** How often each command has thrown; empty for nearly every actor. */
  private thrown: Map<string, number> | null = null;

  constructor(host: TurnHost, lease: PartitionLease, actor: AnyActor, id: string, held: CommittedDocument) {
    this.host = host;
    this.lease = lease;
    this.actor = actor;
    this.id = id;
    this.held = held;
  }

  /** One turn over these commands, on the document as it is now. */
  run(batch: readonly Pending[]): TurnResult {
    const { actor, id, held } = this;
    const envelopes = batch.map(({ envelope }) => envelope);
    return runTurn(actor, id, held.doc, envelopes, this.context());
  }

  /** The turn that had this result, with one command more. */
  also(result: TurnResult, envelope: Envelope): TurnResult {
    return result.also(envelope, this.context());
  }

  private context(): TurnContext {
    const { host, actor, id, held } = this;
    // the clock is read once: lists sort by the document's creation instant, and its view shows the
    // transition's instant, so both must agree
    const realNow = host.scheduler.now();
    return {
      realNow,
      clockNow: (clock) => host.clocks.now(clock, realNow),
      epoch: this.lease.epoch,
      readByAll: host.readByAll(actor.kind),
      notesTogether: host.readByAll('timeline') >= formats.timeline,
      stamp: !held.stamped,
      tok: host.nextToken(),
      rowsInCommit: host.store.rowsInCommit,
      alone: this.lease.partition === null,
      placesEvents: this.lease.partition === null && host.store.rowsInCommit && host.eventLogKind !== null,
      envelopeText: host.envelopeText,
      eras: host.eras,
      settled: held.settled,
      throws: (key) => this.countThrow(key),
      onThrow: ({ command }, thrown) =>
        host.log.error(
          { actor: addressText({ kind: actor.kind, id }), command, err: thrown },
          'a handler threw an error: the command was not executed',
        ),
    };
  }

  private countThrow(key: string): number {
    const count = (this.thrown?.get(key) ?? 0) + 1;
    (this.thrown ??= new Map<string, number>()).set(key, count);
    return count;
  }
}
