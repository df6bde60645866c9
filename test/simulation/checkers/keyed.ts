/** Laws of the Idempotency-Key. A key lives for a day on the test clock: after that the same request is a new one. */
import type { IdempotencyState } from '../../../actors/idempotency-key/messages.ts';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { Landed } from '../../support/simulated/store-sim-disk.ts';
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

interface KnownLife {
  readonly endsAt: Instant;
  readonly life: number;
}

/** In which life of its key an object was made: by a record, or as its own. Keys are the orders' references. */
class KeyLives {
  /** By the id of a record. */
  private readonly keys = new Map<string, string>();
  private readonly generations = new Map<string, number>();
  private readonly lives = new Map<string, KnownLife>();
  private readonly byObject = new Map<string, number>();

  landed(landed: Landed): null {
    if (landed.is !== 'doc' || landed.doc.body === null) return null;
    const { kind, id, at, body } = landed.doc;
    if (kind === 'idempotency_key') this.record(id, at, body as unknown as IdempotencyState);
    if (kind === 'checkout_session') this.session(id, at, body as unknown as SessionState);
    return null;
  }

  of(objectId: string): number {
    return this.byObject.get(objectId) ?? 0;
  }

  private record(id: string, at: Instant, record: IdempotencyState): void {
    if (record.status === 'closed') return;
    if ('key' in record) this.keys.set(id, record.key);
    const key = this.keys.get(id);
    if (key === undefined) return;
    const isNew = this.generations.get(id) !== record.generation;
    this.generations.set(id, record.generation);
    const life = isNew ? this.begins(key, at, record.expiresAt) : (this.lives.get(key)?.life ?? 0);
    const objectId = record.status === 'running' ? record.ids['session'] : undefined;
    if (objectId !== undefined) this.byObject.set(objectId, life);
  }

  private session(id: string, at: Instant, { keyed, order }: SessionState): void {
    if (keyed === undefined || this.byObject.has(id)) return;
    this.byObject.set(id, this.begins(order.referenceId ?? '', at, keyed.endsAt));
  }

  /** The life in which something new is made: another one only when the last is over. */
  private begins(key: string, at: Instant, endsAt: Instant): number {
    const last = this.lives.get(key);
    const life = last === undefined ? 0 : last.life + (at >= last.endsAt ? 1 : 0);
    this.lives.set(key, { endsAt, life });
    return life;
  }
}
