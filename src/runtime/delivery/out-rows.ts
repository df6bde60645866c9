/** The `out` of one actor as it was committed last, without what has been sent. */
import { SmallSet } from '../../kernel/small-set.ts';
import type { Doc, OutRow } from '../../store/store.ts';
import type { AnyActor } from '../model/actor.ts';
import type { Address } from '../model/address.ts';
import type { AskResult, Envelope } from '../model/envelope.ts';
import type { PartitionLease } from '../cluster/partition-lease.ts';
import type { Settled } from '../turn/working-doc.ts';

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

export const retryDelayMsMin = 10;
export const retryDelayMsMax = 5000;

export type OutRowOf<Type extends OutRow['type']> = Extract<OutRow, { type: Type }>;

export class OutRows {
  doc: Doc | null = null;
  settled: Settled = new SmallSet<number>();

  /** The rows of one type that are still to be sent, oldest first. */
  left<Type extends OutRow['type']>(type: Type): readonly OutRowOf<Type>[] {
    return (this.doc?.out ?? []).filter(
      (row): row is OutRowOf<Type> => row.type === type && !this.settled.has(row.q),
    );
  }
}

export const addressOf = ({ actor, id }: OutboxOwner): Address => ({ kind: actor.kind, id });
