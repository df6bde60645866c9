/** What is paid by those whom the shop did not name. */
import { useRef } from 'preact/hooks';
import { useAsked } from '../asked.ts';
import { useScreenContext } from '../context.ts';
import type { Payment } from '../wire/types.ts';
import { buyerText } from '../words/buyer.ts';

/** By session, of the payments whose buyer has no name; asked for once for all rows. */
export function useDescriptions(rows: readonly Payment[]): ReadonlyMap<string, string> {
  const { api, place } = useScreenContext();
  const nameless = rows.filter((row) => buyerText(row.customer) === null).map(({ sessionId }) => sessionId);
  const ids = [...new Set(nameless)].toSorted();
  const asked = useAsked(`descriptions ${ids.join(' ')}`, () =>
    ids.length === 0
      ? Promise.resolve({ ok: true, value: { data: [] } } as const)
      : api.call('GET descriptions', place, { query: { ids: ids.join(',') } }),
  );
  // while the next rows are asked about, those that were known keep theirs
  const known = useRef<ReadonlyMap<string, string>>(new Map());
  if (asked.value !== null)
    known.current = new Map(asked.value.data.map(({ id, description }) => [id, description]));
  return known.current;
}
