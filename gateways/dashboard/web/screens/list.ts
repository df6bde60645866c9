/** Every screen of a place, one line each: the only registration. Addresses, the bar and what is drawn follow from
 *  it. */
import type { Address } from '../address.ts';
import { whereOf, type Below, type Entry, type Link } from '../route.ts';
import type { Screen, Shown } from '../screen.tsx';
import { delivery } from './delivery/screen.tsx';
import { endpoint } from './endpoint/screen.tsx';
import { payment } from './payment/screen.tsx';
import { payments } from './payments/screen.tsx';
import { webhooks } from './webhooks/screen.tsx';

const screens: readonly Screen[] = [payments, payment, webhooks, endpoint, delivery];

/** What the bar leads to, in the order of the list. */
export const entries: readonly Entry[] = [...new Set(screens.map(({ navigation }) => navigation))];

/** Where one begins. */
export const homeLink: Link = payments.navigation.link;

/** What is shown at an address; null: nothing is there. */
export function shownAt({ path, query }: Below): Shown | null {
  const below = { path: path === '' ? homeLink.below : path, query };
  for (const screen of screens) {
    const shown = screen.at(below);
    if (shown !== null) return shown;
  }
  return null;
}

/** Whether a list is at an address of the page. */
export function isListAt({ path, search }: Address): boolean {
  const where = whereOf(path, search);
  return where.is === 'place' && shownAt(where.below)?.isList === true;
}
