/** Two merchants, two modes each. Every text that one of the four may set holds a word of its own; every byte that the
 *  service sends to one is searched for the words and ids of the others.
 *  1. A word that its owner does not find proves nothing: each is also found where it belongs. */
import { modes, type Mode } from '../../src/runtime/model/address.ts';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providerNames, traitsOf, type Provider } from '../../src/providers/catalog.ts';
import type { CredentialField } from '../../src/providers/traits.ts';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import type { Shop } from '../../src/cli/demo/shop.ts';
import { operationsOf, type Json } from '../gateways/http/openapi/reading.ts';
import { billedBy } from '../support/billing.ts';
import { merchantWithLogin, Page, type Person } from '../support/dashboard.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { Merchant } from '../support/merchant.ts';
import { phone } from '../support/qr-shop.ts';
import { forgetScreens, Screen } from '../support/screen.ts';
import type { Stage } from './attack.ts';
import { pathWith } from './stage.ts';

const names = ['asha', 'bina'] as const;

interface Tenant {
  readonly name: string;
  readonly mode: Mode;
  /** In every text of its own. */
  readonly word: string;
  readonly phone: string;
  readonly shop: Merchant;
  readonly login: Person & { readonly projectId: string; readonly merchantId: string };
  readonly server: Shop;
  readonly ids: { [kind: string]: string };
  readonly checkoutUrl: string;
  readonly linkUrl: string;
  /** What it was sent, by where. */
  readonly received: Map<string, string>;
}

const galla = gallaOfFile({ WEBHOOK_ALLOW_PRIVATE_HOSTS: 'on' });
const tenants: Tenant[] = [];

beforeAll(async () => {
  for (const name of names) {
    const login = await merchantWithLogin(galla.admin, {
      email: `${wordOf(name)}@example.com`,
      name: `Shop ${wordOf(name)}`,
    });
    await galla.admin.must('PATCH', `/admin/v1/merchants/${login.merchantId}`, { plan: 'premium' });
    for (const mode of modes) tenants.push(await opened(name, mode, login));
  }
  for (const one of tenants.filter(({ mode }) => mode === 'sandbox')) await pays(one);
  for (const one of tenants) await receivesAll(one);
}, 60_000);
afterAll(async () => {
  forgetScreens();
  for (const { server } of tenants) await server.close();
});

/** Of a merchant; its modes share it. */
const wordOf = (name: string): string => `${name}-canary`;

const textsOf = (word: string, digits: string) => ({
  description: `Order ${word}`,
  customer: {
    name: `Buyer ${word}`,
    email: `${word}@buyer.example`,
    phone: digits,
    address: { line1: `Lane ${word}`, city: `City ${word}`, country: 'NP' },
  },
  metadata: { order_id: word, note: `note ${word}` },
  referenceId: `ref ${word}`,
});

/** Of every field of every provider; a key is a text in the form that its field asks for, a short one the word's beginning. */
function credentialOf(
  word: string,
  provider: Provider,
  { name, pem, charactersMax }: CredentialField,
): string {
  if (pem === true) return keyOf(word);
  const text = `${provider}-${name}-of-${word}`;
  return charactersMax === undefined || text.length <= charactersMax ? text : word.slice(0, charactersMax);
}

const keys = new Map<string, string>();
function keyOf(word: string): string {
  const known = keys.get(word);
  if (known !== undefined) return known;
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  keys.set(word, privateKey);
  return privateKey;
}

/** What nobody is sent, its owner included: the fields that do more than identify the merchant. */
const secretsOf = (word: string): readonly string[] =>
  providerNames.flatMap((provider) =>
    traitsOf(provider)
      .credentials.filter(({ identifies }) => identifies !== true)
      .map(
        (field) =>
          credentialOf(word, provider, field)
            .split('\n')
            .find((line) => !line.startsWith('-')) ?? '',
      ),
  );

