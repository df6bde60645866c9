/** The key from which ids of sessions with an Idempotency-Key are derived, and since when they are
 *  (docs/decisions/0039).
 *  1. The key and the fact that it is used are one row, written once: neither is ever there without the other.
 *  2. While some node may still begin records, `closes` is true: a gateway then closes the record of a key before it
 *     asks the session.
 *  3. A key that has a living record uses that: `readsRecords` holds for as long as there may be one. */
import { randomBytes } from 'node:crypto';
import { lifeMs } from '../../actors/idempotency-key/messages.ts';
import { whenThere, type MaybePromise } from '../../src/kernel/maybe-promise.ts';
import type { RandomBytes } from '../../src/kernel/id.ts';
import type { Seal } from '../../src/kernel/seal.ts';
import { hours, minutes, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import {
  ClusterFact,
  type ClusterFactParts,
  type KnownFact,
} from '../../src/runtime/cluster/cluster-fact.ts';

/** How sessions are created under a key now. */
export interface KeyedForm {
  readonly key: Uint8Array;
  readonly closes: boolean;
  readonly readsRecords: boolean;
}

/** Whether keys may have records when sessions become their own: `none` has one; some are `there`; or some are there,
 *  and nodes that do not know yet `begin` others. */
export type RecordsBefore = 'none' | 'there' | 'begin';

export interface IdKeyParts extends ClusterFactParts {
  readonly seal: Seal;
  /** Draws a new key. */
  readonly random?: RandomBytes;
  readonly scheduler: Pick<Scheduler, 'now' | 'steady'>;
}

/** The stored key belongs to another GALLA_SECRETS_KEY. */
class IdKeyUnusable extends Error {
  override readonly name = 'IdKeyUnusable';
}

/** Longer than a command of a node that does not know the fact may still be executed: `absentMsMax`, the wait of
 *  an ask, and two clocks that differ by 5 s. */
const closesMs: DurationMs = minutes(2);
/** A write cannot take longer: later, a node that starts knows that all others have seen it. */
const writtenMsMax: DurationMs = hours(1);
const recordsMs: DurationMs = lifeMs + minutes(10);
const sealedAbout = 'id key';
const keyBytes = 32;

export class IdKey {
  private readonly parts: IdKeyParts;
  private readonly fact: ClusterFact;
  private key: Uint8Array | null = null;

  constructor(parts: IdKeyParts) {
    this.parts = parts;
    this.fact = new ClusterFact('keyed', parts);
  }

  /** null: sessions have records. Rejects when the store does not answer, and with IdKeyUnusable. */
  form(): MaybePromise<KeyedForm | null> {
    return whenThere(this.fact.known(), (known) => this.formOf(known));
  }

  /** Asks the store now. */
  async look(): Promise<KeyedForm | null> {
    return this.formOf(await this.fact.look());
  }

  /** From now on sessions are their own records. */
  async establish(records: RecordsBefore): Promise<void> {
    const { seal, random = randomBytes } = this.parts;
    const sealed = seal.seal(Buffer.from(random(keyBytes)).toString('base64'), sealedAbout);
    this.formOf(await this.fact.establish({ id: 'keyed', keyed: 2, idKey: sealed, records }));
  }

  private formOf(known: KnownFact | null): KeyedForm | null {
    if (known === null) return null;
    const { body, at, seenAt } = known;
    const { scheduler } = this.parts;
    this.key ??= this.opened(body['idKey']);
    const age = scheduler.now() - at;
    const records = body['records'];
    return {
      key: this.key,
      closes: records === 'begin' && age < writtenMsMax && scheduler.steady() - seenAt < closesMs,
      readsRecords: records !== 'none' && age < recordsMs,
    };
  }

  private opened(sealed: unknown): Uint8Array {
    try {
      return Buffer.from(
        this.parts.seal.open(typeof sealed === 'string' ? sealed : '', sealedAbout),
        'base64',
      );
    } catch (cause) {
      throw new IdKeyUnusable(
        'the key for ids of checkouts does not open with this GALLA_SECRETS_KEY: ' +
          'start with the one this data was written with',
        { cause },
      );
    }
  }
}
