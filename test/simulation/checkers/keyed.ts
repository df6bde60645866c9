/** Laws of the Idempotency-Key. A key lives for a day on the test clock: after that the same request is a new one. */
import type { IdempotencyState } from '../../../actors/idempotency-key/messages.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { Landed } from '../../../src/testing/store-sim-disk.ts';
import type { MakeChecker } from './checker.ts';
import { sessionIn } from './money.ts';

export const repliesAreByteEqual: MakeChecker = () => {
  const lives = new KeyLives();
  const first = new Map<string, string>();
  return {
    rule: 'a keyed POST is answered with the same bytes, however often and by whomever',
    landed: (landed) => lives.landed(landed),
    replied({ key, body, objectId }) {
      const life = `${key} ${lives.of(objectId)}`;
      const before = first.get(life);
      first.set(life, before ?? body);
      return before === undefined || before === body ? null : `${key} was answered ${before}, then ${body}`;
    },
  };
};

export const oneObjectPerKey: MakeChecker = ({ disk }) => {
  const lives = new KeyLives();
  const answered = new Map<string, { readonly key: string; readonly objectId: string }>();
  const made = (key: string, life: number): readonly string[] =>
    disk
      .docs('checkout_session')
      .filter((doc) => sessionIn(doc)?.order.referenceId === key && lives.of(doc.id) === life)
      .map(({ id }) => id);
  const wrong = (key: string, objectId: string): string | null => {
    const ids = made(key, lives.of(objectId));
    if (ids.length === 1 && ids[0] === objectId) return null;
    return `${key} was answered with ${objectId}, there are: ${ids.join(', ')}`;
  };
  return {
    rule: 'a keyed POST makes one object',
    landed: (landed) => lives.landed(landed),
    replied({ key, objectId }) {
      answered.set(`${key} ${lives.of(objectId)}`, { key, objectId });
      return wrong(key, objectId);
    },
    ended: () =>
      [...answered.values()].map((one) => wrong(one.key, one.objectId)).find((text) => text !== null) ?? null,
  };
};

interface KnownRecord {
  readonly generation: number;
  readonly expiresAt: Instant;
  readonly life: number;
}

/** In which life of its key an object was made. */
class KeyLives {
  private readonly records = new Map<string, KnownRecord>();
  private readonly byObject = new Map<string, number>();

  landed(landed: Landed): null {
    if (landed.is !== 'doc' || landed.doc.kind !== 'idempotency_key' || landed.doc.body === null) return null;
    const { id, at } = landed.doc;
    const record = landed.doc.body as unknown as IdempotencyState;
    const { generation, expiresAt } = record;
    const last = this.records.get(id);
    const isNew = last !== undefined && generation !== last.generation && at >= last.expiresAt;
    const life = (last?.life ?? 0) + (isNew ? 1 : 0);
    this.records.set(id, { generation, expiresAt, life });
    const objectId = record.status === 'running' ? record.ids['session'] : undefined;
    if (objectId !== undefined) this.byObject.set(objectId, life);
    return null;
  }

  of(objectId: string): number {
    return this.byObject.get(objectId) ?? 0;
  }
}
