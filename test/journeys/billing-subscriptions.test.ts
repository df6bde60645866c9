/** Subscriptions over the API: what each answer holds, what lists find, and what is refused. */
import { expect, test } from 'vitest';
import { displayStatuses } from '../../actors/subscription/state.ts';
import type { Api, Body } from '../../src/cli/demo/api.ts';
import { Billing, kathmandu, threeSeven } from '../support/billing.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { expectRefusal } from '../support/refusal.ts';

const galla = gallaOfFile();

const newBilling = async (): Promise<Billing> => new Billing(await galla.merchant());
const patch = (api: Api, path: string, body: object) => api.send('PATCH', path, { body });
const idsOf = (list: Body): readonly string[] => list.list('data').map((each) => each.text('id'));
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

test('row 49: a subscription has every field, with its customer, its plan and its latest invoice', async () => {
  const billing = await newBilling();
  const plan = await billing.plan({ ...threeSeven, overdueReminderIntervalDays: 30 });
  const customer = await billing.customer();
  const made = await billing.subscribe(plan, {
    customerId: customer.text('id'),
    referenceId: 'A-1',
    totalCycles: 12,
    providerPreference: 'wallet_c',
    metadata: { a: 1 },
  });
  const [invoice] = await billing.invoices(made.text('id'));
  const planShown = {
    id: plan.at('id'),
    name: 'Pro monthly',
    amount: 150_000,
    currency: 'NPR',
    intervalUnit: 'month',
    intervalCount: 1,
  };
  const step = { at: time, invoiceId: invoice?.at('id'), done: false };
  expect(made.value).toEqual({
    id: expect.stringMatching(/^sub_[0-9a-z]{24}$/) as string,
    livemode: false,
    status: 'active',
    displayStatus: 'active',
    startDate: time,
    currentPeriodStart: made.at('startDate'),
    currentPeriodEnd: time,
    nextInvoiceAt: time,
    trialEndsAt: null,
    cancelAtPeriodEnd: false,
    cancelledAt: null,
    cancelEffectiveAt: null,
    pausedAt: null,
    resumeAt: null,
    endedAt: null,
    cancelReason: null,
    pauseReason: null,
    providerPreference: 'wallet_c',
    referenceId: 'A-1',
    totalCycles: 12,
    cyclesBilled: 1,
    customer: { id: customer.at('id'), name: 'Asha Rai', email: customer.at('email') },
    plan: planShown,
    nextPlan: null,
    nextPlanAt: null,
    // the invoice has opened before the answer
    latestInvoice: {
      id: invoice?.at('id'),
      status: 'open',
      dueAt: made.at('startDate'),
      paidAt: null,
      createdAt: invoice?.at('createdAt'),
    },
    dunning: [
      { ...step, action: 'mark_past_due' },
      { ...step, action: 'reminder' },
      { ...step, action: 'reminder' },
    ],
    nextSteps: expect.arrayContaining([
      { at: time, is: 'past_due', invoiceId: invoice?.at('id'), amount: 150_000 },
      { at: made.at('nextInvoiceAt'), is: 'invoice_opens', invoiceId: null, amount: 150_000 },
      { at: made.at('currentPeriodEnd'), is: 'renewal', invoiceId: null, amount: null },
    ]) as unknown,
    metadata: { a: 1 },
    sequence: 2,
    createdAt: made.at('startDate'),
    updatedAt: time,
  });
  const id = made.text('id');
  const resumeAt = inDays(3);
  expect((await billing.act(id, 'pause', { pauseReason: 'Away', resumeAt })).value).toMatchObject({
    status: 'paused',
    displayStatus: 'paused',
    pausedAt: time,
    pauseReason: 'Away',
    resumeAt,
    nextInvoiceAt: null,
  });
  expect((await billing.act(id, 'resume')).value).toMatchObject({
    status: 'active',
    pausedAt: null,
    pauseReason: null,
    resumeAt: null,
    nextInvoiceAt: made.at('nextInvoiceAt'),
  });
  const flagged = await billing.act(id, 'cancel', { cancelReason: 'Moving', atPeriodEnd: true });
  expect(flagged.value).toMatchObject({
    status: 'active',
    cancelAtPeriodEnd: true,
    cancelledAt: time,
    cancelEffectiveAt: made.at('currentPeriodEnd'),
    cancelReason: 'Moving',
    endedAt: null,
    nextInvoiceAt: null,
  });
  const cancelled = await billing.act(id, 'cancel');
  expect(cancelled.value).toMatchObject({
    status: 'cancelled',
    displayStatus: 'cancelled',
    cancelAtPeriodEnd: false,
    cancelledAt: time,
    cancelEffectiveAt: cancelled.at('cancelledAt'),
    endedAt: cancelled.at('cancelledAt'),
    cancelReason: null,
    latestInvoice: { status: 'voided' },
    dunning: [],
  });
  expect((await billing.subscription(id)).value).toEqual(cancelled.value);
});

