/** Signed receipts, and the keys that verify them. */
import { merchantAt, type MerchantState } from '../../../actors/merchant/messages.ts';
import { compactJws } from '../../../src/kernel/jws.ts';
import { iso } from '../../../src/kernel/time.ts';
import type { Row } from '../../../src/store/store.ts';
import type { Caller } from '../access/auth.ts';
import type { ApiParts } from '../api-parts.ts';
import { ReceiptKeys } from '../receipt-keys.ts';
import { done, doneView, notFound, refusalOf, refused } from '../route/answer.ts';
import { StoreUnresponsive } from '../route/reading.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { paymentStatuses } from '../schemas/payment.ts';
import { publicKeys, receipt, rotatedKeys } from '../schemas/receipt.ts';
import { paymentIn, payments } from './payments.ts';

type PaymentStatus = (typeof paymentStatuses)[number];
type Parts = Pick<ApiParts, 'client' | 'seal' | 'scheduler'>;

const receipts: Resource = {
  name: 'Receipt keys',
  description: 'The keys that sign receipts. Anybody may read the public halves.',
};

/** Money was paid. */
const receiptedStatuses: readonly PaymentStatus[] = ['success', 'refunded'];

export function receiptRoutes(parts: Parts) {
  const { client } = parts;
  const keys = new ReceiptKeys(parts);
  return [
    route({
      method: 'GET',
      at: { api: '/v1/payments/{id}/receipt', dashboard: true },
      resource: payments,
      operation: 'readReceipt',
      summary: 'Read a signed receipt',
      description:
        'A compact JWS (RFC 7515, EdDSA), signed now, that anybody can verify with the key of ' +
        '`GET /v1/public/keys` that has its `kid`. Only a paid payment has one.',
      answer: receipt,
      errors: ['invalid_state'],
      object: 'payment',
      key: 'secret',
      reply: 200,
      async handle({ caller, params }) {
        const payment = await paymentIn(client, params.id, caller.scope);
        if (payment === null) return notFound;
        const status = payment.body['status'] as PaymentStatus;
        if (!receiptedStatuses.includes(status)) {
          const message = `A ${status} payment has no receipt: only a payment that was paid has one.`;
          return refused('invalid_state', { message, currentStatus: status });
        }
        const issuedAt = iso(client.now(caller.scope));
        const [merchant, signer] = await Promise.all([merchantNameOf(parts, caller), keys.signer()]);
        const jws = compactJws(receiptOf(payment, merchant, issuedAt), signer);
        return done({ paymentId: payment.id, receipt: jws, keyId: signer.kid, issuedAt });
      },
    }),
    route({
      method: 'GET',
      at: { api: '/v1/public/keys' },
      resource: receipts,
      operation: 'listReceiptKeys',
      summary: 'List the keys that verify receipts',
      description: 'A JWK set, the newest key first. Old keys stay in it. A page of any origin may read it.',
      answer: publicKeys,
      key: 'none',
      reply: 200,
      handle: async () => doneView(await keys.published()),
    }),
    route({
      method: 'POST',
      at: { operator: '/admin/v1/receipt-keys' },
      resource: receipts,
      operation: 'rotateReceiptKey',
      summary: 'Replace the key that signs receipts',
      description:
        'The new key is published at once and signs from 10 s later on. Old keys stay published, so that ' +
        'old receipts still verify.',
      answer: rotatedKeys,
      errors: ['receipt_key_limit_reached'],
      key: 'operator',
      reply: 201,
      async handle() {
        const rotated = await keys.rotate();
        return rotated.is === 'ok' ? doneView(await keys.published()) : refusalOf(rotated);
      },
    }),
  ];
}

/** In the documented order, which is the signed one. */
function receiptOf({ body }: Row, merchant: string, issuedAt: string): object {
  const { id, sessionId, amount, currency, provider, providerRef, status, refundedAmount, livemode, paidAt } =
    body;
  const money = { amount, currency, provider, providerRef, status, refundedAmount };
  return { paymentId: id, sessionId, merchant, ...money, livemode, paidAt, issuedAt };
}

async function merchantNameOf({ client }: Parts, { merchantId }: Caller): Promise<string> {
  const merchant = await client.read<MerchantState>(merchantAt(merchantId), 'system');
  if (merchant === null) throw new StoreUnresponsive('the merchant of a key cannot be read');
  return merchant.state.name;
}
