/** Buyers of a payment link: they open its page at some node and press its button. */
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import type { Body } from '../../src/cli/demo/api.ts';

/** The page of a link, at the node with this address. */
export const pageOf = (link: Body, url: string, query = ''): Promise<Page> =>
  open(`${url}/link/${link.text('referenceId')}${query}`);

/** The button of its form: the only one. */
export const submit = (page: Page, typed: { readonly [name: string]: string } = {}): Promise<Page> =>
  press(buttonOf(page, /./), typed);

/** A buyer who opens the page, enters what is asked for, and comes to the session: its page. */
export const buys = async (
  link: Body,
  url: string,
  typed: { readonly [name: string]: string } = {},
): Promise<Page> => submit(await pageOf(link, url), typed);

/** The session whose page this is; null: it is another page. */
export const sessionOn = (page: Page): string | null =>
  /\/pay\/(cs_[0-9a-z]{24})/.exec(page.url)?.[1] ?? null;

export const cancels = (page: Page): Promise<Page> => press(buttonOf(page, /^Cancel/));
export const picks = (page: Page, provider: string): Promise<Page> =>
  press(buttonFor(page, 'provider', provider));
