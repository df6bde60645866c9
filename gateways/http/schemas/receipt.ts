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
    paymentId: 'pay_4t8z1m6q3x9k2v7b',
    // signed with the published key of RFC 8032, over fewer fields than a real one
    receipt:
      'eyJhbGciOiJFZERTQSIsImtpZCI6InJrXzEifQ.eyJwYXltZW50SWQiOiJwYXlfNHQ4ejFtNnEzeDlrMnY3YiIsImFtb3Vu' +
      'dCI6MTI1MDUwLCJjdXJyZW5jeSI6Ik5QUiIsInN0YXR1cyI6InN1Y2Nlc3MifQ.SF_E3kaxB2OL-F5YwH6JM-LFQ4Z65kp4' +
      'LMM8eFR8-un88lVyk5T04MukwOvPCgqs_phrNT94Oh6QD12wTyx4BA',
    keyId: 'rk_1',
    issuedAt: '2026-11-20T09:20:00.000Z',
  },
);

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
  {
    keys: [
      {
        kty: 'OKP',
        crv: 'Ed25519',
        x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
        kid: 'rk_1',
        alg: 'EdDSA',
        use: 'sig',
      },
    ],
  },
);
