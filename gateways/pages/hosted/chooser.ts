/** Before a payment runs: the choice of a provider, and for the redirect flow the step to the one the shop chose. */
import { glyph } from '../glyphs.ts';
import { html, type Html } from '../html.ts';
import { addressFieldset, type AddressValues } from './address.ts';
import { hostedPage, type Deadline, type Sheet } from './frame.ts';
import { autoWay, cancelForm, inOrder, oneWay, waysForm, waysList, type Counter, type Way } from './ways.ts';

/** How the last try ended, when it did. */
export interface LastTry {
  readonly label: string;
  readonly end: 'declined' | 'insufficient_funds' | 'cancelled' | 'expired' | 'unreachable';
}

export interface Chooser {
  readonly sheet: Sheet;
  readonly deadline: Deadline;
  readonly counter: Counter;
  readonly ways: readonly Way[];
  /** The provider the shop prefers; in the redirect flow the only one. */
  readonly preselected: string | null;
  readonly lastTry: LastTry | null;
  readonly triesLeft: number;
  /** The address is asked for, with what is known of it; null when it is not. `incomplete`: sent with gaps. */
  readonly address: { readonly values: AddressValues; readonly incomplete: boolean } | null;
}

/** The chooser; with a single provider a plain "continue". */
export function chooserPage(of: Chooser): string {
  const ways = inOrder(of.ways, of.preselected);
  const only = ways.length === 1 ? ways[0] : undefined;
  const plain = only === undefined || only.health !== 'up' || of.address !== null;
  const choice = plain ? chooseAmong(of, ways) : onlyOne(of, only);
  return hostedPage({
    title: of.lastTry === null ? 'Choose how to pay' : 'Payment not completed, try again',
    sheet: of.sheet,
    deadline: of.deadline,
    refresh: atTheEnd(of.deadline),
    main: html`${of.lastTry === null ? null : tryNotice(of.lastTry, of.triesLeft)}${
      of.address?.incomplete === true ? gaps : null}${choice}${cancelForm(of.counter)}`,
  });
}

/** The redirect flow's step: the script takes it at once, the button is for everybody else. */
export const interstitialPage = (of: Chooser & { readonly way: Way | null }): string => hostedPage({
  title: of.way === null ? 'Payment not possible right now' : `Continue to ${of.way.label}`,
  sheet: of.sheet,
  deadline: of.deadline,
  refresh: atTheEnd(of.deadline),
  main: html`${of.lastTry === null ? null : tryNotice(of.lastTry, of.triesLeft)}${stepOf(of)}${cancelForm(of.counter)}`,
});

function stepOf(of: Chooser & { readonly way: Way | null }): Html {
  if (of.way === null) return noWay;
  const words = `Continue to ${of.way.label}`;
  const text = html`<h1>${words}</h1>
<p class="soft">You log in there, approve the payment, and come straight back.</p>`;
  if (of.way.health === 'down') return html`<h1>${of.way.label} is not available right now</h1>
<p class="soft">Please try again in a few minutes. Nothing has been paid.</p>`;
  // After a failed try the script stands still: the buyer reads what happened and decides.
  return of.lastTry === null
    ? html`${text}${autoWay(of.counter, of.way.id, words)}`
    : html`${text}${oneWay(of.counter, of.way.id, words)}`;
}

/** Without script the page notices by itself that its time is over. */
const atTheEnd = (deadline: Deadline): { seconds: number; scriptless: true } => ({
  seconds: Math.max(2, Math.ceil((deadline.at - deadline.now) / 1000) + 2), scriptless: true,
});

function chooseAmong({ counter, address }: Chooser, ways: readonly Way[]): Html {
  if (ways.length === 0) return noWay;
  if (address === null) return html`<h1>How would you like to pay?</h1>${waysList(counter, ways)}`;
  return html`<h1>Address and payment</h1>${waysForm(
    counter, ways, addressFieldset(address.values), html`<h2>How would you like to pay?</h2>`)}`;
}

const gaps = html`<div class="notice bad" role="alert">${glyph('note')}<p><strong>The address is not complete.</strong> Street
and city are needed.</p></div>`;

const onlyOne = (of: Chooser, way: Way): Html => html`<h1>Pay with ${way.label}</h1>
<p class="soft">You log in there, approve the payment, and come straight back.</p>
${oneWay(of.counter, way.id, `Continue to ${way.label}`)}`;

const noWay = html`<h1>No way to pay right now</h1>
<p class="soft">The shop has no payment provider switched on at the moment. Please ask the shop, or try again later.</p>`;

const ends: Readonly<Record<LastTry['end'], (label: string) => readonly [string, string]>> = {
  declined: (label) => [`${label} declined the payment.`, 'Nothing was paid. You can try again.'],
  insufficient_funds: (label) => [`There was not enough money at ${label}.`, 'Nothing was paid.'],
  cancelled: (label) => [`The payment at ${label} was cancelled.`, 'Nothing was paid. You can try again.'],
  expired: (label) => [`The time to pay at ${label} ran out.`, 'If money did leave your account, do not pay again: wait a few minutes.'],
  unreachable: (label) => [`${label} could not be reached.`, 'Nothing was paid. Please try again.'],
};

function tryNotice(last: LastTry, triesLeft: number): Html {
  const [what, next] = ends[last.end](last.label);
  const left = triesLeft > 2 ? '' : triesLeft === 1 ? ' One try is left.' : ` ${triesLeft} tries are left.`;
  return html`<div class="notice" role="alert">${glyph('note')}<p><strong>${what}</strong> ${next}${left}</p></div>`;
}
