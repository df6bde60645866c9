/** The keys that sign receipts, as this node uses them.
 *  1. The first use of any node creates the first key; all nodes then find the same one.
 *  2. A node caches them for a few seconds, less than a new key waits before it signs. */
import type { KeyObject } from 'node:crypto';
import {
  receiptKeysAt,
  sealedAbout,
  signingAt,
  type NewReceiptKey,
  type ReceiptKey,
  type ReceiptKeysState,
} from '../../actors/receipt-keys/messages.ts';
import { assert } from '../../src/kernel/assert.ts';
import { edPrivateKey, newEdKeyPair } from '../../src/kernel/jws.ts';
import type { Seal } from '../../src/kernel/seal.ts';
import type { Scheduler } from '../../src/kernel/time.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import { StoreUnresponsive } from './route/reading.ts';
import { TtlCache } from './access/ttl-cache.ts';

export interface ReceiptKeyParts {
  readonly client: Pick<Client, 'ask' | 'read'>;
  readonly seal: Seal;
  readonly scheduler: Pick<Scheduler, 'now'>;
}

type Keys = Snapshot<ReceiptKeysState>;

/** Every read rejects when the store does not answer. */
export class ReceiptKeys {
  private readonly parts: ReceiptKeyParts;
  private readonly cache: TtlCache<Keys>;
  /** The key that signed last. */
  private last: { readonly kid: string; readonly key: KeyObject } | null = null;

  constructor(parts: ReceiptKeyParts) {
    this.parts = parts;
    this.cache = new TtlCache(
      () => this.read(),
      () => parts.scheduler.now(),
    );
  }

  /** The public keys, the newest first. */
  async published(): Promise<Keys['view']> {
    return (await this.all()).view;
  }

  /** Signs a receipt made now. */
  async signer(): Promise<{ readonly kid: string; readonly key: KeyObject }> {
    const { keys } = (await this.all()).state;
    const signing = keys[signingAt(keys, this.parts.scheduler.now())];
    assert(signing !== undefined, 'one of the keys can sign');
    if (this.last?.kid !== signing.kid) this.last = { kid: signing.kid, key: this.opened(signing) };
    return this.last;
  }

  /** Adds a key that replaces the current one. */
  async rotate(): Promise<AskResult> {
    const asked = await this.parts.client.ask(receiptKeysAt, 'rotate', this.made(), {
      by: 'operator',
      scope: 'system',
    });
    this.cache.forget();
    return asked;
  }

  private async all(): Promise<Keys> {
    const found = await this.cache.get('keys');
    assert(found !== null, 'the first read creates a key');
    return found;
  }

  private async read(): Promise<Keys> {
    const { client } = this.parts;
    const known = await client.read<ReceiptKeysState>(receiptKeysAt, 'system');
    if (known !== null) return known;
    const asking = { by: 'system', scope: 'system' } as const;
    const opened = await client.ask(receiptKeysAt, 'open', this.made(), asking);
    const made = opened.is === 'ok' ? await client.read<ReceiptKeysState>(receiptKeysAt, 'system') : null;
    if (made === null) throw new StoreUnresponsive('the first receipt key cannot be stored');
    return made;
  }

  private made(): NewReceiptKey {
    const { x, d } = newEdKeyPair();
    return { x, sealed: this.parts.seal.seal(d, sealedAbout(x)) };
  }

  private opened({ x, sealed }: ReceiptKey): KeyObject {
    assert(sealed !== null, 'the key that signs has its private half');
    return edPrivateKey({ x, d: this.parts.seal.open(sealed, sealedAbout(x)) });
  }
}
