/** `Idempotency-Key`, `Api-Version`, cursors, queries and ids. */
import { bearer, each, error, fine, json, order, request, type Attack } from '../attack.ts';

const post = (secret: string, headers: readonly string[], body: object = order) =>
  json('POST /v1/checkout', [bearer(secret), ...headers], body);

const badKeys = each(
  {
    'an empty one': '',
    'one of 256 characters': 'x'.repeat(256),
    'two words': 'two words',
    'a tab': 'a\tb',
    'letters beyond ASCII': 'na\xefve',
    'a control character': 'a\x7fb',
  },
  (key, { secret }) => post(secret, [`Idempotency-Key: ${key}`]),
  error('idempotency_key_invalid'),
);

const usedKeys: readonly Attack[] = [
  {
    name: 'another body',
    send: ({ secret, usedKey }) =>
      post(secret, [`Idempotency-Key: ${usedKey}`], { ...order, amount: 125_051 }),
    expected: error('idempotency_key_reused'),
  },
  {
    name: 'the same body with an unknown field',
    send: ({ secret, usedKey }) => post(secret, [`Idempotency-Key: ${usedKey}`], { ...order, extra: true }),
    expected: error('idempotency_key_reused'),
  },
  {
    name: 'the same body: a replay',
    send: ({ secret, usedKey }) => post(secret, [`Idempotency-Key: ${usedKey}`]),
    expected: fine(201),
  },
  {
    name: 'sent twice in one request',
    send: ({ secret, usedKey }) =>
      post(secret, [`Idempotency-Key: ${usedKey}`, `Idempotency-Key: ${usedKey}`], { amount: 1 }),
    expected: error('idempotency_key_invalid'),
  },
  {
    name: 'a bad body is not kept under it',
    send: ({ secret }) => post(secret, ['Idempotency-Key: never-kept'], { amount: 1 }),
    expected: error('validation_failed', 'amount too_small', 'returnUrl required'),
  },
  {
    name: 'and so it is not found',
    send: ({ secret }) => request('GET /v1/idempotency/never-kept', [bearer(secret)]),
    expected: error('resource_not_found'),
  },
];

const versions = each(
  {
    'an empty one': '',
    'one to come': '2031-01-01',
    'a word': 'latest',
    'two of them': '2026-11-20, 2026-11-20',
  },
  (version, { secret }) => post(secret, [`Api-Version: ${version}`]),
  error('api_version_unknown'),
);

const queries = each<readonly [path: string, ...fields: readonly string[]]>(
  {
    'page 0': ['/v1/checkout?page=0', 'page too_small'],
    'page -1': ['/v1/checkout?page=-1', 'page too_small'],
    'a page in words': ['/v1/checkout?page=one', 'page wrong_type'],
    'a page with a fraction': ['/v1/checkout?page=1.5', 'page wrong_type'],
    'a page beyond counting': [`/v1/checkout?page=${'9'.repeat(40)}`, 'page wrong_type'],
    'limit 101': ['/v1/checkout?limit=101', 'limit too_large'],
    'a name twice': ['/v1/checkout?limit=1&limit=2', 'limit wrong_type'],
    'a status that is none': ['/v1/checkout?status=asleep', 'status not_in_enum'],
    'a query operator': ['/v1/payments?status[$ne]=success&status=x', 'status not_in_enum'],
    'a time that is none': ['/v1/payments?createdFrom=yesterday', 'createdFrom invalid_format'],
    'a day that is none': ['/v1/payments?createdFrom=2026-02-30T00:00:00Z', 'createdFrom invalid_format'],
    'a time without an offset': ['/v1/payments?createdTo=2026-11-20T00:00:00', 'createdTo invalid_format'],
    'an amount in words': ['/v1/payments?amountMin=much', 'amountMin wrong_type'],
    'four filters of metadata': [
      '/v1/payments?metadata.a=1&metadata.b=1&metadata.c=1&metadata.d=1',
      'metadata metadata_too_many_keys',
    ],
    'an event type that is none': ['/v1/events?type=payment.exploded', 'type unknown_event_type'],
    'a broken escape': ['/v1/payments?limit=%zz', 'limit wrong_type'],
    'a half character': ['/v1/payments?limit=%ff', 'limit wrong_type'],
  },
  ([path], { secret }) => request(`GET ${path}`, [bearer(secret)]),
  ([, ...fields]) => error('validation_failed', ...fields),
);

