/** The page of an invoice: what it shows in each status, and what its form refuses. How it is paid is in
 *  invoice-stories.ts. */
import { beforeAll, expect, test } from 'vitest';
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import { Billing, kathmandu } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { invoiceSession, paysBy } from '../support/invoice-session.ts';
import type { Merchant } from '../support/merchant.ts';

const formsPerMinute = 30;

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });
let shop: Merchant;
let billing: Billing;
beforeAll(async () => {
  shop = await galla.merchant();
  billing = new Billing(shop);
});

const submit = (page: Page): Promise<Page> => press(buttonOf(page, /^Pay this invoice/));
const sessionOn = ({ url }: Page): string | null => /\/pay\/(cs_[0-9a-z]{24})$/.exec(url)?.[1] ?? null;

/** The invoice of a new subscription. */
async function opened(fields: object = {}): Promise<{ readonly id: string; readonly page: string }> {
  const subscription = await billing.subscribe(await billing.plan({ name: 'Gold class', ...fields }));
  const [invoice] = await billing.invoices(subscription.text('id'));
  if (invoice === undefined) return expect.unreachable('an invoice');
  return { id: invoice.text('id'), page: invoice.text('hostedUrl') };
}

test('shows what is billed, to whom, for which days and until when', async () => {
  const customer = await billing.customer({ name: 'Asha <Rai>' });
  const plan = await billing.plan({ name: 'Gold class', gracePeriodDays: 3 });
  const fields = { customerId: customer.text('id'), startDate: kathmandu('2027-03-31 10:00') };
  const subscription = await billing.subscribe(plan, fields);
  const [draft] = await billing.invoices(subscription.text('id'));
  // it appears an hour before it opens, and has no page yet
  expect(draft).toBeUndefined();
  await billing.advance('2027-03-31 09:30');
  const [invoice] = await billing.invoices(subscription.text('id'));
  expect(invoice?.at('status')).toBe('draft');
  const address = invoice?.text('hostedUrl') ?? '';
  expect((await open(address)).title).toBe('We do not know this invoice');
  await billing.advance('2027-03-31 10:00');

  const page = await open(address);
  expect([page.status, page.title]).toEqual([200, expect.stringMatching(/^Invoice INV-000001 · /) as string]);
  for (const words of [
    'NPR 1,500.00',
    'Gold class',
    'Billed to Asha <Rai>',
    '31 Mar 2027 to 30 Apr 2027',
    'Due 31 Mar 2027',
  ])
    expect(page.words).toContain(words);
  expect(page.words).not.toContain('Overdue');
  const nepali = await open(`${address}?lang=ne`);
  expect(nepali.html).toContain('<html lang="ne"');
  expect(nepali.words).toContain('२०२७ मार्च ३१ देखि २०२७ अप्रिल ३० सम्म');

  await billing.advance('2027-04-03 10:00');
  const overdue = await open(address);
  expect(overdue.words).toContain('Overdue since 3 Apr 2027. It can still be paid here.');
  expect(sessionOn(await submit(overdue))).not.toBeNull();
});

test('shows that it is paid, when, and by which payment; or that it was cancelled', async () => {
  const paid = await invoiceSession(shop);
  await paysBy(paid, 'bank_a');
  const page = await eventually(
    async () => {
      const found = await open(paid.page);
      return found.title.startsWith('This invoice is paid') ? found : null;
    },
    () => 'the page of a paid invoice',
  );
  const invoice = await billing.invoice(paid.invoiceId);
  expect(page.words).toContain(`Payment ${invoice.text('paymentId')}`);
  expect(page.words).toMatch(/Paid on \d+ \w+ \d{4}, \d+:\d\d (?:am|pm)/);
  expect(page.buttons).toEqual([]);

  const [byHand, voided] = [await opened(), await opened()];
  await billing.actOn(byHand.id, 'mark-paid', { notes: 'secret of the shop' });
  await billing.actOn(voided.id, 'void');
  const [handPage, voidPage] = [await open(byHand.page), await open(voided.page)];
  expect(handPage.words).toContain('The shop has recorded this payment.');
  expect(handPage.html).not.toContain('secret of the shop');
  expect([voidPage.status, voidPage.title, voidPage.buttons]).toEqual([
    200,
    expect.stringContaining('This invoice was cancelled') as string,
    [],
  ]);
});

test('a form submitted twice, and the page opened again, lead to the running session; its end to a new one', async () => {
  const { page } = await opened();
  const form = await open(page);
  const first = await submit(form);
  const id = sessionOn(first);
  expect([id === null, sessionOn(await submit(form)), sessionOn(await submit(await open(page)))]).toEqual([
    false,
    id,
    id,
  ]);
  const left = await press(buttonOf(first, /^Cancel this payment/));
  expect([left.url, left.words.includes('open the invoice from the message')]).toEqual([first.url, true]);
  // the form of before leads back to the page, whose form opens another session
  const again = await submit(form);
  expect(again.url).toBe(page);
  const next = sessionOn(await submit(again));
  expect([next === null, next === id]).toEqual([false, false]);
});

test('an unknown invoice has a page of its own, in the language of the buyer', async () => {
  for (const id of ['inv_bkwv5cfvxf62gttfxm6dzpp7', 'inv_x', 'x', '%00', shop.projectId]) {
    const page = await open(`${galla.url}/invoice/${id}`);
    expect([id, page.status, page.title]).toEqual([id, 404, 'We do not know this invoice']);
    expect((await open(`${galla.url}/invoice/${id}`, { method: 'POST' })).status).toBe(404);
  }
  const nepali = await open(`${galla.url}/invoice/inv_x?lang=ne`);
  expect([nepali.status, nepali.title]).toEqual([404, 'यो बिल फेला परेन']);
});