test('row 49: customer and plan are shown as they are now, in a list too', async () => {
  const billing = await newBilling();
  const { api } = billing.merchant;
  const [plan, next] = [await billing.plan(), await billing.plan({ name: 'Pro yearly' })];
  const customer = await billing.customer();
  const made = await billing.subscribe(plan, { customerId: customer.text('id') });
  await billing.act(made.text('id'), 'change-plan', { planId: next.text('id') });
  await patch(api, `/v1/billing/customers/${customer.text('id')}`, { name: 'Asha Thapa', email: null });
  await patch(api, `/v1/billing/plans/${plan.text('id')}`, { name: 'Pro (old)' });
  await patch(api, `/v1/billing/plans/${next.text('id')}`, { name: 'Pro 365' });
  const now = await billing.subscription(made.text('id'));
  expect(now.value).toMatchObject({
    customer: { id: customer.at('id'), name: 'Asha Thapa', email: null },
    plan: { id: plan.at('id'), name: 'Pro (old)', amount: 150_000 },
    nextPlan: { id: next.at('id'), name: 'Pro 365' },
  });
  const { body } = await api.must('GET', '/v1/billing/subscriptions');
  expect(body.list('data')[0]?.value).toEqual(now.value);
  // the invoice keeps what it was opened for
  const [invoice] = await billing.invoices(made.text('id'));
  expect(invoice?.at('lines.0.description')).toBe('Pro monthly');
});

test('row 47: each of the seven statuses lists exactly its subscriptions', async () => {
  const billing = await newBilling();
  const [monthly, daily] = [await billing.plan(), await billing.plan({ intervalUnit: 'day' })];
  const customerId = (await billing.customer()).text('id');
  const make = async (plan: Body, fields: object = {}) =>
    (await billing.subscribe(plan, { customerId, ...fields })).text('id');
  const ids: { readonly [status: string]: string } = {
    draft: await make(monthly, { startDate: inDays(20) }),
    trialing: await make(monthly, { trialDays: 20 }),
    active: await make(monthly),
    paused: await make(monthly),
    past_due: await make(monthly),
    cancelled: await make(monthly),
    completed: await make(daily, { totalCycles: 1 }),
  };
  const of = (status: string): string => ids[status] ?? '';
  for (const status of ['active', 'paused', 'completed']) await billing.markPaid(of(status));
  await billing.act(of('paused'), 'pause');
  await billing.act(of('cancelled'), 'cancel');
  await billing.advance(2 * 86_400);
  const { api } = billing.merchant;
  const list = async (query: string) =>
    idsOf((await api.must('GET', `/v1/billing/subscriptions?${query}`)).body);
  for (const status of displayStatuses) expect(await list(`status=${status}`), status).toEqual([of(status)]);
  const isActive = new Set(['draft', 'trialing', 'active']);
  for (const status of displayStatuses) {
    const one = await billing.subscription(of(status));
    expect([one.at('displayStatus'), one.at('status')]).toEqual([
      status,
      isActive.has(status) ? 'active' : status,
    ]);
  }
  expect(await list(`planId=${daily.text('id')}`)).toEqual([of('completed')]);
  expect(await list(`planId=${monthly.text('id')}&status=paused`)).toEqual([of('paused')]);
  expect(await list(`customerId=${customerId}`)).toHaveLength(7);
  expect(await list('customerId=bc_unknown')).toEqual([]);
  expect(await list(`status=active&customerId=${monthly.text('id')}`)).toEqual([]);
  expectRefusal(await api.get('/v1/billing/subscriptions?status=asleep'), 'validation_failed', [
    'status not_in_enum',
  ]);
});

