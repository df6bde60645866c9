/** The order of checks, for every pair of failures that one request can have: the earlier one is answered. The pairs are
 *  generated from the list of failures, in the order of docs/reference/api.md. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Body } from '../../../src/cli/demo/api.ts';
import type { ErrorCode } from '../../../src/errors.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';

/** Whose key is sent. */
interface Who {
  readonly isKnown: boolean;
  readonly isSuspended: boolean;
  readonly isLimited: boolean;
  readonly kind: 'secret' | 'publishable';
  readonly access: 'full' | 'read';
  readonly mode: 'sandbox' | 'live';
  readonly plan: 'premium' | 'free';
}

interface Draft {
  readonly method: string;
  readonly path: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: object | string;
  readonly who: Who;
  /** Sent before it under the same key, with another body. */
  readonly isReused: boolean;
}

interface Failure {
  readonly name: string;
  readonly code: ErrorCode;
  /** Where it can happen; absent: everywhere. */
  readonly at?: readonly RouteName[];
  readonly spoil: (draft: Draft) => Draft;
  /** Failures that exclude it. */
  readonly never?: readonly string[];
}

type RouteName = 'checkout' | 'simulate' | 'qr' | 'refund';

const with_ =
  (more: (draft: Draft) => Partial<Draft>) =>
  (draft: Draft): Draft => ({ ...draft, ...more(draft) });
const who = (more: Partial<Who>) => with_((draft) => ({ who: { ...draft.who, ...more } }));
const header = (name: string, value: string) =>
  with_(({ headers }) => ({ headers: { ...headers, [name]: value } }));

/** In the documented order. */
const failures: readonly Failure[] = [
  {
    name: 'an unknown path',
    code: 'endpoint_not_found',
    spoil: with_(() => ({ path: '/v1/nowhere' })),
    never: ['another method'],
  },
  { name: 'another method', code: 'method_not_allowed', spoil: with_(() => ({ method: 'PUT' })) },
  {
    name: 'a large body',
    code: 'request_too_large',
    spoil: with_(() => ({ body: 'x'.repeat(70_000) })),
    never: ['no JSON', 'bad fields'],
  },
  { name: 'an unknown key', code: 'api_key_invalid', spoil: who({ isKnown: false }) },
  { name: 'a suspended merchant', code: 'account_suspended', spoil: who({ isSuspended: true }) },
  {
    name: 'a publishable key',
    code: 'api_key_must_be_secret',
    spoil: who({ kind: 'publishable' }),
    never: ['a key that reads'],
  },
  { name: 'a key that reads', code: 'key_access_insufficient', spoil: who({ access: 'read' }) },
  { name: 'a live key in the sandbox', code: 'sandbox_only', at: ['simulate'], spoil: who({ mode: 'live' }) },
  {
    name: 'too many requests',
    code: 'rate_limit_exceeded',
    at: ['checkout', 'qr', 'refund'],
    spoil: who({ isLimited: true }),
  },
  { name: 'a plan without it', code: 'entitlement_required', at: ['qr'], spoil: who({ plan: 'free' }) },
  { name: 'an unknown version', code: 'api_version_unknown', spoil: header('api-version', '1999-01-01') },
  {
    name: 'a bad Idempotency-Key',
    code: 'idempotency_key_invalid',
    spoil: header('idempotency-key', 'two words'),
    never: ['a used Idempotency-Key'],
  },
  {
    name: 'another media type',
    code: 'unsupported_media_type',
    spoil: header('content-type', 'text/plain'),
    never: ['a used Idempotency-Key'],
  },
  {
    name: 'no JSON',
    code: 'invalid_json',
    spoil: with_(() => ({ body: '{' })),
    never: ['bad fields', 'a used Idempotency-Key'],
  },
  {
    name: 'bad fields',
    code: 'validation_failed',
    spoil: with_(({ body }) => ({ body: { ...(body as object), amount: 'x', outcome: 'x' } })),
    never: ['a used Idempotency-Key'],
  },
  {
    name: 'a used Idempotency-Key',
    code: 'idempotency_key_reused',
    at: ['checkout', 'simulate', 'refund'],
    spoil: with_(() => ({ isReused: true })),
    never: ['an unknown object'],
  },
  {
    name: 'an unknown object',
    code: 'resource_not_found',
    at: ['simulate', 'refund'],
    spoil: with_(({ path, body }) => ({
      path: path.replace(/cs_\w+/, 'cs_n5y5kc7txbgmy7rz22b0c1r5'),
      body: { ...(body as object), ...(path === '/v1/refunds' ? { paymentId: 'pay_4t8z1m6q3x9k2v7b' } : {}) },
    })),
    never: ['an ended session', 'a payment that is not paid'],
  },
  {
    name: 'an ended session',
    code: 'invalid_state',
    at: ['simulate'],
    spoil: with_(() => ({ path: `/v1/test/checkout/${ended}/simulate` })),
  },
  {
    name: 'a payment that is not paid',
    code: 'payment_not_refundable',
    at: ['refund'],
    spoil: with_(({ body }) => ({ body: { ...(body as object), paymentId: unpaid } })),
  },
  {
    name: 'no provider',
    code: 'provider_not_configured',
    at: ['checkout'],
    spoil: who({ mode: 'live' }),
    // a checkout that is refused leaves its key unused; of one that was used before: keyed-sessions.test.ts
    never: ['a used Idempotency-Key'],
  },
  {
    name: 'a provider that is away',
    code: 'provider_unavailable',
    at: ['qr'],
    spoil: with_((draft) => draft),
  },
];

