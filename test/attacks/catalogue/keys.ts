/** Keys: missing, malformed, of another kind, of somebody else, no longer valid. */
import { bearer, each, error, json, order, request, type Attack, type Stage } from '../attack.ts';

const post = (headers: readonly string[]) => json('POST /v1/checkout', headers, order);
const get = (headers: readonly string[], path = '/v1/payments') => request(`GET ${path}`, headers);

const missing = each<(stage: Stage) => readonly string[]>(
  {
    'no key': () => [],
    'another scheme': () => ['Authorization: Basic c2s6'],
    'no text after the scheme': () => ['Authorization: Bearer '],
    'the scheme alone': () => ['Authorization: Bearer'],
    'a key without its scheme': ({ secret }) => [`Authorization: ${secret}`],
    'a key in another header': ({ secret }) => [`X-Api-Key: ${secret}`],
    'a key in a cookie': ({ secret }) => [`Cookie: key=${secret}`],
    'a key as a proxy would see it': ({ secret }) => [`Proxy-Authorization: Bearer ${secret}`],
  },
  (headers, stage) => post(headers(stage)),
  error('api_key_missing'),
);

const invalid = each<(stage: Stage) => string>(
  {
    'a key nobody has': () => 'sk_test_00000000000000000000000000000000',
    nonsense: () => 'nonsense',
    'a key with a character more': ({ secret }) => `${secret}x`,
    'a key with a character less': ({ secret }) => secret.slice(0, -1),
    'a key in other letters': ({ secret }) => secret.toUpperCase(),
    'two keys in one': ({ secret }) => `${secret},${secret}`,
    'two keys with a space': ({ secret }) => `${secret} ${secret}`,
    'a key in quotes': ({ secret }) => `"${secret}"`,
    'a key of the other mode': ({ secret }) => secret.replace('sk_test_', 'sk_live_'),
    'a very long key': () => `sk_test_${'9'.repeat(3000)}`,
    'an injection': () => "sk_test_' OR '1'='1",
    'a query operator': () => '{"$ne":null}',
    'a path': () => '../../etc/passwd',
    'a name of every object': () => '__proto__',
    'bytes that are no text': () => 'sk_test_\xff\xfe',
    "the operator's token": ({ adminToken }) => adminToken,
  },
  (key, stage) => get([bearer(key(stage))]),
  error('api_key_invalid'),
);

const elsewhere = each<(stage: Stage) => Buffer>(
  {
    'a key in the query': ({ secret }) => get([], `/v1/payments?api_key=${secret}&key=${secret}`),
    'a key in the body': ({ secret }) => json('POST /v1/checkout', [], { ...order, apiKey: secret }),
  },
  (send, stage) => send(stage),
  error('api_key_missing'),
);

const ended: readonly Attack[] = [
  {
    name: 'a revoked key',
    send: ({ revoked }) => get([bearer(revoked)]),
    expected: error('api_key_revoked'),
  },
  {
    name: 'an expired key',
    send: ({ expired }) => get([bearer(expired)]),
    expected: error('api_key_expired'),
  },
  ...each(
    { GET: 'GET /v1/payments', POST: 'POST /v1/checkout', DELETE: 'DELETE /v1/webhooks/we_x' },
    (line, { suspended }) => request(line, [bearer(suspended)]),
    error('account_suspended'),
  ).map((one) => ({ ...one, name: `a suspended merchant: ${one.name}` })),
];

const lines = ['GET /v1/payments', 'GET /v1/events/stream', 'POST /v1/checkout', 'POST /v1/live/tickets'];
const secretOnly = lines.map((line): Attack => ({
  name: `a publishable key: ${line}`,
  send: ({ publishable }) => request(line, [bearer(publishable)]),
  expected: error('api_key_must_be_secret'),
}));
const changes = [
  'POST /v1/checkout',
  'POST /v1/refunds',
  'POST /v1/webhooks',
  'DELETE /v1/webhooks/we_x',
  'POST /v1/test/clock/advance',
  'POST /v1/test/clock/stop',
  'POST /v1/test/events',
];
const readOnly = changes.map((line): Attack => ({
  name: `a key that may only read: ${line}`,
  send: ({ read }) => request(line, [bearer(read)]),
  expected: error('key_access_insufficient'),
}));
const sandbox = [
  'GET /v1/test/clock',
  'POST /v1/test/clock/advance',
  'POST /v1/test/clock/stop',
  'GET /v1/test/messages',
];
const sandboxOnly = sandbox.map((line): Attack => ({
  name: `a live key: ${line}`,
  send: ({ live }) => request(line, [bearer(live)]),
  expected: error('sandbox_only'),
}));

const operators: readonly Attack[] = [
  'GET /admin/v1/merchants',
  'GET /admin/v1/dead',
  'POST /admin/v1/merchants',
].flatMap((line) =>
  each<(stage: Stage) => readonly string[]>(
    {
      'a secret key': ({ secret }) => [bearer(secret)],
      nothing: () => [],
      'a guess': () => [bearer('letmein')],
    },
    (headers, stage) => request(line, headers(stage)),
    error('admin_token_invalid'),
  ).map((one) => ({ ...one, name: `${line} with ${one.name}` })),
);

const others: readonly Attack[] = (['stranger', 'live'] as const).flatMap((who) =>
  each<(stage: Stage) => string>(
    {
      session: ({ sessionId }) => `GET /v1/checkout/${sessionId}`,
      payment: ({ paymentId }) => `GET /v1/payments/${paymentId}`,
      receipt: ({ paymentId }) => `GET /v1/payments/${paymentId}/receipt`,
      timeline: ({ paymentId }) => `GET /v1/payments/${paymentId}/timeline`,
      refund: ({ refundId }) => `GET /v1/refunds/${refundId}`,
      'completing a refund': ({ refundId }) => `POST /v1/refunds/${refundId}/complete`,
      endpoint: ({ endpointId }) => `GET /v1/webhooks/${endpointId}`,
      'deleting an endpoint': ({ endpointId }) => `DELETE /v1/webhooks/${endpointId}`,
      'expiring a session': ({ sessionId }) => `POST /v1/checkout/${sessionId}/expire`,
      'a used Idempotency-Key': ({ usedKey }) => `GET /v1/idempotency/${usedKey}`,
    },
    (line, stage) => request(line(stage), [bearer(stage[who])]),
    error('resource_not_found'),
  ).map((one) => ({
    ...one,
    name: `${who === 'live' ? 'the other mode' : 'another merchant'}: ${one.name}`,
  })),
);

export const keys: readonly Attack[] = [
  ...missing,
  ...invalid,
  ...elsewhere,
  ...ended,
  ...secretOnly,
  ...readOnly,
  ...sandboxOnly,
  ...operators,
  ...others,
];
