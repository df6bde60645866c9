/** The keys that sign receipts, shared by all nodes.
 *  R1. A public key is never removed: a receipt verifies for as long as the service exists.
 *  R2. The private half of a key is dropped by the first rotation after a newer key has begun to sign.
 *  R3. A name of a key is given once, also after a restore: receipts of the lost time name keys that are lost, too. */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import {
  keysMax,
  signingAt,
  type NewReceiptKey,
  type ReceiptKeysState,
  type ReceiptKeysTypes,
} from './messages.ts';
import type { Kind } from '../kind.ts';

type X = Turn<ReceiptKeysTypes>;

export const receiptKeys = actor<ReceiptKeysTypes>('receipt_keys', '', {
  schema: 1,
  on: {
    open: { by: 'system', creates: first, _any: (_s, _c, x) => x.ok() },
    rotate: { by: 'operator', creates: first, _any: rotate },
  },
  effects: {},
  timers: {},
  view: ({ keys }) => ({
    keys: keys
      .toReversed()
      .map(({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' })),
  }),
});

export const receiptKeysKind = {
  actor: receiptKeys,
  refusals: {
    receipt_key_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'This service has reached its limit of published receipt keys.',
    },
  },
} as const satisfies Kind;

function first(c: NewReceiptKey, x: X): Verdict {
  return x.become('open', { keys: [keyOf(c, 1, x)] });
}

function rotate({ keys }: ReceiptKeysState, c: NewReceiptKey, x: X): Verdict {
  if (keys.some((key) => key.x === c.x)) return x.ok();
  if (keys.length >= keysMax) return x.refuse('receipt_key_limit_reached');
  const signing = signingAt(keys, x.now);
  const kept = keys.map((key, at) => (at < signing ? { ...key, sealed: null } : key));
  return x.become('open', { keys: [...kept, keyOf(c, keys.length + 1, x)] });
}

const keyOf = ({ x, sealed }: NewReceiptKey, number: number, { now, eras }: X) => ({
  kid: eras.length === 0 ? `rk_${number}` : `rk_${number}_e${eras.length}`,
  x,
  sealed,
  createdAt: now,
});
