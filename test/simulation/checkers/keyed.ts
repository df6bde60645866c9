/** Laws of the Idempotency-Key. */
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

export const oneObjectPerKey: MakeChecker = ({ disk }) => {
  const made = (key: string): readonly string[] =>
    disk
      .docs('checkout_session')
      .filter((doc) => sessionIn(doc)?.order.referenceId === key)
      .map(({ id }) => id);
  const keys = new Map<string, string>();
  const wrong = (key: string, objectId: string): string | null => {
    const ids = made(key);
    if (ids.length === 1 && ids[0] === objectId) return null;
    return `${key} was answered with ${objectId}, there are: ${ids.join(', ')}`;
  };
  return {
    rule: 'a keyed POST makes one object',
    replied({ key, objectId }) {
      keys.set(key, objectId);
      return wrong(key, objectId);
    },
    ended: () =>
      [...keys].map(([key, objectId]) => wrong(key, objectId)).find((text) => text !== null) ?? null,
  };
};