test('a start, a trial and an end have rules; what a body names must be there', async () => {
  const billing = await newBilling();
  const { api } = billing.merchant;
  const plan = await billing.plan({ trialDays: 10 });
  const customerId = (await billing.customer()).text('id');
  const body = { planId: plan.text('id'), customerId };
  const post = (fields: object) => api.post('/v1/billing/subscriptions', { ...body, ...fields });
  expectRefusal(await post({ startDate: inDays(-1.1) }), 'validation_failed', ['startDate too_small']);
  const distant = await post({ startDate: '2100-01-01T00:00:00.001Z' });
  expectRefusal(distant, 'validation_failed', ['startDate too_large']);
  expectRefusal(await post({ trialEndsAt: inDays(-0.1) }), 'validation_failed', [
    'trialEndsAt must_be_later',
  ]);
  const both = { startDate: inDays(9), trialEndsAt: inDays(8) };
  expectRefusal(await post(both), 'validation_failed', ['trialEndsAt must_be_later']);
  expectRefusal(await post({ trialEndsAt: inDays(366) }), 'validation_failed', ['trialEndsAt too_large']);
  expectRefusal(await post({ trialDays: 366, totalCycles: 0 }), 'validation_failed', [
    'trialDays too_large',
    'totalCycles too_small',
  ]);
  for (const param of ['customerId', 'planId']) {
    const unknown = await post({ [param]: 'bc_unknown' });
    expectRefusal(unknown, 'resource_not_found');
    expect([unknown.status, unknown.body.at('error.param')]).toEqual([404, param]);
  }
  // the latest start, with the longest period, still ends at a time that has a written form
  const eras = await billing.plan({ intervalUnit: 'year', intervalCount: 365 });
  const last = await post({ planId: eras.text('id'), startDate: '2100-01-01T00:00:00Z', trialDays: 0 });
  expect(last.body.at('currentPeriodEnd')).toBe('2465-01-01T00:00:00.000Z');
  const other = await newBilling();
  expectRefusal(await post({ planId: (await other.plan()).text('id') }), 'resource_not_found');
  // up to a day ago counts as now; the trial of the plan applies unless another is given
  const started = (await post({ startDate: inDays(-0.9) })).body;
  expect(started.at('startDate')).toBe(started.at('createdAt'));
  expect(started.at('displayStatus')).toBe('trialing');
  const trialEndsAt = inDays(2);
  expect((await post({ trialEndsAt, trialDays: 5 })).body.at('trialEndsAt')).toBe(trialEndsAt);
  expect((await post({ trialDays: 0 })).body.value).toMatchObject({
    displayStatus: 'active',
    trialEndsAt: null,
  });
});

test('actions say what is wrong: dates, states, plans', async () => {
  const billing = await newBilling();
  const { api } = billing.merchant;
  const plan = await billing.plan();
  const trial = await billing.subscribe(plan, { trialDays: 10 });
  const path = `/v1/billing/subscriptions/${trial.text('id')}`;
  const later = await api.post(`${path}/extend-trial`, { trialEndsAt: inDays(9) });
  expectRefusal(later, 'validation_failed', ['trialEndsAt must_be_later']);
  const far = await api.post(`${path}/extend-trial`, { trialEndsAt: inDays(366) });
  expectRefusal(far, 'validation_failed', ['trialEndsAt too_large']);
  expectRefusal(await api.post(`${path}/extend-trial`), 'validation_failed', ['trialEndsAt required']);
  const paused = await api.post(`${path}/pause`);
  expectRefusal(paused, 'invalid_state');
  expect(paused.body.at('error')).toMatchObject({
    message: 'A trialing subscription cannot be paused.',
    currentStatus: 'trialing',
  });
  const active = await billing.subscribe(plan);
  const at = `/v1/billing/subscriptions/${active.text('id')}`;
  expectRefusal(await api.post(`${at}/pause`, { resumeAt: inDays(-1) }), 'validation_failed', [
    'resumeAt must_be_later',
  ]);
  const same = await api.post(`${at}/change-plan`, { planId: plan.text('id') });
  expectRefusal(same, 'plan_unchanged');
  expect([same.status, same.body.at('error.param')]).toEqual([409, 'planId']);
  const previewed = await api.get(`${at}/preview?action=change-plan&planId=${plan.text('id')}`);
  expectRefusal(previewed, 'plan_unchanged');
  expect(previewed.body.at('error.message')).toBe(same.body.at('error.message'));
  expect(Object.keys(previewed.body.at('error') as object)).toEqual(
    Object.keys(same.body.at('error') as object),
  );
  expectRefusal(await api.post(`${at}/change-plan`, { planId: 'bp_x' }), 'resource_not_found');
  const few = await patch(api, at, { totalCycles: 0 });
  expectRefusal(few, 'validation_failed', ['totalCycles too_small']);
  const changed = await patch(api, at, { referenceId: 'B', totalCycles: 3, providerPreference: 'bank_a' });
  expect(changed.body.value).toMatchObject({
    referenceId: 'B',
    totalCycles: 3,
    providerPreference: 'bank_a',
  });
  await billing.act(active.text('id'), 'cancel', { atPeriodEnd: true });
  const next = await billing.plan({ name: 'Other' });
  const flagged = await api.post(`${at}/change-plan`, { planId: next.text('id') });
  expectRefusal(flagged, 'invalid_state');
  expect(flagged.body.text('error.message')).toBe(
    'It ends with its period. Resume it first, then change its plan.',
  );
  expect((await billing.act(active.text('id'), 'resume')).at('cancelAtPeriodEnd')).toBe(false);
});

