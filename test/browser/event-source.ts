/** A page of a shop's own, in a real browser, that follows a stream with EventSource and keeps what it received. */
import type { Browser, Page } from 'playwright-core';

/** What the page received; events by name, pings left out. */
export interface Heard {
  readonly heard: readonly { readonly type: string; readonly id: string; readonly data: unknown }[];
  readonly opened: number;
  /** readyState at the last error. */
  readonly state: number;
}

/** EventSource.CLOSED: it asks no more. */
export const closed = 2;

export interface Watched {
  readonly tab: Page;
  /** Statuses of the answers to its requests, in order. */
  readonly answers: readonly number[];
  readonly heard: () => Promise<Heard>;
  /** Resolves when what it has received satisfies `what`, a function of no other names. */
  readonly until: (what: (seen: Heard) => boolean, waitMs?: number) => Promise<unknown>;
}

/** Opens the page at `origin` and follows `url` from there. */
export async function watching(browser: Browser, origin: string, url: string): Promise<Watched> {
  const tab = await browser.newPage();
  const answers: number[] = [];
  tab.on('response', (answer) => void (answer.url().includes('/events') && answers.push(answer.status())));
  await tab.goto(origin);
  await tab.evaluate((at) => {
    const seen = { heard: [] as unknown[], opened: 0, state: 0 };
    const source = new EventSource(at);
    source.onopen = () => void seen.opened++;
    for (const type of ['connected', 'qr.scanned', 'qr.paid', 'qr.expired', 'message'])
      source.addEventListener(type, (event) => {
        const { lastEventId, data } = event as MessageEvent;
        seen.heard.push({ type, id: lastEventId, data: JSON.parse(String(data)) as unknown });
      });
    source.onerror = () => void (seen.state = source.readyState);
    Object.assign(globalThis, { seen });
  }, url);
  return {
    tab,
    answers,
    heard: () => tab.evaluate(() => (globalThis as unknown as { seen: Heard }).seen),
    until: (what, timeout = 15_000) =>
      tab.waitForFunction(`(${what.toString()})(seen)`, undefined, { timeout, polling: 50 }),
  };
}
