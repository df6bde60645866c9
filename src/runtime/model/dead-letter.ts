/** Dead letters: commands that could not be delivered or executed, stored as rows of kind `dead` for an
 *  operator.
 *  1. A row stays until its command was answered; then it is deleted and is never sent again. */
import { canonicalJson, type JsonValue } from '../../kernel/canonical-json.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { Instant, Scheduler } from '../../kernel/time.ts';
import type { Row } from '../../store/store.ts';
import type { Json } from './actor.ts';
import { addressText, type Address, type Scope } from './address.ts';
import type { AskResult } from './envelope.ts';
import type { RuntimeMeters } from './meters.ts';
import type { RuntimeLog } from './runtime-log.ts';

export interface DeadLetter {
  readonly owner: Address;
  readonly scope: Scope;
  /** The same id however often it is stored. */
  readonly id: string;
  readonly body: { readonly [key: string]: Json };
}

export const deadLetterKind = 'dead';

/** Stores a dead letter for an operator; resolves when it is stored. */
export type Park = (
  owner: Address,
  scope: Scope,
  id: string,
  body: { readonly [key: string]: Json },
) => Promise<void>;

export interface ParkingParts {
  /** Writes until acknowledged. */
  readonly committer: { putRows(rows: readonly Row[]): Promise<void> };
  readonly scheduler: Pick<Scheduler, 'now'>;
  readonly meters: Pick<RuntimeMeters, 'parked'>;
  readonly log: RuntimeLog;
}

export const parking =
  ({ committer, scheduler, meters, log }: ParkingParts): Park =>
  async (owner, scope, id, body) => {
    meters.parked(owner.kind);
    log.error({ actor: addressText(owner), id }, 'stored as a dead letter');
    await committer.putRows([deadLetterRow({ owner, scope, id, body }, scheduler.now())]);
  };

/** As a row. `now` is real time. */
export const deadLetterRow = ({ owner, scope, id, body }: DeadLetter, now: Instant): Row => ({
  kind: deadLetterKind,
  id,
  owner: { kind: owner.kind, id: owner.id },
  scope,
  v: 0,
  once: false,
  gone: false,
  created: now,
  tags: [],
  body,
});

/** A fingerprint that distinguishes one state of an actor from another. */
export const markOf = (state: unknown): string =>
  sha256Hex(canonicalJson(JSON.parse(JSON.stringify(state)) as JsonValue));

/** The refusal when the actor is not in the expected state. */
export const movedOn: Extract<AskResult, { is: 'refused' }> = { is: 'refused', code: 'moved_on', detail: {} };
