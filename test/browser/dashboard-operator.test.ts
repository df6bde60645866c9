/** The operator in the dashboard: merchants, their suspension, their plan. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { logIn, operatorOf, ownerOf, sightOf } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faultsOf, noFaults } from './looks.ts';

describeDashboard('the operator’s screens', (rig) => {
  const heading = (tab: Page, name: string) => tab.getByRole('heading', { name, level: 1 }).waitFor();

  test('row 104: a merchant is created, suspended with a reason and lifted, all by keyboard', async () => {
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, operatorOf(rig.house));
    await tab.getByRole('link', { name: 'Merchants' }).press('Enter');
    await tab.getByRole('link', { name: 'New merchant' }).press('Enter');
    await tab.getByLabel('Name').fill('Momo Ghar');
    await tab.getByLabel('E-mail').fill('momo@example.com');
    await tab.keyboard.press('Enter');
    await tab.getByText('Give this login to the merchant now').waitFor();
    const password = await tab.getByRole('definition').last().innerText();
    expect(await tab.getByLabel('Project').innerText()).toContain('Momo Ghar');
    await tab.getByRole('link', { name: 'Open the merchant' }).press('Enter');
    await heading(tab, 'Momo Ghar');
    expect(await tab.getByText(password.trim()).count()).toBe(0);

    const projectId = await tab.locator('code', { hasText: 'prj_' }).innerText();
    const shop = rig.house.with(await rig.house.key(projectId, { kind: 'secret', mode: 'live' }));
    await tab.getByRole('button', { name: 'Suspend' }).press('Enter');
    await tab.getByText('Every request with its API keys is answered 403').waitFor();
    await tab.getByText('Payments under way still land').waitFor();
    const suspend = tab.getByRole('button', { name: 'Suspend Momo Ghar' });
    await suspend.press('Enter');
    await tab.getByRole('textbox', { name: /^Reason/ }).fill('   ');
    await suspend.press('Enter');
    // without a reason nothing is sent
    expect((await shop.get('/v1/payments')).status).toBe(200);
    await tab.getByRole('textbox', { name: /^Reason/ }).fill('Document review is overdue.');
    await suspend.press('Enter');
    await tab.getByRole('button', { name: 'Change the reason' }).press('Enter');
    expect((await shop.get('/v1/payments')).body.text('error.suspension.reason')).toBe(
      'Document review is overdue.',
    );
    await tab.getByRole('textbox', { name: /^Reason/ }).fill('Its papers have expired.');
    await tab.getByRole('form').getByRole('button', { name: 'Change the reason' }).press('Enter');
    await tab.getByText('Its papers have expired.').waitFor();
    await tab.getByRole('button', { name: 'Lift the suspension' }).press('Enter');
    await tab.getByText('Nothing has to be repeated').waitFor();
    await tab.getByRole('button', { name: 'Lift the suspension of Momo Ghar' }).press('Enter');
    await tab.getByRole('heading', { name: 'Taking payments' }).waitFor();
    expect((await shop.get('/v1/payments')).status).toBe(200);
    expect(complaints).toEqual([]);
    await close();
  });

  test('what a form finds wrong, and what the service refuses, is said at its field, which has the focus', async () => {
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, operatorOf(rig.house));
    await tab.goto(`${rig.house.url}/dashboard/operator/merchants/new`);
    const focused = async (): Promise<string | null> => tab.locator('input:focus').getAttribute('name');
    const create = tab.getByRole('button', { name: 'Create the merchant' });
    await tab.getByLabel('E-mail').fill('no address');
    await create.press('Enter');
    const name = tab.getByRole('textbox', { name: /^Name Write a name/ });
    await name.and(tab.locator(':focus')).waitFor();
    await name.fill('Momo Ghar');
    await create.press('Enter');
    await tab.getByRole('alert').waitFor();
    await tab.locator('input[name=email][aria-invalid=true]:focus').waitFor();
    const said = await tab.getByRole('alert').locator('strong').innerText();
    expect(await tab.locator('label', { hasText: 'E-mail' }).innerText()).toContain(said);
    // typed into, it is judged again when the form is sent
    await tab.getByLabel('E-mail').fill('momo.ghar@example.com');
    expect([await focused(), await tab.locator('[aria-invalid=true]').count()]).toEqual(['email', 0]);
    await create.press('Enter');
    await tab.getByText('Give this login to the merchant now').waitFor();
    await close();
  });

  test('row 104: plan, verified and a limit are saved, and the list is filtered by them', async () => {
    const owner = await ownerOf(rig.house, 'Premium Pasal');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, operatorOf(rig.house));
    await tab.goto(`${rig.house.url}/dashboard/operator/merchants`);
    await tab.getByRole('link', { name: 'Premium Pasal' }).click();
    await tab.getByRole('radio', { name: /^Premium/ }).check();
    await tab.getByRole('checkbox', { name: /^Verified/ }).check();
    const limit = tab.getByLabel('Creations each second, in live');
    await limit.fill('many');
    await tab.getByText('Write a whole number from 1 to 10,000, or nothing.').waitFor();
    expect(await tab.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await limit.fill('250');
    await tab.getByRole('button', { name: 'Save' }).click();
    await tab.locator('.facts').getByText('Verified').waitFor();
    await tab.getByRole('radio', { name: /^Free/ }).check();
    await tab.getByText('its requests for Direct-QR are answered 403').waitFor();
    const { body } = await rig.house.admin.must('GET', `/admin/v1/merchants?email=${owner.email}`);
    expect(body.list('data')[0]?.value).toMatchObject({
      plan: 'premium',
      verified: true,
      createPerSecond: 250,
    });
    await tab.getByRole('link', { name: 'Merchants' }).first().click();
    await tab.getByLabel('Plan').selectOption('Premium');
    await tab.getByRole('searchbox').fill(owner.email);
    await tab.keyboard.press('Enter');
    await tab.getByRole('link', { name: 'Premium Pasal' }).waitFor();
    expect(await tab.locator('.merchants .row').count()).toBe(1);
    await tab.getByLabel('Plan').selectOption('Free');
    await tab.getByRole('heading', { name: 'No merchant is like that' }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a merchant sees no entry, and nothing at the operator’s addresses', async () => {
    const owner = await ownerOf(rig.house, 'Curious Pasal');
    const { tab, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    expect(await tab.getByRole('link', { name: 'Merchants' }).count()).toBe(0);
    await tab.goto(`${rig.house.url}/dashboard/operator/merchants`);
    await heading(tab, 'This project is not one of yours');
    await close();
  });

  test('every screen fits phone and desktop widths, is readable in both colour schemes, and works by keyboard', async () => {
    const { projectId } = await ownerOf(rig.house, 'A Merchant With A Name That Is Rather Long');
    const { body } = await rig.house.admin.must('GET', '/admin/v1/merchants?limit=1');
    const id = body.list('data')[0]?.text('id');
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, operatorOf(rig.house));
    await rig.house.admin.must('POST', `/admin/v1/merchants/${id}/suspend`, {
      reason: 'Documents.'.repeat(20),
    });
    for (const [path, ready] of [
      ['operator/merchants', '.merchants .row'],
      ['operator/merchants?state=active&email=no@example.com', '.empty'],
      ['operator/merchants/new', 'form'],
      [`operator/merchants/${id}`, 'form'],
      ['operator/nowhere', 'h1'],
      [`${projectId}/live/payments`, '.empty'],
    ] as const) {
      await tab.goto(`${rig.house.url}/dashboard/${path}`);
      await tab.locator(ready).first().waitFor();
      const found = { path, ...(await faultsOf(tab)), complaints: [...complaints] };
      expect(found).toEqual({ path, ...noFaults, complaints: [] });
    }
    await close();
  });
});
