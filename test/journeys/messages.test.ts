/** What buyers and merchants are written, as the sandbox keeps it. */
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { open } from '../../src/cli/demo/buyer.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { buyer, code, paymentOf, phone, premium } from '../support/qr-shop.ts';
import { expectRefusal } from '../support/refusal.ts';

const path = '/v1/test/messages';
const customer = { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' };

const list = async ({ api }: Merchant, query = ''): Promise<readonly Body[]> =>
  (await api.must('GET', `${path}${query}`)).body.list('data');

const untilMessages = (shop: Merchant, count: number, query = ''): Promise<readonly Body[]> =>
  eventually(
    async () => {
      const messages = await list(shop, query);
      return messages.length >= count ? messages : null;
    },
    () => `${count} messages`,
  );

/** The payment of a checkout that is paid. */
async function paid(shop: Merchant, fields: object): Promise<string> {
  const id = (await shop.checkout(fields)).text('id');
  await shop.simulate(id, 'success');
  return (await shop.untilStatus(id, 'success')).text('paymentId');
}

describeModes('messages', (galla) => {
  test.concurrent('row 27: the captured messages hold one receipt per success with an e-mail, and no other', async () => {
    const shop = await galla().merchant();
    const mine = await paid(shop, { customer, description: 'Tea <b>& "cake"</b>' });
    const bibek = await paid(shop, { customer: { email: 'bibek@example.com' } });
    await paid(shop, {});
    const lost = (await shop.checkout({ customer })).text('id');
    await shop.simulate(lost, 'cancelled');
    await shop.untilStatus(lost, 'pending');
    const twice = (await shop.checkout({ customer: { email: 'twice@example.com' } })).text('id');
    await shop.simulate(twice, 'double_payment');
    const paidTwice = (await shop.untilStatus(twice, 'success')).text('paymentId');
    await shop.untilEvents(1, 'payment.duplicate');

    await untilMessages(shop, 3);
    // whatever was under way has come by now
    await shop.advance(60);
    const messages = await list(shop);
    expect(messages.map((one) => one.text('paymentId')).toSorted()).toEqual(
      [mine, bibek, paidTwice].toSorted(),
    );
    const [receipt] = await list(shop, '?to=asha@example.com&channel=email');
    expect(receipt?.value).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-hjkmnp-tv-z]{24}$/),
      channel: 'email',
      to: 'asha@example.com',
      subject: 'Receipt for NPR 1,250.50',
      text: expect.stringMatching(
        /^Paid to Shop \d+\.\n\nAmount: NPR 1,250\.50\nFor: Tea <b>& "cake"<\/b>\n/,
      ),
      html: expect.stringContaining('Tea &lt;b&gt;&amp; &quot;cake&quot;&lt;/b&gt;'),
      paymentId: mine,
      invoiceId: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(receipt?.at('text')).toContain(`/status?query=${mine}`);
    expect(receipt?.at('text')).toContain('This is a test');
    expect(await list(shop, '?channel=sms')).toEqual([]);
    expect(await list(shop, '?to=nobody@example.com')).toEqual([]);
    expect(await list(await galla().merchant())).toEqual([]);

    const at = messages[0]?.text('createdAt') ?? '';
    expect(await list(shop, `?createdTo=${at}`)).toHaveLength(2);
  });

  test.concurrent('row 27: after a Direct-QR on premium the buyer has an SMS, too; on another plan none', async () => {
    const shop = await premium(galla());
    const session = await code(shop);
    await phone(shop, session.text('qr_message'), 'pay');
    await shop.untilStatus(session.text('id'), 'success');
    const [sms] = await untilMessages(shop, 1, '?channel=sms');
    const paymentId = (await paymentOf(shop, session)).text('id');
    expect(sms?.value).toMatchObject({
      to: buyer.phone,
      subject: null,
      html: null,
      paymentId,
      text: `Paid NPR 1,250.50 to Qr Pasal. Payment ${paymentId}.`,
    });
    const [mail] = await untilMessages(shop, 1, '?channel=email');
    expect([mail?.at('to'), mail?.at('paymentId')]).toEqual([buyer.email, paymentId]);

    // the plan counts when the money comes
    const later = await code(shop);
    const merchants = (await galla().admin.must('GET', '/admin/v1/merchants?limit=100')).body.list('data');
    const own = merchants.find((one) => one.at('projectId') === shop.projectId);
    await galla().admin.must('PATCH', `/admin/v1/merchants/${own?.text('id')}`, { plan: 'free' });
    await phone(shop, later.text('qr_message'), 'pay');
    await shop.untilStatus(later.text('id'), 'success');
    await untilMessages(shop, 2, '?channel=email');
    await shop.advance(60);
    expect(await list(shop, '?channel=sms')).toHaveLength(1);
  });

  test.concurrent("row 27: the receipt is in the language of the buyer's browser", async () => {
    const shop = await galla().merchant();
    const subjects: unknown[] = [];
    for (const [at, language] of [
      'ne-NP,ne;q=0.9,en;q=0.8',
      'en-US,en;q=0.9,ne;q=0.8',
      'fr,ne;q=0.5',
    ].entries()) {
      const email = `buyer${at}@example.com`;
      const session = await shop.checkout({ customer: { email }, flow: 'redirect', provider: 'wallet_b' });
      const page = await open(session.text('checkout_url'));
      const token = /name="token" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
      const form = new URLSearchParams({ token, provider: 'wallet_b' });
      const headers = { 'accept-language': language };
      await fetch(`${session.text('checkout_url')}/start`, {
        method: 'POST',
        body: form,
        headers,
        redirect: 'manual',
      });
      await shop.simulate(session.text('id'), 'success');
      const [message] = await untilMessages(shop, 1, `?to=${email}`);
      subjects.push(message?.at('subject'));
    }
    expect(subjects).toEqual(['NPR 1,250.50 को रसिद', 'Receipt for NPR 1,250.50', 'NPR 1,250.50 को रसिद']);
  });

  test.concurrent('the merchant is written that an endpoint was disabled, once', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    const { id } = await shop.endpoint(server, ['checkout.created']);
    server.answering = () => ({ status: 410 });
    await Promise.all([shop.checkout(), shop.checkout()]);
    const [mail] = await untilMessages(shop, 1);
    expect(mail?.value).toMatchObject({
      channel: 'email',
      to: expect.stringMatching(/^shop\d+@example\.com$/),
      subject: 'A webhook endpoint was disabled',
      paymentId: null,
    });
    expect(mail?.text('text')).toContain(`Endpoint: ${id}\nReason: it answered 410 Gone\nMode: sandbox\n`);
    await shop.advance(3600);
    expect(await list(shop)).toHaveLength(1);
  });

  test.concurrent('they are for a secret sandbox key alone, and filters are checked', async () => {
    const shop = await galla().merchant();
    const live = await galla().key(shop.projectId, { kind: 'secret', mode: 'live' });
    expectRefusal(await galla().with(live).get(path), 'sandbox_only');
    expectRefusal(await shop.publishable.get(path), 'api_key_must_be_secret');
    expectRefusal(await shop.api.get(`${path}?channel=post`), 'validation_failed', ['channel not_in_enum']);
    expectRefusal(await shop.api.get(`${path}?page=101&limit=100`), 'page_too_deep');
  });
});