/** Filters that match nothing, whatever they try to be. */
const harmless = each(
  {
    'the prototype as a filter': '/v1/checkout?metadata.__proto__=x&metadata.constructor=1',
    'a query operator as a filter': '/v1/checkout?metadata.%24where=sleep(1000)',
    'a quote in a filter': '/v1/payments?orderId=%27%20OR%201%3D1--',
    'a zero byte in a filter': '/v1/payments?orderId=%00',
    'half a character in a filter': '/v1/payments?orderId=%ed%a0%80',
    'a filter of 8000 characters': `/v1/payments?orderId=${'a'.repeat(8000)}`,
    '300 unknown parameters': `/v1/payments?${Array.from({ length: 300 }, (_, at) => `p${at}=1`).join('&')}`,
    'an unknown parameter with a line break': '/v1/payments?a%0d%0aX-Injected:%20yes=1',
    'a pattern that takes long': `/v1/payments?orderId=${'(a%2B)%2B'.repeat(20)}%24`,
  },
  (path, { secret }) => request(`GET ${path}`, [bearer(secret)]),
  fine(),
);

const ids = [
  'cs_',
  'x',
  'cs_n5y5kc7txbgmy7rz22b0c1r5',
  'CS_N5Y5KC7TXBGMY7RZ22B0C1R5',
  '%00',
  '%2e%2e%2fadmin',
  '..%5c..%5cadmin',
  '%F0%9F%92%B8',
  'a'.repeat(2000),
  '%ff',
  '%',
  '%zz',
  '$where',
  '__proto__',
  'constructor',
  'null',
  '%7B%22%24ne%22%3Anull%7D',
  "'--",
  '-1',
  '1e9',
];
const unknownIds: readonly Attack[] = ids.flatMap((id) =>
  ['/v1/checkout/{}', '/v1/payments/{}', '/v1/payments/{}/receipt', '/v1/events/{}'].map((path): Attack => ({
    name: `${path.replace('{}', id.slice(0, 40))}`,
    send: ({ secret }) => request(`GET ${path.replace('{}', id)}`, [bearer(secret)]),
    expected: error('resource_not_found'),
  })),
);

const streams: readonly Attack[] = [
  {
    name: 'a cursor nobody gave out',
    send: ({ secret }) => request('GET /v1/events/stream', [bearer(secret), 'Last-Event-ID: evt_x']),
    expected: error('event_cursor_gone'),
  },
  {
    name: 'a cursor with a line break',
    send: ({ secret }) => request('GET /v1/events/stream?lastEventId=a%0d%0ab', [bearer(secret)]),
    expected: error('event_cursor_gone'),
  },
  {
    name: 'from before the kept history',
    send: ({ secret }) => request('GET /v1/events/stream?since=2020-01-01T00:00:00Z', [bearer(secret)]),
    expected: error('event_cursor_gone'),
  },
  {
    name: 'types that are none',
    send: ({ secret }) => request('GET /v1/events/stream?types=x,*', [bearer(secret)]),
    expected: error('validation_failed', 'types unknown_event_type'),
  },
  { name: 'without a key', send: () => request('GET /v1/events/stream'), expected: error('api_key_missing') },
];

const named = (prefix: string, all: readonly Attack[]): readonly Attack[] =>
  all.map((one) => ({ ...one, name: `${prefix}: ${one.name}` }));

export const headers: readonly Attack[] = [
  ...named('Idempotency-Key', badKeys),
  ...named('a used Idempotency-Key', usedKeys),
  ...named('Api-Version', versions),
  ...named('query', queries),
  ...named('harmless query', harmless),
  ...named('id', unknownIds),
  ...named('event stream', streams),
];
