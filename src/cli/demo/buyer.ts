/** A buyer with a browser without script: opens pages, follows redirects, fills in forms, presses buttons.
 *  Boundary: knows HTML and HTTP; the demo decides what a page means. */
import { setTimeout as pause } from 'node:timers/promises';
import { readHtml, type Button, type HtmlPage } from './html-page.ts';

export interface Page extends HtmlPage {
  readonly status: number;
  /** The current address of the browser. */
  readonly url: string;
  /** The redirects followed, oldest first. */
  readonly hops: readonly { readonly status: number; readonly to: string }[];
  readonly headers: Headers;
  readonly html: string;
}

const hopsMax = 10;
const refreshesMax = 10;

/** Opens an address and follows redirects like a browser. If the target of a redirect does not answer, the
 *  result is an empty page with status 0. */
export async function open(url: string, init: RequestInit = {}): Promise<Page> {
  const hops: { status: number; to: string }[] = [];
  let request: RequestInit = init;
  for (let here = url; hops.length <= hopsMax;) {
    const answer = await fetched(here, request, hops.length > 0);
    if (answer === null)
      return { ...readHtml('', here), status: 0, url: here, hops, headers: new Headers(), html: '' };
    const location = answer.headers.get('location');
    const html = await answer.text();
    if (answer.status < 300 || answer.status > 399 || location === null) {
      return {
        ...readHtml(html, here),
        status: answer.status,
        url: here,
        hops,
        headers: answer.headers,
        html,
      };
    }
    here = new URL(location, here).href;
    hops.push({ status: answer.status, to: here });
    // 307 and 308 repeat the request, every other redirect is fetched
    if (answer.status < 307) request = {};
  }
  throw new Error(`more than ${hopsMax} redirects from ${url}`);
}

async function fetched(url: string, init: RequestInit, sentOn: boolean): Promise<Response | null> {
  try {
    return await fetch(url, { ...init, redirect: 'manual' });
  } catch (failure) {
    if (sentOn) return null;
    throw failure;
  }
}

/** The first button whose text matches; throws with a list of buttons when there is none. */
export function buttonOf(page: Page, words: RegExp): Button {
  const found = page.buttons.find((button) => !button.disabled && words.test(button.words));
  if (found !== undefined) return found;
  const seen = page.buttons.map((button) => `"${button.words}"`).join(', ');
  throw new Error(
    `no button ${String(words)} on "${page.title}" (${page.status} ${page.url}); there are: ${seen}`,
  );
}

/** The button of the form that sends this field with this value (several look alike to a machine). */
export function buttonFor(page: Page, field: string, value: string): Button {
  const found = page.buttons.find((button) => !button.disabled && button.fields.get(field) === value);
  if (found !== undefined) return found;
  throw new Error(`no form with ${field}=${value} on "${page.title}" (${page.status} ${page.url})`);
}

/** Presses a button; `typed` is what the buyer entered into the form's inputs. */
export function press(button: Button, typed: { readonly [name: string]: string } = {}): Promise<Page> {
  const fields = new URLSearchParams([...new Map([...button.fields, ...Object.entries(typed)])]);
  if (button.method === 'POST') return open(button.action, { method: 'POST', body: fields });
  const url = new URL(button.action);
  url.search = fields.toString();
  return open(url.href);
}

/** Waits as the page requests (meta refresh) until `done`, or until the page stops requesting it; at most
 *  ten times. */
export async function waitThere(page: Page, done: (page: Page) => boolean): Promise<Page> {
  let now = page;
  for (let refreshes = 0; refreshes < refreshesMax && now.refresh !== null && !done(now); refreshes++) {
    await pause(now.refresh.seconds * 1000);
    now = await open(now.refresh.url);
  }
  return now;
}
