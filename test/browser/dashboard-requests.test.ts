/** Events and the log of requests in the dashboard: found by what a developer has in hand. */
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { foundBlock } from '../../gateways/requests/found-entries.ts';
import { eventually } from '../support/eventually.ts';
import { logIn, ownerOf, sightOf, type Owner } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faintTexts, inScheme, scrollsSideways } from './looks.ts';

/** Names a folder: each look is also kept there as a picture. */
const { SCREENS: pictures = '' } = process.env;

describeDashboard('events and requests in the dashboard', (rig) => {
  let owner: Owner;
  let paymentId: string;
  let refusedId: string;

  beforeAll(async () => {
    owner = await ownerOf(rig.house, 'Log Pasal');
    const shop = await rig.house.shop();
    await owner.endpoint(shop);
    const session = await owner.checkout();
    const simulated = await owner.simulate(session.text('id'), 'success');
    paymentId = simulated.body.text('paymentId');
    await owner.untilEvents(1, 'payment.succeeded');
    const refused = await owner.api.post('/v1/checkout', { amount: 1 });
    refusedId = refused.headers.get('x-request-id') ?? '';
    await eventually(
      async () => {
        const { items } = await rig.house.node.client.listRows({
          kind: 'request_log',
          scope: `${owner.projectId}:sandbox`,
          page: 1,
          limit: 100,
        });
        const blocks = items.map(foundBlock);
        return (
          blocks.some((block) => [...block.matching({ id: refusedId }, block.length)].length > 0) || null
        );
      },
      () => 'the refused request in the log',
    );
  }, 60_000);

  async function looks(tab: Page, name: string): Promise<void> {
    for (const width of [1280, 390]) {
      await tab.setViewportSize({ width, height: 860 });
      for (const scheme of ['light', 'dark'] as const) {
        expect([name, width, scheme, await inScheme(tab, scheme, faintTexts)]).toEqual([
          name,
          width,
          scheme,
          [],
        ]);
        if (pictures === '') continue;
        mkdirSync(pictures, { recursive: true });
        await tab.emulateMedia({ colorScheme: scheme });
        await tab.screenshot({ path: join(pictures, `${name}-${width}-${scheme}.png`) });
      }
      expect(await tab.evaluate(scrollsSideways)).toBe(false);
    }
    await tab.setViewportSize({ width: 1280, height: 860 });
  }

  test('row 99: the id of an answer is typed into the list of requests, and the request is there', async () => {
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('link', { name: 'Requests' }).press('Enter');
    const list = tab.getByRole('region', { name: 'List of requests' });
    await list.getByText('POST /v1/checkout').first().waitFor();
    await looks(tab, 'requests');
    await list.getByRole('searchbox').fill(refusedId);
    await list.getByRole('searchbox').press('Enter');
    await tab.waitForURL(/id=req_/);
    await list.getByText('400', { exact: true }).last().waitFor();
    await list.getByText(refusedId.slice(0, 12)).first().waitFor();
    expect(await list.getByRole('listitem').count()).toBe(1);
    await list.getByText('validation_failed', { exact: true }).waitFor();
    // by key, status and path
    await list.getByRole('link', { name: /^key_/ }).press('Enter');
    await tab.waitForURL(/key=key_/);
    await list.getByRole('searchbox').fill('/v1/webhooks');
    await list.getByRole('searchbox').press('Enter');
    await list.getByText('POST /v1/webhooks').waitFor();
    await list.getByRole('searchbox').fill('req_00000000000000000000000x');
    await list.getByRole('searchbox').press('Enter');
    await list.getByText('No request is like that').waitFor();
    // it may be in the other mode, and the way there keeps what is looked for
    await list.getByRole('link', { name: 'Look among those of live keys' }).press('Enter');
    await tab.waitForURL(/\/live\/requests\?.*id=req_00000000000000000000000x/);
    await list.getByText('No request is like that').waitFor();
    await list.getByRole('link', { name: 'Look among those of sandbox keys' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('an event is found by type and by object, shows its body, and leads to its delivery', async () => {
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('link', { name: 'Events' }).press('Enter');
    const list = tab.getByRole('region', { name: 'List of events' });
    await list.getByText('checkout.created').waitFor();
    await looks(tab, 'events');
    await list.getByRole('searchbox').fill(paymentId);
    await list.getByRole('searchbox').press('Enter');
    await tab.waitForURL(/object=pay_/);
    await list.getByRole('link', { name: 'payment.succeeded' }).press('Enter');
    await tab.getByRole('region', { name: 'Body' }).getByText(`"${paymentId}"`).first().waitFor();
    const sent = tab.getByRole('region', { name: 'Deliveries' });
    await sent.getByText('Delivered').waitFor();
    await looks(tab, 'event');
    await sent.getByRole('link').press('Enter');
    await tab.getByText('What was answered').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
