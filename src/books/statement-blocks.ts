/** The blocks in which the compared rows of a statement are stored: insert-only, so that what a first run has
 *  found stands when a step is made twice. */
import {
  statementAt,
  statementBlockId,
  statementBlockKind,
  type StatementItem,
} from '../../actors/statement/messages.ts';
import type { Instant } from '../kernel/time.ts';
import type { Json } from '../runtime/model/actor.ts';
import type { Scope } from '../runtime/model/address.ts';
import { readManyMax, type Row, type Store } from '../store/store.ts';
import type { Taken } from './statement-matching.ts';

export type BlockStore = Pick<Store, 'putRows' | 'readManyRows'>;

export interface BlockOf {
  readonly statementId: string;
  readonly scope: Scope;
  readonly now: Instant;
}

/** Stores blocks from `first` on, and returns what is stored: an earlier run may have been there. */
export async function storedBlocks(
  store: BlockStore,
  { statementId, scope, now }: BlockOf,
  first: number,
  blocks: readonly (readonly StatementItem[])[],
): Promise<readonly (readonly StatementItem[])[]> {
  if (blocks.length === 0) return [];
  const rows = blocks.map((items, at): Row => ({
    kind: statementBlockKind,
    id: statementBlockId(statementId, first + at),
    owner: statementAt(statementId),
    scope,
    v: 1,
    once: true,
    gone: false,
    created: now,
    tags: [],
    body: { items: items as unknown as Json },
  }));
  if ((await store.putRows(rows)) !== 'applied') throw new Error('blocks of a statement were not stored');
  return readBlocks(store, statementId, first, first + blocks.length);
}

// written above
const itemsIn = ({ body }: Row): readonly StatementItem[] =>
  body['items'] as unknown as readonly StatementItem[];

/** Blocks in their order. */
export async function readBlocks(
  store: Pick<Store, 'readManyRows'>,
  statementId: string,
  from: number,
  to: number,
): Promise<readonly (readonly StatementItem[])[]> {
  const ids = Array.from({ length: to - from }, (_, at) => statementBlockId(statementId, from + at));
  const rows = await store.readManyRows(statementBlockKind, ids);
  const found = new Map(rows.map((row) => [row.id, itemsIn(row)]));
  return ids.map((id) => {
    const items = found.get(id);
    if (items === undefined) throw new Error('a block of a statement is missing');
    return items;
  });
}

/** What the rows of a statement's first blocks have taken. It is kept in memory from step to step, and read
 *  again where another node, or another life of this one, has made the steps before. */
export class TakenSoFar {
  private readonly store: Pick<Store, 'readManyRows'>;
  private readonly kept = new Map<string, { readonly taken: Taken; blocks: number }>();

  constructor(store: Pick<Store, 'readManyRows'>) {
    this.store = store;
  }

  /** Changes are forgotten unless `keep` follows. */
  async after(statementId: string, blocks: number): Promise<Taken> {
    const kept = this.kept.get(statementId);
    this.kept.delete(statementId);
    if (kept?.blocks === blocks) return kept.taken;
    const taken: Taken = { payments: new Set(), refunds: new Set() };
    for (let from = 0; from < blocks; from += readManyMax) {
      const read = await readBlocks(this.store, statementId, from, Math.min(blocks, from + readManyMax));
      for (const items of read) take(items, taken);
    }
    return taken;
  }

  keep(statementId: string, blocks: number, taken: Taken): void {
    this.kept.set(statementId, { taken, blocks });
    // the statement that was worked on longest ago
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= keptMax) return;
      this.kept.delete(oldest);
    }
  }
}

/** Statements that are remembered from step to step. */
const keptMax = 8;

export function take(items: readonly StatementItem[], { payments, refunds }: Taken): void {
  for (const { result, paymentId, refundId } of items) {
    if (refundId !== undefined) refunds.add(refundId);
    else if (paymentId !== null && (result === 'matched' || result === 'amount_differs'))
      payments.add(paymentId);
  }
}
