/** The language of a buyer's pages: the one chosen by the switch (`?lang=` of this request, or the cookie it has
 *  set before), else the browser's.
 *  1. The switch leads to a path of ours, never to another host: whatever path was asked for. */
import type { Language } from '../../actors/message/messages.ts';
import { days } from '../../src/kernel/time.ts';
import { languageParameter, localeIn, type Locale } from '../pages/locale.ts';
import { isPlainPath } from '../pages/own-path.ts';
import { languageIn } from '../server/accept.ts';
import type { Door, DoorReply, DoorRequest, ErrorRequest } from '../server/door.ts';

const cookieName = 'lang';
const cookieLifeMs = days(365);
/** What a page depends on beside its address. */
const languageHeaders = ['accept-language', 'cookie'] as const;
const varies = 'Accept-Language, Cookie';

export const languageOf = ({ rawQuery, header }: Pick<DoorRequest, 'rawQuery' | 'header'>): Language =>
  chosenIn(rawQuery) ?? rememberedIn(header('cookie')) ?? languageIn(header('accept-language'));

/** The language, and where the switch opens this page again. What a form has brought about has no address of
 *  its own: there the switch opens the page of the session, of the payment link or of the invoice. */
export function localeOf(request: ErrorRequest): Locale {
  return localeIn(
    languageOf({ rawQuery: request.rawQuery, header: (name) => request.header(name) }),
    hereIn(request),
  );
}

/** Whatever this door answers follows the buyer's language: caches learn what it depends on, and a choice in
 *  its address is remembered. */
export const inLanguages = (door: Door & Required<Pick<Door, 'errorPage'>>): Door => {
  const { lateHeaders = [] } = door;
  return {
    ...door,
    lateHeaders: [...new Set([...lateHeaders, ...languageHeaders])],
    handle: async (request) => withLanguageHeaders(request, await door.handle(request)),
    errorPage: (status, request) => withLanguageHeaders(request, door.errorPage(status, request)),
  };
};

/** The reply with the headers of its language. */
export function withLanguageHeaders(
  { rawQuery }: Pick<DoorRequest, 'rawQuery'>,
  reply: DoorReply,
): DoorReply {
  const { headers = {} } = reply;
  const isPage = headers['Content-Type']?.startsWith('text/html') === true;
  // a shared cache would hand the cookie on to others
  const isShared = headers['Cache-Control']?.startsWith('public') === true;
  const chosen = isShared ? null : chosenIn(rawQuery);
  if (!isPage && chosen === null) return reply;
  const vary = headers['Vary'] === undefined ? varies : `${headers['Vary']}, ${varies}`;
  return {
    ...reply,
    headers: {
      ...headers,
      ...(isPage ? { Vary: vary } : {}),
      ...(chosen === null ? {} : { 'Set-Cookie': cookieText(chosen) }),
    },
  };
}

/** No secret: any script and any scheme may read it. */
const cookieText = (language: Language): string =>
  `${cookieName}=${language}; Path=/; Max-Age=${cookieLifeMs / 1000}; SameSite=Lax`;

const asLanguage = (text: string | null | undefined): Language | null =>
  text === 'en' || text === 'ne' ? text : null;

const chosenIn = (rawQuery: string): Language | null =>
  rawQuery.includes(languageParameter)
    ? asLanguage(new URLSearchParams(rawQuery).get(languageParameter))
    : null;

const rememberedIn = (cookies: string): Language | null =>
  asLanguage(/(?:^|;)\s*lang=(\w+)\s*(?:;|$)/.exec(cookies)?.[1]);

/** Any origin: only paths are compared with it. */
const anyOrigin = 'http://here.invalid';

function hereIn({ method, path, rawQuery }: ErrorRequest): string | null {
  if (method !== 'GET') return /^\/(?:pay|link|invoice)\/[^/]+/.exec(path)?.[0] ?? null;
  const here = rawQuery === '' ? path : `${path}?${rawQuery}`;
  if (isPlainPath(here)) return here;
  // `//other.example` is a path that browsers take for a host
  return URL.canParse(here, anyOrigin) && new URL(here, anyOrigin).origin === anyOrigin ? here : null;
}
