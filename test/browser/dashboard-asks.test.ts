/** What a screen of the dashboard asks its API while it is loaded: each address once. */
import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { firstAskMsMax, unconnectedMs } from '../../gateways/dashboard/web/live/news-heard.ts';
import { eventually } from '../support/eventually.ts';
import { everyScreen, madeFor, operatorScreens } from './dashboard-objects.ts';
import { logIn, operatorOf, ownerOf, sightOf } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';

/** A second question of a load would follow the first within this. */
const settledMs = 1_000;
/** How often a load that came too late to tell anything is repeated. */
const loadsMax = 5;

// Run in the browser, as text: this side knows no DOM.
const watch = `new MutationObserver(() => {
  if (globalThis.connectedAt === undefined && document.querySelector('.link-state.connected') !== null)
    globalThis.connectedAt = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true });`;
/** When the login was known, the first question was asked, and the snapshot was there; ms since the load began. */
const times = `(() => {
  const asked = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/dashboard/api/'));
  const isMe = ({ name }) => name.endsWith('/dashboard/api/me');
  return {
    begun: asked.find(isMe)?.responseEnd ?? 0,
    first: asked.find((each) => !isMe(each))?.startTime ?? 0,
    connected: globalThis.connectedAt ?? 0,
    now: performance.now(),
  };
})()`;

interface Load {
  readonly asked: readonly string[];
  /** The snapshot came later than questions wait for it, so that they are rightly asked again after it; or a poll was
   *  due. */
  readonly isLate: boolean;
}

async function loaded(tab: Page, address: string): Promise<Load> {
  const asked: string[] = [];
  const note = (request: Request): void => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/dashboard/api/')) asked.push(pathname + search);
  };
  tab.on('request', note);
  await tab.goto(address);
  await tab.locator('main h1').waitFor();
  if (!address.includes('/operator/')) await tab.locator('.link-state.connected').waitFor();
  await eventually(
    async () => (await tab.locator('main .loading').count()) === 0 || null,
    () => `${address} to be there`,
  );
  await tab.waitForTimeout(settledMs);
  tab.off('request', note);
  const { begun, first, connected, now } = (await tab.evaluate(times)) as {
    readonly [when in 'begun' | 'first' | 'connected' | 'now']: number;
  };
  const waited = first < connected && first - begun > firstAskMsMax * 0.9;
  return { asked, isLate: waited || now - begun > unconnectedMs };
}

/** Loads under way at once: most of their time they wait. */
const tabs = 3;

/** What these screens ask more than once, with the login of `tab`. */
async function askedTwice(tab: Page, addresses: readonly string[]): Promise<readonly string[]> {
  await tab.context().addInitScript(watch);
  const left = addresses.values();
  const twice = Array.from({ length: tabs }, async () => twiceAmong(await tab.context().newPage(), left));
  return (await Promise.all(twice)).flat();
}

/** The same of those it takes from `left`. A load that is not late counts, the first one included. */
async function twiceAmong(tab: Page, left: Iterable<string>): Promise<readonly string[]> {
  const twice: string[] = [];
  for (const address of left) {
    let load = await loaded(tab, address);
    for (let loads = 1; load.isLate && loads < loadsMax; loads++) load = await loaded(tab, address);
    const { asked } = load;
    expect(asked.length).toBeGreaterThan(0);
    const again = asked.filter((one, at) => asked.indexOf(one) < at);
    twice.push(...again.map((one) => `${new URL(address).pathname}: ${one}`));
  }
  return twice;
}

describeDashboard('what a screen asks', (rig) => {
  test('each screen asks each address of its API once when it is loaded', { timeout: 240_000 }, async () => {
    const owner = await ownerOf(rig.house, 'Asking Pasal');
    const below = everyScreen(await madeFor(owner, rig.house));
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const root = `${rig.house.url}/dashboard/${owner.projectId}/sandbox`;
    expect(
      await askedTwice(
        tab,
        below.map((each) => `${root}/${each}`),
      ),
    ).toEqual([]);
    await close();
  });

  test('each screen of the operator asks each address of its API once when it is loaded', async () => {
    const owner = await ownerOf(rig.house, 'Asked Pasal');
    const below = await operatorScreens(owner, rig.house);
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, operatorOf(rig.house));
    expect(
      await askedTwice(
        tab,
        below.map((each) => `${rig.house.url}/dashboard/operator/${each}`),
      ),
    ).toEqual([]);
    await close();
  });
});
