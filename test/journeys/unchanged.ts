/** A running service with one merchant's data on it, and a check that bad requests change none of it. */
import { expect } from 'vitest';
import type { Answer, Sending } from '../../src/cli/demo/api.ts';
import { billedBy, type BilledIds } from '../support/billing.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { premium } from '../support/qr-shop.ts';
import { comparedFrom } from '../support/statements.ts';

export const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };

export class Unchanged {
  readonly galla: Galla;
  readonly shop: Merchant;
  readonly sessionId: string;
  /** Paid, and partly refunded. */
  readonly paymentId: string;
  /** Requires action: it can be completed and cancelled. */
  readonly refundId: string;
  readonly endpointId: string;
  readonly linkId: string;
  readonly statementId: string;
  readonly billed: BilledIds;
  private readonly before: string;

  private constructor(galla: Galla, shop: Merchant, ids: Ids, before: string) {
    this.galla = galla;
    this.shop = shop;
    this.sessionId = ids.session;
    this.paymentId = ids.payment;
    this.refundId = ids.refund;
    this.endpointId = ids.endpoint;
    this.linkId = ids.link;
    this.statementId = ids.statement;
    this.billed = ids.billed;
    this.before = before;
  }

  static async start(): Promise<Unchanged> {
    const galla = await startGalla();
    const shop = await premium(galla);
    const session = (await shop.checkout()).text('id');
    const paid = (await shop.checkout({ flow: 'redirect', provider: 'wallet_a' })).text('id');
    await shop.simulate(paid, 'success');
    const payment = (await shop.untilStatus(paid, 'success')).text('paymentId');
    const refund = { paymentId: payment, amount: 25_050, reason: 'other' };
    const refunded = (await shop.api.must('POST', '/v1/refunds', refund)).body.text('id');
    await shop.untilEvents(2, 'checkout.created');
    await shop.untilEvents(3, 'payment.succeeded,refund.created,refund.requires_action');
    const { body } = await shop.api.must('POST', '/v1/webhooks', { url: 'https://shop.example/hooks' });
    const link = (await shop.api.must('POST', '/v1/payment-links', { name: 'Seat', amount: 50_000 })).body;
    // without an e-mail: no mail follows
    const billed = await billedBy(shop.api, 'unchanged');
    await shop.untilEvents(3, 'subscription.created,subscription.activated,invoice.created');
    const compared = await comparedFrom(shop, 'reference,amount\nNOBODY-KNOWS,500\n');
    const ids = {
      session,
      payment,
      refund: refunded,
      endpoint: body.text('id'),
      link: link.text('id'),
      statement: compared.text('id'),
      billed,
    };
    return new Unchanged(galla, shop, ids, await everythingOf(shop));
  }

  /** Sends what should become a checkout. */
  post(body: Sending['body'], headers: { [name: string]: string } = {}): Promise<Answer> {
    return this.shop.api.send('POST', '/v1/checkout', { ...(body === undefined ? {} : { body }), headers });
  }

  /** The service is well, and holds what it held. */
  async check(): Promise<void> {
    expect((await this.galla.nobody.get('/health')).status).toBe(200);
    expect(await everythingOf(this.shop)).toBe(this.before);
  }
}

interface Ids {
  readonly session: string;
  readonly payment: string;
  readonly refund: string;
  readonly endpoint: string;
  readonly link: string;
  readonly statement: string;
  readonly billed: BilledIds;
}

/** All that a bad request could have changed. */
async function everythingOf({ api }: Merchant): Promise<string> {
  const paths = [
    '/v1/checkout',
    '/v1/payments',
    '/v1/refunds',
    '/v1/payment-links',
    '/v1/reconciliation/statements',
    '/v1/billing/plans',
    '/v1/billing/customers',
    '/v1/billing/subscriptions',
    '/v1/billing/invoices',
    '/v1/events',
    '/v1/webhooks',
    '/v1/providers',
    '/v1/test/messages',
  ];
  const lists = await Promise.all(paths.map((path) => api.must('GET', path)));
  const { body: clock } = await api.must('GET', '/v1/test/clock');
  // the health of providers is counted anew every 10 s
  const texts = lists.map(({ text }) => text.replaceAll(/"checkedAt":"[^"]*"/g, ''));
  return [...texts, String(clock.at('offsetSeconds'))].join('\n');
}
