/** The service is killed between the look-up that has found the money of an invoice and the answer of its subscription: the
 *  invoice is paid once, by this money, and nothing is refunded. `INVOICE_KILLS=5` tries every point. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { buttonFor, press } from '../../src/cli/demo/buyer.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { Billing } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf } from '../support/galla.ts';
import { atTheProvider, invoiceSession } from '../support/invoice-session.ts';
import { entry } from './run.ts';

/** Where it dies. The first commit of the session is that of the return, the second has the claim, the third its answer. */
const points = [
  ['after_commit/checkout_session', 2],
  ['after_commit/subscription', 1],
  ['before_commit/checkout_session', 2],
  ['before_commit/subscription', 1],
  ['before_commit/checkout_session', 3],
] as const;
const deaths = points.slice(0, Number(process.env['INVOICE_KILLS'] ?? 2));
const startsMsMax = 120_000;
const env = { GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' } as const;

test(
  'row 52: killed between the verified look-up and the answer of the subscription, an invoice is paid once',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'galla-invoice-kill-'));
    let service = await Service.start({ dataDir, entry, env });
    const { port, url } = service;
    const restart = async (more: { readonly [name: string]: string } = {}): Promise<void> => {
      await service.kill();
      service = await Service.start({ dataDir, entry, port, env: { ...env, ...more } });
    };
    try {
      const admin = new Api(url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
      const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
      const shop = await house.merchant();
      const billing = new Billing(shop);
      for (const [point, after] of deaths) {
        const at = `${point} ${after}`;
        const made = await invoiceSession(shop);
        const bank = await atTheProvider(made, 'bank_a');
        await restart({ GALLA_FAILPOINT: point, GALLA_FAILPOINT_AFTER: String(after) });
        await press(buttonFor(bank, 'do', 'pay')).catch(() => null);
        await service.over;
        await restart();
        const invoice = await eventually(
          async () => {
            const found = await billing.invoice(made.invoiceId);
            return found.at('status') === 'paid' ? found : null;
          },
          () => `an invoice that is paid, killed ${at}`,
          startsMsMax,
        );
        const payments = await eventually(
          async () => {
            const path = `/v1/payments?invoiceId=${made.invoiceId}`;
            const found = (await shop.api.must('GET', path)).body.list('data');
            return found.some((one) => one.at('status') === 'success') ? found : null;
          },
          () => `a payment of it, killed ${at}`,
        );
        expect(
          payments.map((one) => [one.at('id'), one.at('status'), one.at('duplicate')]),
          at,
        ).toEqual([[invoice.at('paymentId'), 'success', false]]);
        expect(payments[0]?.at('paidAt'), at).toBe(invoice.at('paidAt'));
      }
      for (const type of ['payment.succeeded', 'invoice.paid'])
        expect(await shop.untilEvents(deaths.length, type)).toHaveLength(deaths.length);
      expect((await shop.api.must('GET', '/v1/refunds')).body.at('total')).toBe(0);
    } finally {
      await service.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
  startsMsMax,
);
