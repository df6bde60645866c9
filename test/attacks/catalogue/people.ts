/** The addresses of buyers, of providers' servers and of the dashboard. */
import { callbackBytesMax } from '../../../gateways/buyer/callback.ts';
import { jsonDepthMax, jsonItemsMax } from '../../../src/kernel/json-scan.ts';
import { bearer, each, error, fine, json, page, request, type Attack, type Stage } from '../attack.ts';

const formType = 'Content-Type: application/x-www-form-urlencoded';
const form = (line: string, fields: { readonly [name: string]: string }, headers: readonly string[] = []) =>
  request(line, [formType, ...headers], new URLSearchParams(fields).toString());

const lost: readonly string[] = [
  'cs_unknown',
  'cs_n5y5kc7txbgmy7rz22b0c1r5',
  '%00',
  '..%2fadmin',
  '%ff',
  '<script>',
];
const pages: readonly Attack[] = [
  ...lost.flatMap((id): readonly Attack[] => [
    { name: `GET /pay/${id}`, send: () => request(`GET /pay/${id}`), expected: page(404) },
    {
      name: `GET /pay/${id}/status`,
      send: () => request(`GET /pay/${id}/status`),
      expected: error('resource_not_found'),
    },
    { name: `POST /pay/${id}/start`, send: () => form(`POST /pay/${id}/start`, {}), expected: page(404) },
  ]),
  ...['PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((method): Attack => ({
    name: `${method} on a page`,
    send: ({ sessionId }) => request(`${method} /pay/${sessionId}`),
    expected: page(405),
  })),
  {
    name: 'GET where a form is sent',
    send: ({ sessionId }) => request(`GET /pay/${sessionId}/start`),
    expected: page(405),
  },
  {
    name: 'an image of a code that is not there',
    send: ({ sessionId }) => request(`GET /pay/${sessionId}/code.png`),
    expected: page(404),
  },
  ...['cs_unknown', '__proto__', '%00'].map((id): Attack => ({
    name: `the way to the app of ${id}`,
    send: () => request(`GET /pay/${id}/app`),
    expected: { is: 'head', status: 204 },
  })),
  {
    name: 'the way to the app of a session without one',
    send: ({ sessionId }) => request(`GET /pay/${sessionId}/app`),
    expected: { is: 'head', status: 204 },
  },
];

const forms: readonly Attack[] = ['start', 'cancel'].flatMap((what) =>
  each<(stage: Stage) => readonly [fields: { readonly [name: string]: string }, status: number]>(
    {
      'no token': () => [{ provider: 'wallet_b' }, 403],
      'an empty token': () => [{ provider: 'wallet_b', token: '' }, 403],
      "another session's token": () => [{ provider: 'wallet_b', token: 'A'.repeat(43) }, 403],
      'a token and a character': ({ formToken }) => [{ provider: 'wallet_b', token: `${formToken}A` }, 403],
      'a token in other letters': ({ formToken }) => [
        { provider: 'wallet_b', token: formToken.toLowerCase() },
        403,
      ],
    },
    (fields, stage) => form(`POST /pay/${stage.sessionId}/${what}`, fields(stage)[0]),
    page(403),
  ).map((one) => ({ ...one, name: `${what} with ${one.name}` })),
);

const choices = each<{ readonly [name: string]: string }>(
  {
    'no provider': {},
    'a provider that is none': { provider: 'wallet_z' },
    'a provider for invoices': { provider: 'bank_a' },
    'the prototype': { provider: '__proto__' },
    'a variant that is none': { provider: 'wallet_b', variant: 'native' },
  },
  (fields, { sessionId, formToken }) => form(`POST /pay/${sessionId}/start`, { ...fields, token: formToken }),
  page(400),
);

const oversize: readonly Attack[] = [
  {
    name: 'a form of 70,000 bytes',
    send: ({ sessionId }) => form(`POST /pay/${sessionId}/start`, { token: 'x'.repeat(70_000) }),
    expected: page(413),
  },
  {
    name: 'a form that is JSON',
    send: ({ sessionId, formToken }) => json(`POST /pay/${sessionId}/cancel`, [], { token: formToken }),
    expected: page(403),
  },
];

const unknownPayment = 'pay_4t8z1m6q3x9k2v7b';
const returns: readonly Attack[] = [
  ...[unknownPayment, 'x', '%00', '..%2f..', '__proto__'].map((id): Attack => ({
    name: `of ${id}`,
    send: () => request(`GET /return/wallet_b/${id}/web/success?status=Completed`),
    expected: page(404),
  })),
  {
    name: 'of a payment at another provider',
    send: ({ paymentId }) => request(`GET /return/wallet_z/${paymentId}/web/success`),
    expected: page(404),
  },
  ...['', '?TXNID=', `?TXNID=${unknownPayment.replace('_', '-')}`, '?TXNID=__proto__', '?TXNID=%00'].map(
    (query): Attack => ({
      name: `to a registered address${query}`,
      send: () => request(`GET /return/bank_a/success${query}`),
      expected: page(404),
    }),
  ),
  ...['wallet_a', '__proto__', 'constructor'].map((provider): Attack => ({
    name: `to a registered address of ${provider}, which has none`,
    send: ({ paymentId }) => request(`GET /return/${provider}/failure?TXNID=${paymentId.replace('_', '-')}`),
    expected: page(404),
  })),
  {
    name: 'to a registered address with a payment of another provider',
    send: ({ paymentId }) => request(`GET /return/bank_a/success?TXNID=${paymentId.replace('_', '-')}`),
    expected: page(404),
  },
  {
    name: 'with another method',
    send: ({ paymentId }) => request(`DELETE /return/wallet_a/${paymentId}/web/success`),
    expected: page(405),
  },
  {
    name: 'of 70,000 bytes',
    send: ({ paymentId }) =>
      form(`POST /return/wallet_a/${paymentId}/web/success`, { a: 'x'.repeat(70_000) }),
    expected: page(413),
  },
];

