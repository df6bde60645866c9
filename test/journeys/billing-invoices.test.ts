/** Invoices over the API: lists, actions, modes. */
import { describe, expect, test } from 'vitest';
import type { Api, Body } from '../../src/cli/demo/api.ts';
import { Billing } from '../support/billing.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { expectRefusal } from '../support/refusal.ts';

const galla = gallaOfFile();

const newBilling = async (): Promise<Billing> => new Billing(await galla.merchant());
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

describe('invoices', () => {
  test('lists are filtered, and are a CSV file where that is asked for', async () => {
    const billing = await newBilling();
    const { api } = billing.merchant;
    const plan = await billing.plan();
    const [one, two] = [await billing.subscribe(plan), await billing.subscribe(plan)];
    await billing.markPaid(two.text('id'));
    const list = async (query: string) =>
      (await api.must('GET', `/v1/billing/invoices?${query}`)).body
        .list('data')
        .map((each) => each.text('subscriptionId'));
    expect(await list('')).toEqual([two.at('id'), one.at('id')]);
    expect(await list('status=paid')).toEqual([two.at('id')]);
    expect(await list(`subscriptionId=${one.text('id')}`)).toEqual([one.at('id')]);
    expect(await list(`customerId=${two.text('customer.id')}&status=open`)).toEqual([]);
    const csv = await api.get('/v1/billing/invoices?status=paid', { headers: { accept: 'text/csv' } });
    const [head = '', row = '', ...rest] = csv.text.trim().split('\r\n');
    expect(head.split(',').slice(0, 5)).toEqual([
      'id',
      'livemode',
      'invoiceNumber',
      'subscriptionId',
      'customerId',
    ]);
    expect([row.split(',')[2], rest]).toEqual(['INV-000002', []]);
  });

  test('an invoice is voided, marked as paid, sent and given an address once; afterwards it is refused', async () => {
    const billing = await newBilling();
    const { api } = billing.merchant;
    const plan = await billing.plan();
    const invoiceOf = async () => (await billing.subscribe(plan)).text('latestInvoice.id');
    const paid = `/v1/billing/invoices/${await invoiceOf()}`;
    expectRefusal(await api.post(`${paid}/mark-paid`, { paidAt: inDays(1) }), 'validation_failed', [
      'paidAt too_large',
    ]);
    const link = (await api.must('POST', `${paid}/pay-link`)).body;
    expect(link.value).toEqual({
      invoiceId: paid.split('/').at(-1),
      url: `${galla.url}/pay/${link.text('sessionId')}`,
      sessionId: expect.stringMatching(/^cs_[0-9a-z]{24}$/) as string,
      expires_at: time,
    });
    expect((await api.must('POST', `${paid}/pay-link`)).body.value).toEqual(link.value);
    expect((await api.must('POST', `${paid}/send`)).body.at('status')).toBe('open');
    const paidAt = inDays(-1);
    const marked = await api.must('POST', `${paid}/mark-paid`, { paidAt, notes: 'Cash' });
    expect(marked.body.value).toMatchObject({
      status: 'paid',
      paidAt,
      paymentId: null,
      notes: 'Cash',
      amountDue: 0,
      amountPaid: 150_000,
    });
    expect((await api.must('GET', paid)).text).toBe(marked.text);
    for (const action of ['void', 'mark-paid', 'send', 'pay-link']) {
      const again = await api.post(`${paid}/${action}`);
      expectRefusal(again, 'invalid_state');
      expect([again.status, again.body.at('error.currentStatus')]).toEqual([409, 'paid']);
    }
    const voided = `/v1/billing/invoices/${await invoiceOf()}`;
    expect((await api.must('POST', `${voided}/void`)).body.value).toMatchObject({
      status: 'voided',
      amountDue: 0,
      amountPaid: 0,
    });
    expectRefusal(await api.post(`${voided}/pay-link`), 'invalid_state');
  });

  test('an invoice that was settled periods ago is refused with its own status', async () => {
    const billing = await newBilling();
    const made = await billing.subscribe(await billing.plan({ intervalUnit: 'day' }));
    const invoiceId = made.text('latestInvoice.id');
    await billing.markPaid(made.text('id'));
    await billing.advance(4 * 86_400);
    const refused = await billing.merchant.api.post(`/v1/billing/invoices/${invoiceId}/pay-link`);
    expectRefusal(refused, 'invalid_state');
    expect(refused.body.at('error.currentStatus')).toBe('paid');
  });
});

test('row 89: plans, customers, subscriptions and invoices say whether they are live, and no mode sees the other', async () => {
  const sandbox = await newBilling();
  const { projectId } = sandbox.merchant;
  const key = await galla.key(projectId, { kind: 'secret', mode: 'live' });
  const kinds = ['plans', 'customers', 'subscriptions', 'invoices'];
  const make = async (api: Api): Promise<readonly Body[]> => {
    const fields = { name: 'Pro', amount: 150_000, intervalUnit: 'month' };
    const plan = (await api.must('POST', '/v1/billing/plans', fields)).body;
    const customer = (await api.must('POST', '/v1/billing/customers', { name: 'Asha' })).body;
    const ids = { planId: plan.text('id'), customerId: customer.text('id') };
    const subscription = (await api.must('POST', '/v1/billing/subscriptions', ids)).body;
    const path = `/v1/billing/invoices/${subscription.text('latestInvoice.id')}`;
    return [plan, customer, subscription, (await api.must('GET', path)).body];
  };
  const [api, live] = [sandbox.merchant.api, galla.with(key)];
  for (const [own, other, livemode] of [
    [api, live, false],
    [live, api, true],
  ] as const) {
    for (const [at, one] of (await make(own)).entries()) {
      expect(one.at('livemode'), kinds[at]).toBe(livemode);
      const path = `/v1/billing/${kinds[at] ?? ''}/${one.text('id')}`;
      expect((await own.must('GET', path)).body.at('livemode')).toBe(livemode);
      expectRefusal(await other.get(path), 'resource_not_found');
    }
  }
  for (const kind of kinds)
    expect((await live.must('GET', `/v1/billing/${kind}`)).body.at('total'), kind).toBe(1);
});
