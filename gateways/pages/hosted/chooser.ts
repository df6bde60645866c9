/** Before a payment runs: the choice of a provider, and in the redirect flow the step to the provider that
 *  the shop chose. */
import { html, type Html } from '../html.ts';
import type { Locale } from '../locale.ts';
import type { HostedTexts, LastEnd } from '../texts/texts.ts';
import { addressFieldset, type AddressValues } from './address.ts';
import { hostedPage, type Deadline, type Live, type Refresh, type PageOrder } from './frame.ts';
import { notice, soft } from './pieces.ts';
import { autoWay, cancelForm, inOrder, oneWay, waysForm, waysList, type Counter, type Way } from './ways.ts';
import { countedText } from './words.ts';

/** How the last attempt ended, if there was one. */
export interface LastTry {
  readonly label: string;
  readonly end: LastEnd;
}

export interface Chooser {
  readonly locale: Locale;
  readonly sheet: PageOrder;
  readonly deadline: Deadline;
  readonly counter: Counter;
  readonly ways: readonly Way[];
  /** The provider the shop prefers; in the redirect flow the only one. */
  readonly preselected: string | null;
  readonly lastTry: LastTry | null;
  readonly triesLeft: number;
  /** The session that the script follows, to its end. */
  readonly live: Pick<Live, 'session' | 'seen'>;
  /** The known parts of a required address; `incomplete`: it was submitted with missing fields. null: not
   *  required. */
  readonly address: { readonly values: AddressValues; readonly incomplete: boolean } | null;
}

/** The chooser; with a single provider a plain "continue". */
export function chooserPage(of: Chooser): string {
  const ways = inOrder(of.ways, of.preselected);
  const only = ways.length === 1 ? ways[0] : undefined;
  const isPlain = only !== undefined && only.health === 'up' && of.address === null;
  const { title, titleAgain } = textsOf(of);
  return pageOf(
    of,
    of.lastTry === null ? title : titleAgain,
    isPlain ? onlyOne(of, only) : chooseAmong(of, ways),
  );
}

/** The redirect flow's step: the script submits it at once, the button is for browsers without script. */
export function interstitialPage(of: Chooser & { readonly way: Way | null }): string {
  const { noWayTitle, continueTo } = textsOf(of);
  return pageOf(of, of.way === null ? noWayTitle : continueTo(of.way.label), stepOf(of));
}

const textsOf = ({ locale }: Chooser): HostedTexts['chooser'] => locale.texts.hosted.chooser;

const pageOf = (of: Chooser, title: string, step: Html): string =>
  hostedPage({
    title,
    locale: of.locale,
    sheet: of.sheet,
    deadline: of.deadline,
    live: { session: of.live.session, seen: of.live.seen, to: of.counter.path, onlyEnd: true },
    refresh: lookAgain(of),
    main: html`${noticesOf(of)}
${step}
${cancelForm(of.counter)}`,
  });

function stepOf(of: Chooser & { readonly way: Way | null }): Html {
  const { noWay, notAvailable, continueTo, thereAndBack } = textsOf(of);
  if (of.way === null) return headed(...noWay);
  const { id, label, health } = of.way;
  if (health === 'down') return headed(...notAvailable(label));
  // After a failed attempt the page does not redirect: the buyer reads what happened and decides.
  if (of.lastTry !== null) return onlyOne(of, of.way);
  return html`${headed(continueTo(label), thereAndBack)}
${autoWay(of.counter, id, continueTo(label))}`;
}

function onlyOne(of: Chooser, { id, label }: Way): Html {
  const { payWith, continueTo, tryAgainWith, thereAndBack } = textsOf(of);
  return html`${headed(payWith(label), thereAndBack)}
${oneWay(of.counter, id, of.lastTry === null ? continueTo(label) : tryAgainWith(label))}`;
}

function chooseAmong(of: Chooser, ways: readonly Way[]): Html {
  const { counter, address, locale } = of;
  const { noWay, heading, headingWithAddress } = textsOf(of);
  if (ways.length === 0) return headed(...noWay);
  if (address === null) return html`<h1>${heading}</h1>${waysList(counter, ways)}`;
  const fields = html`${addressFieldset(address.values, locale.texts.hosted.address)}<h2>${heading}</h2>`;
  return html`<h1>${headingWithAddress}</h1>${waysForm(counter, ways, fields)}`;
}

const headed = (heading: string, text: string): Html => html`<h1>${heading}</h1>
${soft(text)}`;

const lookAgainSeconds = 30;

/** Without script the page reloads by itself now and then, and when its time is over. What is being typed
 *  would be lost: with an address only when its time is over. */
function lookAgain({ deadline, address, counter }: Chooser): Refresh {
  const untilEnd = Math.max(2, Math.ceil((deadline.at - deadline.now) / 1000) + 2);
  const seconds = address === null ? Math.min(lookAgainSeconds, untilEnd) : untilEnd;
  return { seconds, to: counter.path, scriptless: true };
}

/** So few tries left are worth a word. */
const triesWorthAWord = 2;

function noticesOf(of: Chooser): Html {
  const { lastTry, triesLeft, address, locale } = of;
  if (address?.incomplete === true) return notice(...locale.texts.hosted.address.incomplete, 'bad');
  if (lastTry === null) return html``;
  const { ends, triesLeft: left } = textsOf(of);
  const [what, then] = ends[lastTry.end](lastTry.label);
  if (triesLeft > triesWorthAWord) return notice(what, then);
  return notice(what, `${then} ${countedText(triesLeft, left, locale.texts.times)}`);
}
