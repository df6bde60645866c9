/** Every screen of a place, one line each: the only registration. Addresses, the bar and the views are
 *  derived from it. The bar has its entries in this order: those of the shop, of developers, of the settings. */
import type { Address } from '../address.ts';
import { whereOf, type Below, type Entry, type Link } from '../route.ts';
import type { Screen, Shown } from '../screen.tsx';
import { delivery } from './delivery/screen.tsx';
import { endpoint } from './endpoint/screen.tsx';
import { payment } from './payment/screen.tsx';
import { payments } from './payments/screen.tsx';
import { refunds } from './refunds/screen.tsx';
import { webhooks } from './webhooks/screen.tsx';

const screens: readonly Screen[] = [payments, payment, refunds, webhooks, endpoint, delivery];

/** The entries of the bar, in the order of the list. */
export const entries: readonly Entry[] = [...new Set(screens.map(({ navigation }) => navigation))];

/** The initial screen. */
export const homeLink: Link = payments.navigation.link;

/** The screen at an address; null: there is none. */
export function shownAt({ path, query }: Below): Shown | null {
  const below = { path: path === '' ? homeLink.below : path, query };
  for (const screen of screens) {
    const shown = screen.at(below);
    if (shown !== null) return shown;
  }
  return null;
}

/** Whether an address of the page shows a list. */
export function isListAt({ path, search }: Address): boolean {
  const where = whereOf(path, search);
  return where.is === 'place' && shownAt(where.below)?.isList === true;
}
