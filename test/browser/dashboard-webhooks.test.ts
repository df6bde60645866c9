/** Webhooks in the dashboard: an endpoint from its creation to its deletion, and a delivery with each of its tries. */
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Shop } from '../../src/cli/demo/shop.ts';
import { eventually } from '../support/eventually.ts';
import { verifies } from '../support/hooks.ts';
import { logIn, ownerOf, sightOf, type Owner } from './dashboard-rig.ts';
import { describeDashboard } from './dashboard-stories.ts';
import { faintTexts, inScheme, scrollsSideways, smallTargets, widthsItDoesNotFit } from './looks.ts';

const created = 'checkout.created';

describeDashboard('webhooks in the dashboard', (rig) => {
  const actions = (tab: Page): Locator => tab.getByRole('region', { name: 'What you can do' });
  const press = (within: Locator | Page, name: string): Promise<void> =>
    within.getByRole('button', { name, exact: true }).press('Enter');
  const secretIn = async (tab: Page): Promise<string> => (await tab.getByText(/^whsec_/).textContent()) ?? '';
  const heard = async (shop: Shop, count: number) => {
    await eventually(
      () => Promise.resolve(shop.webhooks.length >= count || null),
      () => `${count} webhooks`,
    );
    return shop.webhooks;
  };
  /** Widths at which it does not fit, and texts that are hard to read. */
  const looksWrong = async (tab: Page): Promise<readonly unknown[]> => {
    const wrong = [
      ...(await widthsItDoesNotFit(tab, scrollsSideways)),
      ...(await inScheme(tab, 'dark', faintTexts)),
      ...(await inScheme(tab, 'light', faintTexts)),
    ];
    await tab.setViewportSize({ width: 1280, height: 860 });
    return wrong;
  };
  const idOf = async (owner: Owner): Promise<string> =>
    (await owner.api.must('GET', '/v1/webhooks')).body.text('data.0.id');

  test('an endpoint is added, changed, rotated, disabled, recovered and deleted, and its secret is shown once', async () => {
    const owner = await ownerOf(rig.house, 'Hook Pasal');
    const server = await rig.house.shop();
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    await tab.getByRole('link', { name: 'Webhooks', exact: true }).press('Enter');
    await tab.getByRole('link', { name: 'Add an endpoint' }).press('Enter');
    await tab.getByLabel('Address').fill('https://user:secret@shop.example/hooks');
    await press(tab, 'Add the endpoint');
    await tab.getByRole('alert').waitFor();
    await tab.getByLabel('Address').fill(`${server.url}/hooks`);
    await tab.getByRole('alert').waitFor({ state: 'detached' });
    await tab.getByLabel('Only some').check();
    await tab.getByLabel('payment.succeeded', { exact: true }).uncheck();
    await tab.getByText('Choose at least one.').waitFor();
    expect(await tab.getByRole('button', { name: 'Add the endpoint' }).isDisabled()).toBe(true);
    await tab.getByLabel(created).check();
    await press(tab, 'Add the endpoint');
    const first = await secretIn(tab);
    expect(await looksWrong(tab)).toEqual([]);
    await tab.getByRole('link', { name: 'Open the endpoint' }).press('Enter');
    await tab.getByText('Nothing sent in 24 h').waitFor();
    expect(await tab.content()).not.toContain(first);

    await press(actions(tab), 'Change');
    await tab.getByLabel('Note').fill('Orders');
    await press(tab, 'Save the changes');
    await tab.getByText(`Receives ${created} · Orders`).waitFor();

    await press(actions(tab), 'Rotate the secret');
    await press(actions(tab), 'Make a new secret');
    const second = await secretIn(tab);
    await tab.getByText('The old secret ends').waitFor();
    await owner.checkout();
    const [one] = await heard(server, 1);
    expect(one && [first, second].map((secret) => verifies(one, secret))).toEqual([true, true]);

    await press(actions(tab), 'Disable');
    await press(actions(tab), 'Disable the endpoint');
    await tab.getByText('You switched it off').waitFor();
    const session = await owner.checkout();
    await owner.untilEvents(1, created, session.text('id'));
    await press(actions(tab), 'Enable');
    await press(actions(tab), 'Enable the endpoint');
    await press(actions(tab), 'Send what it missed');
    await actions(tab).getByLabel('Events of').selectOption('The last 7 days');
    expect(await looksWrong(tab)).toEqual([]);
    await press(actions(tab), 'Send what it missed');
    expect((await heard(server, 2)).map(({ objectId }) => objectId)).toContain(session.text('id'));
    await tab.reload();
    await tab.getByText('100 % of 2 deliveries accepted in 24 h').waitFor();

    await press(actions(tab), 'Delete');
    await press(actions(tab), 'Delete the endpoint');
    await tab.getByRole('heading', { name: 'No endpoint yet' }).or(tab.getByRole('alert')).waitFor();
    expect(await tab.getByRole('alert').allTextContents()).toEqual([]);
    expect((await owner.api.must('GET', '/v1/webhooks')).body.list('data')).toEqual([]);
    // the refused request is a line of the browser's own
    expect(complaints.filter((line) => !line.includes('400 (Bad Request)'))).toEqual([]);
    await close();
  });

  test('a delivery names its endpoint and shows what was sent, what was answered, and each try, on a phone', async () => {
    const owner = await ownerOf(rig.house, 'Try Pasal');
    const server = await rig.house.shop();
    server.answering = () => ({ status: server.webhooks.length < 3 ? 503 : 200 });
    const { secret } = await owner.endpoint(server, [created]);
    await owner.checkout();
    await heard(server, 1);
    await owner.advance(10);
    await heard(server, 2);
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    await logIn(tab, owner);
    await tab.goto(`${rig.house.url}/dashboard/${owner.projectId}/sandbox/webhooks`);
    await tab.getByText(/^Last error: checkout\.created: answered 503/).waitFor();
    await tab.getByRole('link', { name: `${server.url}/hooks` }).tap();
    const deliveries = tab.getByRole('region', { name: 'Deliveries' });
    await deliveries.getByRole('link', { name: created }).tap();
    const stands = tab.getByRole('region', { name: 'How it stands' });
    await stands.getByRole('link', { name: `${server.url}/hooks` }).waitFor();
    const tries = tab.getByRole('region', { name: 'Each try' });
    await tries.getByText('Answered 503').nth(1).waitFor();
    await stands.getByRole('button', { name: 'Send again now' }).tap();
    await tries.getByText('Answered 200').waitFor();
    const sent = await heard(server, 3);
    const headers = (await tab.getByRole('region', { name: 'Headers sent' }).textContent()) ?? '';
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'])
      expect(headers).toContain(`${name}: ${sent[2]?.headers[name] ?? ''}`);
    expect(headers).toContain(`X-Webhook-Signature: ${sent[2]?.headers['x-webhook-signature'] ?? ''}`);
    expect(headers).toContain(`Api-Version: ${sent[2]?.headers['api-version'] ?? ''}`);
    expect(await tab.content()).not.toContain(secret.slice('whsec_'.length));
    expect(await tab.evaluate(scrollsSideways)).toBe(false);
    expect(await tab.evaluate(smallTargets)).toEqual([]);
    for (const scheme of ['light', 'dark'] as const)
      expect(await inScheme(tab, scheme, faintTexts)).toEqual([]);
    expect(await idOf(owner)).toMatch(/^we_/);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a delivery that ended with its endpoint keeps the last answer, and says what ended it', async () => {
    const owner = await ownerOf(rig.house, 'End Pasal');
    const server = await rig.house.shop();
    server.answering = () => ({ status: 500 });
    await owner.endpoint(server, [created]);
    await owner.checkout();
    const [sent] = await heard(server, 1);
    const endpointId = await idOf(owner);
    await owner.api.must('PATCH', `/v1/webhooks/${endpointId}`, { enabled: false });
    const { tab, complaints, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const base = `${rig.house.url}/dashboard/${owner.projectId}/sandbox/webhooks`;
    await tab.goto(`${base}/${endpointId}/events/${sent?.headers['webhook-id'] ?? ''}`);
    await tab.getByText('Ended: the endpoint was disabled.').waitFor();
    const answered = tab.getByRole('region', { name: 'What was answered' });
    await answered.getByText(/^Status 500 after/).waitFor();
    expect(await tab.getByText('No answer').count()).toBe(0);
    await owner.api.must('PATCH', `/v1/webhooks/${endpointId}`, { enabled: true });
    await tab.reload();
    await tab.getByText('It is enabled again: send it again.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a delivery of a disabled endpoint is sent by a button that enables it, and says so', async () => {
    const owner = await ownerOf(rig.house, 'Again Pasal');
    const server = await rig.house.shop();
    await owner.endpoint(server, [created]);
    await owner.checkout();
    const [sent] = await heard(server, 1);
    const endpointId = await idOf(owner);
    const setTo = (enabled: boolean) => owner.api.must('PATCH', `/v1/webhooks/${endpointId}`, { enabled });
    await setTo(false);
    const { tab, complaints, line, close } = await sightOf(rig.browser, rig.house);
    await logIn(tab, owner);
    const base = `${rig.house.url}/dashboard/${owner.projectId}/sandbox/webhooks`;
    await tab.goto(`${base}/${endpointId}/events/${sent?.headers['webhook-id'] ?? ''}`);
    const stands = tab.getByRole('region', { name: 'How it stands' });
    await press(stands, 'Enable and send');
    await heard(server, 2);
    await stands.getByRole('button', { name: 'Send once more' }).waitFor();
    expect((await owner.api.must('GET', `/v1/webhooks/${endpointId}`)).body.at('enabled')).toBe(true);
    expect(complaints).toEqual([]);
    // disabled and enabled while the screen is open: the button follows
    await setTo(false);
    await stands.getByRole('button', { name: 'Enable and send' }).waitFor();
    await setTo(true);
    await stands.getByRole('button', { name: 'Send once more' }).waitFor();
    // unless the screen has not heard of it: then the refusal changes the button
    await line.cut();
    await setTo(false);
    await press(stands, 'Send once more');
    await stands.getByText('This endpoint is disabled.').waitFor();
    await stands.getByRole('button', { name: 'Enable and send' }).waitFor();
    expect(server.webhooks).toHaveLength(2);
    await owner.api.must('DELETE', `/v1/webhooks/${endpointId}`);
    await tab.reload();
    // its deliveries went with it
    await tab.getByText('There is no such thing here').waitFor();
    await close();
  });
});
