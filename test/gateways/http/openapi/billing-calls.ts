/** The calls of the operations under /v1/billing. */
import { eventually } from '../../../support/eventually.ts';
import type { Merchant } from '../../../support/merchant.ts';
import type { Call, Stage } from './call.ts';

const billing = '/v1/billing';

const withPlan = async ({ galla, bodyOf }: Stage, fields: object = {}) => {
  const shop = await galla.merchant();
  const { body } = await shop.api.must('POST', `${billing}/plans`, { ...bodyOf('createPlan'), ...fields });
  return { shop, planId: body.text('id') };
};

const withCustomer = async ({ galla, bodyOf }: Stage, given?: Merchant) => {
  const shop = given ?? (await galla.merchant());
  const { body } = await shop.api.must('POST', `${billing}/customers`, bodyOf('createCustomer'));
  return { shop, customerId: body.text('id') };
};

/** The example's body, with a plan and a customer of this run. */
const withBothIds = async (stage: Stage) => {
  // so seldom that a subscription lists few reminders
  const { shop, planId } = await withPlan(stage, { overdueReminderIntervalDays: 30 });
  const { customerId } = await withCustomer(stage, shop);
  return { shop, body: { ...stage.bodyOf('createSubscription'), planId, customerId } };
};

const subscribed = async (stage: Stage, fields: object = {}) => {
  const { shop, body } = await withBothIds(stage);
  const made = await shop.api.must('POST', `${billing}/subscriptions`, { ...body, ...fields });
  const id = made.body.text('id');
  // a mail of an invoice that is settled before it is written is not sent
  if (made.body.at('latestInvoice') !== null)
    await eventually(
      async () => ((await shop.api.must('GET', '/v1/test/messages')).body.at('total') === 1 ? true : null),
      () => 'the mail of the invoice',
    );
  return {
    shop,
    path: `${billing}/subscriptions/${id}`,
    invoiceId: String(made.body.at('latestInvoice.id')),
  };
};

/** Does something to a subscription, with the body of its example. */
const acting =
  (operation: string, action: string, fields: object = {}): Call =>
  async (stage) => {
    const { shop, path } = await subscribed(stage, fields);
    return shop.api.post(`${path}/${action}`, stage.bodyOf(operation));
  };

const anotherPlan = async (shop: Merchant, name: string, amount: number, intervalUnit: string) => {
  const { body } = await shop.api.must('POST', `${billing}/plans`, { name, amount, intervalUnit });
  return body.text('id');
};

/** The same for its invoice. */
const actingOnInvoice =
  (action: string, operation?: string): Call =>
  async (stage) => {
    const { shop, invoiceId } = await subscribed(stage);
    const body = operation === undefined ? undefined : stage.bodyOf(operation);
    return shop.api.post(`${billing}/invoices/${invoiceId}/${action}`, body);
  };

export const billingCalls: { readonly [operation: string]: Call } = {
  createPlan: async ({ galla, bodyOf }) =>
    (await galla.merchant()).api.post(`${billing}/plans`, bodyOf('createPlan')),
  listPlans: async (stage) => (await withPlan(stage)).shop.api.get(`${billing}/plans`),
  readPlan: async (stage) => {
    const { shop, planId } = await withPlan(stage);
    return shop.api.get(`${billing}/plans/${planId}`);
  },
  changePlan: async (stage) => {
    const { shop, planId } = await withPlan(stage);
    return shop.api.send('PATCH', `${billing}/plans/${planId}`, { body: stage.bodyOf('changePlan') });
  },
  createCustomer: async ({ galla, bodyOf }) =>
    (await galla.merchant()).api.post(`${billing}/customers`, bodyOf('createCustomer')),
  listCustomers: async (stage) => (await withCustomer(stage)).shop.api.get(`${billing}/customers`),
  readCustomer: async (stage) => {
    const { shop, customerId } = await withCustomer(stage);
    return shop.api.get(`${billing}/customers/${customerId}`);
  },
  changeCustomer: async (stage) => {
    const { shop, customerId } = await withCustomer(stage);
    const body = stage.bodyOf('changeCustomer');
    return shop.api.send('PATCH', `${billing}/customers/${customerId}`, { body });
  },
  createSubscription: async (stage) => {
    const { shop, body } = await withBothIds(stage);
    return shop.api.post(`${billing}/subscriptions`, body);
  },
  listSubscriptions: async (stage) => (await subscribed(stage)).shop.api.get(`${billing}/subscriptions`),
  readSubscription: async (stage) => {
    const { shop, path } = await subscribed(stage);
    return shop.api.get(path);
  },
  changeSubscription: async (stage) => {
    const { shop, path } = await subscribed(stage);
    return shop.api.send('PATCH', path, { body: stage.bodyOf('changeSubscription') });
  },
  pauseSubscription: acting('pauseSubscription', 'pause'),
  resumeSubscription: async (stage) => {
    const { shop, path } = await subscribed(stage);
    await shop.api.must('POST', `${path}/pause`);
    return shop.api.post(`${path}/resume`);
  },
  cancelSubscription: acting('cancelSubscription', 'cancel'),
  changeSubscriptionPlan: async (stage) => {
    const { shop, path } = await subscribed(stage);
    const planId = await anotherPlan(shop, 'Pro yearly', 1_500_000, 'year');
    return shop.api.post(`${path}/change-plan`, { planId });
  },
  endTrial: async (stage) => {
    const { shop, path } = await subscribed(stage, { trialDays: 14 });
    return shop.api.post(`${path}/end-trial`);
  },
  extendTrial: async (stage) => {
    const { shop, path } = await subscribed(stage, { trialDays: 14 });
    // the example's own instant will have passed one day
    const trialEndsAt = new Date(Date.now() + 40 * 86_400_000).toISOString();
    return shop.api.post(`${path}/extend-trial`, { trialEndsAt });
  },
  previewSubscriptionAction: async (stage) => {
    const { shop, path } = await subscribed(stage);
    return shop.api.get(`${path}/preview?action=cancel`);
  },
  previewProration: async (stage) => {
    const { shop, path } = await subscribed(stage);
    const planId = await anotherPlan(shop, 'Pro plus', 300_000, 'month');
    return shop.api.get(`${path}/preview-proration?planId=${planId}`);
  },
  voidInvoice: actingOnInvoice('void'),
  markInvoicePaid: actingOnInvoice('mark-paid', 'markInvoicePaid'),
  sendInvoice: actingOnInvoice('send'),
  createPayLink: actingOnInvoice('pay-link'),
  listInvoices: async (stage) => (await subscribed(stage)).shop.api.get(`${billing}/invoices`),
  'listInvoices text/csv': async (stage) =>
    (await subscribed(stage)).shop.api.get(`${billing}/invoices`, { headers: { accept: 'text/csv' } }),
  readInvoice: async (stage) => {
    const { shop, invoiceId } = await subscribed(stage);
    return shop.api.get(`${billing}/invoices/${invoiceId}`);
  },
};
