/** Billing wherever it is called: on one node, and on any of three. */
import { afterEach, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { Billing } from '../support/billing.ts';
import { Merchant } from '../support/merchant.ts';
import { describeModes } from '../support/modes.ts';
import { forgetScreens, Screen } from '../support/screen.ts';

afterEach(forgetScreens);

describeModes('billing on every node', (house) => {
  test('row 110: a screen at one node follows subscriptions and invoices that others change', async () => {
    const [first = '', second = first, third = second] = house().urls;
    const merchant = await house().merchant();
    const key = merchant.api.key ?? '';
    const at = (url: string): Billing =>
      new Billing(new Merchant(merchant.projectId, new Api(url, key), merchant.publishable));
    const screen = await Screen.of(key, first, second);
    const plan = await at(second).plan();
    const made = await at(third).subscribe(plan);
    const invoiceId = made.text('latestInvoice.id');
    // the creation has waited for the opening, and what it names is there for every node
    expect((await at(second).invoice(invoiceId)).value).toMatchObject({
      status: 'open',
      invoiceNumber: 'INV-000001',
    });
    const shown = (object: string, status: string) =>
      screen.until('change', (one) => one.at('object') === object && one.at('data.status') === status);
    const open = await shown('invoice', 'open');
    expect(open.value).toEqual({
      object: 'invoice',
      id: invoiceId,
      sequence: open.at('data.sequence'),
      data: (await at(first).invoice(invoiceId)).value,
    });
    await at(first).actOn(invoiceId, 'mark-paid');
    const paid = await shown('invoice', 'paid');
    expect(paid.at('data')).toEqual((await at(third).invoice(invoiceId)).value);
    const paused = await at(second).act(made.text('id'), 'pause');
    expect((await shown('subscription', 'paused')).at('data')).toEqual(paused.value);
    for (const id of [invoiceId, made.text('id')]) {
      const sequences = screen
        .all('change')
        .flatMap((one) => (one.at('id') === id ? [one.at('sequence')] : []));
      expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => Number(a) - Number(b)));
    }
  });
});
