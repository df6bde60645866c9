/** Subscriptions over the API, on one node and on three. Their worked examples: billing-examples.test.ts. */
import { expect, test } from 'vitest';
import { days } from '../../src/kernel/time.ts';
import { Billing, threeSeven } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import { expectRefusal } from '../support/refusal.ts';

const day = days(1) / 1000;

describeModes('billing', (galla) => {
  const opened = async (): Promise<Billing> => new Billing(await galla().merchant());

  test.concurrent('row 42: of trial and grace 0 to 365 days are taken, and no other', async () => {
    const billing = await opened();
    const plan = await billing.plan({ trialDays: 365, gracePeriodDays: 365 });
    expect([plan.at('trialDays'), plan.at('gracePeriodDays')]).toEqual([365, 365]);
    for (const [wrong, code] of [
      [366, 'too_large'],
      [-1, 'too_small'],
    ] as const) {
      const body = { name: 'Long', amount: 150_000, intervalUnit: 'month' };
      const fields = { ...body, trialDays: wrong, gracePeriodDays: wrong };
      const answer = await billing.merchant.api.post('/v1/billing/plans', fields);
      expectRefusal(answer, 'validation_failed', [`gracePeriodDays ${code}`, `trialDays ${code}`]);
    }
    const customerId = (await billing.customer()).text('id');
    const body = { planId: plan.text('id'), customerId, trialDays: 366 };
    const refused = await billing.merchant.api.post('/v1/billing/subscriptions', body);
    expectRefusal(refused, 'validation_failed', ['trialDays too_large']);
    const made = await billing.subscribe(plan, { customerId });
    const length = Date.parse(made.text('trialEndsAt')) - Date.parse(made.text('startDate'));
    expect([made.at('displayStatus'), length]).toEqual(['trialing', days(365)]);
  });

  test.concurrent('row 53: a payment empties the list of steps, and neither a mail nor an event follows', async () => {
    const billing = await opened();
    const customer = await billing.customer();
    const made = await billing.subscribe(await billing.plan(threeSeven), { customerId: customer.text('id') });
    const [id, invoiceId] = [made.text('id'), made.text('latestInvoice.id')];
    await billing.advance(8 * day);
    const listed = (await billing.subscription(id)).list('dunning');
    expect(listed.map((step) => step.at('action')).slice(0, 3)).toEqual(Array(3).fill('reminder'));
    await billing.markPaid(id);
    expect((await billing.subscription(id)).value).toMatchObject({ displayStatus: 'active', dunning: [] });

    const about = async (): Promise<readonly unknown[]> => {
      const mails = (await billing.messages(customer.text('email'))).filter(
        (mail) => mail.at('invoiceId') === invoiceId,
      );
      const events = await billing.events(invoiceId);
      return [...mails.map((mail) => mail.at('subject')), ...events.map((event) => event.at('type'))];
    };
    const before = [
      'Invoice / बिल: INV-000001, NPR 1,500.00',
      'Overdue / म्याद नाघेको: INV-000001, NPR 1,500.00',
      'invoice.created',
      'invoice.past_due',
      'invoice.reminder_sent',
      'invoice.paid',
    ];
    await billing.merchant.untilEvents(1, 'invoice.paid', invoiceId);
    expect(await about()).toEqual(before);
    // past the next two steps that were listed
    await billing.advance(14 * day);
    expect(await about()).toEqual(before);
  });

  test.concurrent('an unpaid invoice is sent again, to the address of today; a paid one is not', async () => {
    const billing = await opened();
    const { api } = billing.merchant;
    const customerId = (await billing.customer({ email: null })).text('id');
    const made = await billing.subscribe(await billing.plan(), { customerId });
    const invoiceId = made.text('latestInvoice.id');
    // nobody could be written to when it opened
    await api.must('PATCH', `/v1/billing/customers/${customerId}`, { email: 'bibek@example.com' });
    expect((await billing.actOn(invoiceId, 'send')).at('status')).toBe('open');
    const [mail, ...others] = await eventually(
      async () => {
        const messages = await billing.messages();
        return messages.length === 0 ? null : messages;
      },
      () => 'the mail',
    );
    expect([mail?.value, others]).toEqual([
      {
        id: expect.stringMatching(/^msg_[0-9a-hjkmnp-tv-z]{24}$/),
        channel: 'email',
        to: 'bibek@example.com',
        subject: 'Invoice / बिल: INV-000001, NPR 1,500.00',
        text: expect.stringContaining(`/invoice/${invoiceId}\n`),
        html: expect.stringContaining(`/invoice/${invoiceId}"`),
        paymentId: null,
        invoiceId,
        createdAt: expect.stringMatching(/Z$/),
      },
      [],
    ]);
    await billing.actOn(invoiceId, 'mark-paid');
    const refused = await api.post(`/v1/billing/invoices/${invoiceId}/send`);
    expectRefusal(refused, 'invalid_state');
    expect(refused.body.at('error.currentStatus')).toBe('paid');
  });

  test.concurrent('row 56: pausing and resuming inside a paid period opens no invoice', async () => {
    const billing = await opened();
    const made = await billing.subscribe(await billing.plan(threeSeven));
    const id = made.text('id');
    await billing.markPaid(id);
    const numbers = async (): Promise<readonly unknown[]> =>
      (await billing.invoices(id)).map((invoice) => [invoice.at('invoiceNumber'), invoice.at('status')]);
    for (let times = 0; times < 2; times++) {
      const paused = await billing.act(id, 'pause', { pauseReason: 'holidays' });
      expect(paused.value).toMatchObject({ displayStatus: 'paused', nextInvoiceAt: null });
      await billing.advance(9 * day);
      const resumed = await billing.act(id, 'resume');
      expect(resumed.value).toMatchObject({
        displayStatus: 'active',
        pausedAt: null,
        pauseReason: null,
        currentPeriodStart: made.at('currentPeriodStart'),
        currentPeriodEnd: made.at('currentPeriodEnd'),
        cyclesBilled: 1,
      });
      expect(await numbers()).toEqual([['INV-000001', 'paid']]);
    }
    // the next one opens three days before its period, once
    await billing.advance(12 * day);
    expect(await numbers()).toEqual([
      ['INV-000001', 'paid'],
      ['INV-000002', 'open'],
    ]);
  });
});
