/** Sends dead letters again at an operator's request.
 *  1. The new command has an identity of its own, so that it is executed once, however often the replay is
 *     requested.
 *  2. A timer or result at which an actor failed is given to it again only while its state is still the one
 *     that failed: an actor that has moved on may have made other decisions. */
import type { Row, Store } from '../../store/store.ts';
import { addressFrom, addressText, type Address } from '../model/address.ts';
import type { Asking } from '../model/client.ts';
import { deadLetterKind, movedOn } from '../model/dead-letter.ts';
import type { AskResult, Identity } from '../model/envelope.ts';

export type Replayed =
  /** It was accepted: `ok`, or the code of the refusal, which is also an answer. The row is deleted. */
  | { readonly is: 'answered'; readonly outcome: string }
  /** Not executed, and it never will be. */
  | { readonly is: 'not_found' | 'replayed' | 'moved_on' }
  /** Not accepted now: the row stays. */
  | Exclude<AskResult, { is: 'ok' | 'refused' }>;

export interface ReplayParts {
  readonly store: Pick<Store, 'readRow'>;
  /** Writes until acknowledged. */
  readonly committer: { putRows(rows: readonly Row[]): Promise<void> };
  ask(to: Address, command: string, data: object, asking: Asking): Promise<AskResult>;
  settled(to: Address, identity: Identity): void;
}

/** Sends the contents of a row once more; the parts belong to a node. Rejects when the store does not
 *  answer. */
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
