/** GET and POST /return/{provider}/{paymentId}/{leg}/{outcome}: the buyer returns from a provider. GET
 *  /return/{provider}/{success or failure} is for providers whose return addresses are registered with them: the
 *  query names the payment.
 *  1. What the return carries is a hint: it makes the session look the payment up, and nothing more. A
 *     session whose owner does not answer for 2 s finds it in its mailbox later.
 *  2. The buyer waits at most 3 s and is then redirected once: to the shop's address when the session has
 *     ended, else to the page of the session. The redirect reflects the session's state, so a late answer
 *     can add to it but never contradict it. */
import { checkoutSessionAt, type SessionCommands } from '../../actors/checkout-session/commands.ts';
import type { SessionState } from '../../actors/checkout-session/state.ts';
import type { Provider } from '../../src/providers/answers.ts';
import { lookupUnderWay } from '../../actors/checkout-session/page.ts';
import { needsReview } from '../../actors/checkout-session/view.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import { seconds, type DurationMs } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { suspendedPage, unknownPage } from '../pages/hosted/trouble.ts';
import { readerOf } from './device.ts';
import { again, onwardOf, pageModelOf, type PageModel } from './page-model.ts';
import type { BuyerParts, ReturnClaim } from './parts.ts';
import { waitingPage } from './pay.ts';
import { lone, seeOther, tooMany } from './replies.ts';
import { watchUntil } from '../live/watch-until.ts';

const verdictWaitMs: DurationMs = seconds(3);

export function returnDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const { provider = '', paymentId = '', leg = 'web', outcome = '' } = request.params;
  return returned(parts, request, { provider, paymentId, leg, outcome });
}

export const registeredReturnDoor =
  (outcome: 'success' | 'failure') =>
  (parts: BuyerParts, request: DoorRequest): Promise<DoorReply> => {
    const { provider = '' } = request.params;
    const paymentId = parts.paymentOfReturn(provider, new URLSearchParams(request.rawQuery)) ?? '';
    return returned(parts, request, { provider, paymentId, leg: 'web', outcome });
  };

/** What an address says about a return. */
interface Addressed {
  readonly provider: string;
  readonly paymentId: string;
  readonly leg: string;
  readonly outcome: string;
}

async function returned(
  parts: BuyerParts,
  request: DoorRequest,
  { provider, paymentId, leg, outcome }: Addressed,
): Promise<DoorReply> {
  const reader = readerOf(request);
  const { locale } = reader;
  const verdict = parts.limitReturns(request.ip);
  if (verdict?.allowed === false) return tooMany(verdict, locale);
  const known = await attemptOf(parts, provider, paymentId);
  if (known === null) return lone(404, unknownPage(locale));
  const { sessionId, scope } = known;
  const model = await pageModelOf(parts, sessionId, reader);
  if (model === null) return lone(404, unknownPage(locale));
  const returned = { paymentId, outcome, query: queryOf(request) };
  const claim = await parts.parseReturn(scope, known.provider, returned);
  if (claim === null) return lone(404, unknownPage(locale));
  const backAt = parts.scheduler.now();
  await hint(parts, sessionId, { paymentId, leg }, claim);

  const settled = await watchUntil(
    parts,
    sessionId,
    async () => {
      const now = await again(model);
      return hasVerdict(now.session, paymentId) ? now : null;
    },
    Math.max(0, backAt + verdictWaitMs - parts.scheduler.now()),
  );
  return settled === null ? stillOpen(await again(model), paymentId, backAt) : onward(settled);
}

interface Attempt {
  readonly sessionId: string;
  readonly scope: Scope;
  readonly provider: Provider;
}

/** The attempt that an address refers to; null when there is no such payment, or it is with another
 *  provider. */
async function attemptOf(
  { client }: BuyerParts,
  provider: string,
  paymentId: string,
): Promise<Attempt | null> {
  const row = couldBeId('pay', paymentId) ? await client.readRow('payment', paymentId, null) : null;
  const sessionId = row?.body['sessionId'];
  if (row === null || typeof sessionId !== 'string' || row.body['provider'] !== provider) return null;
  // a payment's provider is one that we support
  return { sessionId, scope: row.scope, provider: provider as Provider };
}

/** It counts as delivered once it is stored durably; a lost one costs only time: polling continues. */
async function hint(
  { client, log }: BuyerParts,
  sessionId: string,
  { paymentId, leg }: { readonly paymentId: string; readonly leg: string },
  claim: ReturnClaim,
): Promise<void> {
  const { hint: says, verified, summary } = claim;
  const of = leg === 'intent' ? ({ leg } as const) : {};
  const hint: SessionCommands['hint'] = { paymentId, ...of, from: 'return', says, verified, summary };
  const outcomeOfHint = await client.hint(checkoutSessionAt(sessionId), 'hint', hint, {
    by: 'buyer',
    scope: null,
  });
  if (outcomeOfHint === 'lost')
    log.warn(
      { session: sessionId },
      'a return could not be delivered to its session: polling finds the payment',
    );
}

/** Paid is final at once; any other end, and any other attempt, only once this payment's look-up has
 *  returned: it may turn an ended session into a paid one. */
function hasVerdict(session: SessionState, paymentId: string): boolean {
  if (session.status === 'success') return true;
  if (lookupUnderWay(session, paymentId)) return false;
  return session.status !== 'initiated' || session.running !== paymentId || needsReview(session);
}

const onward = (model: PageModel): DoorReply => seeOther(onwardOf(model));

/** Out of time. An ended session is final; a running attempt has its own waiting page. */
function stillOpen(model: PageModel, paymentId: string, backAt: number): DoorReply {
  const { session } = model;
  if (session.status !== 'initiated' || session.running !== paymentId) return onward(model);
  return model.shop.suspended === null
    ? waitingPage(model, backAt)
    : lone(403, suspendedPage(model.shop, model.locale));
}

const queryOf = ({ method, body, rawQuery }: DoorRequest): URLSearchParams =>
  new URLSearchParams(method === 'POST' && body.length > 0 ? body.toString('utf8') : rawQuery);
