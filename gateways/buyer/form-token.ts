/** Proof that a form came from one of our pages: an HMAC of the session id under the service's own key.
 *  `Referer` and `Origin` prove nothing here, since the pages send neither. */
import { equalInConstantTime, hmacSha256 } from '../../src/kernel/hash.ts';

export const formTokenOf = (formKey: Uint8Array, sessionId: string): string =>
  hmacSha256(formKey, `form ${sessionId}`, 'base64url');

export const isFormToken = (formKey: Uint8Array, sessionId: string, sent: string | null): boolean =>
  sent !== null && equalInConstantTime(sent, formTokenOf(formKey, sessionId));
