/** Plans and customers over the API: what each answer holds, and what is refused. */
import { describe, expect, test } from 'vitest';
import type { Api, Body } from '../../src/cli/demo/api.ts';
import { Billing } from '../support/billing.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { expectRefusal } from '../support/refusal.ts';

const galla = gallaOfFile();

const newBilling = async (): Promise<Billing> => new Billing(await galla.merchant());
const patch = (api: Api, path: string, body: object) => api.send('PATCH', path, { body });
const idsOf = (list: Body): readonly string[] => list.list('data').map((each) => each.text('id'));
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;

describe('plans', () => {
  const full = {
    name: 'Pro quarterly',
    description: 'For teams',
    amount: 450_000,
    currency: 'NPR',
    intervalUnit: 'quarter',
    intervalCount: 2,
    gracePeriodDays: 365,
    trialDays: 14,
    defaultProvider: 'bank_a',
    reminderDaysBeforeDue: 30,
    overdueReminderIntervalDays: 30,
    overdueAction: 'pause',
    metadata: { tier: 'pro' },
  };

  test('row 40: a plan has every field, and every default', async () => {
    const { api } = (await newBilling()).merchant;
    const { body: plain } = await api.must('POST', '/v1/billing/plans', {
      name: 'Plain',
      amount: 1000,
      intervalUnit: 'day',
      description: null,
      defaultProvider: null,
    });
    const common = { livemode: false, currency: 'NPR', active: true, sequence: 1 };
    expect(plain.value).toEqual({
      ...common,
      id: expect.stringMatching(/^bp_[0-9a-z]{24}$/) as string,
      name: 'Plain',
      description: null,
      amount: 1000,
      intervalUnit: 'day',
      intervalCount: 1,
      gracePeriodDays: 0,
      trialDays: 0,
      defaultProvider: null,
      dunningSettings: {
        reminderDaysBeforeDue: 0,
        overdueReminderIntervalDays: 0,
        overdueAction: 'mark_past_due',
      },
      metadata: {},
      createdAt: time,
      updatedAt: plain.at('createdAt'),
    });
    const { reminderDaysBeforeDue, overdueReminderIntervalDays, overdueAction, ...fields } = full;
    const { body } = await api.must('POST', '/v1/billing/plans', full);
    expect(body.value).toMatchObject({
      ...common,
      ...fields,
      dunningSettings: { reminderDaysBeforeDue, overdueReminderIntervalDays, overdueAction },
    });
    expect((await api.must('GET', `/v1/billing/plans/${body.text('id')}`)).text).toBe(
      (await api.must('GET', '/v1/billing/plans?limit=1')).text.match(/^\{"data":\[(.*)\],"total":2/)?.[1],
    );
  });

  test('row 40: a change keeps what is absent, and clears what is null', async () => {
    const { api } = (await newBilling()).merchant;
    const { body: made } = await api.must('POST', '/v1/billing/plans', full);
    const path = `/v1/billing/plans/${made.text('id')}`;
    const changed = await patch(api, path, {
      name: 'Pro',
      description: null,
      defaultProvider: null,
      active: false,
      gracePeriodDays: 1,
      overdueAction: 'cancel',
      metadata: { tier: null, seats: 5 },
    });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('x-ignored-params')).toBeNull();
    expect(changed.body.value).toEqual({
      ...(made.value as object),
      name: 'Pro',
      description: null,
      defaultProvider: null,
      active: false,
      gracePeriodDays: 1,
      dunningSettings: { ...(made.at('dunningSettings') as object), overdueAction: 'cancel' },
      metadata: { seats: 5 },
      sequence: 2,
      updatedAt: time,
    });
    // what changes nothing is no change
    expect((await patch(api, path, { active: false })).body.at('sequence')).toBe(2);
    expect(idsOf((await api.must('GET', '/v1/billing/plans?active=false')).body)).toEqual([made.at('id')]);
    expect(idsOf((await api.must('GET', '/v1/billing/plans?active=true')).body)).toEqual([]);
    const cleared = await patch(api, path, { name: null, gracePeriodDays: null, overdueAction: null });
    expectRefusal(cleared, 'validation_failed', [
      'name wrong_type',
      'gracePeriodDays wrong_type',
      'overdueAction not_in_enum',
    ]);
  });

  test('row 40: every bad field is named, in the order of the table', async () => {
    const { api } = (await newBilling()).merchant;
    expectRefusal(await api.post('/v1/billing/plans', {}), 'validation_failed', [
      'name required',
      'amount required',
      'intervalUnit required',
    ]);
    const bad = {
      name: '',
      amount: 999,
      intervalUnit: 'month',
      currency: 'USD',
      intervalCount: 0,
      gracePeriodDays: 366,
      trialDays: 366,
      defaultProvider: 'qr_a',
      reminderDaysBeforeDue: 31,
      overdueReminderIntervalDays: -1,
      overdueAction: 'shout',
      metadata: [],
    };
    expectRefusal(await api.post('/v1/billing/plans', bad), 'validation_failed', [
      'name too_short',
      'amount too_small',
      'currency currency_not_supported',
      'intervalCount too_small',
      'gracePeriodDays too_large',
      'trialDays too_large',
      'defaultProvider not_in_enum',
      'reminderDaysBeforeDue too_large',
      'overdueReminderIntervalDays too_small',
      'overdueAction not_in_enum',
      'metadata wrong_type',
    ]);
    expect((await api.must('GET', '/v1/billing/plans')).body.at('total')).toBe(0);
  });

  test('row 44: a plan that is not active takes no new subscription, and the old ones renew', async () => {
    const billing = await newBilling();
    const { api } = billing.merchant;
    const plan = await billing.plan();
    const old = await billing.subscribe(plan);
    const { body: off } = await patch(api, `/v1/billing/plans/${plan.text('id')}`, { active: false });
    expect(off.at('active')).toBe(false);
    const customerId = (await billing.customer()).text('id');
    const order = { planId: plan.text('id'), customerId };
    const refused = await api.post('/v1/billing/subscriptions', order);
    expectRefusal(refused, 'plan_inactive');
    expect([refused.status, refused.body.at('error.param')]).toEqual([422, 'planId']);
    const other = await billing.subscribe(await billing.plan({ name: 'Other' }), { customerId });
    const switching = await api.post(`/v1/billing/subscriptions/${other.text('id')}/change-plan`, {
      planId: plan.text('id'),
    });
    expectRefusal(switching, 'plan_inactive');
    await billing.markPaid(old.text('id'));
    await billing.advance(32 * 86_400);
    const renewed = await billing.subscription(old.text('id'));
    expect(renewed.at('currentPeriodStart')).toBe(old.at('currentPeriodEnd'));
    expect(await billing.invoices(old.text('id'))).toHaveLength(2);
  });
});

