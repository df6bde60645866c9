/** Reconciliation: a merchant uploads a provider's statement and finds what does not agree. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { paidPayment } from '../support/statements.ts';
import { logIn, ownerOf, sightOf } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faultsOf, noFaults } from './looks.ts';

const csvOf = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

const choose = (tab: Page, file: ReturnType<typeof csvOf>): Promise<void> =>
  tab.locator('input[type=file]').setInputFiles(file);
const upload = (tab: Page): Locator => tab.getByRole('button', { name: 'Upload and compare' });
const row = (tab: Page, text: string): Locator =>
  tab.getByRole('region', { name: 'Rows' }).getByRole('listitem').filter({ hasText: text });

async function openReconciliation(tab: Page): Promise<void> {
  const sections = tab.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: 'Reconciliation' }).press('Enter');
  await tab.getByRole('heading', { name: 'Reconciliation', level: 1 }).waitFor();
}

describeDashboard('reconciliation in the dashboard', (rig) => {
  test('row 107: a statement with other column names is uploaded, and each mismatch says why, with both amounts', async () => {
    const owner = await ownerOf(rig.house, 'Books Pasal');
    const [right, wrong] = [await paidPayment(owner), await paidPayment(owner, 200_000)];
    const missing = await paidPayment(owner, 300_000);
    const day = right.text('paidAt');
    const file = [
      '\uFEFFTransaction ID;Paid amount;Settled at;Service charge',
      `${right.text('providerRef')};"1,250.50";${day};12.50`,
      `${wrong.text('providerRef')};1999.00;${day};20`,
      `NOBODY-KNOWS;50;${day};`,
    ].join('\r\n');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await openReconciliation(tab);
    await tab.getByRole('heading', { name: 'No statement yet' }).waitFor();
    await choose(tab, csvOf('november.csv', file));
    // the columns are guessed, and the first rows are shown as they will be read
    const preview = tab.getByRole('region', { name: 'First rows' });
    await preview.getByText('NPR 1,250.50').waitFor();
    expect(await tab.getByLabel('Reference').inputValue()).toBe('Transaction ID');
    expect(await tab.getByLabel('Date').inputValue()).toBe('Settled at');
    await tab.getByLabel('Paisa').check();
    await preview.getByText('1,250.50 cannot be read').waitFor();
    await tab.getByLabel('Rupees').check();
    expect(await upload(tab).isDisabled()).toBe(true);
    await tab.getByLabel('Provider').selectOption('wallet_b');
    await upload(tab).press('Enter');

    await tab.getByRole('heading', { name: 'Statement', level: 1 }).waitFor();
    await tab.getByText('Mismatches', { exact: true }).waitFor();
    const differs = row(tab, wrong.text('providerRef'));
    await differs.getByText('The file has NPR 1.00 less than the payment.').waitFor();
    expect(await differs.innerText()).toMatch(/NPR 1,999\.00[\s\S]*NPR 2,000\.00/);
    await row(tab, 'NOBODY-KNOWS').getByText('No payment has this reference.').waitFor();
    await tab.getByRole('link', { name: 'Not in the file 1' }).press('Enter');
    const absent = row(tab, missing.text('providerRef'));
    await absent.getByText('which has no row for it').waitFor();
    await row(tab, 'NOBODY-KNOWS').waitFor({ state: 'detached' });
    await absent.getByRole('link').press('Enter');
    await tab.getByRole('heading', { name: 'Payment', level: 1 }).waitFor();
    // the list keeps it
    await openReconciliation(tab);
    await tab.getByText('3 rows, 3 mismatches').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('on a slow line the bytes sent are shown; it can be stopped, and sent again after a loss it is one statement', async () => {
    const owner = await ownerOf(rig.house, 'Slow Pasal');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await openReconciliation(tab);
    await choose(tab, csvOf('large.csv', `Reference,Amount\n${'ABCDEFGHIJ,1250.50\n'.repeat(30_000)}`));
    await tab.getByLabel('Provider').selectOption('wallet_b');
    const line = await tab.context().newCDPSession(tab);
    const slow = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: 400_000 };
    await line.send('Network.emulateNetworkConditions', slow);
    await upload(tab).press('Enter');
    await tab.getByText(/\d KiB of \d+ KiB sent/).waitFor();
    await tab.getByRole('button', { name: 'Stop' }).press('Enter');
    await upload(tab).waitFor();
    expect(await tab.getByRole('alert').count()).toBe(0);

    // stored, but its answer is lost
    await line.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1, latency: 0 });
    let keys: readonly (string | undefined)[] = [];
    await tab.route('**/reconciliation/statements', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys = [...keys, route.request().headers()['idempotency-key']];
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await upload(tab).press('Enter');
    await tab.getByRole('alert').getByText('it is one statement').waitFor();
    await upload(tab).press('Enter');
    await tab.getByRole('heading', { name: 'Statement', level: 1 }).waitFor();
    await tab.getByText('Mismatches', { exact: true }).waitFor();
    await tab.getByRole('link', { name: 'Not ours 30,000' }).waitFor();
    expect(new Set(keys).size).toBe(1);
    const { body } = await owner.api.must('GET', '/v1/reconciliation/statements');
    expect(body.at('total')).toBe(1);
    await close();
  });

  test('what is no statement is refused with a reason, before or after it was sent', async () => {
    const owner = await ownerOf(rig.house, 'Wrong File Pasal');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await openReconciliation(tab);
    const { buffer: _text, ...picture } = csvOf('picture.csv', '');
    await choose(tab, { ...picture, buffer: Buffer.from([0x89, 0x50, 0xff, 0xfe]) });
    await tab.getByRole('alert').getByText('not text in UTF-8').waitFor();
    await choose(tab, csvOf('words.csv', 'Dear Asha\nhere is the file\n'));
    await tab.getByRole('alert').getByText('does not name any columns').waitFor();
    await choose(tab, csvOf('texts.csv', 'Reference,Amount\nA,many\nB,few\n'));
    await tab.getByLabel('Provider').selectOption('wallet_a');
    await upload(tab).press('Enter');
    await tab.getByText('Nothing was compared.').waitFor();
    // it is announced, too
    await tab.getByText('No row has an amount that can be read.').first().waitFor();
    await openReconciliation(tab);
    await tab.getByText('Not readable').waitFor();
    // its screens fit, are read in both colours, and are reached by keyboard
    await choose(tab, csvOf('texts.csv', 'Reference,Amount,Date,Fee\nA,many,x,1\nB,12.50,2026-11-20,1\n'));
    await tab.getByRole('region', { name: 'First rows' }).waitFor();
    await tab.getByLabel('Provider').selectOption('wallet_a');
    await tab.getByRole('heading', { name: 'Reconciliation', level: 1 }).focus();
    const { tooWide, faint } = await faultsOf(tab);
    expect({ tooWide, faint }).toEqual({ tooWide: [], faint: [] });
    await upload(tab).press('Enter');
    await tab.getByText('No payment has this reference.').first().waitFor();
    await tab.reload();
    await tab.getByText('No payment has this reference.').first().waitFor();
    expect(await faultsOf(tab)).toEqual(noFaults);
    await close();
  });
});
