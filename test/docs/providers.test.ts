/** docs/reference/providers.md says what the traits, adapters and simulators of the providers say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { amountPaisaMax, amountPaisaMin } from '../../src/kernel/money.ts';
import { minutes } from '../../src/kernel/time.ts';
import { providerReference } from '../../src/providers/provider.ts';
import { catalog, hasTrait, providerNames, traitsOf, type Provider } from '../../src/providers/catalog.ts';
import { providers } from '../../src/providers/registry.ts';
import { lifeMs as lifeOfWalletA } from '../../src/providers/wallet-a/simulator.ts';
import { lifeMs as lifeOfWalletB } from '../../src/providers/wallet-b/simulator.ts';
import { lifeMs as lifeOfWalletC } from '../../src/providers/wallet-c/simulator.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/providers.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(2, -2).split(' | '));
const columns = rows[0]?.slice(1) ?? [];
/** A row of the table by its name, as provider -> text. */
const row = (name: string): { readonly [provider: string]: string } => {
  const cells = rows.find(([first]) => first === name)?.slice(1) ?? [];
  return Object.fromEntries(columns.map((column, at) => [column.replaceAll('`', ''), cells[at] ?? '']));
};
const each = (cell: (provider: Provider) => string): { readonly [provider: string]: string } =>
  Object.fromEntries(providerNames.map((provider) => [provider, cell(provider)]));
const yesIf = (is: boolean): string => (is ? 'yes' : 'no');
const adapterOf = (provider: Provider) => providers.get(provider)?.adapter ?? expect.unreachable(provider);
const rupees = (paisa: number): string => (paisa / 100).toLocaleString('en');

test('it has a column for every provider, in their order', () => {
  expect(columns).toEqual(providerNames.map((provider) => `\`${provider}\``));
});

test('what a wire can do is what its traits say', () => {
  expect(row('Pays')).toEqual(
    each((provider) => (catalog[provider].inCheckout ? 'checkouts and invoices' : 'invoices')),
  );
  expect(row('Buyer comes back')).toEqual(
    each((provider) => {
      if (hasTrait(provider, 'signed_returns')) return 'yes, signed';
      return yesIf(hasTrait(provider, 'returns'));
    }),
  );
  expect(row('Amount in the look-up')).toEqual(
    each((provider) => (hasTrait(provider, 'lookup_without_amount') ? 'may be missing' : 'always')),
  );
  expect(row('Socket')).toEqual(each((provider) => yesIf(hasTrait(provider, 'socket'))));
  expect(row('App on a phone')).toEqual(each((provider) => yesIf(hasTrait(provider, 'app_intent'))));
  expect(row('Amounts, in rupees')).toEqual(
    each((provider) => {
      const { min, max } = traitsOf(provider).amounts ?? { min: amountPaisaMin, max: amountPaisaMax };
      return `${rupees(min)} to ${rupees(max)}`;
    }),
  );
});

test('what it starts, looks up, refunds and hears is what its adapter has', () => {
  const isForm = (provider: Provider): boolean => 'open' in adapterOf(provider).start;
  expect(Object.entries(row('Start')).map(([provider, text]) => [provider, text.startsWith('form')])).toEqual(
    providerNames.map((provider) => [provider, isForm(provider)]),
  );
  expect(row('Look-up')).toEqual(each((provider) => yesIf('lookup' in adapterOf(provider))));
  expect(row('Refund')).toEqual(
    each((provider) => (adapterOf(provider).refund === null ? 'in its portal' : 'call')),
  );
  expect(row('Its server calls ours')).toEqual(
    each((provider) => {
      const adapter = adapterOf(provider);
      if (!('parseCallback' in adapter)) return 'no';
      return 'paymentOfCallback' in adapter ? 'yes' : 'in its app';
    }),
  );
});

test('its times and lengths are those of the simulators and of our reference', () => {
  expect(row('Ends an attempt')).toEqual({
    wallet_a: `${lifeOfWalletA / minutes(1)} minutes after the log-in`,
    wallet_b: `after ${lifeOfWalletB / minutes(1)} minutes`,
    qr_a: 'not known',
    bank_a: 'not known',
    wallet_c: `after ${lifeOfWalletC / minutes(1)} minutes`,
  });
  const { length } = providerReference('pay_4t8z1m6q3x9k2v7b');
  expect(page).toContain(
    `| all | reference of an attempt: the payment's id with a hyphen | ${length} characters |`,
  );
});

test('the names that are shown are those that only identify the merchant', () => {
  const named = new Set(
    providerNames.flatMap((provider) =>
      traitsOf(provider).credentials.flatMap(({ name, identifies }) => (identifies === true ? [name] : [])),
    ),
  );
  const [, list = ''] = /only identify the merchant \(([^)]*)\)/.exec(page) ?? [];
  expect(
    list
      .split(',')
      .map((name) => name.trim().replaceAll('`', ''))
      .toSorted(),
  ).toEqual([...named].toSorted());
});
