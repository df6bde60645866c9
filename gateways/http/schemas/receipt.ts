/** Receipts, and the keys that verify them. */
import { Type } from 'typebox';
import { shown } from '../route/description.ts';
import { object, text, time } from './parts.ts';

export const receipt = shown(
  object('Receipt', 'What we know of a paid payment, signed.', {
    paymentId: text('The payment.'),
    receipt: text(
      'A compact JWS. Its payload has, in this order: `paymentId`, `sessionId`, `merchant`, `amount`, ' +
        '`currency`, `provider`, `providerRef`, `status`, `refundedAmount`, `livemode`, `paidAt`, `issuedAt`.',
    ),
    keyId: text('The `kid` of the key that signed it.'),
    issuedAt: time('When it was signed.'),
  }),
  {
    paymentId: 'pay_d9mswj3x9mw7ms1p',
    receipt: [
      'eyJhbGciOiJFZERTQSIsImtpZCI6InJrXzEifQ.eyJwYXltZW50SWQiOiJwYXlfZDltc3dqM3g5bXc3bXMxcCIsInN',
      'lc3Npb25JZCI6ImNzX2Q5N2R0MmFydGFjaHFoMHI3YXdhODIyaiIsIm1lcmNoYW50IjoiU2hvcCAxIiwiYW1vdW50I',
      'joxMjUwNTAsImN1cnJlbmN5IjoiTlBSIiwicHJvdmlkZXIiOiJ3YWxsZXRfYiIsInByb3ZpZGVyUmVmIjoiVFhEOU1',
      'TV0ozWDlNVzdNUzFQIiwic3RhdHVzIjoic3VjY2VzcyIsInJlZnVuZGVkQW1vdW50IjowLCJsaXZlbW9kZSI6ZmFsc',
      '2UsInBhaWRBdCI6IjIwMjYtMTEtMjJUMjA6NTE6MDQuMjAyWiIsImlzc3VlZEF0IjoiMjAyNi0xMS0yMlQyMDo1MTo',
      'wNC4yMTNaIn0.RO7m-Nxx9vJ-XF1QfgVnNjlNIidxUFh_3ZWI92WZkl1gvxG0M12MoNeYDHnKuodoeuVKQnnzVQ_TP',
      'sd2Jc6sDw',
    ].join(''),
    keyId: 'rk_1',
    issuedAt: '2026-11-22T20:51:04.213Z',
  },
);

/** It verifies the receipt above. */
const first = {
  kty: 'OKP' as const,
  crv: 'Ed25519' as const,
  x: 'kBzFIYqTbTSbFdKN4ijxLdfH2U79qkwaaHN53efj9yE',
  kid: 'rk_1',
  alg: 'EdDSA' as const,
  use: 'sig' as const,
};

export const publicKeys = shown(
  Type.Object(
    {
      keys: Type.Array(
        object('ReceiptKey', 'A public Ed25519 key as a JWK (RFC 8037).', {
          kty: Type.Enum(['OKP'], { description: 'Kind of the key.' }),
          crv: Type.Enum(['Ed25519'], { description: 'Its curve.' }),
          x: text('The key, base64url.'),
          kid: text('Its name, as receipts name it.'),
          alg: Type.Enum(['EdDSA'], { description: 'The only algorithm to accept.' }),
          use: Type.Enum(['sig'], { description: 'It signs.' }),
        }),
        { description: 'The newest first.' },
      ),
    },
    { $id: 'ReceiptKeys', description: 'The keys that verify receipts.' },
  ),
  { keys: [first] },
);

/** After the key was replaced. */
export const rotatedKeys = shown(publicKeys.schema, {
  keys: [{ ...first, x: 'zIrBbUIc8E1m8jH1p0m8Yk6YQw5i0JkH0n3oQhV2v5c', kid: 'rk_2' }, first],
});
