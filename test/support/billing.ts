/** The billing of one merchant over the API: plans, customers, subscriptions, and what became of their invoices. */
import type { Api, Body } from '../../src/cli/demo/api.ts';
import type { Merchant } from './merchant.ts';

const kathmanduAheadMs = 5.75 * 3_600_000;

/** `2027-01-31 10:00` in Kathmandu, as the API writes it; midnight without a time. */
export const kathmandu = (local: string): string =>
  new Date(`${local.replace(' ', 'T')}${local.includes(' ') ? '' : 'T00:00'}:00.000+05:45`).toISOString();

/** The reverse, without what is zero: `2027-01-31`, `2027-01-31 10:00`. */
export function localOf(iso: string): string {
  const text = new Date(Date.parse(iso) + kathmanduAheadMs).toISOString().replace('T', ' ').slice(0, -1);
  return text.replace(/ 00:00:00\.000$/, '').replace(/:00\.000$/, '');
}

/** The plan of the documented examples: three days before, every seven days after, three days of grace. */
export const threeSeven = {
  reminderDaysBeforeDue: 3,
  overdueReminderIntervalDays: 7,
  gracePeriodDays: 3,
} as const;

let customers = 0;

export interface BilledIds {
  readonly planId: string;
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly invoiceId: string;
}

/** One of each, with an open invoice; `fields` of the customer. Three events follow: `subscription.created`,
 *  `subscription.activated`, `invoice.created`. */
export async function billedBy(api: Api, word: string, fields: object = {}): Promise<BilledIds> {
  const make = async (what: string, body: object): Promise<Body> =>
    (await api.must('POST', `/v1/billing/${what}`, body)).body;
  const plan = await make('plans', { name: `Plan ${word}`, amount: 50_000, intervalUnit: 'month' });
  const customer = await make('customers', { name: `Customer ${word}`, ...fields });
  const ids = { planId: plan.text('id'), customerId: customer.text('id') };
  const subscription = await make('subscriptions', { ...ids, referenceId: `ref ${word}` });
  return {
    ...ids,
    subscriptionId: subscription.text('id'),
    invoiceId: subscription.text('latestInvoice.id'),
  };
}

/** The fields of a subscription beside its plan. */
interface Ordered {
  readonly customerId?: string;
  readonly startDate?: string;
  readonly trialDays?: number;
  readonly trialEndsAt?: string;
  readonly providerPreference?: string;
  readonly referenceId?: string;
  readonly totalCycles?: number;
  readonly metadata?: object;
}

export class Billing {
  readonly merchant: Merchant;

  constructor(merchant: Merchant) {
    this.merchant = merchant;
  }

  /** A plan of NPR 1,500 a month; `fields` override. */
  async plan(fields: object = {}): Promise<Body> {
    const body = { name: 'Pro monthly', amount: 150_000, intervalUnit: 'month', ...fields };
    return this.make('plans', body);
  }

  /** A customer with an e-mail address of its own. */
  async customer(fields: object = {}): Promise<Body> {
    return this.make('customers', { name: 'Asha Rai', email: `asha${++customers}@example.com`, ...fields });
  }

  /** A subscription of a new customer, unless `fields` name one. */
  async subscribe(plan: Body, fields: Ordered = {}): Promise<Body> {
    const customerId = fields.customerId ?? (await this.customer()).text('id');
    return this.make('subscriptions', { planId: plan.text('id'), ...fields, customerId });
  }

  async subscription(id: string): Promise<Body> {
    return (await this.merchant.api.must('GET', `/v1/billing/subscriptions/${id}`)).body;
  }

  /** One of the subscription's actions: `pause`, `change-plan`, ... */
  async act(id: string, action: string, body?: object): Promise<Body> {
    return (await this.merchant.api.must('POST', `/v1/billing/subscriptions/${id}/${action}`, body)).body;
  }

  /** The invoices of a subscription, oldest first. */
  async invoices(subscriptionId: string): Promise<readonly Body[]> {
    return (await this.all(`/v1/billing/invoices?subscriptionId=${subscriptionId}`)).toReversed();
  }

  async invoice(id: string): Promise<Body> {
    return (await this.merchant.api.must('GET', `/v1/billing/invoices/${id}`)).body;
  }

  /** One of the invoice's actions: `pay-link`, `send`, `void`, `mark-paid`. */
  async actOn(invoiceId: string, action: string, body?: object): Promise<Body> {
    return (await this.merchant.api.must('POST', `/v1/billing/invoices/${invoiceId}/${action}`, body)).body;
  }

  /** The newest invoice that has opened is paid without a provider. */
  async markPaid(subscriptionId: string): Promise<Body> {
    const invoiceId = (await this.subscription(subscriptionId)).text('latestInvoice.id');
    return this.actOn(invoiceId, 'mark-paid');
  }

  /** The captured messages, oldest first; those to one address only, if it is given. */
  async messages(to?: string): Promise<readonly Body[]> {
    const only = to === undefined ? '' : `?to=${encodeURIComponent(to)}`;
    return (await this.all(`/v1/test/messages${only}`)).toReversed();
  }

  /** Every event of billing that is still kept, oldest first; of one object only, if it is named. */
  async events(objectId?: string): Promise<readonly Body[]> {
    const about = objectId === undefined ? '' : `?objectId=${objectId}`;
    const events = (await this.all(`/v1/events${about}`)).toReversed();
    return events.filter((event) => /^(?:subscription|invoice)\./.test(event.text('type')));
  }

  /** Moves the test clock to a local time of Kathmandu, or by seconds; all that is due has happened then. */
  advance(to: string | number): Promise<Body> {
    return this.merchant.advance(typeof to === 'number' ? to : kathmandu(to));
  }

  private async make(what: string, body: object): Promise<Body> {
    return (await this.merchant.api.must('POST', `/v1/billing/${what}`, body)).body;
  }

  /** Every page of a list, newest first. */
  private async all(path: string): Promise<readonly Body[]> {
    const found: Body[] = [];
    for (let page = 1; ; page++) {
      const query = `${path.includes('?') ? '&' : '?'}limit=100&page=${page}`;
      const { body } = await this.merchant.api.must('GET', `${path}${query}`);
      found.push(...body.list('data'));
      if (found.length >= Number(body.at('total'))) return found;
    }
  }
}
