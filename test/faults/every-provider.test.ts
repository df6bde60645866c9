/** Every provider hurt as in docs/faults.md, F18 to F21: it hangs, charges and is silent, is repeated and contradicted, and talks
 *  nonsense. In sessions of invoices, which all five can pay, over the simulator's own wire. */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type { Fault } from '../../actors/simulated-payment/messages.ts';
import { seconds } from '../../src/kernel/time.ts';
import { hasTrait, providerNames, type Provider } from '../../src/providers/catalog.ts';
import { formOf, openWorld, type HttpAnswer, type World } from '../gateways/simulator/world.ts';

/** How long our side waits for the provider once all has started: what hangs is given up soon. */
const providerMs = 200;

/** Its server is silent, too, where it has one that calls. */
const silenced: Partial<Fault> = { kind: 'callback_never', call: 'callback' };

interface Sale {
  readonly id: string;
  readonly payment: Payment;
}

/** What is done to one provider, in a world of its own. */
function stageOf(world: World) {
  async function begun(provider: Provider, count: number): Promise<readonly Sale[]> {
    const one = async (): Promise<Sale> => {
      const id = await world.open({ source: 'invoice' });
      const payment = await world.start(id, provider);
      const [{ instructions }] = payment.legs;
      if (instructions?.kind === 'form')
        await world.http('POST', new URL(instructions.url).pathname, formOf({ ...instructions.fields }));
      return { id, payment };
    };
    const all = await Promise.all(Array.from({ length: count }, one));
    world.waitForProvider(providerMs);
    return all;
  }
  const control = ({ payment }: Sale, command: string): Promise<HttpAnswer> =>
    world.http('POST', `/sim/control/payments/${payment.id.replace('_', '-')}/${command}`, {
      headers: { authorization: 'Bearer own' },
    });
  const faults = (provider: Provider, ...all: readonly Partial<Fault>[]): Promise<void> =>
    world.faults(...all.map((fault) => ({ provider, ...fault })));

  /** Where our side hears of a payment without asking: a return, claiming success or failure. */
  function addressOf(provider: Provider, { payment }: Sale, outcome: 'success' | 'failure'): string {
    const reference = payment.id.replace('_', '-');
    return provider === 'bank_a'
      ? `/return/bank_a/${outcome}?TXNID=${reference}`
      : `/return/${provider}/${payment.id}/web/${outcome}?status=${outcome}&MerchantTxnId=${reference}`;
  }
  /** The signed call of wallet_c's server. */
  function called({ payment }: Sale, status: string, secret = 'test_webhook_secret'): Promise<HttpAnswer> {
    const reference = payment.id.replace('_', '-');
    const body = JSON.stringify({ merchantTxnId: reference, merchantId: 'MRC100', amount: 1250.5, status });
    const text = `${reference},MRC100,${status},1250.5`;
    const signature = createHmac('sha512', secret).update(text).digest('base64');
    return world.http('POST', '/callback/wallet_c', { body, headers: { signature } });
  }

  /** All paid, each by one payment, and each charged once. */
  async function expectPaid(sales: readonly Sale[]): Promise<void> {
    for (const { id, payment } of sales) {
      const session = await world.until(id, ({ status }) => status === 'success');
      const paid = session.payments.filter(({ status }) => status === 'success');
      expect([paid.map((each) => each.id), paid[0]?.duplicate]).toEqual([[payment.id], false]);
      expect((await world.simulated(payment.id)).status).toBe('paid');
    }
  }
  const expectOpen = async (sales: readonly Sale[], review: boolean): Promise<void> => {
    for (const { id } of sales) {
      const { status, payments } = await world.session(id);
      expect([status, payments.map(({ needsReview }) => needsReview)]).toEqual(['initiated', [review]]);
    }
  };

  return { world, begun, control, faults, addressOf, called, expectPaid, expectOpen };
}
type Stage = ReturnType<typeof stageOf>;

const inWorld = (story: (stage: Stage) => Promise<void>) => async (): Promise<void> => {
  const world = await openWorld();
  try {
    await story(stageOf(world));
  } finally {
    await world.stop();
  }
};