const callbacks: readonly Attack[] = [
  ...[unknownPayment, 'x', '%00', '__proto__'].map((id): Attack => ({
    name: `for ${id}`,
    send: () => json(`POST /callback/wallet_a/${id}`, [], { status: 'SUCCESS' }),
    expected: error('resource_not_found'),
  })),
  ...each<string>(
    {
      'a forged success': '{"status":"SUCCESS","amount":125050}',
      'no body': '',
      'no JSON': '{',
      'no text': '\0\0\0',
      'lists 64 deep': '['.repeat(jsonDepthMax),
      'nothing signed': '{"status":"SUCCESS","signed_field_names":"","signature":""}',
      'a signature of the prototype':
        '{"__proto__":{"status":"SUCCESS"},"signed_field_names":"__proto__","signature":"x"}',
      'many signed names': `{"signed_field_names":"${','.repeat(callbackBytesMax - 100)}","signature":"x"}`,
      'a name twice': '{"status":"FAILED","status":"SUCCESS","signed_field_names":"status","signature":"x"}',
    },
    (body, { paymentId }) => json(`POST /callback/wallet_a/${paymentId}`, ['X-Signature: 00'], body),
    error('callback_signature_invalid'),
  ),
  ...[callbackBytesMax + 1, 70_000].map((bytes): Attack => ({
    name: `of ${bytes} bytes`,
    send: ({ paymentId }) => json(`POST /callback/wallet_a/${paymentId}`, [], 'x'.repeat(bytes)),
    expected: error('request_too_large'),
  })),
  ...each<string>(
    {
      'lists 65 deep': '['.repeat(jsonDepthMax + 1),
      'objects 65 deep': '{"merchantTxnId":'.repeat(jsonDepthMax + 1),
    },
    (body, { paymentId }) => json(`POST /callback/wallet_a/${paymentId}`, [], body),
    error('invalid_json'),
  ),
  ...each<string>(
    {
      'the prototype': '{"merchantTxnId":"__proto__"}',
      'an object for a reference': '{"merchantTxnId":{"toString":1}}',
      'a list': '[]',
      'an unknown payment': `{"merchantTxnId":"${unknownPayment.replace('_', '-')}","status":"COMPLETED"}`,
      'objects 64 deep': '{"merchantTxnId":'.repeat(jsonDepthMax),
    },
    (body) => json('POST /callback/wallet_c', ['Signature: AAAA'], body),
    error('resource_not_found'),
  ).map((one) => ({ ...one, name: `without a payment in its address: ${one.name}` })),
  {
    name: 'for a payment of another provider, without its address',
    send: ({ paymentId }) =>
      json('POST /callback/wallet_c', [], {
        merchantTxnId: paymentId.replace('_', '-'),
        status: 'COMPLETED',
      }),
    expected: error('resource_not_found'),
  },
  ...['__proto__', 'constructor', 'wallet_z'].map((provider): Attack => ({
    name: `of ${provider}`,
    send: ({ paymentId }) => json(`POST /callback/${provider}/${paymentId}`, [], {}),
    expected: error('resource_not_found'),
  })),
  {
    name: 'with GET',
    send: ({ paymentId }) => request(`GET /callback/wallet_a/${paymentId}`),
    expected: error('method_not_allowed'),
  },
];

