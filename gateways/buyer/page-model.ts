/** The content of a session's page: from the session's state to the model of a page, and the reply around
 *  it.
 *  Boundary: read-only; asks nothing of the session. The doors decide what happens, this shows the current
 *  state.
 *  1. Every page of a session is built here, so any two of them at one moment agree. */
import type { Payment } from '../../actors/checkout-session/attempt.ts';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import type {
  EndedSession,
  InitiatedSession,
  LivingSession,
  SessionState,
} from '../../actors/checkout-session/state.ts';
import { isScanned, pageStatusOf, shopUrlOf } from '../../actors/checkout-session/page.ts';
import { isPayableBy } from '../../actors/checkout-session/payable.ts';
import { qrLifeMs } from '../../actors/checkout-session/poll-schedule.ts';
import { amountOf, isPaid } from '../../actors/checkout-session/payment.ts';
import { attemptsMax, paymentOf, runningOf } from '../../actors/checkout-session/steps.ts';
import { needsReview } from '../../actors/checkout-session/view.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import { minutes, seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { hasTrait } from '../../src/providers/catalog.ts';
import { isLive, type Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { sessionWithPage } from '../http/page-sessions.ts';
import type { DoorReply } from '../server/door.ts';
import type { Html } from '../pages/html.ts';
import { originOf, pageHeaders } from '../pages/headers.ts';
import type { AddressValues } from '../pages/hosted/address.ts';
import { appPage, type AppLink } from '../pages/hosted/app.ts';
import { chooserPage, interstitialPage, type Chooser, type LastTry } from '../pages/hosted/chooser.ts';
import { endedPage, type Ended } from '../pages/hosted/ended.ts';
import type { PageOrder } from '../pages/hosted/frame.ts';
import { scanPage } from '../pages/hosted/scan.ts';
import {
  awayPage,
  checkingPage,
  openingPage,
  reviewPage,
  undecidedPage,
  type Waiting,
} from '../pages/hosted/waiting.ts';
import type { Counter, Way } from '../pages/hosted/ways.ts';
import { shortName } from '../pages/hosted/words.ts';
import { isAddressAsked } from './address.ts';
import type { Reader } from './device.ts';
import { formTokenOf } from './form-token.ts';
import type { BuyerParts, ProviderOf, ShopOf } from './parts.ts';

/** By then the last look-up at `expires_at` is over. */
const lastLookMs: DurationMs = seconds(10);

/** A page that was paid by code or in an app goes back to the shop after this time, if it is opened this soon. */
const returnMs: DurationMs = seconds(5);
const justPaidMs: DurationMs = minutes(1);

/** A session and everything its pages need, read at one moment. */
export interface PageModel extends Reader {
  readonly id: string;
  readonly session: SessionState;
  readonly scope: Scope;
  /** On the session's clock. */
  readonly now: Instant;
  readonly shop: ShopOf;
  readonly providers: readonly ProviderOf[];
  /** What was paid; null: the session is not paid, or for no invoice. */
  readonly invoice: Ended['invoice'];
  readonly parts: BuyerParts;
}

/** Reads a session for its buyer; null when there is none with a page. */
export async function pageModelOf(parts: BuyerParts, id: string, reader: Reader): Promise<PageModel | null> {
  const found = await sessionWithPage(parts.client, id);
  if (found === null) return null;
  const { scope } = found.meta;
  const session = found.state;
  const [shop, providers, invoice] = await Promise.all([
    parts.shopOf(scope),
    parts.providersOf(scope),
    paidInvoiceOf(parts.client, session),
  ]);
  const { locale, isPhone } = reader;
  const now = parts.client.now(scope);
  return { id, session, scope, now, shop, providers, invoice, parts, locale, isPhone };
}

type Ending = Pick<PageModel, 'session' | 'id'>;

/** Where the buyer goes from here: to the shop once the session has ended, otherwise to its page. Never to an
 *  invoice, not even after a cancel: it names its customer, and strangers may learn the id of a session that can still
 *  be paid, too (docs/reference/api/payments.md, public status). */
export function onwardOf({ session, id }: Ending): string {
  const shopUrl = 'endedAt' in session ? shopUrlOf(session, id) : null;
  return shopUrl ?? `/pay/${id}`;
}

/** Its number and period, and nobody's name. */
async function paidInvoiceOf(
  client: Pick<Client, 'readRow'>,
  { status, order: { invoiceId } }: SessionState,
): Promise<Ended['invoice']> {
  if (status !== 'success' || invoiceId === undefined) return null;
  const row = await client.readRow('invoice', invoiceId, null);
  if (row === null) return null;
  const { invoiceNumber, periodStart, periodEnd } = row.body as unknown as InvoiceRow;
  return { number: invoiceNumber, periodStart: Date.parse(periodStart), periodEnd: Date.parse(periodEnd) };
}

/** What its page needs of the row of an invoice. */
interface InvoiceRow {
  readonly invoiceNumber: string | null;
  readonly periodStart: string;
  readonly periodEnd: string;
}

/** Whether its page speaks of an invoice: those of an older version had no page. */
const isForInvoice = ({ order: { invoiceId, subscriptionId } }: SessionState): boolean =>
  invoiceId !== undefined && subscriptionId !== undefined;

/** A payment of it was opened at a provider. */
const mayHaveMoney = ({ payments }: SessionState): boolean =>
  payments.some(({ legs }) => legs[0].lookupReference !== null);

/** The same with the session's current state; the old one when it can no longer be read. */
export async function again(model: PageModel): Promise<PageModel> {
  const found = await model.parts.client.read<SessionState>(checkoutSessionAt(model.id), null);
  if (found === null) return model;
  const { client } = model.parts;
  const invoice = await paidInvoiceOf(client, found.state);
  return { ...model, session: found.state, now: client.now(model.scope), invoice };
}

export interface Shown {
  readonly status?: number;
  /** Shown above the running payment. */
  readonly notice?: Html;
  /** The buyer has just returned: the address to reload, and how long the buyer is only asked to wait. */
  readonly back?: { readonly to: string; readonly patientMs: DurationMs };
  /** The buyer has chosen to stay on the last page. */
  readonly stay?: boolean;
  /** The buyer has just chosen a wallet: a phone opens its app. */
  readonly opensApp?: boolean;
  /** Address fields as submitted, incomplete. */
  readonly address?: AddressValues;
}

/** The page of the current state. */
export function shown(model: PageModel, how: Shown = {}): DoorReply {
  return pageReply(model, how, pageOf(model, how));
}

function pageOf(model: PageModel, how: Shown): string {
  const { session } = model;
  // what was paid is refunded: the buyer may pay again
  const isPayable = session.status === 'initiated' && isPaid(runningOf(session));
  if (session.status === 'pending' || isPayable) return pendingPage(model, session, how);
  return session.status === 'initiated' ? runningPage(model, session, how) : overPage(model, session, how);
}

/** A page of this session with headers that allow its form targets: any https address (providers and shops
 *  redirect buyers to hosts of theirs that cannot be listed), plain http only for known targets. */
export function pageReply({ session, parts }: PageModel, { status = 200 }: Shown, body: string): DoorReply {
  const { returnUrl, cancelUrl } = session.order;
  const running = session.status === 'initiated' ? runningOf(session).legs[0].instructions?.url : undefined;
  const { baseUrl, plainHttpHosts } = parts;
  const known = [baseUrl, ...plainHttpHosts, returnUrl ?? '', cancelUrl ?? '', running ?? ''];
  const plainHttp = known
    .filter((address) => address !== '' && !address.startsWith('https:'))
    .map(originOf)
    .filter((origin): origin is string => origin?.startsWith('http:') === true);
  return { status, headers: pageHeaders([...new Set(['https:', ...plainHttp])], 'logo'), body };
}

/** A paid page names what was paid. */
export const pageOrderOf = ({ session, scope, shop }: PageModel): PageOrder => ({
  shop,
  sandbox: !isLive(scope),
  amount: amountPaidOf(session),
  description: session.order.description,
});

function amountPaidOf(session: SessionState): Paisa {
  const paying = session.status === 'success' ? paymentOf(session, session.paidBy) : null;
  return paying === null ? session.order.amount : amountOf(paying, session.order);
}

/** The providers that the buyer may choose. */
export function waysOf({ session, providers }: PageModel): readonly Way[] {
  const { flow, preselected } = session.order;
  return providers
    .filter(
      ({ id, configured, enabled }) =>
        configured && enabled && isPayableBy(session.order, id) && (flow === 'hosted' || id === preselected),
    )
    .map(({ id, label, health = 'up' }) => ({ id, label, health }));
}

export const labelOf = ({ providers, locale }: PageModel, id: string): string =>
  providers.find((each) => each.id === id)?.label ?? locale.texts.common.provider;

const named = (model: PageModel, id: string): Waiting['running'] => ({ id, label: labelOf(model, id) });

function pendingPage(model: PageModel, session: LivingSession, how: Shown): string {
  if (needsReview(session))
    return reviewPage({ ...waitingOf(model, waysOf(model)), ...reviewed(model), running: null });
  const { flow, preselected, customer } = session.order;
  const { locale, sheet, deadline, counter } = sharedParts(model);
  const chooser: Chooser = {
    locale,
    sheet,
    deadline,
    counter,
    live: liveOf(model),
    ways: waysOf(model),
    preselected,
    lastTry: lastTryOf(model),
    triesLeft: attemptsMax - session.payments.length,
    address: isAddressAsked(session)
      ? { values: how.address ?? customer?.address ?? {}, incomplete: how.address !== undefined }
      : null,
  };
  if (flow === 'hosted') return chooserPage(chooser);
  return interstitialPage({ ...chooser, way: chooser.ways[0] ?? null });
}

function runningPage(model: PageModel, session: InitiatedSession, how: Shown): string {
  const payment = runningOf(session);
  const mayTryAgain = session.payments.length < attemptsMax;
  const others = mayTryAgain ? waysOf(model).filter(({ id }) => id !== payment.provider) : [];
  const waiting: Waiting = { ...waitingOf(model, others), running: named(model, payment.provider) };
  const to = how.back?.to ?? waiting.counter.path;
  const { notice = null } = how;

  if (needsReview(session)) return reviewPage({ ...waiting, ...reviewed(model) });
  if (session.waiting?.is === 'switch') {
    return openingPage({ ...waiting, running: named(model, session.waiting.provider) });
  }
  if (session.waiting !== null) return checkingPage({ ...waiting, to, waitMs: lastLookMs });
  const patientMs = how.back?.patientMs ?? 0;
  if (patientMs > 0) return checkingPage({ ...waiting, to, waitMs: patientMs });
  if (payment.returned) return undecidedPage({ ...waiting, to, mayTryAgain }, notice);
  const code = codeOf(model);
  if (code !== null) {
    const deadline = { at: code.endsAt, now: model.now, inSeconds: true } as const;
    return scanPage({ ...waiting, deadline, qrText: code.text, isScanned: isScanned(session) }, notice);
  }
  const link = appLinkOf(model);
  if (link !== null) return appPage({ ...waiting, ...appOf(model, link, how) }, notice);
  return payment.legs[0].instructions === null ? openingPage(waiting) : awayPage(waiting, notice);
}

/** The link to the wallet's app; null while the running payment cannot be approved there. */
export function appLinkOf({ session }: PageModel): string | null {
  if (session.status !== 'initiated' || needsReview(session) || session.waiting !== null) return null;
  const { legs, returned } = runningOf(session);
  const [{ instructions }] = legs;
  return instructions?.kind === 'intent' && !returned ? instructions.url : null;
}

const appOf = (
  { id, isPhone, parts }: PageModel,
  link: string,
  { opensApp = false }: Shown,
): Pick<AppLink, 'link' | 'isPhone' | 'opens' | 'simulatedApp'> => ({
  link,
  isPhone,
  opens: opensApp ? `/pay/${id}/app` : null,
  simulatedApp: simulatedAppOf(link, parts.baseUrl),
});

/** The simulator's screen of the app, for those without a phone; null for a real wallet's link. */
function simulatedAppOf(link: string, baseUrl: string): string | null {
  const [, provider, slug] = /^\/sim\/(\w+)\/pay\/([\w-]+)$/.exec(pathBelow(link, baseUrl)) ?? [];
  return provider === undefined || slug === undefined ? null : `/sim/${provider}/app/?d=${slug}`;
}

const pathBelow = (address: string, root: string): string =>
  address.startsWith(`${root}/`) ? address.slice(root.length) : '';

/** The code of the running payment, shown to the buyer; null while nothing can be paid by code. */
export function codeOf({ session }: PageModel): { readonly text: string; readonly endsAt: Instant } | null {
  if (session.status !== 'initiated' || needsReview(session) || session.waiting !== null) return null;
  const { legs, createdAt, returned } = runningOf(session);
  const text = returned ? undefined : legs[0].instructions?.qrMessage;
  return text === undefined ? null : { text, endsAt: Math.min(session.expiresAt, createdAt + qrLifeMs) };
}

function overPage(model: PageModel, session: EndedSession, how: Shown): string {
  const shopAddress = shopUrlOf(session, model.id);
  if (session.status !== 'success' && needsReview(session)) {
    return reviewPage({ ...waitingOf(model, []), ...reviewed(model), running: null, shopAddress });
  }
  const paying = session.status === 'success' ? session.paidBy : null;
  const last = session.payments.find(({ id }) => id === paying) ?? session.payments.at(-1);
  return endedPage({
    locale: model.locale,
    sheet: pageOrderOf(model),
    end: session.status,
    shopAddress,
    back: backOf(model, session),
    invoice: model.invoice,
    payment: last === undefined ? null : { ...last, label: labelOf(model, last.provider) },
    reference: last?.id ?? model.id,
    texts: textsOf(model),
    moneyMayCome: mayHaveMoney(session),
    returns:
      how.stay !== true && shopAddress !== null && hasJustPaidHere(session, model.now)
        ? { afterMs: returnMs, to: shopAddress, stay: `/pay/${model.id}?stay=1` }
        : null,
  });
}

/** What the page says of an unpaid end. */
const textsOf = ({ session, locale: { texts } }: PageModel): Ended['texts'] =>
  isForInvoice(session) ? texts.invoice.ended : texts.hosted.ended.texts;

/** Where the buyer goes from the last page, if not to the shop: to try again. Never to an invoice. */
function backOf({ locale: { texts } }: PageModel, session: EndedSession): Ended['back'] {
  const { link } = session.order;
  if (link === undefined || session.status === 'success') return null;
  return { path: `/link/${link.referenceId}`, words: texts.link.openLink };
}

/** By a code on this page, or in an app beside it. Who opens the page later, or comes back to it, is not taken away
 *  from it. */
const hasJustPaidHere = (session: EndedSession, now: Instant): boolean =>
  session.status === 'success' &&
  now - session.endedAt < justPaidMs &&
  session.payments.some(
    ({ id, provider, legs }) =>
      id === session.paidBy && (hasTrait(provider, 'scanned_code') || legs[0].name === 'intent'),
  );

const sharedParts = (model: PageModel): Pick<Chooser, 'locale' | 'sheet' | 'deadline' | 'counter'> => ({
  locale: model.locale,
  sheet: pageOrderOf(model),
  deadline: { at: model.session.expiresAt, now: model.now },
  counter: counterOf(model),
});

const counterOf = ({ id, session, shop, parts, locale }: PageModel): Counter => ({
  path: `/pay/${id}`,
  token: formTokenOf(parts.formKey, id),
  cancel: isForInvoice(session)
    ? locale.texts.invoice.cancel
    : locale.texts.common.cancelAndBackTo(shortName(shop.name)),
  locale,
});

function waitingOf(model: PageModel, others: readonly Way[]): Omit<Waiting, 'running'> {
  return { ...sharedParts(model), others, live: liveOf(model) };
}

/** The script puts the same text together from what it receives. */
function liveOf({ session, id }: PageModel): Waiting['live'] {
  const { status, provider, needsReview: review, scanned = false } = pageStatusOf(session, id);
  return { session: id, seen: `${status} ${provider ?? ''} ${review}${scanned ? ' scanned' : ''}` };
}

/** The payment that a person has to check. */
const reviewed = ({ session, id }: PageModel): { readonly reference: string } => ({
  reference: session.payments.find((payment) => payment.needsReview)?.id ?? id,
});

const tryEnds: Readonly<Record<string, LastTry['end']>> = {
  declined: 'declined',
  insufficient_funds: 'insufficient_funds',
  user_cancelled: 'cancelled',
  attempt_expired: 'expired',
  provider_error: 'unreachable',
};

function lastTryOf(model: PageModel): LastTry | null {
  const last: Payment | undefined = model.session.payments.at(-1);
  const end = tryEnds[last?.failure?.code ?? ''];
  return last === undefined || end === undefined ? null : { label: labelOf(model, last.provider), end };
}
