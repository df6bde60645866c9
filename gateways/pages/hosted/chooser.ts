/** Before a payment runs: the choice of a provider, and in the redirect flow the step to the provider that
 *  the shop chose. */
import { html, type Html } from '../html.ts';
import { addressFieldset, type AddressValues } from './address.ts';
import { hostedPage, type Deadline, type Refresh, type PageOrder } from './frame.ts';
import { notice, soft } from './pieces.ts';
import { autoWay, cancelForm, inOrder, oneWay, waysForm, waysList, type Counter, type Way } from './ways.ts';

/** How the last attempt ended, if there was one. */
export interface LastTry {
  readonly label: string;
  readonly end: 'declined' | 'insufficient_funds' | 'cancelled' | 'expired' | 'unreachable';
}

export interface Chooser {
  readonly sheet: PageOrder;
  readonly deadline: Deadline;
  readonly counter: Counter;
  readonly ways: readonly Way[];
  /** The provider the shop prefers; in the redirect flow the only one. */
  readonly preselected: string | null;
  readonly lastTry: LastTry | null;
  readonly triesLeft: number;
  /** The known parts of a required address; `incomplete`: it was submitted with missing fields. null: not
   *  required. */
  readonly address: { readonly values: AddressValues; readonly incomplete: boolean } | null;
}

/** The chooser; with a single provider a plain "continue". */
export function chooserPage(of: Chooser): string {
  const ways = inOrder(of.ways, of.preselected);
  const only = ways.length === 1 ? ways[0] : undefined;
  const isPlain = only !== undefined && only.health === 'up' && of.address === null;
  return hostedPage({
    title: of.lastTry === null ? 'Choose how to pay' : 'Payment not completed, try again',
    sheet: of.sheet,
    deadline: of.deadline,
    refresh: atTheEnd(of.deadline),
    main: html`${noticesOf(of)}
${isPlain ? onlyOne(of, only) : chooseAmong(of, ways)}
${cancelForm(of.counter)}`,
  });
}

/** The redirect flow's step: the script submits it at once, the button is for browsers without script. */
export const interstitialPage = (of: Chooser & { readonly way: Way | null }): string =>
  hostedPage({
    title: of.way === null ? 'Payment not possible right now' : `Continue to ${of.way.label}`,
    sheet: of.sheet,
    deadline: of.deadline,
    refresh: atTheEnd(of.deadline),
    main: html`${noticesOf(of)}
${stepOf(of)}
${cancelForm(of.counter)}`,
  });

function stepOf(of: Chooser & { readonly way: Way | null }): Html {
  if (of.way === null) return noWay;
  const { id, label, health } = of.way;
  if (health === 'down') {
    return html`<h1>${label} is not available right now</h1>
${soft('Please try again in a few minutes. Nothing has been paid.')}`;
  }
  // After a failed attempt the page does not redirect: the buyer reads what happened and decides.
  if (of.lastTry !== null) return onlyOne(of, of.way);
  return html`<h1>Continue to ${label}</h1>
${thereAndBack}
${autoWay(of.counter, id, `Continue to ${label}`)}`;
}

const onlyOne = (of: Chooser, { id, label }: Way): Html => html`<h1>Pay with ${label}</h1>
${thereAndBack}
${oneWay(of.counter, id, of.lastTry === null ? `Continue to ${label}` : `Try again with ${label}`)}`;

function chooseAmong({ counter, address }: Chooser, ways: readonly Way[]): Html {
  if (ways.length === 0) return noWay;
  if (address === null) return html`<h1>How would you like to pay?</h1>${waysList(counter, ways)}`;
  const fields = html`${addressFieldset(address.values)}<h2>How would you like to pay?</h2>`;
  return html`<h1>Address and payment</h1>${waysForm(counter, ways, fields)}`;
}

export const thereAndBack = soft('You log in there, approve the payment, and come straight back.');

const noWay = html`<h1>No way to pay right now</h1>
${soft('The shop has no payment provider switched on. Please ask the shop, or try again later.')}`;

/** Without script the page reloads by itself when its time is over. */
const atTheEnd = (deadline: Deadline): Refresh => ({
  seconds: Math.max(2, Math.ceil((deadline.at - deadline.now) / 1000) + 2),
  scriptless: true,
});

const ends: Readonly<Record<LastTry['end'], (label: string) => readonly [what: string, then: string]>> = {
  declined: (label) => [`${label} declined the payment.`, 'Nothing was paid. You can try again.'],
  insufficient_funds: (label) => [`There was not enough money at ${label}.`, 'Nothing was paid.'],
  cancelled: (label) => [`The payment at ${label} was cancelled.`, 'Nothing was paid. You can try again.'],
  expired: (label) => [
    `The time to pay at ${label} ran out.`,
    'If money did leave your account, do not pay again: wait a few minutes.',
  ],
  unreachable: (label) => [`${label} could not be reached.`, 'Nothing was paid. Please try again.'],
};

function noticesOf({ lastTry, triesLeft, address }: Chooser): Html {
  if (address?.incomplete === true) {
    return notice('The address is not complete.', 'Street and city are needed.', 'bad');
  }
  if (lastTry === null) return html``;
  const [what, then] = ends[lastTry.end](lastTry.label);
  const left = triesLeft === 1 ? ' One try is left.' : ` ${triesLeft} tries are left.`;
  return notice(what, `${then}${triesLeft > 2 ? '' : left}`);
}