async function opened(name: string, mode: Mode, login: Tenant['login']): Promise<Tenant> {
  const word = `${wordOf(name)}-${mode}`;
  const digits = `98${names.indexOf(name as 'asha')}${modes.indexOf(mode)}777777`;
  const key = await galla.key(login.projectId, { kind: 'secret', mode });
  const publishable = await galla.key(login.projectId, { kind: 'publishable', mode });
  const shop = new Merchant(login.projectId, galla.with(key), galla.with(publishable));
  if (mode === 'live') {
    for (const provider of providerNames) {
      const credentials = Object.fromEntries(
        traitsOf(provider).credentials.map((field) => [field.name, credentialOf(word, provider, field)]),
      );
      const body = { mode, credentials };
      await galla.admin.must('PUT', `/admin/v1/projects/${login.projectId}/providers/${provider}`, body);
    }
  }
  const server = await galla.shop();
  const texts = textsOf(word, digits);
  const urls = { returnUrl: `https://${word}.example/return`, cancelUrl: `https://${word}.example/cancel` };
  const post = async (path: string, body: object): Promise<Body> =>
    (await shop.api.must('POST', path, body, { idempotencyKey: `${word}${path}` })).body;
  const hooks = mode === 'live' ? `https://${word}.example/hooks` : `${server.url}/${word}`;
  const endpoint = await post('/v1/webhooks', { url: hooks, description: `Hooks ${word}` });
  const session = await post('/v1/checkout', { amount: 125_050, ...urls, ...texts });
  const link = await post('/v1/payment-links', {
    name: `Link ${word}`,
    description: `About ${word}`,
    amount: 50_000,
    returnUrl: urls.returnUrl,
    metadata: texts.metadata,
  });
  const { email } = texts.customer;
  const billed = await billedBy(shop.api, word, { email, phone: digits, externalCustomerId: word });
  return {
    name,
    mode,
    word,
    phone: digits,
    shop,
    login,
    server,
    ids: {
      sessionId: session.text('id'),
      endpointId: endpoint.text('id'),
      linkId: link.text('id'),
      ...billed,
    },
    checkoutUrl: session.text('checkout_url'),
    linkUrl: link.text('url'),
    received: new Map(),
  };
}

/** Payments of three providers, a refund, a made-up event. */
async function pays({ shop, word, phone: digits, ids }: Tenant): Promise<void> {
  const { api } = shop;
  const screen = await Screen.of(api.key ?? '', galla.url);
  const texts = textsOf(word, digits);
  const order = { amount: 125_050, returnUrl: `https://${word}.example/return`, flow: 'redirect', ...texts };
  for (const provider of ['wallet_a', 'wallet_b']) {
    const id = (await shop.checkout({ ...order, provider })).text('id');
    await api.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome: 'success' });
    ids['paymentId'] = (await shop.untilStatus(id, 'success')).text('paymentId');
    const refund = { paymentId: ids['paymentId'], amount: 25_050, reason: 'other', notes: `Refund ${word}` };
    ids['refundId'] = (await api.must('POST', '/v1/refunds', refund)).body.text('id');
  }
  const { customer, ...rest } = texts;
  const qr = {
    amount: 125_050,
    ...rest,
    customer: { name: customer.name, email: customer.email, phone: digits },
  };
  const { body } = await api.must('POST', '/v1/qr/qr_a', qr);
  await phone(shop, body.text('qr_message'), 'pay');
  await shop.untilStatus(body.text('id'), 'success');
  ids['qrId'] = body.text('id');
  await api.must('POST', '/v1/test/events', { type: 'test.ping', data: { note: word } });
  await screen.until(
    'change',
    (change) => change.at('object') === 'payment' && change.at('data.status') === 'success',
  );
  ids['screen'] = JSON.stringify(screen.heard.map(({ event, body: said }) => [event, said.value]));
}

async function receivesAll(one: Tenant): Promise<void> {
  const { shop, login, mode, word, server, ids, received } = one;
  const { api } = shop;
  received.set('socket', ids['screen'] ?? '');
  delete ids['screen'];
  const document = (await api.must('GET', '/v1/openapi.json')).body.value as Json;
  const stage = {
    usedKey: encodeURIComponent(`${word}/v1/checkout`),
    paymentId: 'pay_x',
    refundId: 'ref_x',
    ...ids,
  } as unknown as Stage;
  const page = new Page(galla.url);
  await page.logIn(login);
  for (const operation of operationsOf(document)) {
    const { method, operationId } = operation;
    if (
      method !== 'GET' ||
      ['readOpenApi', 'followEvents', 'followDirectQr', 'findPayment'].includes(operationId)
    )
      continue;
    const path = pathWith(operation, stage);
    if (path === null) continue;
    const csv = { headers: { accept: 'text/csv' } };
    received.set(path, (await api.get(path)).text);
    received.set(`${path} as CSV`, (await api.get(path, csv)).text);
    const dashboard = path.replace('/v1', `/dashboard/api/${login.projectId}/${mode}`);
    received.set(dashboard, (await page.get(dashboard)).text);
  }
  const receipt = (await api.get(`/v1/payments/${stage.paymentId}/receipt`)).body.at('receipt');
  received.set(
    'receipt, decoded',
    String(receipt)
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString())
      .join(),
  );
  const since = new Date(Date.now() - 3_600_000).toISOString();
  received.set('event stream', await streamed(api, `/v1/events/stream?since=${since}`));
  if (ids['qrId'] !== undefined)
    received.set('QR stream', await (await fetch(`${galla.url}/v1/qr/${ids['qrId']}/events`)).text());
  const asked = encodeURIComponent(word);
  const pages = [
    one.checkoutUrl,
    `${one.checkoutUrl}/status`,
    one.linkUrl,
    `${galla.url}/status?query=${asked}`,
  ];
  for (const url of pages) received.set(url, await (await fetch(url)).text());
  const found = `/v1/public/payment-status?query=${asked}`;
  received.set(found, (await galla.nobody.get(found)).text);
  received.set(
    'webhooks',
    server.webhooks.map(({ raw, headers }) => `${raw.toString()} ${JSON.stringify(headers)}`).join('\n'),
  );
}

