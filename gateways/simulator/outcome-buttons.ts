/** Buttons that every simulated provider's page has: the sandbox outcomes, the ledger, and the provider's
 *  portal, where a merchant refunds by hand (docs/guides/sandbox.md).
 *  Boundary: which buttons there are and what they set; each page makes the buyer's own moves.
 *  1. A button sets faults only for its own payment, and only where the payment can still show them. */
import type { SandboxOutcome } from '../../actors/simulated-payment/messages.ts';
import { displayNpr, paisaFromRupees } from '../../src/kernel/money.ts';
import { hasTrait, type Provider } from '../../src/providers/catalog.ts';
import { html, type Html } from '../pages/html.ts';
import {
  isAboutRefunds,
  isSandboxOutcome,
  isShownBy,
  outcomesShown,
  outcomeTable,
  type Press,
} from '../../actors/simulated-payment/outcome-table.ts';
import {
  isMoney,
  isOpen,
  knownPayment,
  setOutcomeFaults,
  askPayment,
  type Known,
  type PlayDeps,
} from './payments.ts';

interface Label {
  readonly text: string;
  /** At a provider that sends no buyer back. */
  readonly withoutReturn?: string;
  /** Shown afterwards where the buyer does nothing. */
  readonly afterwards?: string;
}

const label = (text: string, afterwards?: string): Label =>
  afterwards === undefined ? { text } : { text, afterwards };

const labels: { readonly [O in SandboxOutcome]: Label } = {
  success: label('Pay'),
  declined: label('Decline'),
  insufficient_funds: label('Not enough money'),
  cancelled: label('Cancel'),
  scanned: label('Scan'),
  lost_redirect: { ...label('Pay but lose the redirect'), withoutReturn: 'Pay, nothing reported' },
  late_success: label('Pay too late', 'The money arrives a minute after the session has ended.'),
  duplicate_callback: label('Pay, reported twice'),
  double_payment: label('Pay twice'),
  wrong_amount: label('Pay, a rupee less reported'),
  bad_signature: label('Pay, badly signed'),
  ambiguous: label('Pay, status unclear'),
  timeout: label('Pay, then a minute of silence'),
  server_error: label('Pay, then a minute of errors'),
  outage: label('Pay, then a minute of outage'),
  never: label('Do nothing', 'This buyer does nothing. The session runs out.'),
  refund_rejected: label('Reject the next refund', 'The next refund call for this payment is rejected.'),
  refund_timeout: label(
    'Leave the next refund unanswered',
    'The next refund call for this payment is carried out and never answered.',
  ),
};

/** A button of the page that shows it. */
export type MakeButton = (act: string, text: string) => Html;

/** The outcomes this provider can show, except those that its page has a button for already. */
export const outcomeButtons = (
  provider: Provider,
  has: readonly SandboxOutcome[],
  button: MakeButton,
): readonly Html[] =>
  outcomesShown
    .filter((outcome) => isShownBy(provider, outcome) && !has.includes(outcome) && !isAboutRefunds(outcome))
    .map((outcome) => button(outcome, textOf(outcome, provider)));

function textOf(outcome: SandboxOutcome, provider: Provider): string {
  const { text, withoutReturn = text } = labels[outcome];
  return hasTrait(provider, 'returns') ? text : withoutReturn;
}

/** The part of a paid payment's page. `fields` name the payment in a form of the page at `action`. */
export function refundPart({ state }: Known, button: MakeButton, action: string, fields: Html): Html {
  const { provider, amount, refunded, refundCalls = 0 } = state;
  const calls = hasTrait(provider, 'refund_call')
    ? outcomesShown.filter(isAboutRefunds).map((outcome) => button(outcome, labels[outcome].text))
    : null;
  return html`
<section>
<h2>Refunds</h2>
<dl class="bill">
<div><dt>Sent back</dt><dd>${displayNpr(refunded)} of ${displayNpr(amount)}</dd></div>
<div><dt>Refund calls received</dt><dd>${refundCalls}</dd></div>
</dl>
${calls === null ? null : html`<div class="buttons">${calls}</div>`}
<h3>The provider's portal, for the merchant</h3>
<form method="post" action="${action}">${fields}
<label>Amount in rupees; empty for all that is left
<input name="rupees" inputmode="decimal" autocomplete="off" maxlength="20"></label>
<button name="do" value="${portalRefund}">Refund in the portal</button></form>
</section>`;
}

/** The value of the portal's button. */
const portalRefund = 'portal_refund';

/** What came of a button: shown on the page, or the move that the page makes now. */
export type Pressed =
  | { readonly is: 'shown'; readonly status: number; readonly problem: string }
  | { readonly is: 'noted'; readonly notice: string }
  | { readonly is: 'press'; readonly press: Exclude<Press, 'nothing'>; readonly outcome: SandboxOutcome };

const problem = (status: number, says: string): Pressed => ({ is: 'shown', status, problem: says });

/** Presses a button of this file; null for any other. */
export async function pressedOutcome(
  deps: PlayDeps,
  known: Known,
  form: URLSearchParams,
): Promise<Pressed | null> {
  const name = form.get('do') ?? '';
  const { provider, status } = known.state;
  if (name === portalRefund) return refunded(deps, known, form.get('rupees') ?? '');
  if (!isSandboxOutcome(name) || !isShownBy(provider, name)) return null;
  const possible = isAboutRefunds(name) ? isOpen(status) || isMoney(status) : isOpen(status);
  if (!possible) return problem(409, 'This payment has been decided already.');
  await setOutcomeFaults(deps.client, known, name);
  const { press } = outcomeTable[name];
  return press === 'nothing'
    ? { is: 'noted', notice: labels[name].afterwards ?? '' }
    : { is: 'press', press, outcome: name };
}

async function refunded({ client }: PlayDeps, known: Known, rupees: string): Promise<Pressed> {
  const amount = rupees.trim() === '' ? null : paisaFromRupees(rupees.trim());
  if (amount === null && rupees.trim() !== '') return problem(422, 'That is no amount in rupees.');
  const result = await askPayment(client, known, 'refund', { amount }, 'merchant');
  if (result.is === 'ok') return { is: 'noted', notice: 'Refunded in the portal.' };
  if (result.is !== 'refused') return problem(503, 'The simulator is busy. Please try again.');
  const now = (await knownPayment(client, known.paymentId, known.scope)) ?? known;
  const left = now.state.amount - now.state.refunded;
  return problem(409, isMoney(now.state.status) ? `Only ${displayNpr(left)} is left.` : 'Nothing was paid.');
}
