/** What a subscription says of its periods: when the next invoice opens, which period a paid invoice pays for, and
 *  what becomes of an invoice that outlives it. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { open } from '../../src/cli/demo/buyer.ts';
import { Billing, kathmandu, threeSeven } from '../support/billing.ts';
import { gallaOfFile } from '../support/of-file.ts';

const walkMsMax = 300_000;

const galla = gallaOfFile();

const newBilling = async (): Promise<Billing> => new Billing(await galla.merchant());

test(
  'row 49: with a reminder of thirty days the next opening is named on each day of two months, and then comes',
  async () => {
    const billing = await newBilling();
    const plan = await billing.plan({ ...threeSeven, reminderDaysBeforeDue: 30 });
    const made = await billing.subscribe(plan, { startDate: kathmandu('2027-01-31') });
    const [id, said] = [made.text('id'), new Map<string, number>()];
    await billing.advance('2027-01-31');
    for (let day = 0; day < 60; day++) {
      const seen = await billing.subscription(id);
      const next = String(seen.at('nextInvoiceAt'));
      said.set(next, (said.get(next) ?? 0) + 1);
      if (seen.at('latestInvoice.status') === 'open') await billing.markPaid(id);
      await billing.advance(86_400);
    }
    const opened = (await billing.events())
      .filter((event) => event.at('type') === 'invoice.created')
      .map((event) => event.text('timestamp'));
    // each was named before it came, the last one is still to come
    expect([...said.keys()].slice(0, -1)).toEqual(opened.slice(-2));
    expect(said.keys().next().value).toBe(kathmandu('2027-03-01'));
    expect([...said.values()].reduce((all, some) => all + some)).toBe(60);
  },
  walkMsMax,
);

test('row 50: an invoice that is open when its subscription ends is past due at its time, and nothing more follows', async () => {
  const billing = await newBilling();
  const plan = await billing.plan({ ...threeSeven, gracePeriodDays: 40, overdueAction: 'cancel' });
  const made = await billing.subscribe(plan, { startDate: kathmandu('2027-01-31') });
  await billing.advance('2027-02-10');
  await billing.act(made.text('id'), 'cancel', { atPeriodEnd: true });
  await billing.advance('2027-03-01');
  const [open] = await billing.invoices(made.text('id'));
  const expected = { status: 'open', overdueAt: kathmandu('2027-03-12'), nextReminderAt: null };
  expect(open?.value).toMatchObject(expected);
  await billing.advance('2027-03-11 23:59');
  expect((await billing.invoice(open?.text('id') ?? '')).at('status')).toBe('open');
  // events are kept for ninety days
  await billing.advance('2027-05-20');

  const after = (await billing.events()).filter(
    (event) => event.text('timestamp') >= kathmandu('2027-02-28'),
  );
  expect(after.map((event) => [event.text('timestamp'), event.text('type')])).toEqual([
    [kathmandu('2027-02-28'), 'subscription.cancelled'],
    [kathmandu('2027-03-12'), 'invoice.past_due'],
  ]);
  expect((await billing.subscription(made.text('id'))).value).toMatchObject({
    status: 'cancelled',
    latestInvoice: { status: 'past_due' },
    dunning: [],
  });
  expect((await billing.markPaid(made.text('id'))).at('status')).toBe('paid');
});

test('row 50: a pause moves what a paid invoice pays for, and everybody is told; the invoice itself stays', async () => {
  const billing = await newBilling();
  const { api } = billing.merchant;
  const made = await billing.subscribe(await billing.plan(threeSeven), {
    startDate: kathmandu('2027-01-31'),
  });
  const id = made.text('id');
  await billing.advance('2027-01-31');
  await billing.markPaid(id);
  await billing.advance('2027-02-26');
  const paid = await billing.markPaid(id);
  const own = { periodStart: kathmandu('2027-02-28'), periodEnd: kathmandu('2027-03-31') };
  expect(paid.value).toMatchObject({ ...own, lines: [own], appliesFrom: null, appliesTo: null });
  await billing.act(id, 'pause', { resumeAt: kathmandu('2027-05-05') });
  await billing.advance('2027-05-06');

  const moved = { appliesFrom: kathmandu('2027-05-05'), appliesTo: kathmandu('2027-06-05') };
  const now = await billing.invoice(paid.text('id'));
  const { sequence, updatedAt, ...stays } = paid.value as { sequence: number; updatedAt: string };
  expect(now.value).toEqual({
    ...stays,
    ...moved,
    sequence: sequence + 1,
    updatedAt: moved.appliesFrom,
  });
  expect(Date.parse(updatedAt)).toBeLessThan(Date.parse(moved.appliesFrom));
  expect((await billing.invoices(id)).at(-1)?.value).toEqual(now.value);
  expect((await billing.subscription(id)).value).toMatchObject({
    currentPeriodStart: moved.appliesFrom,
    currentPeriodEnd: moved.appliesTo,
    nextInvoiceAt: kathmandu('2027-06-02'),
  });
  const [updated, ...more] = await billing.merchant.events('invoice.updated');
  expect([updated?.at('data'), more]).toEqual([now.value, []]);

  const csv = await api.get(`/v1/billing/invoices?subscriptionId=${id}`, { headers: { accept: 'text/csv' } });
  expect(parse(csv.text, { columns: true })).toMatchObject([moved, { appliesFrom: '', appliesTo: '' }]);

  const page = await open(now.text('hostedUrl'));
  for (const words of ['Period 28 Feb 2027 to 30 Mar 2027', 'Now pays for 5 May 2027 to 4 Jun 2027'])
    expect(page.words).toContain(words);
});
