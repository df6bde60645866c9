/** A running service with one merchant's data on it, and a check that bad requests change none of it. */
import { expect } from 'vitest';
import type { Answer, Sending } from '../../src/testing/demo/api.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';

export const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };

export class Unchanged {
  readonly galla: Galla;
  readonly shop: Merchant;
  readonly sessionId: string;
  private readonly before: string;

  private constructor(galla: Galla, shop: Merchant, sessionId: string, before: string) {
    this.galla = galla;
    this.shop = shop;
    this.sessionId = sessionId;
    this.before = before;
  }

  static async start(): Promise<Unchanged> {
    const galla = await startGalla();
    const shop = await galla.merchant();
    const sessionId = (await shop.checkout()).text('id');
    await shop.untilEvents(1, 'checkout.created');
    return new Unchanged(galla, shop, sessionId, await everythingOf(shop));
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

/** All that a bad request could have changed. */
async function everythingOf({ api }: Merchant): Promise<string> {
  const paths = ['/v1/checkout', '/v1/payments', '/v1/events', '/v1/webhooks'];
  return (await Promise.all(paths.map((path) => api.must('GET', path)))).map(({ text }) => text).join('\n');
}