const nonsense = [
  'not_json',
  'http_500_html',
  'http_502',
  'http_429',
  'outage_200',
  'reset',
  'huge_body',
  'timeout',
] as const;
const wrong = ['wrong_amount', 'wrong_reference', 'status_text', 'ambiguous'] as const;

describe.concurrent.each(providerNames)('%s', (provider) => {
  const mayReturn = hasTrait(provider, 'returns');

  test(
    'F18: hangs in its look-ups; whoever has paid is found, once',
    inWorld(async ({ world, begun, control, faults, expectPaid }) => {
      const sales = await begun(provider, 4);
      await faults(provider, silenced, { kind: 'timeout', call: 'lookup', times: 6 });
      await Promise.all(sales.map((sale) => control(sale, 'pay')));
      // the circuit opens; after half a minute one poll may try, and the others find the money at their next
      await world.advance(seconds(200));
      await expectPaid(sales);
      const logs = await Promise.all(sales.map(({ payment }) => world.simulated(payment.id)));
      const hung = logs.flatMap(({ log }) => log).filter(({ response }) => response === 'no answer');
      expect(hung).toHaveLength(6);
    }),
    60_000,
  );

  test(
    'F19: charges, sends nobody back, and the look-up is not answered',
    inWorld(async ({ world, begun, control, faults, expectPaid }) => {
      const sales = await begun(provider, 2);
      await faults(provider, silenced, { kind: 'timeout', call: 'lookup', times: 2 });
      await Promise.all(sales.map((sale) => control(sale, 'pay')));
      await world.advance(seconds(30));
      await expectPaid(sales);
    }),
    60_000,
  );

  test(
    'F20: returns and calls tenfold, too early, contradicting, and after the end',
    inWorld(async ({ world, begun, control, faults, addressOf, called, expectPaid, expectOpen }) => {
      const [early, late] = await begun(provider, 2);
      if (early === undefined || late === undefined) throw new Error('two');
      await faults(provider, silenced);
      const storm = async (sale: Sale): Promise<void> => {
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, at) => {
            const outcome = at % 2 === 0 ? 'success' : 'failure';
            if (provider === 'wallet_c' && at > 4) return called(sale, at % 2 === 0 ? 'FAILED' : 'COMPLETED');
            if (!mayReturn) return Promise.resolve(null);
            return world.http('GET', addressOf(provider, sale, outcome));
          }),
        );
        expect(answers.filter((answer) => (answer?.status ?? 0) >= 400)).toEqual([]);
      };
      if (provider === 'wallet_c') expect((await called(early, 'COMPLETED', 'guessed')).status).toBe(400);
      // wallet_a has no other word for who came back by the failure address: that is its buyer's own cancellation
      if (provider !== 'wallet_a') {
        await storm(early);
        await expectOpen([early], false);
      }
      await control(early, 'pay');
      await storm(early);
      const merchant = { by: 'merchant', scope: world.scope } as const;
      await world.node.client.ask(checkoutSessionAt(late.id), 'expire', {}, merchant);
      await control(late, 'pay');
      await storm(late);
      await world.advance(seconds(130));
      await expectPaid([early, late]);
      const session = await world.session(late.id);
      expect(session.status === 'success' && session.late).toBe(true);
    }),
    60_000,
  );

  test.each([
    ['nonsense changes nothing', nonsense, false],
    ['wrong words go to review', wrong, true],
  ] as const)(
    'F21: %s; well again, all are paid',
    (_what, kinds, review) =>
      inWorld(async ({ world, begun, control, faults, expectPaid, expectOpen }) => {
        const sales = await begun(provider, kinds.length);
        const all = sales.map(({ payment }, at): Partial<Fault> => {
          const kind = kinds[at] ?? expect.unreachable();
          const value = kind === 'status_text' ? 'Totally Paid' : null;
          return { kind, call: 'lookup', reference: payment.id.replace('_', '-'), value };
        });
        await faults(provider, silenced, ...all);
        await Promise.all(sales.map((sale) => control(sale, 'pay')));
        await world.advance(seconds(7));
        if (review)
          for (const { id } of sales) await world.until(id, (now) => now.payments[0]?.needsReview === true);
        await expectOpen(sales, review);
        await faults(provider, silenced);
        await world.advance(seconds(60));
        await expectPaid(sales);
      })(),
    60_000,
  );
});
