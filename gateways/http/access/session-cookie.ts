/** The cookie of a dashboard session: how it is written, read and cleared.
 *  1. `__Host-`: the browser accepts it only from this exact host, for every path, over TLS (or from its
 *     own machine), so no neighbouring host can plant one.
 *  2. HttpOnly: no script reads it. SameSite=Lax: no other site's POST carries it. */
import { sessionLifeMs } from '../../../actors/dashboard-user/messages.ts';
import { couldBeId } from '../../../src/kernel/id.ts';

export const cookieName = '__Host-galla';
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Lax';

/** Names the session's user, so that any node finds it, and holds the token that proves it. */
export interface SessionCookie {
  readonly userId: string;
  /** 32 random bytes in base64url. */
  readonly token: string;
}

/** Value of `Set-Cookie` that begins a session. */
export const cookieText = ({ userId, token }: SessionCookie): string =>
  `${cookieName}=${userId}.${token}; ${attributes}; Max-Age=${sessionLifeMs / 1000}`;

/** Value of `Set-Cookie` that clears it. */
export const noCookieText = `${cookieName}=; ${attributes}; Max-Age=0`;

const valueForm = /^(usr_[0-9a-z]{24})\.([A-Za-z0-9_-]{43})$/;
/** A browser sends a few KiB at most; a longer header does not come from one. */
const headerCharactersMax = 8192;

/** The session cookie in a request's `Cookie` header; null when none has a valid form. Of several the first
 *  counts. */
export function cookieIn(header: string): SessionCookie | null {
  if (header === '' || header.length > headerCharactersMax) return null;
  const ours = header.split(';').find((each) => each.trim().startsWith(`${cookieName}=`));
  const [, userId = '', token = ''] = valueForm.exec(ours?.trim().slice(cookieName.length + 1) ?? '') ?? [];
  return couldBeId('usr', userId) ? { userId, token } : null;
}
