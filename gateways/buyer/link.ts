/** GET and POST /link/{referenceId}: the page of a payment link, and its form. Checks of the form run in this
 *  order, and the first failure is the answer: rate limit (429), link (404), suspension (403), form token
 *  (403), amount (400); then the link decides (409).
 *  1. Opening the page starts nothing. Each page carries the id of the session that its form would open, so a
 *     form submitted twice opens one session, and reserves one use.
 *  2. The session is opened by the link's own commit: a node that dies in between loses nothing. */
import { paymentLinkAt, type LinkState } from '../../actors/payment-link/messages.ts';
import { limitOf } from '../../actors/payment-link/change.ts';
import { hasFreeUse } from '../../actors/payment-link/holds.ts';
import { amountPaisaMax, amountPaisaMin, paisaFromRupees, type Paisa } from '../../src/kernel/money.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { checkoutProviders } from '../../src/providers/catalog.ts';
import { isLive } from '../../src/runtime/model/address.ts';
import type { Snapshot } from '../../src/runtime/model/client.ts';
import { linkByReference } from '../status/link-by-reference.ts';
import { busyPage, strangeFormPage, suspendedPage } from '../pages/hosted/trouble.ts';
import {
  amountCharactersMax,
  closedLinkPage,
  linkPage,
  unknownLinkPage,
  type AmountProblem,
  type Closed,
  type LinkShown,
} from '../pages/link/link.ts';
import type { Locale } from '../pages/locale.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { localeOf } from './language.ts';
import type { BuyerParts, ProviderOf, ShopOf } from './parts.ts';
import { lone, seeOther, tooMany, withLogo } from './replies.ts';
import { openedSession } from '../http/page-sessions.ts';
import { askedAgain, newSessionForm, openedBefore, sessionOfForm } from './session-form.ts';

interface LinkModel {
  readonly link: Snapshot<LinkState>;
  readonly shop: ShopOf;
  readonly providers: readonly ProviderOf[];
  /** On the link's clock. */
  readonly now: Instant;
  readonly locale: Locale;
  readonly parts: BuyerParts;
}

export async function linkDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const locale = localeOf(request);
  const model = await linkModelOf(parts, request, locale);
  if (model === null) return lone(404, unknownLinkPage(locale));
  if (model.shop.suspended !== null) return lone(403, suspendedPage(model.shop, locale));
  return shown(model, {});
}

export async function linkFormDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const locale = localeOf(request);
  const verdict = parts.limitForms(request.ip);
  if (verdict?.allowed === false) return tooMany(verdict, locale);
  const model = await linkModelOf(parts, request, locale);
  if (model === null) return lone(404, unknownLinkPage(locale));
  if (model.shop.suspended !== null) return lone(403, suspendedPage(model.shop, locale));
  const fields = new URLSearchParams(request.body.toString('utf8'));
  const session = sessionOfForm(parts, model.link.state.referenceId, fields);
  if (session === null) return lone(403, strangeFormPage(pathOf(model), locale));
  const repeated = await openedBefore(parts, session, pathOf(model));
  if (repeated !== null) return repeated;
  const entered = fields.get('amount') ?? '';
  const amount = model.link.state.amount ?? amountIn(entered, model.link.state);
  if (typeof amount === 'string') {
    return shown(model, { status: 400, entered: entered.slice(0, amountCharactersMax), problem: amount });
  }
  if (!hasWay(model)) return shown(model, { status: 409 });
  return reserved(model, session, amount);
}

async function linkModelOf(
  parts: BuyerParts,
  request: DoorRequest,
  locale: Locale,
): Promise<LinkModel | null> {
  const { client } = parts;
  const link = await linkByReference(client, request.params['referenceId'] ?? '');
  if (link === null) return null;
  const { scope } = link.meta;
  const [shop, providers] = await Promise.all([parts.shopOf(scope), parts.providersOf(scope)]);
  return { link, shop, providers, now: client.now(scope), locale, parts };
}

interface Shown {
  readonly status?: number;
  readonly entered?: string;
  readonly problem?: AmountProblem;
}

/** The page of the link as it is now. */
function shown(model: LinkModel, { status = 200, entered = '', problem }: Shown): DoorReply {
  const why = closedFor(model);
  if (why !== null) return withLogo(status, closedLinkPage(shownOf(model), why));
  const form = newSessionForm(model.parts, model.link.state.referenceId);
  return withLogo(status, linkPage(shownOf(model), { ...form, entered, problem: problem ?? null }));
}

function closedFor(model: LinkModel): Closed | null {
  const { state } = model.link;
  if (state.status !== 'active') return state.status;
  const limit = limitOf(state, model.now);
  if (limit !== null) return limit;
  if (!hasFreeUse(state)) return 'reserved';
  return hasWay(model) ? null : 'noWay';
}

const hasWay = ({ providers }: LinkModel): boolean =>
  providers.some(({ id, configured, enabled }) => configured && enabled && checkoutProviders.includes(id));

const shownOf = ({ link, shop, now, locale, ...model }: LinkModel): LinkShown => ({
  shop,
  sandbox: !isLive(link.meta.scope),
  name: link.state.name,
  description: link.state.description,
  amount: link.state.amount,
  minAmount: link.state.minAmount ?? amountPaisaMin,
  maxAmount: link.state.maxAmount ?? amountPaisaMax,
  expiresAt: link.state.expiresAt,
  now,
  path: pathOf({ link, ...model }),
  locale,
});

async function reserved(model: LinkModel, sessionId: string, amount: Paisa): Promise<DoorReply> {
  const { parts, link, locale } = model;
  const checkoutUrl = `${parts.baseUrl}/pay/${sessionId}`;
  const answer = await askedAgain(parts, () =>
    parts.client.ask(
      paymentLinkAt(link.meta.id),
      'reserve',
      { sessionId, amount, checkoutUrl },
      { by: 'buyer', scope: null },
    ),
  );
  if (answer.is === 'refused') {
    const now = await parts.client.read<LinkState>(paymentLinkAt(link.meta.id), null);
    return shown({ ...model, link: now ?? link }, { status: 409 });
  }
  if (answer.is === 'ok' || answer.is === 'unknown') {
    if ((await openedSession(parts, sessionId)) !== null) return seeOther(`/pay/${sessionId}`);
  }
  const isBug = answer.is === 'internal';
  // a use is reserved: its session is there in a moment
  const path = answer.is === 'ok' ? `/pay/${sessionId}` : pathOf(model);
  return lone(isBug ? 500 : 503, busyPage(path, locale), isBug ? {} : { 'Retry-After': '1' });
}

/** Rupees as buyers write them: in figures of either script, with or without the unit. */
export function amountIn(
  entered: string,
  { minAmount, maxAmount }: Pick<LinkState, 'minAmount' | 'maxAmount'>,
): Paisa | AmountProblem {
  const text = entered.trim();
  if (text === '') return 'missing';
  if (text.length > amountCharactersMax) return 'unreadable';
  const figures = text
    .replaceAll(/[०-९]/g, (digit) => String(digit.charCodeAt(0) - devanagariZero))
    .replace(/^(?:npr|rs\.?|रु\.?)\s*/i, '');
  const amount = paisaFromRupees(figures);
  if (amount === null) return 'unreadable';
  return amount < (minAmount ?? amountPaisaMin) || amount > (maxAmount ?? amountPaisaMax)
    ? 'outside'
    : amount;
}

const devanagariZero = '०'.charCodeAt(0);

const pathOf = ({ link }: Pick<LinkModel, 'link'>): string => `/link/${link.state.referenceId}`;
