/** One object of each kind, and the address of every screen of the dashboard that shows them.
 *  Boundary: made by the API; what is looked at is the test's. */
import type { Body } from '../../src/cli/demo/api.ts';
import type { House } from '../support/galla.ts';
import { Billing } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import { paidPayment, untilCompared, uploaded } from '../support/statements.ts';
import type { Owner } from './dashboard-rig.ts';

export interface Made {
  readonly payment: Body;
  readonly plan: Body;
  readonly customer: Body;
  readonly subscription: Body;
  readonly link: Body;
  readonly endpointId: string;
  readonly delivery: Body;
  readonly statement: Body;
}

export async function madeFor(owner: Owner, house: House): Promise<Made> {
  const { api } = owner;
  const { id: endpointId } = await owner.endpoint(await house.shop(), ['payment.succeeded', 'test.ping']);
  const billing = new Billing(owner);
  const [plan, customer] = [await billing.plan(), await billing.customer()];
  const payment = await paidPayment(owner);
  const delivery = await eventually(
    async () =>
      (await api.must('GET', `/v1/webhooks/${endpointId}/deliveries`)).body
        .list('data')
        .find((each) => each.at('status') === 'success') ?? null,
    () => 'a delivery',
  );
  const statement = await uploaded(owner, 'reference,amount\nNOBODY,1\n', {
    fileName: 'first.csv',
  });
  return {
    payment,
    plan,
    customer,
    subscription: await billing.subscribe(plan, { customerId: customer.text('id') }),
    link: (await api.must('POST', '/v1/payment-links', { name: 'Tea', amount: 5_000 })).body,
    endpointId,
    delivery,
    statement: await untilCompared(owner, statement.text('id')),
  };
}

/** Every screen of a project and mode, below them. */
export function everyScreen(made: Made): readonly string[] {
  const { endpointId, delivery } = made;
  const id = (of: Body): string => of.text('id');
  return [
    'payments',
    `payments/${id(made.payment)}`,
    'checkouts',
    'checkouts?status=open',
    'reviews',
    'refunds',
    'reconciliation',
    `reconciliation/${id(made.statement)}`,
    'payment-links',
    'payment-links/new',
    `payment-links/${id(made.link)}`,
    'billing/subscriptions',
    'billing/subscriptions/new',
    `billing/subscriptions/${id(made.subscription)}`,
    'billing/invoices',
    `billing/invoices/${made.subscription.text('latestInvoice.id')}`,
    'billing/customers',
    'billing/customers/new',
    `billing/customers/${id(made.customer)}`,
    'billing/plans',
    'billing/plans/new',
    `billing/plans/${id(made.plan)}`,
    'webhooks',
    'webhooks/new',
    `webhooks/${endpointId}`,
    `webhooks/${endpointId}/events/${delivery.text('eventId')}`,
    'events',
    `events/${delivery.text('eventId')}`,
    'requests',
    'settings/keys',
    'settings/providers',
    'settings/business',
  ];
}

/** The operator's screens, with one merchant's. */
export async function operatorScreens(owner: Owner, house: House): Promise<readonly string[]> {
  const { body } = await house.admin.must('GET', `/admin/v1/merchants?email=${owner.email}`);
  return operatorAddresses(body.list('data')[0]?.text('id') ?? 'none');
}

export const operatorAddresses = (merchantId: string): readonly string[] => [
  'merchants',
  'merchants/new',
  `merchants/${merchantId}`,
];
