import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserIsHere, openBrowser, show, type Shown } from './rig.ts';
import { autoSamples, samples, statusBody } from './samples.ts';

if (!browserIsHere()) console.warn('SKIPPED: the browser tests need /usr/bin/chromium (or CHROMIUM=path)');

describe.skipIf(!browserIsHere())('in a real browser', () => {
  let browser: Browser;
  let rig: Shown;

  beforeAll(async () => {
    rig = await show({ ...samples, ...autoSamples }, statusBody);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser.close();
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

  test('every page fits phones and desks, is read and reached by keyboard, and gives nothing to complain about', async () => {
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

  test('the redirect flow goes on by itself, and the back button leads into no loop', async () => {
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

  test('fields a provider wants are posted to it by themselves', async () => {
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

async function widthsItDoesNotFit(tab: Page): Promise<number[]> {
  const tooNarrow: number[] = [];
  for (const width of [1280, 320, 390]) {
    await tab.setViewportSize({ width, height: 844 });
    if (await tab.evaluate(isTooWide)) tooNarrow.push(width);
  }
  return tooNarrow;
}

/** What the Tab key does not reach, in reading order and with a visible ring. */
async function notReachedByTab(tab: Page): Promise<string[]> {
  const unreached: string[] = [];
  for (const wanted of (await tab.evaluate(pressableTexts)) as string[]) {
    await tab.keyboard.press('Tab');
    const focused = (await tab.evaluate(focusedText)) as string;
    if (focused !== wanted) unreached.push(`${wanted}: ${focused}`);
  }
  return unreached;
}

async function inScheme(tab: Page, colorScheme: 'light' | 'dark', look: string): Promise<string[]> {
  await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  return (await tab.evaluate(look)) as string[];
}

// Run in the browser, as text: this side knows no DOM.
const pressable =
  "[...document.querySelectorAll('a[href], button:not([disabled]), input:not([type=hidden]), summary')]" +
  '.filter((each) => each.checkVisibility())';
const nameOf = "(each) => each.localName + ' ' + (each.innerText || each.name || '')";
const pressableTexts = `${pressable}.map(${nameOf})`;
const focusedText = `(() => { const each = document.activeElement, ring = getComputedStyle(each);
  return ring.outlineStyle === 'none' || parseFloat(ring.outlineWidth) < 2 ? 'no ring' : (${nameOf})(each); })()`;
/** The window scrolls sideways, or something is cut off at the card's edge. */
const isTooWide = `document.documentElement.scrollWidth > innerWidth
  || [...document.querySelectorAll('.slip p, .slip h1, .slip h2, .slip dd, .slip button, .slip a, .slip input')]
    .some((each) => each.scrollWidth > each.clientWidth + 1
      || each.getBoundingClientRect().right > each.closest('.slip').getBoundingClientRect().right)`;
const smallTargets = `${pressable}.filter((each) => each.getBoundingClientRect().height < 44).map(${nameOf})`;
const faintTexts = `(() => {
  const rgb = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (each) => {
    for (let at = each; at !== null; at = at.parentElement) {
      const [r, g, b, a = 1] = rgb(getComputedStyle(at).backgroundColor);
      if (a === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const faint = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const each = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (text === '' || !each.checkVisibility() || each.closest('[disabled], .unseen, noscript') !== null) continue;
    const [a, b] = [light(rgb(getComputedStyle(each).color)), light(behind(each))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) faint.push(text.slice(0, 30) + ' ' + ratio.toFixed(2));
  }
  return faint;
})()`;
