/** Dead letters: commands that could not be delivered or executed, stored as rows of kind `dead` for an
 *  operator.
 *  1. A row stays until its command was answered; then it is deleted and is never sent again. */
import { canonicalJson, type JsonValue } from '../../kernel/canonical-json.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Row } from '../../store/store.ts';
import type { Json } from './actor.ts';
import type { Address, Scope } from './address.ts';
import type { AskResult } from './envelope.ts';

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
