/** Dead letters sent again, when an operator asks for it.
 *  1. Sent again it is something new, by an identity of its own: however often that is asked, it is executed once.
 *  2. A timer or a result an actor failed at is given to it again only as long as its state is the one that failed: one
 *     that has moved on has made other plans. */
import type { Row, Store } from '../../store/store.ts';
import { addressFrom, addressText, type Address } from '../model/address.ts';
import type { Asking } from '../model/client.ts';
import { deadLetterKind, movedOn } from '../model/dead-letter.ts';
import type { AskResult, Identity } from '../model/envelope.ts';

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
