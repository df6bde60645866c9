import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import { seconds } from '../../src/kernel/time.ts';
import { pay, running, says } from '../actors/checkout-session/buyer.ts';
import { payPath, sessionId } from '../gateways/buyer/till.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { isTold } from './rig.ts';
import { opensAt, street, type Street } from './street.ts';

describeInBrowser('a buyer with a real browser', { timeout: 30_000 }, () => {
  const browser = browserOfFile();
  const open: Street[] = [];

  afterEach(async () => {
    for (const { ours, provider, shop } of open.splice(0))
      await Promise.all([ours, provider, shop].map((each) => each.close()));
  });

  async function at(place: Street, script: boolean): Promise<[Page, string[]]> {
    open.push(place);
    const tab = await (
      await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled: script })
    ).newPage();
    const complaints: string[] = [];
    tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
    await Promise.all([script ? isTold(tab) : null, tab.goto(`${place.ours.origin}${payPath}`)]);
    return [tab, complaints];
  }

  test('row 24: pays with wallet_b by keyboard alone, without script, and ends in the shop', async () => {
    const place = await street();
    const [tab, complaints] = await at(place, false);
    // past the switch of language and Wallet A
    for (const _key of [1, 2, 3]) await tab.keyboard.press('Tab');
    await tab.keyboard.press('Enter');
    await tab.waitForURL(`${place.provider.origin}/**`);
    await tab.getByRole('link', { name: 'Pay' }).click({ noWaitAfter: true });
    await expect.poll(() => place.till.asked.at(-1)?.command).toBe('hint');
    place.till.happens((story) => says(story, 'paid'));
    await tab.waitForURL(`${place.shop.origin}/return?session_id=${sessionId}&status=success`);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('returns to the shop by "cancel", although the shop is on another origin', async () => {
    const place = await street();
    const [tab, complaints] = await at(place, true);
    await tab.getByRole('button', { name: /^Cancel/ }).click();
    await tab.waitForURL(`${place.shop.origin}/return?session_id=${sessionId}&status=cancelled`);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('of a redirect session reaches the provider without a choice', async () => {
    const place = await street({ flow: 'redirect', preselected: 'wallet_b' });
    open.push(place);
    const tab = await (await browser.newContext()).newPage();
    await tab.goto(`${place.ours.origin}${payPath}`, { waitUntil: 'commit' });
    await tab.waitForURL(`${place.provider.origin}/**`);
    expect(place.till.asked.map(({ command }) => command)).toEqual(['start']);
    await tab.context().close();
  });

  test('who has paid in another tab sees the result on this page, and it is announced', async () => {
    const place = await street();
    place.till.happens((story) => running(story));
    const [tab, complaints] = await at(place, true);
    await tab.getByRole('heading', { name: 'Finish paying with Wallet B' }).waitFor();
    await tab.evaluate('globalThis.stands = true');
    place.till.happens((story) => says(story.wait(4000), 'paid'));
    await tab.getByRole('heading', { name: 'Payment received' }).waitFor();
    expect(
      await tab.evaluate('[globalThis.stands, document.activeElement.textContent, document.title]'),
    ).toEqual([true, 'Payment received', 'Payment received · Example Store']);
    expect(await tab.getByRole('link', { name: 'Back to Example Store' }).count()).toBe(1);
    // its countdown went with the page it stood on
    expect(await tab.evaluate("document.querySelector('[data-left-ms], form')")).toBeNull();
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('whose attempt fails elsewhere gets the provider choice again, on a page of its own', async () => {
    const place = await street();
    place.till.happens((story) => running(story));
    const [tab, complaints] = await at(place, true);
    place.till.happens((story) => says(story.wait(4000), 'failed'));
    await tab.getByRole('button', { name: 'Wallet A' }).waitFor();
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('who picks another provider while waiting goes there: updates caused by the own choice do not stop it', async () => {
    const place = await street();
    place.till.happens((story) => running(story));
    const [tab, complaints] = await at(place, true);
    place.providerHolds = true;
    const news = tab.waitForEvent('websocket', { timeout: 500 }).catch(() => 'no new page');
    await tab.getByText('Pay another way').click();
    await tab.getByRole('button', { name: 'Wallet A' }).click({ noWaitAfter: true });
    await expect.poll(() => place.till.asked.at(-1)?.command).toBe('start');
    place.till.happens((story) => says(story, 'pending'));
    expect(place.till.story.state).toMatchObject({ status: 'initiated', provider: 'wallet_a' });
    // enough time for the page to receive it, and to do what it must not do
    expect(await news).toBe('no new page');
    opensAt(place.till, place.provider.origin);
    await tab.waitForURL(`${place.provider.origin}/**`);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('who has returned and waits for the result is sent to the shop as soon as it is known', async () => {
    const place = await street();
    const [tab, complaints] = await at(place, true);
    place.till.happens((story) => running(story));
    const told = isTold(tab);
    const back = tab.goto(`${place.ours.origin}/return/wallet_b/${pay(1)}/web/done?status=Completed`);
    await expect.poll(() => place.till.asked.at(-1)?.command).toBe('hint');
    await place.till.clock.pass(seconds(3));
    await back;
    await tab.getByRole('heading', { name: 'Checking your payment' }).waitFor();
    await told;
    place.till.happens((story) => says(story, 'paid'));
    await tab.waitForURL(`${place.shop.origin}/return?session_id=${sessionId}&status=success`);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });
});
