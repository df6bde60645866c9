/** The health of providers on the dashboard: what is wrong now and why, and what was. */
import { beforeAll, expect, test } from 'vitest';
import { buttonFor, open, press } from '../../src/cli/demo/buyer.ts';
import { Page as Dashboard } from '../support/dashboard.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { assertBuilt, logIn, ownerOf, sightOf } from './dashboard-rig.ts';
import { faultsOf, noFaults } from './looks.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';

/** Pictures of the screens, for people to look at: `PICTURES=<folder>`. */
const folder = process.env['PICTURES'];

describeInBrowser('provider health on the dashboard', { timeout: 60_000 }, () => {
  const browser = browserOfFile();
  const house = gallaOfFile();

  beforeAll(assertBuilt);

  test('row 23: since when a provider is down or refuses us, why, and what was before, in words and as a picture', async () => {
    const owner = await ownerOf(house, 'Health Pasal');
    const pick = async (): Promise<void> => {
      const { html } = await open((await owner.checkout()).text('checkout_url')).then((page) =>
        press(buttonFor(page, 'provider', 'wallet_b')),
      );
      expect(html).not.toBe('');
    };
    const fail = async (times: number): Promise<void> => {
      for (let tries = 0; tries < times; tries++) await pick();
    };
    // two days ago, and now
    await owner.faults([{ call: 'start', kind: 'outage_200' }]);
    await fail(5);
    await owner.faults([]);
    await owner.advance(2 * 86_400);
    const page = new Dashboard(house.url);
    await page.logIn(owner);
    const path = `/dashboard/api/${owner.projectId}/sandbox/provider-settings/wallet_b`;
    await page.change('PUT', path, { body: { credentials: { secretKey: 'revoked-by-the-provider' } } });
    await fail(1);

    const { tab, complaints, close } = await sightOf(browser, house);
    await logIn(tab, owner);
    // the first screen says it, and leads to it
    await tab.getByText('A provider is in trouble').waitFor();
    await tab.getByRole('link', { name: 'See since when and why' }).press('Enter');
    const card = tab.getByRole('region', { name: 'Wallet B' });
    await card.getByText('Refuses us', { exact: true }).waitFor();
    await card.getByText(/Refuses us since/).waitFor();
    await card.getByText(/It does not take our starts: “Invalid token\.”/).waitFor();
    const incidents = tab.getByRole('region', { name: 'Incidents' });
    await incidents.getByRole('img', { name: 'Wallet B: 2 incidents in 7 days' }).waitFor();
    await incidents.getByRole('img', { name: 'Wallet A: no incidents in 7 days' }).waitFor();
    const lines = await incidents
      .getByRole('list', { name: 'Newest first' })
      .getByRole('listitem')
      .allTextContents();
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^Refuses us.*Open for/);
    expect(lines[1]).toMatch(/^Down.*No answer: 5 starts had no readable answer\. Lasted 30 s/);

    if (folder !== undefined)
      for (const colorScheme of ['light', 'dark'] as const)
        for (const width of [390, 1280]) {
          await tab.emulateMedia({ colorScheme });
          await tab.setViewportSize({ width, height: 860 });
          await tab.screenshot({ path: `${folder}/health-${width}-${colorScheme}.png`, fullPage: true });
        }
    await tab.setViewportSize({ width: 1280, height: 860 });
    await tab.getByRole('heading', { name: 'Providers', exact: true }).focus();
    const { tooWide, faint } = await faultsOf(tab);
    expect({ ...noFaults, tooWide, faint }).toEqual(noFaults);
    expect(complaints).toEqual([]);
    await close();
  });
});
