/** Where what nobody could take is put, for an operator to find: rows of kind `dead` (engine 7). */
import type { Instant } from '../kernel/time.ts';
import type { Row } from '../store/store.ts';
import type { Json } from './actor.ts';
import type { Address, Scope } from './address.ts';

export interface DeadLetter {
  readonly owner: Address;
  readonly scope: Scope;
  /** The same however often it is put there. */
  readonly id: string;
  readonly body: { readonly [key: string]: Json };
}

export const deadLetterKind = 'dead';

/** As a row, written once. `now` is real time. */
export const deadLetterRow = ({ owner, scope, id, body }: DeadLetter, now: Instant): Row => ({
  kind: deadLetterKind,
  id,
  owner: { kind: owner.kind, id: owner.id },
  scope,
  v: 0,
  once: true,
  gone: false,
  created: now,
  tags: [],
  body,
});
