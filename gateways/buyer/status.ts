/** GET /status: the public status of a payment as a page. Read-only; needs no key and no session.
 *  1. Shows what the API shows, and asks for it in the same way, under the same limit.
 *  2. The address of the payment page is offered only to somebody who has named the session: an order number
 *     can be guessed. */
import type { Mode } from '../../src/runtime/model/address.ts';
import { lengthError } from '../http/routes/public-status.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import type { PublicStatus } from '../status/answer.ts';
import { statusPage, statusSearchPage, type NoResult } from '../pages/hosted/status.ts';
import type { Locale } from '../pages/locale.ts';
import { localeOf } from './language.ts';
import { sessionWithPage } from '../http/page-sessions.ts';
import type { BuyerParts } from './parts.ts';
import { lone, tooManyYet, withLogo } from './replies.ts';

/** What is shown again of a text that is too long. */
const sentCharactersMax = 200;

export async function publicStatusDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const locale = localeOf(request);
  const asked = new URLSearchParams(request.rawQuery);
  const query = (asked.get('query') ?? '').trim();
  if (query === '') return lone(200, statusSearchPage('', null, locale));
  const verdict = parts.limitLookUps(request.ip);
  if (verdict?.allowed === false) return tooManyYet(verdict, locale);
  const wrong = lengthError(query);
  if (wrong !== null)
    return searchAgain(400, query, wrong.code === 'too_short' ? 'too_short' : 'too_long', locale);
  const found = await parts.lookUp({ query, merchant: asked.get('merchant'), mode: modeIn(asked) });
  if (found === null || found === 'ambiguous')
    return searchAgain(404, query, found === null ? 'not_found' : 'ambiguous', locale);
  return withLogo(200, statusPage(found, parts.scheduler.now(), await payPathOf(parts, found), locale));
}

const searchAgain = (status: number, query: string, why: NoResult, locale: Locale): DoorReply =>
  lone(status, statusSearchPage(query.slice(0, sentCharactersMax), why, locale));

/** Any other text narrows nothing. */
function modeIn(asked: URLSearchParams): Mode | null {
  const mode = asked.get('mode');
  return mode === 'sandbox' || mode === 'live' ? mode : null;
}

async function payPathOf(
  { client }: BuyerParts,
  { lookup, status, session }: PublicStatus,
): Promise<string | null> {
  if (session === null || lookup.matchedBy !== 'session_id' || status.terminal) return null;
  return (await sessionWithPage(client, session.id)) === null ? null : `/pay/${session.id}`;
}
