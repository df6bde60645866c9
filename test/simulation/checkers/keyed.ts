/** Laws of the Idempotency-Key. */
import type { IdempotencyState } from '../../../actors/idempotency-key/messages.ts';
import type { MakeChecker } from './checker.ts';
import { sessionIn } from './money.ts';

export const repliesAreByteEqual: MakeChecker = () => {
  const first = new Map<string, string>();
  return {
    rule: 'a keyed POST is answered with the same bytes, however often and by whomever',
    replied({ key, body }) {
      const before = first.get(key);
      first.set(key, before ?? body);
      return before === undefined || before === body ? null : `${key} was answered ${before}, then ${body}`;
    },
  };
};

type KeyRecord = Exclude<IdempotencyState, { readonly status: 'released' }>;

export const oneObjectPerKey: MakeChecker = ({ disk }) => {
  const records = new Map<string, KeyRecord>();
  /** Objects of keys that have been forgotten since, because their life was over on the test clock. */
  const ofEarlierLives = new Set<string>();
  const made = (key: string): readonly string[] =>
    disk
      .docs('checkout_session')
      .filter((doc) => sessionIn(doc)?.order.referenceId === key && !ofEarlierLives.has(doc.id))
      .map(({ id }) => id);
  const keys = new Map<string, string>();
  const wrong = (key: string, objectId: string): string | null => {
    const ids = made(key);
    if (ids.length === 1 && ids[0] === objectId) return null;
    return `${key} was answered with ${objectId}, there are: ${ids.join(', ')}`;
  };
  return {
    rule: 'a keyed POST makes one object',
    landed(landed) {
      if (landed.is !== 'doc' || landed.doc.kind !== 'idempotency_key') return null;
      const { id, at, body } = landed.doc;
      const record = body as unknown as IdempotencyState | null;
      const last = records.get(id);
      const isOver = last !== undefined && at >= last.expiresAt;
      if (isOver && (record?.status === 'released' || record?.generation !== last.generation)) {
        for (const object of made(last.key)) ofEarlierLives.add(object);
        keys.delete(last.key);
        records.delete(id);
      }
      if (record !== null && record.status !== 'released') records.set(id, record);
      return null;
    },
    replied({ key, objectId }) {
      keys.set(key, objectId);
      return wrong(key, objectId);
    },
    ended: () =>
      [...keys].map(([key, objectId]) => wrong(key, objectId)).find((text) => text !== null) ?? null,
  };
};
