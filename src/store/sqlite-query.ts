/** The SQL of every read except lists: look-ups, the journal in order, what is due, what is busy.
 *  Boundary: pure text and values; the reader runs it.
 *  1. Every query names its index (INDEXED BY) or is a look-up by key: none can become a full scan. */
import { byId, tableOf, type Of } from './sqlite-schema.ts';
import type { Bindable } from './sqlite-bind.ts';
import type { SlotRange, Store } from './store.ts';

export interface Sql {
  readonly sql: string;
  readonly values: readonly Bindable[];
}

/** The text, and whether it is of a document that is not busy. */
export const readSql = (of: Of): string =>
  `SELECT json, ${of === 'doc' ? 'busy = 0' : '0'} FROM ${tableOf[of]} WHERE ${byId[of]}`;

export const journalSql = (scope: string, after: number, limit: number): Sql => ({
  sql: `SELECT json FROM view_rows INDEXED BY view_rows_list WHERE gone = 0 AND ord > ?
    AND shelf = (SELECT n FROM shelves WHERE kind = 'journal' AND scope = ?) ORDER BY ord, id LIMIT ?`,
  values: [after, scope, limit],
});

export function dueSql({ clock, slots, until, limit }: Parameters<Store['due']>[0]): Sql {
  const [from, clocks] =
    clock === undefined
      ? ['docs INDEXED BY docs_wake WHERE', []]
      : ['docs INDEXED BY docs_clock WHERE clock = ? AND', [clock]];
  const [within, bounds] = inSlots(slots);
  return {
    sql: `SELECT kind, id, wake FROM ${from} wake <= ? ${within} ORDER BY wake, id LIMIT ?`,
    values: [...clocks, until, ...bounds, limit],
  };
}

export const timersSql = (clock: string): Sql => ({
  sql: `SELECT coalesce(sum(timers), 0) FROM docs INDEXED BY docs_clock WHERE clock = ? AND wake IS NOT NULL`,
  values: [clock],
});

/** Its index is in write order, so all busy actors are read and sorted; an actor is busy only for seconds. */
export function busySql({ clock, slots, after, limit }: Parameters<Store['busy']>[0]): Sql {
  const [on, clocks] = clock === undefined ? ['', []] : ['AND clock = ?', [clock]];
  const [within, bounds] = inSlots(slots);
  const { kind, id } = after ?? { kind: '', id: '' };
  return {
    sql: `SELECT kind, id FROM docs INDEXED BY docs_busy
      WHERE busy = 1 AND (kind, id) > (?, ?) ${on} ${within} ORDER BY kind, id LIMIT ?`,
    values: [kind, id, ...clocks, ...bounds, limit],
  };
}

/** One process owns every slot here, so this filter is not critical for speed. */
function inSlots(
  slots: readonly SlotRange[] | undefined,
): readonly [sql: string, values: readonly Bindable[]] {
  if (slots === undefined) return ['', []];
  const within = slots.map(() => `(json_extract(json, '$.slot') >= ? AND json_extract(json, '$.slot') < ?)`);
  // the plus keeps the planner from using one index per range
  return [`AND +(${within.join(' OR ') || '0'})`, slots.flatMap(({ from, to }) => [from, to])];
}
