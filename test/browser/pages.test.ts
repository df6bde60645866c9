import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { faintTexts, inScheme, notReachedByTab, smallTargets, widthsItDoesNotFit } from './looks.ts';
import { browserOfFile, describeInBrowser } from './in-browser.ts';
import { show, type Shown } from './rig.ts';
import { autoSamples, samples, statusBody } from './samples.ts';

describeInBrowser('in a real browser', () => {
  const browser = browserOfFile();
  let rig: Shown;

  beforeAll(async () => {
    rig = await show({ ...samples, ...autoSamples }, statusBody);
  });

  afterAll(async () => {
    await rig.close();
  });

  /** A phone; everything the browser complains about is collected. */
  async function opened(name: string, script = true): Promise<[Page, string[]]> {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: script,
    });
    const tab = await context.newPage();
    const complaints: string[] = [];
    tab.on('console', (line) => void (line.type() === 'error' && complaints.push(line.text())));
    tab.on('pageerror', (error) => void complaints.push(error.message));
    await tab.goto(`${rig.origin}/${name}`);
    return [tab, complaints];
  }

  test('every page fits phone and desktop widths, works by keyboard, and passes the accessibility checks', async () => {
    const [tab, complaints] = await opened('chooser');
    for (const name of Object.keys(samples)) {
      await tab.goto(`${rig.origin}/${name}`);
      const found = {
        name,
        tooWide: await widthsItDoesNotFit(tab),
        unreached: await notReachedByTab(tab),
        complaints: [...complaints],
        faint: [...(await inScheme(tab, 'dark', faintTexts)), ...(await inScheme(tab, 'light', faintTexts))],
        small: await tab.evaluate(smallTargets),
      };
      expect(found).toEqual({ name, tooWide: [], unreached: [], complaints: [], faint: [], small: [] });
    }
    await tab.context().close();
  }, 60_000);

  test('the redirect flow continues by itself, and the back button does not cause a loop', async () => {
    const [tab, complaints] = await opened('chooser');
    const starts = (): number => rig.strays.filter((line) => line.endsWith('/start')).length;
    const before = starts();
    await tab.goto(`${rig.origin}/redirect`, { waitUntil: 'commit' });
    await tab.waitForURL(/\/start$/);
    await tab.goBack();
    await tab.getByRole('button', { name: 'Wallet B' }).waitFor();
    expect(starts()).toBe(before + 1);
    expect(complaints).toEqual([]);
    await tab.context().close();
  });

  test('without script the redirect flow waits for its button, which works', async () => {
    const before = rig.strays.length;
    const [tab] = await opened('redirect', false);
    expect(rig.strays.length).toBe(before);
    await tab.getByRole('button', { name: 'Continue to Wallet B' }).press('Enter');
    await tab.waitForURL(/\/start$/);
    await tab.context().close();
  });

  test.each(['scan', 'scan-live'])(
    'at desktop width the page %s shows code, other providers and cancel link without scrolling',
    async (name) => {
      const [tab] = await opened(name);
      await tab.setViewportSize({ width: 1280, height: 800 });
      const cancel = await tab.getByRole('button', { name: 'Cancel and go back' }).boundingBox();
      expect((cancel?.y ?? Infinity) + (cancel?.height ?? 0)).toBeLessThan(800);
      const code = await tab.getByRole('img', { name: 'QR code' }).boundingBox();
      expect(code?.width).toBeGreaterThanOrEqual(240);
      expect(await tab.getByText('On this phone?').isVisible()).toBe(false);
      await tab.context().close();
    },
  );

  test('a code can be saved without script, and the page keeps polling', async () => {
    const [tab] = await opened('scan', false);
    await tab.getByText('On this phone?').waitFor();
    const [saved] = await Promise.all([
      tab.waitForEvent('download'),
      tab.getByRole('link', { name: 'Save the code' }).click(),
    ]);
    const page = `${rig.origin}/pay/cs_n5y5kc7txbgmy7rz22b0c1r5`;
    expect(saved.url()).toBe(`${page}/code.png`);
    await tab.waitForURL(page);
    await tab.context().close();
  });

  test('fields for a provider are posted to it automatically', async () => {
    const [tab] = await opened('handover');
    await tab.waitForURL(/\/provider$/);
    expect(rig.strays).toContain('POST /provider');
    await tab.context().close();
  });

  test('a second click on a button sends nothing twice', async () => {
    const [tab] = await opened('chooser');
    await tab.evaluate(`addEventListener('submit', (event) => {
      globalThis.sent = (globalThis.sent ?? 0) + (event.defaultPrevented ? 0 : 1); event.preventDefault(); })`);
    const button = tab.getByRole('button', { name: 'Wallet A' });
    await button.click();
    await button.click();
    expect(await tab.evaluate('globalThis.sent')).toBe(1);
    await tab.context().close();
  });
});
