/** Measurements of every page: does it fit, is it readable, can it be reached by keyboard.
 *  Boundary: reads an open page; the test decides what must be true. */
import type { Page } from 'playwright-core';

/** The widths at which the page scrolls sideways, or something is cut off (`tooWide` names it). */
export async function widthsItDoesNotFit(tab: Page, tooWide: string = isTooWide): Promise<number[]> {
  const tooNarrow: number[] = [];
  for (const width of [1280, 320, 390]) {
    await tab.setViewportSize({ width, height: 844 });
    if (await tab.evaluate(tooWide)) tooNarrow.push(width);
  }
  return tooNarrow;
}

/** Stops of the Tab key within one field of a date and a time. */
const stopsMax = 8;

/** What the Tab key does not reach, in reading order and with a visible ring. */
export async function notReachedByTab(tab: Page): Promise<string[]> {
  const unreached: string[] = [];
  let before = '';
  for (const wanted of (await tab.evaluate(pressableTexts)) as string[]) {
    let focused = before;
    for (let stop = 0; stop < stopsMax && focused === before; stop++) {
      await tab.keyboard.press('Tab');
      focused = (await tab.evaluate(focusedText)) as string;
      if (focused === wanted) break;
    }
    if (focused !== wanted) unreached.push(`${wanted}: ${focused}`);
    before = focused;
  }
  return unreached;
}

/** A page that changes while it is walked is walked again: a look-up arrives, a notice appears. */
async function notReachedAtRest(tab: Page): Promise<readonly string[]> {
  let unreached = await notReachedByTab(tab);
  for (let again = 0; again < walksAgainMax && unreached.length > 0; again++) {
    // the next Tab leads to the first stop of the page
    await tab.evaluate(
      "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex')",
    );
    unreached = await notReachedByTab(tab);
  }
  return unreached;
}
const walksAgainMax = 2;

/** What `look` finds in these colours. */
export async function inScheme(tab: Page, colorScheme: 'light' | 'dark', look: string): Promise<string[]> {
  await tab.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  return (await tab.evaluate(look)) as string[];
}

export interface Faults {
  readonly tooWide: readonly number[];
  readonly unreached: readonly string[];
  readonly faint: readonly string[];
}

/** Of a screen of the dashboard: whether it scrolls sideways, what the keyboard misses, what is hard to read. */
export const faultsOf = async (tab: Page): Promise<Faults> => ({
  tooWide: await widthsItDoesNotFit(tab, scrollsSideways),
  unreached: await notReachedAtRest(tab),
  faint: [...(await inScheme(tab, 'dark', faintTexts)), ...(await inScheme(tab, 'light', faintTexts))],
});

export const noFaults: Faults = { tooWide: [], unreached: [], faint: [] };

// Run in the browser, as text: this side knows no DOM.
// Of radio buttons with one name the Tab key reaches the chosen one.
const pressable =
  "[...document.querySelectorAll('a[href], button:not([disabled]), " +
  'input:not([type=hidden], [type=radio]:not(:checked)), select, textarea, ' +
  'summary, [tabindex="0"]\')]' +
  '.filter((each) => each.checkVisibility())';
const nameOf = "(each) => each.localName + ' ' + (each.innerText || each.name || each.ariaLabel || '')";
const pressableTexts = `${pressable}.map(${nameOf})`;
/** A link that covers its whole row wears its ring there; the stops within a field of a date and a time are drawn
 *  by the browser. */
const focusedText = `(() => { const each = document.activeElement;
  const isRing = ({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
  const rings = [undefined, '::after'].map((part) => getComputedStyle(each, part)).some(isRing);
  return rings || each.type === 'datetime-local' ? (${nameOf})(each) : 'no ring'; })()`;
/** The window scrolls sideways. */
export const scrollsSideways = 'document.documentElement.scrollWidth > innerWidth';
/** The window scrolls sideways, or something is cut off at the card's edge. */
const isTooWide = `${scrollsSideways}
  || [...document.querySelectorAll('.slip p, .slip h1, .slip h2, .slip dd, .slip button, .slip a, .slip input')]
    .some((each) => each.scrollWidth > each.clientWidth + 1
      || each.getBoundingClientRect().right > each.closest('.slip').getBoundingClientRect().right)`;
/** A box or a circle is pressed by its words, too. */
const targetOf =
  "(each) => each.matches('[type=checkbox], [type=radio]') ? each.closest('label') ?? each : each";
/** What a finger may miss. */
export const smallTargets = `${pressable}.filter((each) => (${targetOf})(each).getBoundingClientRect().height < 44)
  .map(${nameOf})`;
/** Texts that have less contrast than WCAG AA asks for. */
export const faintTexts = `(() => {
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
