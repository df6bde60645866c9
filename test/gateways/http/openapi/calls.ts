/** How each operation under /v1 is called so that it answers as its example says. A new operation adds its call, and one
 *  for each further example: `operation example`.
 *  1. A call has a merchant of its own, and sends the example's own body where the operation takes one. */
import { Api, type Body } from '../../../../src/cli/demo/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { Merchant } from '../../../support/merchant.ts';
import { buyer, phone, premium } from '../../../support/qr-shop.ts';
import { comparedFrom, statementsPath } from '../../../support/statements.ts';
import { billingCalls } from './billing-calls.ts';
import type { Call, Called, Stage } from './call.ts';

async function created({ galla, bodyOf }: Stage, idempotencyKey?: string, given?: Merchant) {
  const shop = given ?? (await galla.merchant());
  const sending = idempotencyKey === undefined ? {} : { idempotencyKey };
  const answer = await shop.api.must('POST', '/v1/checkout', bodyOf('createCheckout'), sending);
  return { shop, session: answer.body };
}

async function paid(stage: Stage, given?: Merchant, provider = 'wallet_b') {
  const { shop, session } = await created(stage, undefined, given);
  const played = { outcome: 'success', provider };
  await shop.api.must('POST', `/v1/test/checkout/${session.text('id')}/simulate`, played);
  const { body } = await shop.api.must('GET', `/v1/checkout/${session.text('id')}`);
  const ended =
    body.at('status') === 'success' ? body : await shop.untilStatus(session.text('id'), 'success');
  return { shop, payment: await shop.payment(ended.text('paymentId')) };
}

/** The example's body, about this payment. */
const refundBody = ({ bodyOf }: Stage, payment: Body): object => ({
  ...bodyOf('createRefund'),
  paymentId: payment.text('id'),
});

/** wallet_a has no refund API: its refund requires action. */
async function refunded(stage: Stage, provider?: 'wallet_a') {
  const { shop, payment } = await paid(stage, undefined, provider);
  const { body } = await shop.api.must('POST', '/v1/refunds', refundBody(stage, payment));
  return { shop, refund: body };
}

const withEndpoint = async ({ galla, bodyOf }: Stage) => {
  const shop = await galla.merchant();
  const { body } = await shop.api.must('POST', '/v1/webhooks', bodyOf('createWebhookEndpoint'));
  return { shop, id: body.text('id') };
};

const withLink = async ({ galla, bodyOf }: Stage) => {
  const shop = await galla.merchant();
  const { body } = await shop.api.must('POST', '/v1/payment-links', bodyOf('createPaymentLink'));
  return { shop, id: body.text('id') };
};

/** The example's file, with a reference and an instant of this run. */
async function withStatement(stage: Stage) {
  const { shop, payment } = await paid(stage);
  const example = stage.bodyOf('uploadStatement') as { readonly csv: string };
  const csv = example.csv
    .replace('TXSVKQ0H2F4C8M6P', payment.text('providerRef'))
    .replaceAll('2026-11-21T15:33:10Z', payment.text('paidAt'));
  const fields = { ...example, csv };
  const statement = await comparedFrom(shop, csv, fields);
  return { shop, path: `${statementsPath}/${statement.text('id')}` };
}

/** A payment whose event an endpoint has accepted. */
async function delivered(stage: Stage): Promise<{ readonly shop: Merchant; readonly delivery: Body }> {
  const [{ shop, session }, server] = [await created(stage), await stage.galla.shop()];
  const { id } = await shop.endpoint(server, ['payment.succeeded']);
  await shop.simulate(session.text('id'), 'success');
  const delivery = await eventually(
    async () => {
      const { body } = await shop.api.must('GET', `/v1/webhooks/${id}/deliveries?status=success`);
      return body.list('data')[0] ?? null;
    },
    () => 'a delivery',
  );
  return { shop, delivery };
}

