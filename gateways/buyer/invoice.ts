/** GET and POST /invoice/{invoiceId}: the page of an invoice, and its form. Checks of the form run in this order, and
 *  the first failure is the answer: rate limit (429), invoice (404), suspension (403), form token (403), a way to pay
 *  (409); then the subscription decides (409).
 *  1. Opening the page starts nothing. The form opens a session, or leads to the one that runs.
 *  2. An invoice that has not opened has no page.
 *  3. It is read from its row, which stays when its subscription has forgotten it. */
import { isPayableBy } from '../../actors/checkout-session/payable.ts';
import { subscriptionAt } from '../../actors/subscription/messages.ts';
import type { InvoiceStatus, SubscriptionState } from '../../actors/subscription/state.ts';
import { shownInvoice } from '../../actors/subscription/view.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import type { Paisa } from '../../src/kernel/money.ts';
import { isLive, type Scope } from '../../src/runtime/model/address.ts';
import { busyPage, strangeFormPage, suspendedPage } from '../pages/hosted/trouble.ts';
import {
  invoicePage,
  unknownInvoicePage,
  type InvoiceShown,
  type InvoicePageStatus,
} from '../pages/invoice/invoice.ts';
import { invoicePathOf } from '../pages/invoice/path.ts';
import type { Locale } from '../pages/locale.ts';
import type { DoorReply, DoorRequest } from '../server/door.ts';
import { localeOf } from './language.ts';
import type { BuyerParts, ProviderOf, ShopOf } from './parts.ts';
import { lone, seeOther, tooMany, withLogo } from './replies.ts';
import { openedSession } from '../http/page-sessions.ts';
import { askedAgain, newSessionForm, openedBefore, sessionOfForm } from './session-form.ts';

/** What its page needs of an invoice's row. */
interface Invoice {
  readonly id: string;
  readonly invoiceNumber: string | null;
  readonly subscriptionId: string;
  readonly status: InvoiceStatus;
  readonly amount: Paisa;
  readonly lines: readonly { readonly description: string }[];
  readonly paymentId: string | null;
  readonly overdueAt: string | null;
  readonly dueAt: string;
  readonly paidAt: string | null;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly appliesFrom: string | null;
  readonly appliesTo: string | null;
}

interface InvoiceModel {
  readonly invoice: Invoice;
  readonly scope: Scope;
  readonly customerName: string;
  readonly pageStatus: InvoicePageStatus;
  readonly shop: ShopOf;
  readonly providers: readonly ProviderOf[];
  readonly locale: Locale;
  readonly parts: BuyerParts;
}

export async function invoiceDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const model = await modelOrRefusal(parts, request);
  return 'status' in model ? model : shown(model, 200);
}

export async function invoiceFormDoor(parts: BuyerParts, request: DoorRequest): Promise<DoorReply> {
  const verdict = parts.limitForms(request.ip);
  if (verdict?.allowed === false) return tooMany(verdict, localeOf(request));
  const model = await modelOrRefusal(parts, request);
  if ('status' in model) return model;
  const { invoice, locale } = model;
  const path = invoicePathOf(invoice.id);
  const fields = new URLSearchParams(request.body.toString('utf8'));
  const session = sessionOfForm(parts, invoice.id, fields);
  if (session === null) return lone(403, strangeFormPage(path, locale));
  const repeated = await openedBefore(parts, session, path);
  if (repeated !== null) return repeated;
  return isPayable(model) && hasWay(model) ? toSession(model, session) : shown(model, 409);
}

async function modelOrRefusal(parts: BuyerParts, request: DoorRequest): Promise<InvoiceModel | DoorReply> {
  const locale = localeOf(request);
  const model = await modelOf(parts, request.params['invoiceId'] ?? '', locale);
  if (model === null) return lone(404, unknownInvoicePage(locale));
  return model.shop.suspended === null ? model : lone(403, suspendedPage(model.shop, locale));
}