const routeNames: readonly RouteName[] = ['checkout', 'simulate', 'qr', 'refund'];

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });
let ended = '';
let unpaid = '';
let routes: { readonly [name in RouteName]: Pick<Draft, 'path' | 'body'> };
const merchants = new Map<string, string>();
const keys = new Map<string, { readonly text: string; uses: number }>();
/** A sandbox key has 50 requests at once. */
const usesMax = 40;

const usual: Who = {
  isKnown: true,
  isSuspended: false,
  isLimited: false,
  kind: 'secret',
  access: 'full',
  mode: 'sandbox',
  plan: 'premium',
};

beforeAll(async () => {
  const projectId = await merchantFor(usual);
  const shop = new Merchant(projectId, galla.with(await keyFor(usual)), galla.nobody);
  const session = await shop.checkout();
  ended = (await shop.checkout()).text('id');
  await shop.api.must('POST', `/v1/checkout/${ended}/expire`);
  const running = await shop.checkout({ flow: 'redirect', provider: 'wallet_b' });
  await shop.api.must('POST', `/v1/test/checkout/${running.text('id')}/simulate`, { outcome: 'never' });
  unpaid = (await shop.session(running.text('id'))).text('paymentId');
  await shop.faults([{ provider: 'qr_a', call: 'start', kind: 'http_502' }]);
  const customer = { name: 'Asha Rai', email: 'asha@example.com', phone: '9800000000' };
  routes = {
    checkout: { path: '/v1/checkout', body: { amount: 125_050, returnUrl: 'https://shop.example/return' } },
    simulate: {
      path: `/v1/test/checkout/${session.text('id')}/simulate`,
      body: { outcome: 'never', provider: 'wallet_b' },
    },
    qr: { path: '/v1/qr/qr_a', body: { amount: 125_050, customer } },
    refund: { path: '/v1/refunds', body: { paymentId: unpaid, amount: 100, reason: 'other' } },
  };
}, 30_000);

/** The project of a merchant of this kind. */
async function merchantFor({ isSuspended, isLimited, plan }: Who): Promise<string> {
  const name = JSON.stringify([isSuspended, isLimited, plan]);
  const known = merchants.get(name);
  if (known !== undefined) return known;
  const fields = { name: 'Order', email: `order${merchants.size}@example.com`, plan };
  const { body } = await galla.admin.must('POST', '/admin/v1/merchants', fields);
  const merchant = `/admin/v1/merchants/${body.text('merchant.id')}`;
  await galla.admin.must('PATCH', merchant, { createPerSecond: isLimited ? 1 : 1000 });
  if (isSuspended) await galla.admin.must('POST', `${merchant}/suspend`, { reason: 'A test.' });
  merchants.set(name, body.text('project.id'));
  return body.text('project.id');
}

async function keyFor(one: Who): Promise<string> {
  if (!one.isKnown) return 'sk_test_00000000000000000000000000000000';
  const name = JSON.stringify(one);
  const known = keys.get(name);
  if (known !== undefined && known.uses++ < usesMax) return known.text;
  const { kind, mode, access } = one;
  const text = await galla.key(await merchantFor(one), { kind, mode, access });
  keys.set(name, { text, uses: 1 });
  return text;
}

let reused = 0;

async function sent(draft: Draft) {
  const { method, path, headers, body, isReused } = draft;
  const api = galla.with(await keyFor(draft.who));
  // an answer to it does not matter: it takes what the limit leaves
  if (draft.who.isLimited && draft.who.isKnown)
    for (let taken = 0; taken < 2; taken++) await api.post('/v1/checkout', {});
  if (!isReused) return api.send(method, path, { body, headers });
  const key = { 'idempotency-key': `reused-${reused++}` };
  await api.send('POST', path, { body: { ...(body as object), earlier: true }, headers: key });
  return api.send(method, path, { body, headers: { ...key, ...headers } });
}

const appliesTo =
  (route: RouteName) =>
  ({ at }: Failure): boolean =>
    at === undefined || at.includes(route);
const excludes = (one: Failure, other: Failure): boolean =>
  one.never?.includes(other.name) === true || other.never?.includes(one.name) === true;

const pairs = routeNames.flatMap((route) => {
  const all = failures.filter(appliesTo(route));
  return all.flatMap((first, at) =>
    all
      .slice(at + 1)
      .filter((second) => !excludes(first, second))
      .map((second) => ({ route, first, second })),
  );
});

describe('the first failure answers', () => {
  test('there is a pair for every two failures that can meet', () => {
    expect(pairs.length).toBeGreaterThan(350);
    const paired = new Set(pairs.flatMap(({ first, second }) => [first.name, second.name]));
    expect(failures.filter(({ name }) => !paired.has(name))).toEqual([]);
  });

  test.each(routeNames)('%s: every failure alone is answered', async (route) => {
    for (const failure of failures.filter(appliesTo(route))) {
      const answer = await sent(
        failure.spoil({ method: 'POST', headers: {}, ...routes[route], who: usual, isReused: false }),
      );
      expectRefusal(answer, failure.code);
    }
  });

  test.each(routeNames)('%s: of two failures the earlier one', async (route) => {
    const wrong: string[] = [];
    for (const { first, second } of pairs.filter((pair) => pair.route === route)) {
      const draft = { method: 'POST', headers: {}, ...routes[route], who: usual, isReused: false };
      const { body, status } = await sent(first.spoil(second.spoil(draft)));
      const code = codeIn(body);
      if (code !== first.code) wrong.push(`${first.name}, ${second.name}: ${status} ${code}`);
    }
    expect(wrong).toEqual([]);
  });
});

const codeIn = (body: Body): string => String(body.at('error.code'));
