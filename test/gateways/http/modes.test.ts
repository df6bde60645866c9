/** The two modes of one project: no operation of the API shows or changes anything of the other mode. The operations are
 *  those that are declared, so a new one is covered at once. */
import { beforeAll, expect, test } from 'vitest';
import type { Api, Body } from '../../../src/cli/demo/api.ts';
import { providers } from '../../../src/providers/registry.ts';
import { billedBy } from '../../support/billing.ts';
import { declaredOperations } from '../../support/doors.ts';
import { gallaOfFile } from '../../support/of-file.ts';

interface Half {
  readonly api: Api;
  /** What it contains, by what a path calls it. */
  readonly ids: readonly string[];
}

const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
const idempotencyKey = 'one-key-of-both-modes';

const galla = gallaOfFile({ GALLA_WALLET_B_URL: 'http://127.0.0.1:9' });
let halves: { readonly sandbox: Half; readonly live: Half };
beforeAll(async () => {
  const shop = await galla.merchant();
  const credentials = providers.get('wallet_b')?.sandboxCredentials ?? {};
  const path = `/admin/v1/projects/${shop.projectId}/providers/wallet_b`;
  await galla.admin.must('PUT', path, { mode: 'live', credentials });
  const live = galla.with(await galla.key(shop.projectId, { kind: 'secret', mode: 'live' }));
  const [inSandbox, inLive] = [await begun(shop.api), await begun(live)];
  await shop.simulate(inSandbox[0] ?? '', 'success');
  const payment = (await shop.untilStatus(inSandbox[0] ?? '', 'success')).text('paymentId');
  const refund = await shop.api.must('POST', '/v1/refunds', {
    paymentId: payment,
    amount: 1000,
    reason: 'other',
  });
  await shop.untilEvents(1, 'payment.refunded', payment);
  const events = (await shop.api.must('GET', '/v1/events')).body.list('data').map(idOf);
  const deliveries = (await shop.api.must('GET', `/v1/webhooks/${inSandbox[1] ?? ''}/deliveries`)).body;
  const more = [
    payment,
    idOf(refund.body),
    ...events.slice(0, 2),
    ...deliveries.list('data').slice(0, 1).map(idOf),
  ];
  halves = { sandbox: { api: shop.api, ids: [...inSandbox, ...more] }, live: { api: live, ids: inLive } };
});

const idOf = (body: Body): string => body.text('id');

/** A session, an endpoint, a link, a subscription with all that belongs to it. */
async function begun(api: Api): Promise<readonly string[]> {
  const session = await api.must('POST', '/v1/checkout', order, { idempotencyKey });
  const endpoint = await api.must('POST', '/v1/webhooks', { url: 'https://shop.example/hooks' });
  const link = await api.must('POST', '/v1/payment-links', { name: 'Seat', amount: 50_000 });
  const { planId, customerId, subscriptionId, invoiceId } = await billedBy(api, 'mode');
  const made = [session, endpoint, link].map(({ body }) => idOf(body));
  return [...made, planId, customerId, subscriptionId, invoiceId];
}

/** A stream does not end; its object has no key, as a buyer has none. */
interface QueryFields {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] } | undefined>>;
}

const operations = declaredOperations.filter(
  ({ path, key }) => path.startsWith('/v1/') && key !== 'none' && !path.endsWith('/stream'),
);

test.each([
  ['a live key', 'live', 'sandbox'],
  ['a sandbox key', 'sandbox', 'live'],
] as const)(
  'row 86: %s reads and changes nothing of the other mode, by any operation',
  async (_who, mine, theirs) => {
    const [{ api }, { ids }] = [halves[mine], halves[theirs]];
    const before = await contentOf(halves[theirs]);
    const about = operations.filter(({ path }) => path.includes('{id}'));
    expect(about.length).toBeGreaterThan(15);
    for (const { method, path, body, query } of about) {
      const fields = query as QueryFields | undefined;
      const needed = (fields?.required ?? []).map(
        (name) => `${name}=${fields?.properties[name]?.enum?.[0] ?? 'unknown'}`,
      );
      for (const id of ids) {
        const sending = body === undefined ? {} : { body: body.example as object };
        const answer = await api.send(method, `${path.replace('{id}', id)}?${needed.join('&')}`, sending);
        const said = `${method} ${path} about ${id}: ${answer.text}`;
        expect(['resource_not_found', 'sandbox_only'], said).toContain(answer.body.at('error.code'));
      }
    }
    for (const { path } of operations.filter(
      ({ method, path: one }) => method === 'GET' && !one.includes('{'),
    )) {
      const { text } = await api.get(path);
      for (const id of ids) expect(text, path).not.toContain(id);
    }
    const records = (await api.must('GET', `/v1/idempotency/${idempotencyKey}`)).text;
    for (const id of ids) expect(records).not.toContain(id);
    expect(await contentOf(halves[theirs])).toEqual(before);
  },
);

/** Every list of one half, as it is read with its own key. */
async function contentOf({ api }: Half): Promise<readonly string[]> {
  const paths = [
    '/v1/checkout',
    '/v1/payments',
    '/v1/refunds',
    '/v1/webhooks',
    '/v1/payment-links',
    '/v1/billing/plans',
    '/v1/billing/customers',
    '/v1/billing/subscriptions',
    '/v1/billing/invoices',
    '/v1/events',
  ];
  return Promise.all(paths.map(async (path) => (await api.must('GET', path)).text));
}
