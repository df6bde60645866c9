/** Who reads a page: in which language, and on which device. */
import type { ErrorRequest } from '../server/door.ts';
import type { Locale } from '../pages/locale.ts';
import { localeOf } from './language.ts';

export interface Reader {
  readonly locale: Locale;
  /** Its browser can open a wallet's app on the same device. */
  readonly isPhone: boolean;
}

/** What `readerOf` reads beside the headers of the language. A form is read after its body has arrived: its door
 *  must name them. */
export const readerHeaders = ['user-agent'] as const;

export const readerOf = (request: ErrorRequest): Reader => ({
  locale: localeOf(request),
  isPhone: isPhone(request.header('user-agent')),
});

/** Tablets count: they have the app stores of phones. An iPad that asks for desktop pages names itself a Mac;
 *  its buyer gets the code and the button. */
export const isPhone = (userAgent: string): boolean =>
  /\b(?:Android|iPhone|iPad|iPod|Mobile|Windows Phone)\b/i.test(userAgent);
