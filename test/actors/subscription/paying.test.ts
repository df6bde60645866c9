/** How an invoice is paid: a subscription and the sessions of its invoice, whatever overtakes what. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Story } from '../../support/simulated/test-runner.ts';
import type { CheckoutSession } from '../../../actors/checkout-session/state.ts';
import { hours, minutes } from '../../../src/kernel/time.ts';
import { threeSeven, withTerms } from './subscribing.ts';
import { sessionIdOf, Till } from './till.ts';

/** A till with one running session. */
function opened(plan = threeSeven): readonly [Till, Story<CheckoutSession>] {
  const till = new Till(plan);
  till.asksForSession();
  till.deliversAll();
  return [till, sessionAt(till, 1)];
}

function sessionAt({ sessions }: Till, n: number): Story<CheckoutSession> {
  const session = sessions[n - 1];
  if (session === undefined) throw new Error(`there is no session ${n}`);
  return session;
}

/** Its buyer has paid at the provider; a look-up has found it. */
function pays(till: Till, session: Story<CheckoutSession>): void {
  till.starts(session);
  expect(till.pays(session)).toBe(true);
}

const paymentsOf = (till: Till) => till.open.flatMap(({ payments }) => payments);
const statuses = (till: Till): readonly string[] => till.open.map(({ status }) => status);

describe('the session of an invoice', () => {
  test('is opened with the commit that names it: what is sold, to whom, and how it is preferred', () => {
    const till = new Till({ ...threeSeven, defaultProvider: 'bank_a' });
    const sessionId = till.asksForSession();
    expect(till.years.last.tells).toMatchObject([
      { to: `checkout_session/${sessionId ?? ''}`, command: 'open', data: { lifeMs: hours(2) } },
    ]);
    till.deliversAll();
    expect(till.open[0]?.order).toEqual({
      amount: 150_000,
      currency: 'NPR',
      description: 'Pro monthly, INV-000001',
      returnUrl: null,
      cancelUrl: null,
      collectAddress: false,
      customer: { name: 'Asha Rai', email: 'asha@example.com', phone: null, address: null },
      metadata: {},
      flow: 'hosted',
      preselected: 'bank_a',
      referenceId: 'INV-000001',
      source: 'invoice',
      invoiceId: till.invoiceId,
      customerId: 'bc_4hb3anpsq6g635dy35q0jc0h',
      subscriptionId: till.years.given.id,
      checkoutUrl: `https://pay.example/pay/${sessionIdOf(1)}`,
    });
    till.ask('change', { providerPreference: 'wallet_c' });
    till.pass(hours(3));
    till.deliversAll();
    till.asksForSession();
    till.deliversAll();
    expect(till.open[1]?.order.preselected).toBe('wallet_c');
  });

  test('is the same one until its end, then a new one', () => {
    const [till, first] = opened();
    till.pass(hours(1));
    expect(till.asksForSession()).toBe(first.given.id);
    first.now = till.now;
    first.when('cancel', {});
    till.pass(0);
    till.deliversAll();
    expect(till.asksForSession()).toBe(sessionIdOf(2));
    till.pass(hours(2));
    expect(till.asksForSession()).toBe(sessionIdOf(3));
  });

  test('pays the invoice at the moment when the money was found', () => {
    const [till, session] = opened();
    pays(till, session);
    const foundAt = till.now;
    expect([till.invoice.status, statuses(till)]).toEqual(['open', ['initiated']]);
    till.pass(minutes(1));
    till.deliversAll();
    const [payment] = paymentsOf(till);
    expect(till.invoice).toMatchObject({ status: 'paid', paymentId: payment?.id, paidAt: payment?.paidAt });
    expect(till.invoice.paidAt).toBeLessThanOrEqual(foundAt + 1);
    expect(statuses(till)).toEqual(['success']);
  });

  test.each(['markPaid', 'voidInvoice'] as const)(
    '%s ends it, and its late money is a duplicate that is refunded',
    (command) => {
      const [till, session] = opened();
      till.starts(session);
      till.ask(command, { invoiceId: till.invoiceId, paidAt: null, notes: null });
      till.deliversAll();
      expect(statuses(till)).toEqual(['expired']);
      expect(till.pays(session)).toBe(true);
      till.deliversAll();
      expect(paymentsOf(till)).toMatchObject([{ status: 'success', duplicate: true }]);
      expect(till.open[0]).toMatchObject({ status: 'expired', refunds: [{ reason: 'duplicate' }] });
    },
  );

  test.each([
    ['mark_past_due', 'active'],
    ['cancel', 'cancelled'],
  ] as const)('late money pays an invoice that is past due, after %s too', (overdueAction, then) => {
    const [till] = opened(withTerms({ overdueAction }));
    till.pass(hours(71));
    till.asksForSession();
    till.deliversAll();
    const second = sessionAt(till, 2);
    till.starts(second);
    till.pass(hours(3));
    till.deliversAll();
    expect([statuses(till), till.invoice.status]).toEqual([['expired', 'expired'], 'past_due']);
    expect(till.pays(second)).toBe(true);
    till.deliversAll();
    expect([till.years.state.status, till.invoice.status]).toEqual([then, 'paid']);
    expect(till.open[1]).toMatchObject({ status: 'success', late: true });
  });

  test('of two sessions that are both paid one pays, and the other is a duplicate', () => {
    const [till, first] = opened();
    till.starts(first);
    till.pass(hours(2));
    till.pass(minutes(1));
    till.deliversAll();
    till.asksForSession();
    till.deliversAll();
    const second = sessionAt(till, 2);
    till.starts(second);
    expect([till.pays(first), till.pays(second)]).toEqual([true, true]);
    till.deliversAll();
    expect(statuses(till)).toEqual(['success', 'expired']);
    expect(paymentsOf(till)).toMatchObject([{ duplicate: false }, { status: 'success', duplicate: true }]);
  });
});

