/** Direct-QR for a shop without a checkout page: a code on its own screen, a phone, and the result. */
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import { providers } from '../../src/providers/registry.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes, describeModesAlone } from '../support/modes.ts';
import { buyer, code, paymentOf, phone, premium } from '../support/qr-shop.ts';

/** What a buyer's browser holds of the hosted page. */
const pageText = async (answer: Response): Promise<string> => (await answer.text()).replaceAll(/\s+/g, ' ');

/** Sixty polls on the test clock, each committed on a cluster's servers. */
const clockMsMax = 90_000;
/** How soon a change of settings takes effect on every node. */
const feltMsMax = 5000;

describeModes('Direct-QR', (galla) => {
  test(
    'a buyer picks the QR on the hosted page, scans it, and the page continues; unpaid it ends by itself',
    async () => {
      const shop = await premium(galla());
      for (const pays of [true, false]) {
        const session = await shop.checkout();
        const chosen = await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'qr_a'));
        expect(chosen.url).toBe(session.text('checkout_url'));
        const text = await pageText(await fetch(chosen.url));
        expect(text).toContain('Scan to pay with QR A');
        expect(text).toContain('role="img"><svg');
        const [, encoded = ''] = /\/sim\/qr_a\/\?prn=([^"]+)"/.exec(text) ?? [];
        if (pays) {
          await phone(shop, decodeURIComponent(encoded), 'pay');
          await shop.untilStatus(session.text('id'), 'success');
          expect(await pageText(await fetch(chosen.url))).not.toContain('Scan to pay');
          continue;
        }
        await shop.advance(181);
        const back = await shop.session(session.text('id'));
        expect(back.value).toMatchObject({ status: 'pending', provider: null, attempts: 1 });
        expect((await paymentOf(shop, session)).value).toMatchObject({
          status: 'cancelled',
          failureCode: 'attempt_expired',
        });
      }
    },
    clockMsMax,
  );

  test('row 71: the answer is 201 with the text of a code and its image, 320 pixels wide', async () => {
    const shop = await premium(galla());
    const made = await shop.api.must('POST', '/v1/qr/qr_a', { amount: 125_050, customer: buyer });
    const { body } = made;
    expect(made.status).toBe(201);
    expect(Object.keys(body.value as object)).toEqual([
      'id',
      'amount',
      'currency',
      'provider',
      'status',
      'qr_message',
      'qr_image',
      'events_url',
      'expires_at',
    ]);
    expect(body.value).toMatchObject({
      amount: 125_050,
      currency: 'NPR',
      provider: 'qr_a',
      status: 'initiated',
    });
    expect(body.text('events_url')).toBe(`${galla().url}/v1/qr/${body.text('id')}/events`);
    const [kind, image = ''] = body.text('qr_image').split(',');
    expect(kind).toBe('data:image/png;base64');
    const png = PNG.sync.read(Buffer.from(image, 'base64'));
    expect([png.width, png.height]).toEqual([320, 320]);
    expect(jsQR.default(new Uint8ClampedArray(png.data), png.width, png.height)?.data).toBe(
      body.text('qr_message'),
    );
  });

  test('row 73: the free plan is refused before anything of the body is read', async () => {
    const shop = await galla().merchant();
    const refused = await shop.api.post('/v1/qr/qr_a', { amount: 'nothing' });
    expect(refused.status).toBe(403);
    expect(refused.body.value).toMatchObject({
      error: { code: 'entitlement_required', type: 'permission_error', entitlement: 'qr_a.directQr' },
      entitlement: 'qr_a.directQr',
    });
  });

  test('a phone scans and pays: the session is paid, and the shop gets the event with its metadata', async () => {
    const shop = await premium(galla());
    const session = await code(shop, { metadata: { order_id: '1001' } });
    await phone(shop, session.text('qr_message'), 'scan');
    const { id } = (await paymentOf(shop, session)).value as { readonly id: string };
    await eventually(
      async () => {
        const { text } = await shop.api.must('GET', `/v1/payments/${id}/timeline`);
        return text.includes("qr_a's socket: scanned") ? true : null;
      },
      () => 'the scan to be heard on the socket',
    );
    await phone(shop, session.text('qr_message'), 'pay');
    const paid = await shop.untilStatus(session.text('id'), 'success');
    const payment = await shop.payment(paid.text('paymentId'));
    expect(payment.text('traceId')).toMatch(/^\d{6}$/);
    expect(payment.at('providerRef')).toBe(payment.at('traceId'));
    const events = await shop.untilEvents(1, 'payment.succeeded');
    expect(events.map((event) => event.at('data.metadata'))).toEqual([{ order_id: '1001' }]);
    const all = await shop.events('checkout.created,payment.succeeded,payment.failed');
    expect(all.map((event) => event.at('type'))).toEqual(['checkout.created', 'payment.succeeded']);
  });

  test(
    'row 77: at 180 seconds it is over, at the deadline itself, and money after that is late',
    async () => {
      const shop = await premium(galla());
      const session = await code(shop);
      await shop.advance(session.text('expires_at'));
      const over = await shop.untilStatus(session.text('id'), 'expired');
      expect(over.at('expires_at')).toBe(session.at('expires_at'));
      const events = await shop.untilEvents(3, 'payment.failed,payment.cancelled,checkout.expired');
      expect(events.map((event) => event.at('type'))).toEqual([
        'payment.failed',
        'payment.cancelled',
        'checkout.expired',
      ]);
      const payment = await paymentOf(shop, session);
      await shop.control(payment.text('id'), 'pay');
      await shop.advance(40);
      const paid = await shop.untilStatus(session.text('id'), 'success');
      expect(paid.at('late')).toBe(true);
    },
    clockMsMax,
  );

  test('an unanswered or wrongly answered start is 502 and leaves nothing', async () => {
    const shop = await premium(galla());
    for (const kind of ['http_500_html', 'bad_crc', 'not_json', 'reset']) {
      await shop.faults([{ provider: 'qr_a', call: 'start', kind, times: 1 }]);
      const refused = await shop.api.post('/v1/qr/qr_a', { amount: 1000, customer: buyer });
      expect([kind, refused.status, refused.body.at('error.code')]).toEqual([
        kind,
        502,
        'provider_unavailable',
      ]);
    }
    for (const path of ['/v1/checkout', '/v1/payments', '/v1/events'])
      expect((await shop.api.must('GET', path)).body.at('total')).toBe(0);
  });

  test('a keyed request is executed once, and one that failed may be repeated', async () => {
    const shop = await premium(galla());
    const ask = () =>
      shop.api.post('/v1/qr/qr_a', { amount: 2000, customer: buyer }, { idempotencyKey: 'till-7' });
    await shop.faults([{ provider: 'qr_a', call: 'start', kind: 'http_502', times: 1 }]);
    expect((await ask()).status).toBe(502);
    const [first, second] = [await ask(), await ask()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect((await shop.api.must('GET', '/v1/checkout')).body.at('total')).toBe(1);
  });

  test('expired by the merchant it ends at once', async () => {
    const shop = await premium(galla());
    const session = await code(shop);
    const { body } = await shop.api.must('POST', `/v1/checkout/${session.text('id')}/expire`);
    expect(body.value).toEqual({
      id: session.at('id'),
      status: 'expired',
      flow: 'redirect',
      provider: 'qr_a',
      expires_at: session.at('expires_at'),
    });
  });
});

describeModesAlone(
  'Direct-QR at a network with the public words',
  (galla) => {
    test('a start says that our credentials were refused only where this very start was', async () => {
      const shop = await premium(galla());
      const settings = `/admin/v1/projects/${shop.projectId}/providers/qr_a`;
      const right = providers.get('qr_a')?.sandboxCredentials;
      const use = (credentials: object = {}): Promise<unknown> =>
        galla().admin.must('PUT', settings, { mode: 'sandbox', credentials });
      const told = async (): Promise<string> => {
        const refused = await shop.api.post('/v1/qr/qr_a', { amount: 1000, customer: buyer });
        expect([refused.status, refused.body.at('error.code')]).toEqual([502, 'provider_unavailable']);
        return refused.body.text('error.message');
      };
      const fails = [{ provider: 'qr_a', call: 'start', kind: 'http_500_html', times: null }];
      for (const [isRefused, credentials] of [
        [true, { ...right, merchantCode: 'XXXX' }],
        // the provider's health says that it refuses us until it has taken a call
        [false, right],
      ] as const) {
        await shop.faults(fails);
        await use(credentials);
        await eventually(
          async () => ((await told()).includes('refused our credentials') === isRefused ? true : null),
          () => `a start that says ${isRefused}, once every node has these credentials`,
          feltMsMax,
        );
      }
      expect((await shop.api.must('GET', '/v1/checkout')).body.at('total')).toBe(0);
    });
  },
  { GALLA_SIMULATOR_SPELLING: 'public' },
);
