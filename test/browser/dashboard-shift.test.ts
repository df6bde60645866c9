/** Nothing on a screen or page moves by itself while it loads. */
import type { BrowserContext } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import { everyScreen, madeFor, operatorScreens } from './dashboard-objects.ts';
import { logIn, operatorOf, ownerOf, paid, sightOf, type Owner } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';

/** Of all that moves without an input while a page loads, at most this (1: the whole window, by its height). */
const shiftMax = 0.02;
/** Longer than any answer takes here. */
const settledMs = 500;
const widths = [390, 1280, 1920];
/** How much later than the one before each answer comes on a slow machine. */
const laterMs = 120;

const watch = `globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    const moved = sources.map(({ node }) => node?.className || node?.nodeName || '').join();
    if (!hadRecentInput) shifts.push([value, moved]);
  }
}).observe({ type: 'layout-shift', buffered: true });`;

interface Shift {
  readonly at: string;
  readonly sum: number;
  readonly moved: readonly unknown[];
}

/** The pages that move more than they may, at each width in a tab of its own. `isSlow`: the answers of the API come one
 *  after the other, so that each is drawn by itself. */
const movingOnes = async (
  context: BrowserContext,
  addresses: readonly string[],
  isSlow = false,
): Promise<readonly Shift[]> =>
  (
    await Promise.all((isSlow ? [390] : widths).map((width) => movingAt(width, context, addresses, isSlow)))
  ).flat();

async function movingAt(
  width: number,
  context: BrowserContext,
  addresses: readonly string[],
  isSlow: boolean,
): Promise<readonly Shift[]> {
  const tab = await context.newPage();
  await tab.addInitScript(watch);
  await tab.setViewportSize({ width, height: 844 });
  let under = 0;
  if (isSlow)
    await tab.route('**/dashboard/api/**', async (route) => {
      under += 1;
      await new Promise((resolve) => setTimeout(resolve, under * laterMs));
      await route.continue().catch(() => undefined);
      under -= 1;
    });
  const found: Shift[] = [];
  for (const address of addresses) {
    await tab.goto(address);
    await tab.waitForLoadState('networkidle');
    await tab.waitForTimeout(settledMs);
    const moved = (await tab.evaluate('shifts')) as readonly (readonly [number, string])[];
    const sum = moved.reduce((all, [value]) => all + value, 0);
    if (sum > shiftMax) found.push({ at: `${width} ${new URL(address).pathname}`, sum, moved });
  }
  await tab.close();
  return found;
}

describeDashboard('while it loads', (rig) => {
  let owner: Owner;
  let screens: readonly string[];
  let invoice: Body;

  beforeAll(async () => {
    owner = await ownerOf(rig.house, 'Still Pasal');
    const made = await madeFor(owner, rig.house);
    for (const name of ['Asha Rai', 'Binod Karki', 'Chandra Thapa']) await paid(owner, name);
    await paid(owner, 'Deepa Gurung', 'declined');
    // what ends while a screen loads is a change, and no shift of the load
    await eventually(
      async () => {
        const counts = await Promise.all(
          ['pending', 'processing'].map((status) => owner.api.must('GET', `/v1/payments?status=${status}`)),
        );
        return counts.every(({ body }) => body.at('total') === 0) || null;
      },
      () => 'every payment to end',
    );
    const root = `${rig.house.url}/dashboard/${owner.projectId}/sandbox`;
    screens = everyScreen(made).map((each) => `${root}/${each}`);
    const id = made.subscription.text('latestInvoice.id');
    invoice = (await owner.api.must('GET', `/v1/billing/invoices/${id}`)).body;
  }, 60_000);

  test('no screen of the dashboard moves', { timeout: 360_000 }, async () => {
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    expect(await movingOnes(tab.context(), screens)).toEqual([]);
    await close();
  });

  test(
    'no screen moves when its answers come slowly, one after the other',
    { timeout: 360_000 },
    async () => {
      const { tab, close } = await sightOf(rig.browser, rig.house);
      await logIn(tab, owner);
      expect(await movingOnes(tab.context(), screens, true)).toEqual([]);
      await close();
    },
  );

  test('no screen of the operator moves, nor the login', { timeout: 120_000 }, async () => {
    const { tab, close } = await sightOf(rig.browser, rig.house);
    expect(await movingOnes(tab.context(), [`${rig.house.url}/dashboard`])).toEqual([]);
    await logIn(tab, operatorOf(rig.house));
    const addresses = (await operatorScreens(owner, rig.house)).map(
      (each) => `${rig.house.url}/dashboard/operator/${each}`,
    );
    expect(await movingOnes(tab.context(), addresses)).toEqual([]);
    expect(await movingOnes(tab.context(), addresses, true)).toEqual([]);
    await close();
  });

  test("no buyer's page moves", { timeout: 120_000 }, async () => {
    const [open, over] = [await owner.checkout(), await owner.checkout()];
    await owner.api.must('POST', `/v1/checkout/${over.text('id')}/expire`);
    const paidOne = await paid(owner, 'Asha Rai');
    const link = await owner.api.must('POST', '/v1/payment-links', { name: 'Tea', amount: 5000 });
    const context = await rig.browser.newContext();
    const addresses = [
      open.text('checkout_url'),
      over.text('checkout_url'),
      `${rig.house.url}/pay/${paidOne}`,
      link.body.text('url'),
      invoice.text('hostedUrl'),
      `${rig.house.url}/status?query=${paidOne}`,
    ];
    expect(await movingOnes(context, addresses)).toEqual([]);
    await context.close();
  });
});
