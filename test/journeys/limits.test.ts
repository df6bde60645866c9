import { expect, test } from 'vitest';
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import { verifyByHand, verifyStandard } from '../../src/cli/demo/signature.ts';
import { describeModes } from '../support/modes.ts';

const bodyBytesMax = 65_536;
/** Devanagari text of exactly so many characters. */
const text = (characters: number): string =>
  'काठमाडौं उपत्यका नेपाल '.repeat(Math.ceil(characters / 20)).slice(0, characters - 1) + 'क';
/** An address of exactly 2048 characters whose path is Devanagari, encoded as browsers send it. */
const address = (origin: string): string =>
  (origin + encodeURI(`/वापसी/${'क'.repeat(300)}`))
    .slice(0, 2040)
    .replace(/%[^%]{0,1}$/, '')
    .padEnd(2048, 'x');

/** As many values at their limit as the body has room for; every one of the 50 keys is at its own. */
function metadataFor(body: object): { [key: string]: string } {
  const key = (at: number): string => text(38) + String(at).padStart(2, '0');
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [key(at), 'छ']));
  const bytes = (): number => Buffer.byteLength(JSON.stringify({ ...body, metadata }));
  for (let at = 0; at < 50; at++) {
    metadata[key(at)] = text(498);
    if (bytes() > bodyBytesMax) {
      metadata[key(at)] = 'छ';
      break;
    }
  }
  const last = key(49);
  metadata[last] = 'x'.repeat(Math.min(498, bodyBytesMax - bytes()));
  return metadata;
}

describeModes('limits of every field', (galla) => {
  test('a checkout with every field at its limit, in Devanagari, is paid and delivered', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const { secret } = await shop.endpoint(server);
    const fields = {
      amount: 100_000_000,
      currency: 'NPR',
      returnUrl: address(server.url),
      cancelUrl: address('https://shop.example'),
      description: text(500),
      flow: 'hosted',
      provider: 'wallet_b',
      collectAddress: false,
      referenceId: text(120),
      expiresInMinutes: 1440,
      customer: {
        name: text(100),
        email: `${'a'.repeat(64)}@${'b'.repeat(63)}.example`,
        phone: '9'.repeat(30),
        address: {
          line1: text(100),
          line2: text(100),
          city: text(100),
          state: text(100),
          postalCode: '44600',
          country: 'नेपाल',
        },
      },
    };
    const order = { ...fields, metadata: metadataFor(fields) };
    expect(order.returnUrl.length).toBe(2048);
    expect(order.description.length).toBe(500);
    expect(Buffer.byteLength(JSON.stringify(order))).toBeGreaterThan(bodyBytesMax - 1500);
    expect(Buffer.byteLength(JSON.stringify(order))).toBeLessThanOrEqual(bodyBytesMax);

    const created = await shop.api.post('/v1/checkout', order);
    expect(created.status, created.text.slice(0, 500)).toBe(201);
    expect(created.body.value).toMatchObject({
      amount: 100_000_000,
      description: order.description,
      referenceId: order.referenceId,
      metadata: order.metadata,
      customer: order.customer,
    });
    const page = await open(created.body.text('checkout_url'));
    expect(page.words).toContain('NPR 10,00,000.00');
    expect(page.words).toContain(order.description.slice(0, 60));

    const back = await press(buttonFor(await shop.startAndLogIn(created.body), 'do', 'pay'));
    expect(back.url).toBe(`${order.returnUrl}?session_id=${created.body.text('id')}&status=success`);
    const paid = await shop.session(created.body.text('id'));
    expect(paid.value).toMatchObject({
      status: 'success',
      metadata: order.metadata,
      customer: order.customer,
    });

    const heard = await server.webhook(
      ({ type, objectId }) => type === 'payment.succeeded' && objectId === paid.text('paymentId'),
    );
    verifyStandard(heard, secret);
    verifyByHand(heard, secret);
    expect(JSON.parse(heard.raw.toString('utf8'))).toMatchObject({
      data: {
        amount: 100_000_000,
        metadata: order.metadata,
        session: { referenceId: order.referenceId, metadata: order.metadata },
      },
    });
  });

  test('values above a limit are refused by name, all at once', async () => {
    const shop = await galla().merchant();
    const refused = await shop.api.post('/v1/checkout', {
      amount: 100_000_001,
      returnUrl: `${address('https://shop.example')}x`,
      currency: 'USD',
      description: text(501),
      customer: { name: text(101), phone: '9'.repeat(31) },
      referenceId: text(121),
      expiresInMinutes: 1441,
    });
    expect(refused.status).toBe(400);
    expect(
      refused.body.list('error.errors').map((one) => `${one.text('param')} ${one.text('code')}`),
    ).toEqual([
      'amount too_large',
      'returnUrl too_long',
      'currency currency_not_supported',
      'description too_long',
      'customer.name too_long',
      'customer.phone too_long',
      'referenceId too_long',
      'expiresInMinutes too_large',
    ]);
    expect((await shop.api.must('GET', '/v1/checkout')).body.at('total')).toBe(0);
  });
});
