/** Replies of the buyer's doors other than a session's page. */
import { couldBeId } from '../../src/kernel/id.ts';
import type { DoorReply, ErrorRequest } from '../server/door.ts';
import type { Locale } from '../pages/locale.ts';
import { pageHeaders } from '../pages/headers.ts';
import { limitHeaders } from '../http/access/rate-limit.ts';
import { type Verdict } from '../http/access/buckets.ts';
import { busyPage, notFoundPage, tooManyPage, wrongWayPage } from '../pages/hosted/trouble.ts';
import { localeOf, withLanguageHeaders } from './language.ts';

type Headers = { readonly [name: string]: string };

/** A page that belongs to no session. */
export const lone = (status: number, body: string, headers: Headers = {}): DoorReply => ({
  status,
  headers: { ...pageHeaders(), ...headers },
  body,
});

/** A page with the logo of a shop. */
export const withLogo = (status: number, body: string): DoorReply => ({
  status,
  headers: pageHeaders([], 'logo'),
  body,
});

/** 429: this address has reached its limit for this minute. */
export const tooMany = (verdict: Verdict, locale: Locale): DoorReply =>
  lone(429, tooManyPage(verdict.retryAfterSeconds, locale), limitHeaders(verdict));

/** The same for a page that reloads by itself: it continues when the limit allows. */
export function tooManyYet(verdict: Verdict, locale: Locale): DoorReply {
  const reply = tooMany(verdict, locale);
  return { ...reply, headers: { ...reply.headers, Refresh: String(verdict.retryAfterSeconds) } };
}

/** 303: redirect with GET. `address`: one of our paths or an absolute URL, in any script. */
export const seeOther = (address: string): DoorReply => ({
  status: 303,
  headers: { Location: inAscii(address), 'Referrer-Policy': 'no-referrer' },
  body: null,
});

/** A header is ASCII: international hosts are sent as punycode, other characters percent-encoded. An ASCII
 *  address stays byte for byte the same: a shop may compare it with the one it gave us. */
const inAscii = (address: string): string =>
  /^[\x21-\x7e]*$/.test(address) ? address : new URL(address).href;

/** The page for errors that the listener answers in place of a buyer's door: 405, 413, 500 or 503. */
export function errorPage(status: number, request: ErrorRequest): DoorReply {
  const locale = localeOf(request);
  const id = /^\/pay\/([^/]+)/.exec(request.path)?.[1] ?? '';
  const page = couldBeId('cs', id) ? `/pay/${id}` : null;
  return lone(status, status < 500 ? wrongWayPage(page, locale) : busyPage(page, locale));
}

/** The page for an address with no door (404), or for any address while no doors are mounted (503). The
 *  API's own addresses have no such page: their clients are programs. */
export const lostPage = (status: number, request: ErrorRequest): DoorReply | null => {
  if (/^\/(?:v1|admin|sim\/control)(?:\/|$)/.test(request.path)) return null;
  const page = status === 404 ? lone(404, notFoundPage(localeOf(request))) : errorPage(status, request);
  return withLanguageHeaders(request, page);
};