type Step =
  | { readonly do: 'asks' | 'markPaid' | 'void' | 'cancel' }
  | { readonly do: 'starts' | 'pays' | 'expires'; readonly n: number }
  | { readonly do: 'delivers'; readonly n: number }
  | { readonly do: 'passes'; readonly ms: number };

const nth = fc.nat(3);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'asks' as const }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('starts' as const), n: nth }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('pays' as const), n: nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expires' as const), n: nth }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('delivers' as const), n: nth }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('markPaid' as const, 'void' as const, 'cancel' as const) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('passes' as const),
      ms: fc.constantFrom(minutes(1), minutes(40), hours(2), hours(30)),
    }),
  },
);

function act(till: Till, one: Step): void {
  const { invoiceId, sessions } = till;
  const session = 'n' in one ? sessions[one.n % Math.max(1, sessions.length)] : undefined;
  switch (one.do) {
    case 'asks':
      return void till.asksForSession();
    case 'markPaid':
      return till.ask('markPaid', { invoiceId, paidAt: null, notes: null });
    case 'void':
      return till.ask('voidInvoice', { invoiceId });
    case 'cancel':
      return till.ask('cancel', { reason: null, atPeriodEnd: false });
    case 'delivers':
      return void till.delivers(one.n);
    case 'passes':
      return till.pass(one.ms);
    case 'starts':
      return void (session !== undefined && till.starts(session));
    case 'pays':
      return void (session !== undefined && till.pays(session));
    case 'expires':
      // the buyer leaves
      if (session !== undefined && session.doc !== null) session.when('cancel', {});
      till.pass(0);
  }
}

test('200 races: at most one payment pays the invoice, any other money is refunded, and none is lost', () => {
  const seen = { paid: 0, duplicates: 0, late: 0 };
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      (steps, cancels, ended) => {
        // a buyer is at the provider; half of the sessions have ended since
        const [till, first] = opened(withTerms({ overdueAction: cancels ? 'cancel' : 'mark_past_due' }));
        till.starts(first);
        if (ended) till.pass(hours(2) + minutes(1));
        for (const one of steps) act(till, one);
        till.deliversAll();
        const { invoice } = till;
        const payments = paymentsOf(till);
        const found = payments.filter(({ paidAt }) => paidAt !== null);
        const paying = found.filter(({ duplicate }) => !duplicate);
        expect(payments.filter(({ claim }) => claim !== undefined)).toEqual([]);
        expect(found.every(({ status }) => status === 'success')).toBe(true);
        // the first money pays, unless it was settled by the merchant
        expect(paying.map(({ id }) => id)).toEqual(invoice.paymentId === null ? [] : [invoice.paymentId]);
        if (found.length > 0) expect(['paid', 'voided']).toContain(invoice.status);
        expect(till.open.filter(({ status }) => status === 'success')).toHaveLength(paying.length);
        const refunds = till.open.flatMap((session) => session.refunds.map(({ paymentId }) => paymentId));
        expect(refunds).toEqual(found.filter(({ duplicate }) => duplicate).map(({ id }) => id));
        // the session that it names ends with it; one that has opened too late, by itself
        const isSettled = invoice.status === 'paid' || invoice.status === 'voided';
        if (isSettled && till.open.length > 0) expect(till.open.at(-1)).toHaveProperty('endedAt');
        const told = till.years.events.filter(
          ({ type, data }) => type === 'invoice.paid' && data.id === invoice.id,
        );
        expect(told).toHaveLength(invoice.status === 'paid' ? 1 : 0);
        seen.paid += paying.length;
        seen.duplicates += refunds.length;
        seen.late += found.filter(({ late }) => late).length;
      },
    ),
    { numRuns: 200 },
  );
  // there was something to decide
  for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(10);
}, 150_000);
