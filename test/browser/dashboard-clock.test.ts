/** A long advance of the sandbox's clock in the dashboard: how far it has come, and its end. */
import { expect, test } from 'vitest';
import { Billing } from '../support/billing.ts';
import { logIn, ownerOf, sightOf } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';

describeDashboard('the clock of the sandbox', (rig) => {
  test('a long advance shows how far it has come, and stops where it stands', async () => {
    const owner = await ownerOf(rig.house, 'Daily News');
    const billing = new Billing(owner);
    const planId = (await billing.plan({ intervalUnit: 'day' })).text('id');
    const customerId = (await billing.customer()).text('id');
    for (let made = 0; made < 20; made++)
      await owner.api.must('POST', '/v1/billing/subscriptions', { planId, customerId });
    const { tab, complaints } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const clock = tab.locator('.sandbox-clock summary');
    await clock.press('Enter');
    const press = (name: string) => tab.getByRole('button', { name, exact: true }).press('Enter');
    const begun = Date.parse((await owner.clock()).text('now'));
    await press('+ 30 days');
    await tab
      .getByRole('status')
      .filter({ hasText: /\d timers so far\./ })
      .waitFor();
    await press('Stop here');
    await tab.getByRole('button', { name: 'Stop here' }).waitFor({ state: 'detached' });
    const stopped = await owner.clock();
    expect(stopped.at('status')).toBe('ready');
    expect(Date.parse(stopped.text('now')) - begun).toBeLessThan(30 * 86_400_000);
    expect(Number(stopped.at('fired'))).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });
});
