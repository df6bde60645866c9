/** Whether a screen of the dashboard says the truth about how new it is: every kind of object is changed by the API
 *  while its screen is open, and ages are on the clock that they are said to be on. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { lostMs } from '../../gateways/dashboard/web/live/news-heard.ts';
import { newsEveryMs } from '../../gateways/socketio/news.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import { Billing } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import { statementsPath, untilCompared, uploaded } from '../support/statements.ts';
import { madeFor, type Made } from './dashboard-objects.ts';
import { logIn, ownerOf, sightOf, waitingFor, type Owner, type Sight } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';

/** Far longer than a push takes, and shorter than any interval at which a screen asks by itself. */
const withinMs = 8 * newsEveryMs;
const dayMs = 86_400_000;

interface Watched {
  /** What changes. */
  readonly what: string;
  /** Below the project and mode. */
  readonly path: (made: Made) => string;
  readonly change: (made: Made, word: string) => Promise<unknown>;
  /** Only then in the content of the screen. */
  readonly shows: (made: Made, word: string) => string | RegExp;
}

/** A row, where a change of another kind has had the list asked for again; else the button that has it asked for. */
const listedOrNew = (word: string, what: string): RegExp => new RegExp(`^${word}$|Show 1 new ${what}`);

describeDashboard('how new a screen is', (rig) => {
  let owner: Owner;
  let made: Made;
  let sight: Sight;
  const api = () => owner.api;

  beforeAll(async () => {
    owner = await ownerOf(rig.house, 'Fresh Pasal');
    made = await madeFor(owner, rig.house);
    sight = await sightOf(rig.browser, rig.house);
    await logIn(sight.tab, owner);
  }, 60_000);

  const opened = async (tab: Page, path: string): Promise<void> => {
    await tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/sandbox/${path}`);
    await tab.locator('.link-state.connected').waitFor();
    await eventually(
      async () => (await tab.locator('main .loading').count()) === 0 || null,
      () => `${path} to be there`,
    );
  };
  const patch = (path: string, body: object) => api().must('PATCH', path, body);
  const admin = () => rig.house.admin;
  const begins = (name: string) => owner.checkout({ customer: { name } });
  const refunded = (paymentId: string, amount: number) =>
    api().must('POST', '/v1/refunds', { paymentId, amount, reason: 'customer_request' });

  const moved = (endpointId: string, word: string) =>
    patch(`/v1/webhooks/${endpointId}`, { url: `http://127.0.0.1:19999/${word}` });
  const subscribed = async (plan: Body, name: string): Promise<Body> => {
    const billing = new Billing(owner);
    return billing.subscribe(plan, { customerId: (await billing.customer({ name })).text('id') });
  };

  const pushed: readonly Watched[] = [
    {
      what: 'a payment among payments',
      path: () => 'payments',
      change: async (_made, word) => owner.simulate((await begins(word)).text('id'), 'success'),
      shows: (_made, word) => word,
    },
    {
      what: 'a checkout that nobody has begun to pay, among those that are open',
      path: () => 'checkouts?status=open',
      change: (_made, word) => begins(word),
      shows: () => /Show 1 new checkout/,
    },
    {
      what: 'a refund of a payment',
      path: ({ payment }) => `payments/${payment.text('id')}`,
      change: ({ payment }) => refunded(payment.text('id'), 1_100),
      shows: () => /NPR 1,239\.50 can be refunded/,
    },
    {
      what: 'a refund among refunds',
      path: () => 'refunds',
      change: ({ payment }) => refunded(payment.text('id'), 1_000),
      shows: () => /Show 1 new refund/,
    },
    {
      what: 'a review in the queue',
      path: () => 'reviews',
      change: async (_made, word) => owner.simulate((await begins(word)).text('id'), 'ambiguous'),
      shows: (_made, word) => word,
    },
    {
      what: 'the uses of a payment link',
      path: ({ link }) => `payment-links/${link.text('id')}`,
      change: ({ link }) => patch(`/v1/payment-links/${link.text('id')}`, { maxUses: 77 }),
      shows: () => /of 77 uses/,
    },
    {
      what: 'a payment link among links',
      path: () => 'payment-links',
      change: (_made, name) => api().must('POST', '/v1/payment-links', { name, amount: 5_000 }),
      shows: (_made, word) => word,
    },
    {
      what: 'a customer among customers',
      path: () => 'billing/customers',
      change: (_made, name) => api().must('POST', '/v1/billing/customers', { name }),
      shows: (_made, word) => word,
    },
    {
      what: 'the name of a customer',
      path: ({ customer }) => `billing/customers/${customer.text('id')}`,
      change: ({ customer }, name) => patch(`/v1/billing/customers/${customer.text('id')}`, { name }),
      shows: (_made, word) => word,
    },
    {
      what: 'a plan among plans',
      path: () => 'billing/plans',
      change: (_made, name) => new Billing(owner).plan({ name }),
      shows: (_made, word) => word,
    },
    {
      what: 'the name of a plan',
      path: ({ plan }) => `billing/plans/${plan.text('id')}`,
      change: ({ plan }, name) => patch(`/v1/billing/plans/${plan.text('id')}`, { name }),
      shows: (_made, word) => word,
    },
    {
      what: 'the name of a plan among subscriptions',
      path: () => 'billing/subscriptions',
      change: ({ plan }, name) => patch(`/v1/billing/plans/${plan.text('id')}`, { name }),
      shows: (_made, word) => word,
    },
    {
      what: 'a subscription among subscriptions',
      path: () => 'billing/subscriptions',
      change: ({ plan }, name) => subscribed(plan, name),
      shows: (_made, word) => listedOrNew(word, 'subscription'),
    },
    {
      what: 'a subscription among those of its plan',
      path: ({ plan }) => `billing/plans/${plan.text('id')}`,
      change: ({ plan }, name) => subscribed(plan, name),
      shows: (_made, word) => word,
    },
    {
      what: 'an invoice among invoices',
      path: () => 'billing/invoices',
      change: ({ plan }, name) => subscribed(plan, name),
      shows: (_made, word) => listedOrNew(word, 'invoice'),
    },
    {
      what: 'a subscription that is paused',
      path: ({ subscription }) => `billing/subscriptions/${subscription.text('id')}`,
      change: ({ subscription }) =>
        new Billing(owner).act(subscription.text('id'), 'pause', {
          pauseReason: 'A pause for the test',
        }),
      shows: () => 'A pause for the test',
    },
    {
      what: 'an invoice that is marked as paid',
      path: ({ subscription }) => `billing/invoices/${subscription.text('latestInvoice.id')}`,
      change: ({ subscription }) =>
        api().must('POST', `/v1/billing/invoices/${subscription.text('latestInvoice.id')}/mark-paid`, {
          reason: 'cash on the counter',
        }),
      shows: () => 'Paid',
    },
    {
      what: 'a statement among statements',
      path: () => 'reconciliation',
      change: (_made, word) => uploaded(owner, 'reference,amount\nNOBODY,1\n', { fileName: `${word}.csv` }),
      shows: (_made, word) => `${word}.csv`,
    },
    {
      what: 'an API key among keys',
      path: () => 'settings/keys',
      change: (_made, name) =>
        admin().must('POST', `/admin/v1/projects/${owner.projectId}/keys`, {
          kind: 'publishable',
          mode: 'sandbox',
          name,
        }),
      shows: (_made, word) => word,
    },
    {
      what: 'an endpoint among webhooks',
      path: () => 'webhooks',
      change: (_made, word) =>
        api().must('POST', '/v1/webhooks', {
          url: `http://127.0.0.1:19999/${word}`,
          events: ['refund.created'],
        }),
      shows: (_made, word) => new RegExp(word),
    },
    {
      what: 'the description of an endpoint',
      path: ({ endpointId }) => `webhooks/${endpointId}`,
      change: ({ endpointId }, description) => patch(`/v1/webhooks/${endpointId}`, { description }),
      shows: (_made, word) => new RegExp(word),
    },
    {
      what: 'a delivery that is sent again',
      path: ({ endpointId, delivery }) => `webhooks/${endpointId}/events/${delivery.text('eventId')}`,
      change: ({ delivery }) => api().must('POST', `/v1/webhooks/deliveries/${delivery.text('id')}/retry`),
      shows: () => /Tries\s*2/,
    },
    {
      what: 'where the delivery of an event goes to',
      path: ({ delivery }) => `events/${delivery.text('eventId')}`,
      change: ({ endpointId }, word) => moved(endpointId, word),
      shows: (_made, word) => new RegExp(`to http://127.0.0.1:19999/${word}`),
    },
    {
      what: 'where the delivery about a payment goes to',
      path: ({ payment }) => `payments/${payment.text('id')}`,
      change: ({ endpointId }, word) => moved(endpointId, word),
      shows: (_made, word) => new RegExp(`to http://127.0.0.1:19999/${word}`),
    },
    {
      what: 'a provider that is switched off',
      path: () => 'settings/providers',
      change: () =>
        admin().must('PUT', `/admin/v1/projects/${owner.projectId}/providers/wallet_a`, {
          mode: 'sandbox',
          enabled: false,
        }),
      shows: () => 'Switched off',
    },
    {
      what: 'the business by its plan',
      path: () => 'settings/business',
      change: async () => {
        const { body } = await admin().must('GET', `/admin/v1/merchants?email=${owner.email}`);
        const id = body.list('data')[0]?.text('id') ?? '';
        await admin().must('PATCH', `/admin/v1/merchants/${id}`, { verified: true });
      },
      shows: () => 'Verified',
    },
  ];

  test('the counts of what waits follow a review that is dismissed, a refund that is paid out, and an endpoint that is switched off', async () => {
    const { tab } = sight;
    const { payment, refund, endpoint } = await waitingFor(owner, await rig.house.shop());
    await opened(tab, 'payments');
    const waits = tab.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
    const inTime = { timeout: withinMs };
    const all = ['1 payment to review', '1 refund to pay out', '1 webhook endpoint fails'];
    await expect.poll(() => waits.allTextContents(), { timeout: 4 * withinMs }).toEqual(all);
    await tab.getByRole('link', { name: 'Review queue 1 waiting' }).waitFor();
    // no delivery changes with it, so that nothing else asks for the counts
    await patch(`/v1/webhooks/${endpoint}`, { enabled: false });
    await expect.poll(() => waits.allTextContents(), inTime).toEqual(all.slice(0, 2));
    await api().must('POST', `/v1/refunds/${refund}/complete`, { notes: 'Paid out in the portal' });
    await expect.poll(() => waits.allTextContents(), inTime).toEqual(all.slice(0, 1));
    await admin().must('POST', `/admin/v1/payments/${payment}/dismiss`, {
      reason: 'Settled by phone',
    });
    await expect.poll(() => waits.allTextContents(), inTime).toEqual([]);
    await tab.getByRole('link', { name: 'Review queue', exact: true }).waitFor(inTime);
  });

  describe('a screen that is up to date shows a change within seconds', () => {
    test.each(pushed.map((one, at) => [one.what, one, `Word${at}`] as const))(
      '%s',
      async (_what, { path, change, shows }, word) => {
        const { tab } = sight;
        await opened(tab, path(made));
        await tab.locator('.link-state').getByText('Up to date', { exact: true }).waitFor();
        const text = shows(made, word);
        const said = tab.locator('main').getByText(text, { exact: typeof text === 'string' });
        const seen = said.filter({ visible: true });
        expect(await seen.count()).toBe(0);
        await change(made, word);
        await seen.first().waitFor({ timeout: withinMs });
      },
    );
  });

  test('a statement that is being compared shows its end within seconds', async () => {
    const { tab } = sight;
    const rows = Array.from({ length: 20_000 }, (_none, at) => `NOBODY${at},1`);
    const { body } = await api().must('POST', statementsPath, {
      provider: 'wallet_b',
      csv: `reference,amount\n${rows.join('\n')}\n`,
    });
    await opened(tab, `reconciliation/${body.text('id')}`);
    await tab.getByText(/compared so far/).waitFor();
    await untilCompared(owner, body.text('id'), 60_000);
    await tab.locator('main').getByText('20,000', { exact: true }).waitFor({ timeout: withinMs });
  }, 120_000);

  test('a late look-up of a payment that has ended is in its timeline without another change of the payment', async () => {
    const { tab } = sight;
    const session = await begins('Late Rai');
    await owner.start(session);
    const id = (await owner.session(session.text('id'))).text('paymentId');
    await api().must('POST', `/v1/checkout/${session.text('id')}/expire`);
    const entries = async (): Promise<number> =>
      Number((await api().must('GET', `/v1/payments/${id}/timeline`)).body.at('total'));
    await opened(tab, `payments/${id}`);
    const before = await entries();
    const sequence = (await owner.payment(id)).at('sequence');
    const lookUps = tab.getByRole('region', { name: 'Timeline' }).locator('.entry');
    await lookUps.first().waitFor();
    const shown = await lookUps.allTextContents();
    await owner.advance(3_600);
    expect(await entries()).toBeGreaterThan(before);
    expect((await owner.payment(id)).at('sequence')).toBe(sequence);
    await expect.poll(() => lookUps.allTextContents(), { timeout: lostMs + withinMs }).not.toEqual(shown);
  });

  const asOf = (tab: Page) => tab.locator('.as-of').getByText(/^As of \d/);
  const logged = [
    ['events', 'events?type=payment_link.paid', 'payment_link.paid'],
    ['requests', 'requests?path=%2Fv1%2Fpayment-links%2Flnk_none', 'GET /v1/payment-links/lnk_none'],
  ] as const;

  test.each(logged)(
    'the screen of %s says of when it is, and shows what is new when it is refreshed',
    async (what, path, row) => {
      const { tab } = sight;
      await opened(tab, path);
      await asOf(tab).waitFor();
      expect(await tab.getByText('Up to date').count()).toBe(0);
      const seen = tab.locator('main').getByText(row, { exact: true });
      expect(await seen.count()).toBe(0);
      if (what === 'requests') await api().get('/v1/payment-links/lnk_none');
      else await api().must('POST', '/v1/test/events', { type: row });
      await eventually(
        async () => {
          await tab.getByRole('button', { name: 'Refresh' }).press('Enter');
          return (await seen.count()) > 0 || null;
        },
        () => `${row} after a refresh`,
        withinMs,
      );
      await asOf(tab).waitFor();
    },
  );

  test('with the sandbox clock seven days ahead, a request or key of a minute ago is not days old, and its screen says so', async () => {
    await owner.advance((7 * dayMs) / 1_000);
    const { tab } = sight;
    await api().get('/v1/payments');
    for (const [path, list] of [
      ['requests', 'List of requests'],
      ['settings/keys', 'Keys'],
    ] as const) {
      await opened(tab, path);
      const ages = tab.getByRole('region', { name: list }).locator('time');
      await ages.first().waitFor();
      for (const age of await ages.allTextContents()) expect(age).toMatch(/^(?:just now|\d+ (?:s|min) ago)$/);
      await tab.getByText('Times here are real time, not the sandbox’s.').waitFor();
    }
    // what the sandbox did is on its own clock
    await opened(tab, 'events');
    const events = tab.getByRole('region', { name: 'List of events' }).locator('time');
    await events.first().waitFor();
    expect(await events.last().textContent()).toMatch(/^7 days ago$/);
    expect(await tab.getByText('Times here are real time').count()).toBe(0);
  });
});
