/** Finds requests in their log: by id, key, status and path, newest first.
 *  1. Blocks are found by their tags, and read from the newest on. A search looks through at most `entriesMax` entries
 *     in `blocksMax` blocks; where it stopped, the next one goes on.
 *  2. A request id names its second, and a block the seconds of its entries: one id is one look-up. */
import type { Instant } from '../../src/kernel/time.ts';
import { iso } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Row } from '../../src/store/store.ts';
import { secondOf } from '../server/request-id.ts';
import { keyTag, requestLogKind, requestsKeptMs, secondTag, statusTag } from './blocks.ts';
import type { Entry } from './entry.ts';
import { foundBlock, type EntryFilter } from './found-entries.ts';

/** Mostly up to some 320 KiB of text, 2 MiB where every path is as long as one may be: parsed on the event loop. */
export const blocksPerRead = 4;
/** Of one search. */
export const blocksMax = 40;
/** Of one search: what it begins to read fits into this. */
export const entriesMax = 20_000;

/** Where the next search goes on: after this entry of this block. */
export interface Place {
  readonly created: Instant;
  readonly block: string;
  readonly entry: number;
}

export interface Found {
  readonly data: readonly LoggedRequest[];
  /** null: there is nothing older. */
  readonly next: Place | null;
}

export interface LoggedRequest {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly keyId: string;
  readonly durationMs: number;
  /** Of the error it was answered with. */
  readonly code: string | null;
}

export interface Search extends EntryFilter {
  readonly scope: Scope;
  readonly after: Place | null;
  readonly limit: number;
  /** Real time. */
  readonly now: Instant;
}

export async function findRequests(client: Pick<Client, 'listRows'>, search: Search): Promise<Found> {
  const { scope, id, key, status, now, limit } = search;
  const second = id === undefined ? null : secondOf(id);
  if (id !== undefined && second === null) return { data: [], next: null };
  const tags = [
    ...(second === null ? [] : [secondTag(second)]),
    ...(key === undefined ? [] : [keyTag(key)]),
    ...(status === undefined ? [] : [statusTag(status)]),
  ];
  const data: LoggedRequest[] = [];
  let after = search.after;
  let looked = 0;
  for (let read = 0; read < blocksMax; read += blocksPerRead) {
    const { blocks, more } = await blocksBefore(client, { scope, tags, from: now - requestsKeptMs, after });
    for (const block of blocks) {
      const found = foundBlock(block);
      looked += found.length;
      if (looked > entriesMax) return { data, next: after };
      const below = after?.block === block.id ? after.entry : found.length;
      for (const [entry, request] of found.matching(search, below)) {
        data.push(shownOf(request));
        if (data.length === limit) return { data, next: { created: block.created, block: block.id, entry } };
      }
      after = { created: block.created, block: block.id, entry: 0 };
    }
    if (!more) return { data, next: null };
  }
  return { data, next: after };
}

interface Blocks {
  readonly scope: Scope;
  readonly tags: readonly string[];
  readonly from: Instant;
  readonly after: Place | null;
}

/** The next blocks, that of the place itself included when it is not used up. */
async function blocksBefore(
  client: Pick<Client, 'listRows'>,
  { scope, tags, from, after }: Blocks,
): Promise<{ readonly blocks: readonly Row[]; readonly more: boolean }> {
  const to = after === null ? {} : { to: after.created + 1 };
  const { items } = await client.listRows({
    kind: requestLogKind,
    scope,
    tags,
    range: [{ field: 'created', from, ...to }],
    page: 1,
    limit: blocksPerRead,
  });
  const unread = ({ created, id }: Row): boolean =>
    // another node may have written in this very millisecond
    after === null || created < after.created || id < after.block || (id === after.block && after.entry > 0);
  return { blocks: items.filter(unread), more: items.length === blocksPerRead };
}

const shownOf = ({ at, tookMs, ...entry }: Entry): LoggedRequest => ({
  ...entry,
  at: iso(at),
  durationMs: tookMs,
});