/** What has come within a moment of the first event. */
async function streamed({ baseUrl, key }: Api, path: string): Promise<string> {
  const leave = AbortSignal.timeout(700);
  const headers = { authorization: `Bearer ${key ?? ''}` };
  let text = '';
  try {
    const { body } = await fetch(baseUrl + path, { headers, signal: leave });
    for await (const bytes of body ?? []) text += Buffer.from(bytes as Uint8Array).toString('utf8');
  } catch (thrown) {
    if (!leave.aborted) throw thrown;
  }
  return text;
}

/** The words of others, as they may be written. */
function foreignTo(one: Tenant): readonly string[] {
  const words = tenants
    .filter((other) => other !== one)
    .flatMap(({ word, phone: digits, login, name, shop }) => [
      word,
      digits,
      ...(name === one.name ? [] : [login.email, login.projectId, login.merchantId, `Shop ${wordOf(name)}`]),
      shop.api.key ?? '',
    ]);
  return words.flatMap((word) => [word, Buffer.from(word).toString('base64').replace(/=+$/, '')]);
}

const idsIn = (text: string): readonly string[] =>
  text.match(/\b(?:cs|pay|ref|we|whd|evt|lnk|msg|bp|bc|sub|inv)_[0-9a-hjkmnp-tv-z]{16,24}\b/g) ?? [];

describe('what one of four is sent', () => {
  test('holds no word of another', () => {
    const leaks = tenants.flatMap((one) => {
      const foreign = foreignTo(one);
      return [...one.received].flatMap(([where, text]) =>
        foreign.filter((word) => text.includes(word)).map((word) => `${one.word}, ${where}: ${word}`),
      );
    });
    expect(leaks).toEqual([]);
  });

  test('holds no secret of a provider, its own included, whichever of the five it is', () => {
    const secrets = tenants.filter(({ mode }) => mode === 'live').flatMap(({ word }) => secretsOf(word));
    expect(secrets.length).toBeGreaterThan(20);
    const leaks = tenants.flatMap((one) =>
      [...one.received].flatMap(([where, text]) =>
        secrets.filter((secret) => text.includes(secret)).map((secret) => `${one.word}, ${where}: ${secret}`),
      ),
    );
    expect(leaks).toEqual([]);
  });

  test('names no object of another', () => {
    const owners = new Map<string, string>();
    const shared: string[] = [];
    for (const { word, received } of tenants) {
      for (const [where, text] of received) {
        for (const id of idsIn(text)) {
          const owner = owners.get(id) ?? word;
          owners.set(id, owner);
          if (owner !== word) shared.push(`${id} of ${owner} is sent to ${word}, ${where}`);
        }
      }
    }
    expect(owners.size).toBeGreaterThan(60);
    expect(shared).toEqual([]);
  });

  const anyMode = [
    '/v1/checkout',
    '/v1/payment-links',
    '/v1/billing/plans',
    '/v1/billing/customers',
    '/v1/billing/subscriptions',
    '/v1/billing/invoices as CSV',
    '/v1/webhooks',
    '/v1/events',
  ];

  test('holds its own words, wherever it can be told something', () => {
    const silent = tenants.flatMap(({ word, mode, received }) => {
      const places =
        mode === 'live'
          ? [...anyMode, 'event stream']
          : [
              ...anyMode,
              '/v1/payments',
              '/v1/payments as CSV',
              '/v1/refunds',
              '/v1/test/messages',
              'event stream',
              'webhooks',
              'socket',
            ];
      return places
        .filter((place) => received.get(place)?.includes(word) !== true)
        .map((place) => `${word}: ${place}`);
    });
    expect(silent).toEqual([]);
    for (const { word, checkoutUrl, linkUrl, received } of tenants) {
      expect(received.get(checkoutUrl)).toContain(word);
      expect(received.get(linkUrl)).toContain(word);
    }
  });
});
