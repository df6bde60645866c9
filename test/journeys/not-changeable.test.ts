/** Fields that a PATCH cannot change: another value is refused, the stored one is accepted, at the API and at the
 *  dashboard's doors. */
import { expect, test } from 'vitest';
import type { Api, Body } from '../../src/cli/demo/api.ts';
import { Billing } from '../support/billing.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { expectRefusal } from '../support/refusal.ts';

const galla = gallaOfFile();

const patch = (api: Api, path: string, body: object) => api.send('PATCH', path, { body });

interface Changeable {
  readonly path: string;
  readonly made: Body;
  /** Another value of each field that never changes, beside a change that is valid. */
  readonly others: { readonly [field: string]: unknown };
  /** The stored values, where the object shows them under another name. */
  readonly stored?: { readonly [field: string]: unknown };
  readonly valid: object;
}

async function objects(api: Api): Promise<readonly Changeable[]> {
  const plan = (
    await api.must('POST', '/v1/billing/plans', { name: 'Pro', amount: 150_000, intervalUnit: 'month' })
  ).body;
  const customer = (await api.must('POST', '/v1/billing/customers', { name: 'Asha' })).body;
  const made = await api.must('POST', '/v1/billing/subscriptions', {
    customerId: customer.text('id'),
    planId: plan.text('id'),
    trialDays: 14,
  });
  const fixedLink = (await api.must('POST', '/v1/payment-links', { name: 'Tea', amount: 5000 })).body;
  const openLink = (await api.must('POST', '/v1/payment-links', { name: 'Gift' })).body;
  const link = { amount: 6000, minAmount: 2000, maxAmount: 9000, currency: 'USD', collectAddress: true };
  return [
    {
      path: `/v1/billing/plans/${plan.text('id')}`,
      made: plan,
      others: { amount: 1000, currency: 'USD', intervalUnit: 'day', intervalCount: 2, trialDays: 1 },
      valid: { name: 'Other' },
    },
    {
      path: `/v1/billing/subscriptions/${made.body.text('id')}`,
      made: made.body,
      others: {
        customerId: 'bc_other',
        planId: null,
        startDate: '2030-01-01T00:00:00Z',
        trialDays: 7,
        trialEndsAt: null,
      },
      stored: { customerId: customer.at('id'), planId: plan.at('id'), trialDays: 14 },
      valid: { referenceId: 'A-1' },
    },
    {
      path: `/v1/payment-links/${fixedLink.text('id')}`,
      made: fixedLink,
      others: link,
      valid: { maxUses: 3 },
    },
    { path: `/v1/payment-links/${openLink.text('id')}`, made: openLink, others: link, valid: { maxUses: 3 } },
  ];
}

/** Its fields that never change, as they are stored. */
function storedOf({ made, others, stored = {} }: Changeable): object {
  const shown = made.value as { readonly [field: string]: unknown };
  return Object.fromEntries(Object.keys(others).map((name) => [name, stored[name] ?? shown[name]]));
}

test('another value for a field that never changes is refused with all such fields, and nothing is changed', async () => {
  const { api } = new Billing(await galla.merchant()).merchant;
  for (const { path, others, valid } of await objects(api)) {
    const before = (await api.must('GET', path)).text;
    const refused = await patch(api, path, { ...others, ...valid });
    const codes = Object.keys(others).map((name) => `${name} not_changeable`);
    expectRefusal(refused, 'validation_failed', codes);
    expect((await api.must('GET', path)).text).toBe(before);
  }
});

test('the message says which value is stored', async () => {
  const { api } = new Billing(await galla.merchant()).merchant;
  const [plan] = await objects(api);
  const refused = await patch(api, plan?.path ?? '', { amount: 1000 });
  expect(refused.body.at('error.message')).toBe(
    'amount cannot be changed here: leave it out, or send the stored value, 150000.',
  );
});

test('the stored values sent back are accepted and not reported as ignored; names of ours and unknown ones are', async () => {
  const { api } = new Billing(await galla.merchant()).merchant;
  for (const object of await objects(api)) {
    const { path, made, valid } = object;
    const changed = await patch(api, path, { ...storedOf(object), ...valid, sequence: 99, colour: 'red' });
    expect([changed.status, changed.text]).toEqual([200, expect.any(String)]);
    expect(changed.headers.get('x-ignored-params')).toBe('sequence,colour');
    expect(changed.body.value).toMatchObject({ ...valid, sequence: Number(made.at('sequence')) + 1 });
  }
});

test('an instant may be sent back in another form', async () => {
  const { api } = new Billing(await galla.merchant()).merchant;
  const [, subscription] = await objects(api);
  const start = subscription?.made.text('startDate') ?? '';
  const same = new Date(Date.parse(start) + 20_700_000).toISOString().replace('Z', '+05:45');
  expect((await patch(api, subscription?.path ?? '', { startDate: same })).status).toBe(200);
});

test('customers and webhook endpoints have no such field: all that a merchant sets can be changed', async () => {
  const { api } = new Billing(await galla.merchant()).merchant;
  const { body } = await api.must('POST', '/v1/billing/customers', { name: 'Asha', email: 'a@example.com' });
  const path = `/v1/billing/customers/${body.text('id')}`;
  const change = {
    name: 'B',
    email: 'b@example.com',
    phone: '98',
    externalCustomerId: 'x',
    metadata: { a: 1 },
  };
  expect((await patch(api, path, change)).body.value).toMatchObject(change);
});

test('another project, or an object that does not exist, is still 404', async () => {
  const { api } = new Billing(await galla.merchant()).merchant;
  const other = new Billing(await galla.merchant()).merchant.api;
  for (const { path, others } of await objects(api))
    expectRefusal(await patch(other, path, others), 'resource_not_found');
});

test('the dashboard refuses the same at its own addresses, and takes the stored values back', async () => {
  const owner = await merchantWithLogin(galla.admin, { email: 'owner@example.com' });
  const key = await galla.key(owner.projectId, { kind: 'secret', mode: 'sandbox' });
  const page = new Page(galla.url);
  await page.logIn(owner);
  for (const object of await objects(galla.with(key))) {
    const { path, others, valid } = object;
    const door = path.replace('/v1', `/dashboard/api/${owner.projectId}/sandbox`);
    const codes = Object.keys(others).map((name) => `${name} not_changeable`);
    expectRefusal(await page.patch(door, { ...others, ...valid }), 'validation_failed', codes);
    const changed = await page.patch(door, { ...storedOf(object), ...valid });
    expect([changed.status, changed.body.value]).toEqual([200, expect.objectContaining(valid)]);
  }
});
