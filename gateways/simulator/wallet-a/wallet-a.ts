/** The simulated wallet_a's API: the form that a browser posts, and the look-up.
 *  Boundary: the API's messages are defined in simulator.ts of src/providers; here actors and faults are
 *  applied to them.
 *  1. Every exchange about a known payment is recorded in its log, whatever was answered.
 *  2. A payment is found from the request alone; our own payment tells which project it belongs to.
 *  3. An attempt whose session plans an outcome does not wait for a browser: the first look-up submits the
 *     form. */
import type { Fault } from '../../../actors/simulated-payment/messages.ts';
import {
  parseForm,
  parseLookup,
  isFoundBy,
  lifeMs,
  lookupReply,
  notFoundReply,
  outageReply,
  paymentOf,
  refIdOf,
  unknownStatus,
  type FormRequest,
  type LookupRequest,
  type Shown,
} from '../../../src/providers/wallet-a/simulator.ts';
import type { Door, DoorReply, DoorRequest } from '../../server/door.ts';
import {
  referenceOf,
  sandboxPayment,
  spendFault,
  takeFaults,
  registered,
  type Known,
  type PlayDeps,
  type Whose,
} from '../payments.ts';
import { knownOrBrought } from '../brought.ts';
import { asDoor, exchange, failsNow, statusTextIn, withLateMoney } from '../exchange.ts';
import { has } from '../faults.ts';
import { outcomeIn } from '../../../actors/simulated-payment/outcome-table.ts';
import { refusedPage } from '../wallet-html.ts';
import { seeOther, walletReply } from '../wallet-page.ts';
import { pagePathOf, type Wallet } from '../wallet.ts';

const provider = 'wallet_a';
export const walletARoot = '/sim/wallet_a';
const bodyBytesMax = 16 * 1024;

export const walletADoors = (deps: PlayDeps, wallet: Wallet): readonly Door[] => [
  {
    method: 'POST',
    path: `${walletARoot}/api/epay/main/v2/form`,
    bodyBytesMax,
    lateHeaders: [],
    handle: (request) => form(deps, wallet, request),
  },
  {
    method: 'GET',
    path: `${walletARoot}/api/epay/transaction/status/`,
    lateHeaders: [],
    handle: (request) => lookup(deps, wallet, request),
  },
];

/** The payment as the API shows it, with the faults that change it. */
export function shownOf(known: Known, faults: readonly Fault[]): Shown {
  const { paymentId, state } = known;
  const reference = referenceOf(paymentId);
  const spelling = has(faults, 'amount_text')?.value ?? null;
  return {
    status: failsNow(known, faults) ? 'declined' : state.status,
    refId: refIdOf(paymentId),
    reference: has(faults, 'wrong_reference') === null ? reference : anotherReference(reference),
    amount: state.amount - (has(faults, 'wrong_amount') === null ? 0 : 100),
    ...statusTextIn(faults, unknownStatus),
    ...(spelling === null ? {} : { amountText: String(spelling) }),
  };
}

const anotherReference = (reference: string): string =>
  `${reference.slice(0, -1)}${reference.endsWith('0') ? '1' : '0'}`;

async function form(deps: PlayDeps, wallet: Wallet, request: DoorRequest): Promise<DoorReply> {
  const text = request.body.toString('utf8');
  const parsed = parseForm(new URLSearchParams(text));
  if (parsed.is === 'refused') return walletReply(400, refusedPage(wallet, parsed.says));
  const paymentId = paymentOf(parsed.form.reference);
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (paymentId === null || named === null) {
    return walletReply(400, refusedPage(wallet, 'No such sandbox payment.'));
  }
  const of = { paymentId, scope: named.scope };
  const faults = await takeFaults(deps, of, provider, 'start');
  return exchange(deps, of, { call: 'start', request: text, faults, outage }, async () => {
    const outcome = outcomeIn(named.metadata, provider);
    const known = await registered(deps, of, startOf(of, named.sessionId, parsed.form), outcome);
    if (known === null)
      return { reply: walletReply(503, refusedPage(wallet, 'Please try again.')), shows: false };
    return { reply: seeOther(pagePathOf(wallet, known)), shows: false };
  });
}

/** What the wallet learns of a payment from its form. */
export const startOf = (
  { paymentId }: Whose,
  sessionId: string,
  { amount, successUrl, failureUrl }: Omit<FormRequest, 'reference'>,
) =>
  ({
    provider,
    sessionId,
    amount,
    handle: referenceOf(paymentId),
    returnUrl: successUrl,
    failureUrl,
    title: referenceOf(paymentId),
    lifeEndsAt: null,
    lifeOnceOpenMs: lifeMs,
  }) as const;

async function lookup(deps: PlayDeps, wallet: Wallet, request: DoorRequest): Promise<DoorReply> {
  const parsed = parseLookup(new URLSearchParams(request.rawQuery));
  const paymentId = paymentOf(parsed.reference);
  const named = paymentId === null ? null : await sandboxPayment(deps, paymentId, provider);
  if (paymentId === null || named === null) return asDoor(notFoundReply(parsed));
  const of = { paymentId, scope: named.scope };
  const found = await knownOrBrought(deps, wallet, of, named);
  const faults = await takeFaults(deps, of, provider, 'lookup');
  const asked = { call: 'lookup', request: `GET ?${request.rawQuery}`, faults, outage } as const;
  return exchange(deps, of, asked, async () => {
    if (found === null) return { reply: asDoor(notFoundReply(parsed)), shows: false };
    return answered(deps, found, parsed, faults);
  });
}

async function answered(deps: PlayDeps, found: Known, parsed: LookupRequest, faults: readonly Fault[]) {
  const known = await withLateMoney(deps, found, has(faults, 'late_success'));
  if (!isFoundBy(parsed, known.state.amount)) return { reply: asDoor(notFoundReply(parsed)), shows: false };
  const shown = shownOf(known, faults);
  if (shown.status !== known.state.status) await spendFault(deps.client, known, 'success_then_failed');
  const older = has(faults, 'field_style')?.value === 'camel';
  return { reply: asDoor(lookupReply(shown, older)), shows: true };
}

const outage = asDoor(outageReply());
