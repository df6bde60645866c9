/** The commands of the keys that sign receipts: one actor for the whole service. Always `system` scope. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';

export const receiptKeysAt: Address<ReceiptKeysCommands> = address(
  'receipt_keys',
  sha256Base32(['receipt keys'], 24),
);

/** An Ed25519 key pair. */
export interface NewReceiptKey {
  /** The public half, base64url. */
  readonly x: string;
  /** The private half sealed by src/kernel/seal.ts (associated data: `sealedAbout`); never in clear. */
  readonly sealed: string;
}

export const sealedAbout = (x: string): string => `receipt key ${x}`;

export interface ReceiptKeysCommands {
  /** The first key; changes nothing when there is one. */
  open: NewReceiptKey;
  /** Adds a key that replaces the current one. Refuses `receipt_key_limit_reached` at `keysMax`; the same
   *  key again changes nothing. */
  rotate: NewReceiptKey;
}

/** Every key stays published, because receipts do not expire. */
export const keysMax = 1000;

export interface ReceiptKey {
  readonly kid: string;
  readonly x: string;
  /** null once it is dropped: a newer key signs. */
  readonly sealed: string | null;
  readonly createdAt: Instant;
}

export interface ReceiptKeysState {
  readonly status: 'open';
  /** Oldest first; never empty. */
  readonly keys: readonly ReceiptKey[];
}

export interface ReceiptKeysTypes {
  state: ReceiptKeysState;
  terminal: never;
  commands: ReceiptKeysCommands;
  effects: Record<never, never>;
}

/** A new key signs only after this time: by then every node publishes it, so nobody holds a receipt whose
 *  key cannot be found. Longer than nodes cache the keys. */
export const publishedFirstMs: DurationMs = seconds(10);

/** The place of the key that signs now: the newest that every node publishes, else the first that can. `now` of
 *  a node may be behind that of the rotation, which has dropped the private half of the older key. */
export function signingAt(keys: readonly ReceiptKey[], now: Instant): number {
  const ready = keys.findLastIndex(({ createdAt }) => now - createdAt >= publishedFirstMs);
  const canSign = ({ sealed }: ReceiptKey): boolean => sealed !== null;
  const newest = keys[ready];
  return newest !== undefined && canSign(newest) ? ready : keys.findIndex(canSign);
}
