/** Where what nobody could take is put, for an operator to find and to send again: rows of kind `dead` (engine 7).
 *  1. A row is there until what it carries was answered; then it is gone, and is never sent again.
 *  2. Sent again it is something new, by an identity of its own: however often that is asked, it is executed once.
 *  3. A timer or a result an actor failed at is given to it again only as long as its state is the one that failed: one
 *     that has moved on has made other plans. */
import { canonicalJson, type JsonValue } from '../kernel/canonical-json.ts';
import { sha256Hex } from '../kernel/hash.ts';
import type { Instant } from '../kernel/time.ts';
import type { Row, Store } from '../store/store.ts';
import type { Json } from './actor.ts';
import { addressFrom, addressText, type Address, type Scope } from './address.ts';
import type { Asking } from './client.ts';
import type { AskResult, Identity } from './envelope.ts';

export interface DeadLetter {
  readonly owner: Address;
  readonly scope: Scope;
  /** The same however often it is put there. */
  readonly id: string;
  readonly body: { readonly [key: string]: Json };
}

export const deadLetterKind = 'dead';

/** Puts something nobody could take where an operator finds it; resolves when it is stored. */
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

/** Tells one state of an actor from another. */
export const markOf = (state: unknown): string =>
  sha256Hex(canonicalJson(JSON.parse(JSON.stringify(state)) as JsonValue));

/** The refusal of an actor that is not in the state it was asked for. */
export const movedOn: Extract<AskResult, { is: 'refused' }> = { is: 'refused', code: 'moved_on', detail: {} };

export type Replayed =
  /** It was taken: `ok`, or the code of the refusal, which is an answer too. The row is gone. */
  | { readonly is: 'answered'; readonly outcome: string }
  /** Nothing happened, and nothing will. */
  | { readonly is: 'not_found' | 'replayed' | 'moved_on' }
  /** Not taken now: the row stands. */
  | Exclude<AskResult, { is: 'ok' | 'refused' }>;

export interface ReplayParts {
  readonly store: Pick<Store, 'readRow'>;
  /** Writes until acknowledged. */
  readonly committer: { putRows(rows: readonly Row[]): Promise<void> };
  ask(to: Address, command: string, data: object, asking: Asking): Promise<AskResult>;
  settled(to: Address, identity: Identity): void;
}

/** Sends what a row carries once more; the parts are a node. Rejects when the store is away. */
export async function replayDead(parts: ReplayParts, id: string): Promise<Replayed> {
  const row = await parts.store.readRow(deadLetterKind, id);
  if (row === null) return { is: 'not_found' };
  if (row.gone) return { is: 'replayed' };
  const { owner, scope, body } = row;
  const { tell, command, data = null, state } = body;
  const to = typeof tell === 'string' ? addressFrom(tell) : owner;
  const isOwn = typeof tell !== 'string' && id !== addressText(owner);
  if (typeof command !== 'string' || (isOwn && typeof state !== 'string')) return { is: 'moved_on' };
  const identity: Identity = { from: `k:${deadLetterKind}/${id}`, seq: 1, done: 0 };
  const result = await parts.ask(to, command, data as object, {
    by: 'system',
    scope,
    identity,
    ...(isOwn && typeof state === 'string' ? { ifState: state } : {}),
  });
  if (result.is !== 'ok' && result.is !== 'refused') return result;
  const outcome = result.is === 'ok' ? 'ok' : result.code;
  if (isOwn && result.is === 'refused' && outcome === movedOn.code) return { is: 'moved_on' };
  await parts.committer.putRows([{ ...row, once: false, v: row.v + 1, gone: true }]);
  parts.settled(to, identity);
  return { is: 'answered', outcome };
}