test('only a form of this invoice opens a session, and none of a suspended merchant', async () => {
  const [invoice, other] = [await opened(), await opened()];
  const [form, foreign] = [await open(invoice.page), await open(other.page)];
  const fieldsOf = (page: Page) => Object.fromEntries(page.buttons[0]?.fields ?? []);
  const mine = fieldsOf(form);
  for (const fields of [
    {},
    { ...mine, token: '' },
    { ...mine, token: fieldsOf(foreign)['token'] ?? '' },
    { ...mine, session: fieldsOf(foreign)['session'] ?? '' },
    fieldsOf(foreign),
  ]) {
    const refused = await open(invoice.page, { method: 'POST', body: new URLSearchParams(fields) });
    expect([refused.status, refused.title]).toEqual([403, 'This form is out of date']);
  }
  const { body } = await galla.admin.must('GET', '/admin/v1/merchants');
  const merchant =
    body
      .list('data')
      .find((each) => each.at('projectId') === shop.projectId)
      ?.text('id') ?? '';
  await galla.admin.must('POST', `/admin/v1/merchants/${merchant}/suspend`, { reason: 'Review.' });
  expect([(await open(invoice.page)).status, (await submit(form)).status]).toEqual([403, 403]);
  await galla.admin.must('POST', `/admin/v1/merchants/${merchant}/unsuspend`);
  expect(sessionOn(await submit(form))).not.toBeNull();
});

test('a form of before finds an invoice that is settled, or cannot be paid by anything, as it is now', async () => {
  const { id, page } = await opened();
  const form = await open(page);
  await billing.actOn(id, 'void');
  const refused = await submit(form);
  expect([refused.status, refused.title]).toEqual([
    409,
    expect.stringContaining('This invoice was cancelled') as string,
  ]);

  const bare = await galla.merchant();
  const made = await invoiceSession(bare);
  const early = await open(made.page);
  for (const provider of ['wallet_a', 'wallet_b', 'qr_a', 'bank_a', 'wallet_c'])
    await galla.admin.must('PUT', `/admin/v1/projects/${bare.projectId}/providers/${provider}`, {
      mode: 'sandbox',
      enabled: false,
    });
  const none = await eventually(
    async () => {
      const found = await open(made.page);
      return found.words.includes('It cannot be paid here right now.') ? found : null;
    },
    () => 'a page without a way to pay',
  );
  expect(none.buttons).toEqual([]);
  expect((await submit(early)).status).toBe(409);
});

test('from the reference of a payment nobody gets to the name of the customer: a paid page names number and period', async () => {
  const customer = await billing.customer({ name: 'Asha Secret Rai' });
  const subscription = await billing.subscribe(await billing.plan({ name: 'Gold class' }), {
    customerId: customer.text('id'),
  });
  const [invoice] = await billing.invoices(subscription.text('id'));
  if (invoice === undefined) return expect.unreachable('an invoice');
  const chooser = await submit(await open(invoice.text('hostedUrl')));
  const sessionId = sessionOn(chooser) ?? '';
  await shop.api.must('POST', `/v1/test/checkout/${sessionId}/simulate`, {
    outcome: 'success',
    provider: 'bank_a',
  });
  const { paymentId } = await eventually(
    async () => {
      const found = await billing.invoice(invoice.text('id'));
      return found.at('status') === 'paid' ? { paymentId: found.text('paymentId') } : null;
    },
    () => 'the payment',
  );
  const status = await galla.nobody.must('GET', `/v1/public/payment-status?query=${paymentId}`);
  const known = status.body.text('session.id');
  const pages = await Promise.all(
    ['', '?stay=1', '/status', '?lang=ne'].map((rest) => open(`${galla.url}/pay/${known}${rest}`)),
  );
  for (const { html } of pages) {
    expect(html).not.toContain('inv_');
    expect(html).not.toContain('Asha');
  }
  expect(pages[0]?.words).toContain(`Invoice ${invoice.text('invoiceNumber')}`);
  expect(pages[0]?.words).toMatch(/Period \d+ \w+ \d{4} to \d+ \w+ \d{4}/);
});

test('after the session, the page says where the invoice is and does not lead to it', async () => {
  const { page } = await opened();
  const chooser = await submit(await open(page));
  const handover = await press(buttonFor(chooser, 'provider', 'bank_a'));
  const bank = await press(buttonOf(handover, /^Continue to/));
  await shop.advance(2 * 3600 + 60);
  const over = await eventually(
    async () => {
      const found = await open(chooser.url);
      return found.title.includes('has expired') ? found : null;
    },
    () => 'the end of the session',
  );
  expect(bank.status).toBe(200);
  expect(over.words).toContain(
    'The invoice shows whether there is still something to pay: open it from the message',
  );
  expect(over.html).not.toContain(page.slice(page.lastIndexOf('/') + 1));
}, 30_000);

test('the forms of one address are limited as on the payment pages', async () => {
  const { page } = await opened();
  const form = await open(page);
  const statuses = new Set<number>();
  // forms of the tests before count, too
  for (let forms = 0; forms <= formsPerMinute; forms++) statuses.add((await submit(form)).status);
  expect(statuses).toEqual(new Set([200, 429]));
});