async function modelOf(parts: BuyerParts, id: string, locale: Locale): Promise<InvoiceModel | null> {
  const { client } = parts;
  const row = couldBeId('inv', id) ? await client.readRow('invoice', id, null) : null;
  if (row === null) return null;
  const { scope } = row;
  // the body of these rows
  const invoice = shownInvoice(row.body) as unknown as Invoice;
  const pageStatus = pageStatusOf(invoice);
  if (pageStatus === null) return null;
  const [subscription, shop, providers] = await Promise.all([
    client.read<SubscriptionState>(subscriptionAt(invoice.subscriptionId), null),
    parts.shopOf(scope),
    parts.providersOf(scope),
  ]);
  if (subscription === null) return null;
  const customerName = subscription.state.customer.name;
  return { invoice, scope, customerName, pageStatus, shop, providers, locale, parts };
}

/** null: it has not opened. */
function pageStatusOf({ status, overdueAt, dueAt, paidAt, paymentId }: Invoice): InvoicePageStatus | null {
  switch (status) {
    case 'draft':
      return null;
    case 'open':
    case 'voided':
      return { is: status };
    case 'past_due':
      return { is: status, since: Date.parse(overdueAt ?? dueAt) };
    case 'paid':
      return { is: status, paidAt: Date.parse(paidAt ?? dueAt), paymentId };
  }
}

const isPayable = ({ pageStatus: { is } }: InvoiceModel): boolean => is === 'open' || is === 'past_due';

const hasWay = ({ providers, invoice: { amount } }: InvoiceModel): boolean =>
  providers.some(
    ({ id, configured, enabled }) => configured && enabled && isPayableBy({ source: 'invoice', amount }, id),
  );

/** The page of the invoice as it is now. */
function shown(model: InvoiceModel, status: 200 | 409): DoorReply {
  const form = isPayable(model) && hasWay(model) ? newSessionForm(model.parts, model.invoice.id) : null;
  return withLogo(status, invoicePage(shownOf(model), form));
}

const shownOf = ({ invoice, scope, customerName, pageStatus, shop, locale }: InvoiceModel): InvoiceShown => ({
  shop,
  sandbox: !isLive(scope),
  number: invoice.invoiceNumber,
  customerName,
  planName: invoice.lines.map(({ description }) => description).join(', '),
  amount: invoice.amount,
  periodStart: Date.parse(invoice.periodStart),
  periodEnd: Date.parse(invoice.periodEnd),
  applies:
    invoice.appliesFrom === null || invoice.appliesTo === null
      ? null
      : { from: Date.parse(invoice.appliesFrom), to: Date.parse(invoice.appliesTo) },
  dueAt: Date.parse(invoice.dueAt),
  pageStatus,
  path: invoicePathOf(invoice.id),
  locale,
});

/** To the session that runs, or to this one. */
async function toSession(model: InvoiceModel, sessionId: string): Promise<DoorReply> {
  const { parts, invoice, locale } = model;
  const url = `${parts.baseUrl}/pay/${sessionId}`;
  const command = { invoiceId: invoice.id, sessionId, url };
  const answer = await askedAgain(parts, () =>
    parts.client.ask(subscriptionAt(invoice.subscriptionId), 'payInvoice', command, {
      by: 'buyer',
      scope: null,
    }),
  );
  if (answer.is === 'refused') return shown((await modelOf(parts, invoice.id, locale)) ?? model, 409);
  if (answer.is === 'ok' || answer.is === 'unknown') {
    const session = answer.is === 'ok' ? answer.detail.sessionId : sessionId;
    if ((await openedSession(parts, session)) !== null) return seeOther(`/pay/${session}`);
  }
  const isBug = answer.is === 'internal';
  // the invoice names its session: it is there in a moment
  const path = answer.is === 'ok' ? `/pay/${answer.detail.sessionId}` : invoicePathOf(invoice.id);
  return lone(isBug ? 500 : 503, busyPage(path, locale), isBug ? {} : { 'Retry-After': '1' });
}