describe('customers', () => {
  test('row 46: a customer has every field; a phone has 20 characters', async () => {
    const { api } = (await newBilling()).merchant;
    const path = '/v1/billing/customers';
    const phone = '+977 980-000-0000 12';
    const given = { name: 'Asha Rai', email: 'asha@example.com', phone, externalCustomerId: 'u-77' };
    const { body } = await api.must('POST', path, { ...given, metadata: { vip: true } });
    expect(body.value).toEqual({
      id: expect.stringMatching(/^bc_[0-9a-z]{24}$/) as string,
      livemode: false,
      ...given,
      metadata: { vip: true },
      sequence: 1,
      createdAt: time,
      updatedAt: body.at('createdAt'),
    });
    const { body: least } = await api.must('POST', path, { name: 'B', email: null, phone: null });
    expect(least.value).toMatchObject({ email: null, phone: null, externalCustomerId: null, metadata: {} });
    const long = await api.post(path, { name: 'B', phone: '9'.repeat(21), email: 'at home' });
    expectRefusal(long, 'validation_failed', ['email invalid_format', 'phone too_long']);
    const change = { email: null, phone: '1', metadata: { vip: null, a: 1 } };
    const changed = await patch(api, `${path}/${body.text('id')}`, change);
    expect(changed.body.value).toMatchObject({
      ...given,
      ...change,
      metadata: { a: 1 },
      sequence: 2,
    });
  });

  test('row 46: customers are found by the beginning of a name, an e-mail, a phone or your own id', async () => {
    const { api } = (await newBilling()).merchant;
    const path = '/v1/billing/customers';
    const make = async (fields: object) => (await api.must('POST', path, fields)).body.text('id');
    const asha = await make({ name: 'Asha Rai', email: 'Rai@example.com', phone: '9800000000' });
    const ashok = await make({ name: 'ASHOK', externalCustomerId: 'Ash-1', phone: '9811111111' });
    const nepali = await make({ name: 'आशा राई', email: 'other@example.com' });
    const foreign = (await newBilling()).merchant.api;
    await foreign.must('POST', path, { name: 'Asha of another shop' });
    const found = async (query: string): Promise<readonly string[]> => {
      const { body } = await api.must('GET', `${path}?${query}`);
      expect(body.at('total')).toBe(body.list('data').length);
      return idsOf(body);
    };
    const search = (text: string) => found(`search=${encodeURIComponent(text)}`);
    expect(await search('ash')).toEqual([ashok, asha]);
    expect(await search('ASHA r')).toEqual([asha]);
    expect(await search('rai')).toEqual([asha]);
    expect(await search('98')).toEqual([ashok, asha]);
    expect(await search('ash-')).toEqual([ashok]);
    expect(await search('आशा')).toEqual([nepali]);
    expect(await search('ai')).toEqual([]);
    expect(await search('%')).toEqual([]);
    expect(await found('search=ash&email=Rai@example.com')).toEqual([asha]);
    expect(await found('externalCustomerId=Ash-1')).toEqual([ashok]);
    expect(await found('email=rai@example.com')).toEqual([]);
    // after a change it is found by what it is now
    await patch(api, `${path}/${asha}`, { name: 'Bina Rai' });
    expect(await search('ash')).toEqual([ashok]);
    expect(await search('bina')).toEqual([asha]);
    const paged = (await api.must('GET', `${path}?search=9&limit=1&page=2`)).body;
    expect([paged.at('total'), idsOf(paged)]).toEqual([2, [asha]]);
    expectRefusal(await api.get(`${path}?search=`), 'validation_failed', ['search too_short']);
  });
});
