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
import { plainOrder } from '../support/order.ts';

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

test('the guide to a new provider names those that call us', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/add-a-provider.md'), 'utf8');
  const [, said = ''] = /^(.*) call us:/m.exec(guide) ?? [];
  expect([...said.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(
    providerNames.filter((provider) => 'parseCallback' in adapterOf(provider)),
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

const textOfAny = 'x,'.repeat(300);
const paymentId = 'pay_4t8z1m6q3x9k2v7b';

/** The fields of the start of a payment of NPR 1,250.50 with every text too long. */
async function sentTo(provider: Provider): Promise<{ readonly [field: string]: unknown }> {
  const { adapter, sandboxCredentials } = providers.get(provider) ?? expect.unreachable(provider);
  const order = {
    ...plainOrder,
    description: textOfAny,
    referenceId: textOfAny,
    metadata: { order_id: textOfAny },
  };
  const returnUrl = `https://pay.example/return/${provider}/${paymentId}/web/done`;
  const input = { paymentId, amount: 125_050, order, returnUrl, now: 0 };
  const { start } = adapter;
  if (!('open' in start)) {
    const request = await start.build(input, sandboxCredentials, 'https://provider.example');
    return JSON.parse(request?.body ?? '{}') as { [field: string]: unknown };
  }
  const opened = await start.open(input, sandboxCredentials, 'https://provider.example');
  return opened?.outcome === 'started' ? opened.instructions.fields : {};
}

test('the limits of its fields are those of what is sent', async () => {
  const section = page.split('## Limits of single fields')[1]?.split('\n## ')[0] ?? '';
  const limited = [...section.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm)];
  expect(limited.map(([, provider]) => provider)).toEqual(['qr_a', 'bank_a', 'wallet_c']);
  for (const [, provider = '', fields = '', says = ''] of limited) {
    const names = [...fields.matchAll(/`(\w+)` \(/g)].map(([, name]) => name ?? '');
    const [, ...limits] = /(\d+)(?: and (\d+))? characters/.exec(says) ?? [];
    const sent = await sentTo(provider as Provider);
    expect([provider, names.map((name) => String(sent[name]).length)]).toEqual([
      provider,
      limits.filter((limit) => limit !== undefined).map(Number),
    ]);
    if (/no commas|characters of/.test(says))
      for (const name of names) expect(String(sent[name])).not.toContain(',');
  }
});

test('its amounts are in the unit of what is sent', async () => {
  const fields: { readonly [P in Provider]: string } = {
    wallet_a: 'total_amount',
    wallet_b: 'amount',
    qr_a: 'amount',
    bank_a: 'TXNAMT',
    wallet_c: 'transactionAmount',
  };
  const units: { readonly [written: string]: string } = { '1250.50': 'rupees', '125050': 'paisa' };
  for (const [provider, says] of Object.entries(row('On the wire, amounts are'))) {
    const sent = await sentTo(provider as Provider);
    const written = String(sent[fields[provider as Provider]]);
    expect([provider, says.split(' ')[0]]).toEqual([provider, units[written]]);
  }
});

test('it says that funds were insufficient where the adapter reads that', () => {
  const declined: { readonly [P in Provider]: object } = {
    wallet_a: { status: 'CANCELED', total_amount: 1250.5 },
    wallet_b: { status: 'User canceled', total_amount: 125_050 },
    qr_a: { paymentStatus: 'failed' },
    bank_a: { status: 'FAILED', statusDesc: 'TRANSACTION UNSUCCESSFUL' },
    wallet_c: { status: 'FAILED', amount: 0 },
  };
  const codeOf = (provider: Provider): unknown => {
    const { adapter, sandboxCredentials: credentials } =
      providers.get(provider) ?? expect.unreachable(provider);
    const text = JSON.stringify({ ...declined[provider], message: 'Insufficient balance' });
    const input = {
      paymentId,
      amount: 125_050,
      lookupReference: 'x',
      providerExpiresAt: null,
      now: 0,
    };
    const reader = { credentials, pageRoot: 'https://provider.example' };
    return adapter.lookup.read({ status: 200, headers: {}, text }, input, reader)?.answer.failureCode;
  };
  expect(row('Says that funds were insufficient')).toEqual(
    each((provider) => yesIf(codeOf(provider) === 'insufficient_funds')),
  );
});
