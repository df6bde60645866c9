/** What is attacked: a merchant with something of everything, and a look at all of it that tells whether anything has
 *  changed.
 *  Boundary: the public API and the operator's alone, so that any service can be attacked. */
import { Api } from '../../src/cli/demo/api.ts';
import { open } from '../../src/cli/demo/buyer.ts';
import { at, operationsOf, type Described, type Json } from '../gateways/http/openapi/reading.ts';
import { eventually } from '../support/eventually.ts';
import { expiredKey } from '../support/expired-key.ts';
import { billedBy } from '../support/billing.ts';
import type { House } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { premium } from '../support/qr-shop.ts';
import { comparedFrom } from '../support/statements.ts';
import { order, type Stage } from './attack.ts';

export interface Scene {
  readonly stage: Stage;
  readonly shop: Merchant;
  /** All that the merchant and the operator can read, as text. */
  readonly everything: () => Promise<string>;
}

export async function prepare(house: House): Promise<Scene> {
  const shop = await premium(house);
  const stranger = await premium(house);
  const { admin } = house;
  const { projectId } = shop;
  const usedKey = `used-${projectId}`;
  const { body: session } = await shop.api.must('POST', '/v1/checkout', order, { idempotencyKey: usedKey });
  const paymentId = await paidAt(shop);
  const refund = { paymentId, amount: 25_050, reason: 'other' };
  const refundId = (await shop.api.must('POST', '/v1/refunds', refund)).body.text('id');
  await shop.untilEvents(2, 'checkout.created');
  await shop.untilEvents(3, 'payment.succeeded,refund.created,refund.requires_action');
  const billed = await billedBy(shop.api, 'stage');
  await shop.untilEvents(3, 'subscription.created,subscription.activated,invoice.created');
  const statement = await comparedFrom(shop, 'Txn,Paid,When\nNOBODY-KNOWS,500,2026-11-21T15:33:10Z\n');
  // last: nothing that happened before is delivered to it
  const { body: endpoint } = await shop.api.must('POST', '/v1/webhooks', {
    url: 'https://shop.example/hooks',
  });
  const { body: link } = await shop.api.must('POST', '/v1/payment-links', { name: 'Seat', amount: 50_000 });
  const keys = await keysOf(house, projectId);
  const stage: Stage = {
    secret: shop.api.key ?? '',
    publishable: shop.publishable.key ?? '',
    ...keys,
    suspended: await suspendedKey(house),
    stranger: stranger.api.key ?? '',
    adminToken: admin.key ?? '',
    projectId,
    merchantId: await merchantIdOf(admin, projectId),
    sessionId: session.text('id'),
    paymentId,
    refundId,
    endpointId: endpoint.text('id'),
    linkId: link.text('id'),
    ...billed,
    statementId: statement.text('id'),
    formToken: await formTokenOf(session.text('checkout_url')),
    usedKey,
    viewerFile: await viewerFileAt(house),
  };
  const documents = await Promise.all(
    ['/v1/openapi.json', '/admin/v1/openapi.json'].map((path) => admin.must('GET', path)),
  );
  const reads = documents.flatMap(({ body }) => readsOf(body.value as Json, stage));
  const clients = [shop.api, stranger.api, house.with(stage.live)];
  return { stage, shop, everything: () => everythingOf(admin, clients, reads) };
}

/** A payment at wallet_a, whose refunds require action. */
async function paidAt(shop: Merchant): Promise<string> {
  const id = (await shop.checkout({ flow: 'redirect', provider: 'wallet_a' })).text('id');
  await shop.api.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome: 'success' });
  return (await shop.untilStatus(id, 'success')).text('paymentId');
}

async function keysOf(house: House, projectId: string) {
  const { key, admin } = house;
  const path = `/admin/v1/projects/${projectId}/keys`;
  const made = async (fields: object) =>
    (await admin.must('POST', path, { kind: 'secret', mode: 'sandbox', ...fields })).body;
  const toRevoke = await made({});
  const expired = await expiredKey(async (expiresAt) => {
    const text = (await made({ expiresAt })).text('key');
    return { text, api: house.with(text) };
  });
  await admin.must('POST', `/admin/v1/keys/${toRevoke.text('id')}/revoke`);
  return {
    read: await key(projectId, { kind: 'secret', mode: 'sandbox', access: 'read' }),
    live: await key(projectId, { kind: 'secret', mode: 'live' }),
    revoked: toRevoke.text('key'),
    expired: expired.text,
  };
}