const login = { email: 'shop@example.com', password: 'letmein-letmein' };
const dashboard: readonly Attack[] = [
  ...['GET /dashboard/api/prj_x/sandbox/payments', 'GET /dashboard/api/prj_x/live/webhooks'].flatMap((line) =>
    each(
      {
        'no cookie': [],
        'an empty cookie': ['Cookie: session='],
        'a made-up cookie': ['Cookie: session=usr_x.AAAAAAAAAAAAAAAA'],
        'an unreadable cookie': ['Cookie: ;;;==%%%\xff'],
        'a very long cookie': [`Cookie: session=${'a'.repeat(7000)}`],
      },
      (headers) => request(line, headers),
      error('login_required'),
    ).map((one) => ({ ...one, name: `${line} with ${one.name}` })),
  ),
  ...['accept', 'dismiss', 'look-up'].flatMap((how) =>
    each(
      { nothing: [], 'another site': ['Origin: https://evil.example'], 'an API key': null },
      (headers, { secret, projectId, paymentId }) =>
        json(
          `POST /dashboard/api/${projectId}/sandbox/reviews/${paymentId}/${how}`,
          headers ?? [bearer(secret)],
          { reason: 'x' },
        ),
      error('origin_not_allowed'),
    ).map((one) => ({ ...one, name: `a review: ${how} with ${one.name}` })),
  ),
  {
    name: 'a statement with an API key',
    send: ({ secret, projectId }) =>
      json(`POST /dashboard/api/${projectId}/sandbox/reconciliation/statements`, [bearer(secret)], {
        provider: 'wallet_b',
        csv: 'reference,amount\n',
      }),
    expected: error('origin_not_allowed'),
  },
  {
    name: 'an API key',
    send: ({ secret, projectId }) =>
      request(`GET /dashboard/api/${projectId}/sandbox/payments`, [bearer(secret)]),
    expected: error('login_required'),
  },
  ...each(
    {
      'no origin': [],
      'another site': ['Origin: https://evil.example'],
      'another site by its name': ['Origin: https://galla.test.evil.example', 'Sec-Fetch-Site: cross-site'],
      'no site': ['Origin: null'],
      'an origin that is none': ['Origin: ://'],
    },
    (headers) => json('POST /dashboard/login', headers, login),
    error('origin_not_allowed'),
  ).map((one) => ({ ...one, name: `a login from ${one.name}` })),
  {
    name: 'logging out from another site',
    send: () => json('POST /dashboard/logout', ['Origin: https://evil.example'], {}),
    expected: error('origin_not_allowed'),
  },
  ...['%2e%2e%2fpackage.json', '..%5c..%5cpackage.json', '%00', '.env'].map((file): Attack => ({
    name: `a file ${file}`,
    send: () => request(`GET /dashboard/assets/${file}`),
    expected: fine(404),
  })),
];

/** What each simulated provider parses. */
const simulatedCalls = [
  'wallet_a/api/client/intent/payment/book',
  'wallet_b/api/v2/epayment/initiate/',
  'qr_a/api/merchant/merchantDetailsForThirdParty/thirdPartyDynamicQrDownload',
  'bank_a/ws/api/creditor/validatetxn',
  'wallet_c/v1/checkout/sessionId',
];

const simulator: readonly Attack[] = [
  ...simulatedCalls.flatMap((path) =>
    each(
      {
        '65 deep': `{"a":${'['.repeat(jsonDepthMax)}${']'.repeat(jsonDepthMax)}}`,
        '5002 values': `{"a":[${'0,'.repeat(jsonItemsMax)}0]}`,
      },
      (body) => json(`POST /sim/${path}`, ['Connection: close'], body),
      error('invalid_json'),
    ).map((one) => ({ ...one, name: `${path} with ${one.name}` })),
  ),
  ...['GET /sim/control/payments', 'PUT /sim/control/faults', 'POST /sim/control/reset'].map(
    (line): Attack => ({
      name: `${line} without a key`,
      send: () => request(line),
      expected: error('api_key_missing'),
    }),
  ),
  {
    name: 'faults with a live key',
    send: ({ live }) => json('PUT /sim/control/faults', [bearer(live)], { faults: [] }),
    expected: error('sandbox_only'),
  },
];

const publicStatus: readonly Attack[] = [
  ...each<readonly [query: string, ...fields: readonly string[]]>(
    {
      'no query': ['', 'query required'],
      'two characters': ['query=ab', 'query too_short'],
      spaces: ['query=%20%20%20%20', 'query too_short'],
      '121 characters': [`query=${'a'.repeat(121)}`, 'query too_long'],
      'a mode that is none': ['query=abc&mode=test', 'mode not_in_enum'],
    },
    ([query]) => request(`GET /v1/public/payment-status?${query}`),
    ([, ...fields]) => error('validation_failed', ...fields),
  ),
  ...['__proto__', '%00%00%00', "'%20OR%201=1", '{"$ne":null}', '%ed%a0%80%ed%a0%80', '.*'.repeat(20)].map(
    (query): Attack => ({
      name: query,
      send: () => request(`GET /v1/public/payment-status?query=${query}`),
      expected: error('payment_not_found'),
    }),
  ),
  {
    name: 'a question of a page elsewhere',
    send: () => request('OPTIONS /v1/public/payment-status', ['Origin: https://evil.example']),
    expected: { is: 'head', status: 204 },
  },
  {
    name: 'the page',
    send: () => request('GET /status?query=%3Cscript%3Ealert(1)%3C/script%3E'),
    expected: page(404),
  },
];

const named = (prefix: string, all: readonly Attack[]): readonly Attack[] =>
  all.map((one) => ({ ...one, name: `${prefix}: ${one.name}` }));

export const people: readonly Attack[] = [
  ...named("buyer's page", pages),
  ...named('form', forms),
  ...named('choice', choices),
  ...named('form', oversize),
  ...named('return', returns),
  ...named('callback', callbacks),
  ...named('dashboard', dashboard),
  ...named('simulator', simulator),
  ...named('public status', publicStatus),
];