test('each action is previewed as what it then does, and a preview changes nothing', async () => {
  const billing = await newBilling();
  const { api } = billing.merchant;
  const [plan, next] = [await billing.plan(), await billing.plan({ name: 'Plus', amount: 300_000 })];
  const made = await billing.subscribe(plan);
  const path = `/v1/billing/subscriptions/${made.text('id')}`;
  const unnamed = (steps: unknown): unknown =>
    (steps as readonly { readonly invoiceId: string | null }[]).map(({ invoiceId, ...step }) => ({
      ...step,
      // of an invoice that the action makes there is no id before
      invoiceId: invoiceId === made.at('latestInvoice.id') ? invoiceId : null,
    }));
  const actions = [
    ['change-plan', { planId: next.text('id') }],
    ['pause', { resumeAt: new Date(Date.now() + 90 * 86_400_000).toISOString() }],
    ['resume', {}],
    ['cancel', { atPeriodEnd: 'true' }],
    ['resume', {}],
    ['cancel', {}],
  ] as const;
  const before = await api.must('GET', path);
  for (const [action, fields] of actions) {
    const asked = `${path}/preview?${new URLSearchParams({ action, ...fields }).toString()}`;
    const preview = (await api.must('GET', asked)).body;
    const body = 'atPeriodEnd' in fields ? { atPeriodEnd: true } : fields;
    const after = await billing.act(made.text('id'), action, body);
    expect([action, unnamed(preview.at('nextSteps'))]).toEqual([action, unnamed(after.at('nextSteps'))]);
  }
  expect(before.body.at('nextSteps.0')).toMatchObject({
    is: 'past_due',
    invoiceId: made.at('latestInvoice.id'),
    amount: 150_000,
  });
  expectRefusal(await api.get(`${path}/preview?action=pause`), 'invalid_state');
  const posted = await api.post(`${path}/pause`);
  const previewed = await api.get(`${path}/preview?action=pause`);
  const withoutId = ({ body }: typeof posted): unknown => ({
    ...(body.at('error') as object),
    request_id: '',
  });
  expect(withoutId(previewed)).toEqual(withoutId(posted));
  expect((await api.get(`${path}/preview?action=explode`)).status).toBe(400);
  expect((await api.get(`${path}/preview`)).status).toBe(400);
  expect((await api.get(`${path}/preview?action=change-plan`)).body.at('error.param')).toBe('planId');
  expect((await api.get(`${path}/preview?action=extend-trial`)).body.at('error.param')).toBe('trialEndsAt');
});

test('row 54: a change of plan is previewed to the paisa, and nothing changes', async () => {
  const billing = await newBilling();
  const { api } = billing.merchant;
  const year = new Date().getUTCFullYear() + 1;
  const [plan, next] = [await billing.plan(), await billing.plan({ name: 'Plus', amount: 300_000 })];
  const startDate = kathmandu(`${year}-04-01`);
  const made = await billing.subscribe(plan, { startDate });
  const path = `/v1/billing/subscriptions/${made.text('id')}/preview-proration`;
  expectRefusal(await api.get(`${path}?planId=${next.text('id')}`), 'invalid_state');
  await billing.advance(`${year}-04-01`);
  await billing.markPaid(made.text('id'));
  await billing.advance(`${year}-04-16 12:00`);
  const before = await billing.subscription(made.text('id'));
  const preview = (await api.must('GET', `${path}?planId=${next.text('id')}`)).body;
  const credit = Number(preview.at('unusedCredit'));
  expect(preview.value).toEqual({
    subscriptionId: made.at('id'),
    fromPlanId: plan.at('id'),
    toPlanId: next.at('id'),
    at: time,
    unusedCredit: expect.any(Number) as number,
    newPlanCharge: 300_000,
    netAmount: 300_000 - credit,
    currency: 'NPR',
    applied: false,
  });
  // a paisa is 17 seconds, and the clock runs on
  expect([72_500, 72_499]).toContain(credit);
  expect((await billing.subscription(made.text('id'))).value).toEqual(before.value);
  expectRefusal(await api.get(path), 'validation_failed', ['planId required']);
  const unknown = await api.get(`${path}?planId=bp_unknown`);
  expectRefusal(unknown, 'resource_not_found');
  expect(unknown.body.at('error.param')).toBe('planId');
});