async function suspendedKey(house: House): Promise<string> {
  const { api, projectId } = await premium(house);
  const merchantId = await merchantIdOf(house.admin, projectId);
  await house.admin.must('POST', `/admin/v1/merchants/${merchantId}/suspend`, { reason: 'A test.' });
  await eventually(
    async () => ((await api.get('/v1/payments')).status === 403 ? true : null),
    () => 'the suspension',
  );
  return api.key ?? '';
}

/** The newest come first. */
async function merchantIdOf(admin: Api, projectId: string): Promise<string> {
  const { body } = await admin.must('GET', '/admin/v1/merchants?limit=100');
  const own = body.list('data').find((one) => one.at('projectId') === projectId);
  if (own === undefined) throw new Error(`no merchant of ${projectId}`);
  return own.text('id');
}

async function formTokenOf(checkoutUrl: string): Promise<string> {
  const token = /name="token" value="([^"]+)"/.exec((await open(checkoutUrl)).html)?.[1];
  if (token === undefined) throw new Error('the page has a form token');
  return token;
}

async function viewerFileAt({ nobody }: House): Promise<string> {
  const { text } = await nobody.get('/docs');
  const script = /"(\/docs\/viewer\/[^"]+\.js)"/.exec(text)?.[1];
  if (script === undefined) throw new Error('the reference of the API has a script: npm run build');
  return script;
}

/** Operations whose answers change by themselves, or describe the service. */
const restless = new Set(['readOpenApi', 'listNodes', 'followEvents', 'followDirectQr', 'listReceiptKeys']);
/** Fields that the requests of this test change, as every request does. */
const ofRequests = /"(?:lastUsedAt|now|checkedAt|issuedAt|receipt)":("[^"]*"|null),?/g;

/** Every GET of a document that can be called with the ids of the stage. */
function readsOf(document: Json, stage: Stage): readonly string[] {
  return operationsOf(document).flatMap((operation) => {
    const { method, operationId, parameters } = operation;
    if (method !== 'GET' || restless.has(operationId)) return [];
    if (parameters.some((one) => one.in === 'query' && one.required === true)) return [];
    const path = pathWith(operation, stage);
    return path === null ? [] : [path];
  });
}

/** The path with ids of objects that are there; null: there is none of this kind. */
export function pathWith({ path }: Pick<Described, 'path'>, stage: Stage): string | null {
  const ids: { readonly [before: string]: string } = {
    checkout: stage.sessionId,
    payments: stage.paymentId,
    refunds: stage.refundId,
    webhooks: stage.endpointId,
    'payment-links': stage.linkId,
    plans: stage.planId,
    customers: stage.customerId,
    subscriptions: stage.subscriptionId,
    invoices: stage.invoiceId,
    statements: stage.statementId,
    projects: stage.projectId,
    merchants: stage.merchantId,
    idempotency: stage.usedKey,
    providers: 'wallet_b',
  };
  const named = path.replaceAll(/([\w-]+)\/\{\w+\}/g, (whole, before: string) => {
    const id = ids[before];
    return id === undefined ? whole : `${before}/${id}`;
  });
  return named.includes('{') ? null : named;
}

async function everythingOf(admin: Api, clients: readonly Api[], paths: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const path of paths) {
    const readers = path.startsWith('/admin/') ? [admin] : clients;
    for (const api of readers) {
      const { status, text } = await api.get(path);
      texts.push(`${path} ${status} ${status === 200 ? text.replaceAll(ofRequests, '') : ''}`);
    }
  }
  return texts.join('\n');
}

/** The schema of a body, whether it is named or written in place. */
export function bodySchemaOf(document: Json, { requestBody }: Described): Json | null {
  const shown = requestBody?.content['application/json']?.schema;
  if (shown === undefined) return null;
  return '$ref' in shown ? (at(document, String(shown['$ref']).slice(1)) as Json) : shown;
}