/** Reads a stream until it holds `frames` frames, and leaves. */
async function streamed({ baseUrl, key }: Api, path: string, frames: number): Promise<Called> {
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${key ?? ''}` };
  const { status, headers: said, body } = await fetch(baseUrl + path, { headers, signal: leave.signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    if (text.split('\n\n').length > frames) break;
  }
  leave.abort();
  return { status, headers: said, text };
}

export const calls: { readonly [operation: string]: Call } = {
  ...billingCalls,
  readOpenApi: ({ galla }) => galla.nobody.get('/v1/openapi.json'),

  createCheckout: async ({ galla, bodyOf }) =>
    (await galla.merchant()).api.post('/v1/checkout', bodyOf('createCheckout')),
  listCheckouts: async (stage) => (await created(stage)).shop.api.get('/v1/checkout'),
  readCheckout: async (stage) => {
    const { shop, session } = await created(stage);
    return shop.api.get(`/v1/checkout/${session.text('id')}`);
  },
  'readCheckout publishableKey': async (stage) => {
    const { shop, session } = await created(stage);
    return shop.publishable.get(`/v1/checkout/${session.text('id')}`);
  },
  expireCheckout: async (stage) => {
    const { shop, session } = await created(stage);
    return shop.api.post(`/v1/checkout/${session.text('id')}/expire`);
  },

  createDirectQr: async ({ galla, bodyOf }) =>
    (await premium(galla)).api.post('/v1/qr/qr_a', bodyOf('createDirectQr')),
  followDirectQr: async ({ galla, bodyOf }) => {
    const shop = await premium(galla);
    const { body } = await shop.api.must('POST', '/v1/qr/qr_a', bodyOf('createDirectQr'));
    const id = body.text('id');
    await phone(shop, body.text('qr_message'), 'pay');
    await shop.untilStatus(id, 'success');
    return galla.nobody.get(`/v1/qr/${id}/events`);
  },

  listPayments: async (stage) => (await paid(stage)).shop.api.get('/v1/payments'),
  'listPayments text/csv': async (stage) =>
    (await paid(stage)).shop.api.get('/v1/payments', { headers: { accept: 'text/csv' } }),
  readPayment: async (stage) => {
    const { shop, payment } = await paid(stage);
    return shop.api.get(`/v1/payments/${payment.text('id')}`);
  },
  listPaymentTimeline: async (stage) => {
    const { shop, payment } = await paid(stage);
    return shop.api.get(`/v1/payments/${payment.text('id')}/timeline`);
  },

  createPaymentLink: async ({ galla, bodyOf }) =>
    (await galla.merchant()).api.post('/v1/payment-links', bodyOf('createPaymentLink')),
  uploadStatement: async ({ galla, bodyOf }) =>
    (await galla.merchant()).api.post(statementsPath, bodyOf('uploadStatement')),
  listStatements: async (stage) => (await withStatement(stage)).shop.api.get(statementsPath),
  readStatement: async (stage) => {
    const { shop, path } = await withStatement(stage);
    return shop.api.get(path);
  },
  listStatementItems: async (stage) => {
    const { shop, path } = await withStatement(stage);
    return shop.api.get(`${path}/items`);
  },
  listPaymentLinks: async (stage) => (await withLink(stage)).shop.api.get('/v1/payment-links'),
  readPaymentLink: async (stage) => {
    const { shop, id } = await withLink(stage);
    return shop.api.get(`/v1/payment-links/${id}`);
  },
  changePaymentLink: async (stage) => {
    const { shop, id } = await withLink(stage);
    return shop.api.send('PATCH', `/v1/payment-links/${id}`, { body: stage.bodyOf('changePaymentLink') });
  },

  readReceipt: async (stage) => {
    const { shop, payment } = await paid(stage);
    return shop.api.get(`/v1/payments/${payment.text('id')}/receipt`);
  },
  findPayment: async (stage) => {
    const { url, keys, nobody } = stage.galla;
    const [secret, publishable] = [new Api(url, keys.secretKey), new Api(url, keys.publishableKey)];
    // its name is the example's; others have an order of this id, too
    const { payment } = await paid(stage, new Merchant('', secret, publishable));
    return nobody.get(`/v1/public/payment-status?query=1001&merchant=${payment.text('projectId')}`);
  },
  listReceiptKeys: ({ galla }) => galla.nobody.get('/v1/public/keys'),

  listProviders: async ({ galla }) => (await galla.merchant()).api.get('/v1/providers'),

  createRefund: async (stage) => {
    const { shop, payment } = await paid(stage);
    return shop.api.post('/v1/refunds', refundBody(stage, payment));
  },
  listRefunds: async (stage) => (await refunded(stage)).shop.api.get('/v1/refunds'),
  'listRefunds text/csv': async (stage) =>
    (await refunded(stage)).shop.api.get('/v1/refunds', { headers: { accept: 'text/csv' } }),
  readRefund: async (stage) => {
    const { shop, refund } = await refunded(stage);
    return shop.api.get(`/v1/refunds/${refund.text('id')}`);
  },
  completeRefund: async (stage) => {
    const { shop, refund } = await refunded(stage, 'wallet_a');
    return shop.api.post(`/v1/refunds/${refund.text('id')}/complete`, stage.bodyOf('completeRefund'));
  },
  cancelRefund: async (stage) => {
    const { shop, refund } = await refunded(stage, 'wallet_a');
    return shop.api.post(`/v1/refunds/${refund.text('id')}/cancel`, stage.bodyOf('cancelRefund'));
  },

  createWebhookEndpoint: async ({ galla, bodyOf }) =>
    (await galla.merchant()).api.post('/v1/webhooks', bodyOf('createWebhookEndpoint')),
  listWebhookEndpoints: async (stage) => (await withEndpoint(stage)).shop.api.get('/v1/webhooks'),
  readWebhookEndpoint: async (stage) => {
    const { shop, id } = await withEndpoint(stage);
    return shop.api.get(`/v1/webhooks/${id}`);
  },
  changeWebhookEndpoint: async (stage) => {
    const { shop, id } = await withEndpoint(stage);
    return shop.api.send('PATCH', `/v1/webhooks/${id}`, { body: stage.bodyOf('changeWebhookEndpoint') });
  },
  rotateWebhookSecret: async (stage) => {
    const { shop, id } = await withEndpoint(stage);
    return shop.api.post(`/v1/webhooks/${id}/rotate-secret`, stage.bodyOf('rotateWebhookSecret'));
  },
  recoverWebhookEndpoint: async (stage) => {
    const { shop } = await paid(stage);
    await shop.untilEvents(1, 'payment.succeeded');
    const { body } = await shop.api.must('POST', '/v1/webhooks', stage.bodyOf('createWebhookEndpoint'));
    // the example's own instant will be too far back one day
    const since = new Date(Date.now() - 3_600_000).toISOString();
    return shop.api.post(`/v1/webhooks/${body.text('id')}/recover`, {
      ...stage.bodyOf('recoverWebhookEndpoint'),
      since,
    });
  },
  deleteWebhookEndpoint: async (stage) => {
    const { shop, id } = await withEndpoint(stage);
    return shop.api.send('DELETE', `/v1/webhooks/${id}`);
  },
  testWebhookEndpoint: async ({ galla, bodyOf }) => {
    const [shop, server] = [await galla.merchant(), await galla.shop()];
    const { id } = await shop.endpoint(server);
    return shop.api.post(`/v1/webhooks/${id}/test`, bodyOf('testWebhookEndpoint'));
  },
  listDeliveries: async (stage) => {
    const { shop, delivery } = await delivered(stage);
    return shop.api.get(`/v1/webhooks/${delivery.text('webhookEndpointId')}/deliveries`);
  },
  readDelivery: async (stage) => {
    const { shop, delivery } = await delivered(stage);
    return shop.api.get(`/v1/webhooks/deliveries/${delivery.text('id')}`);
  },
  retryDelivery: async (stage) => {
    const { shop, delivery } = await delivered(stage);
    return shop.api.post(`/v1/webhooks/deliveries/${delivery.text('id')}/retry`);
  },

  listEvents: async (stage) => {
    const { shop } = await paid(stage);
    await shop.untilEvents(1, 'payment.succeeded');
    return shop.api.get('/v1/events?type=payment.succeeded');
  },
  readEvent: async (stage) => {
    const { shop } = await paid(stage);
    const [event] = await shop.untilEvents(1, 'payment.succeeded');
    return shop.api.get(`/v1/events/${event?.text('id') ?? ''}`);
  },
  followEvents: async (stage) => {
    const { shop, payment } = await paid(stage);
    const query = `types=payment.succeeded&since=${payment.text('createdAt')}`;
    return streamed(shop.api, `/v1/events/stream?${query}`, 2);
  },

  readIdempotencyKey: async (stage) => {
    const key = '6f1c2f0e-6b0a-4b57-9a0f-3a5a1d0c9b11';
    const { shop } = await created(stage, key);
    return shop.api.get(`/v1/idempotency/${key}`);
  },

  createTestEvent: async ({ galla, bodyOf }) =>
    (await galla.merchant()).api.post('/v1/test/events', bodyOf('createTestEvent')),

  listMessages: async ({ galla }) => {
    const shop = await premium(galla);
    const { body } = await shop.api.must('POST', '/v1/qr/qr_a', { amount: 125_050, customer: buyer });
    await phone(shop, body.text('qr_message'), 'pay');
    const path = '/v1/test/messages?channel=sms';
    return eventually(
      async () => {
        const answer = await shop.api.must('GET', path);
        return answer.body.at('total') === 1 ? answer : null;
      },
      () => 'a captured SMS',
    );
  },

  createLiveTicket: async ({ galla }) => (await galla.merchant()).api.post('/v1/live/tickets'),

  readTestClock: async (stage) => {
    const { shop } = await created(stage);
    return shop.api.get('/v1/test/clock');
  },
  advanceTestClock: async (stage) => {
    const { shop } = await created(stage);
    return shop.api.post('/v1/test/clock/advance', stage.bodyOf('advanceTestClock'));
  },
  stopTestClock: async (stage) => {
    const { shop } = await created(stage);
    return shop.api.post('/v1/test/clock/stop');
  },
  simulateCheckout: async (stage) => {
    const { shop, session } = await created(stage);
    const path = `/v1/test/checkout/${session.text('id')}/simulate`;
    return shop.api.post(path, stage.bodyOf('simulateCheckout'));
  },
};
