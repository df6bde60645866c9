/** Request lines, methods, paths and heads; bodies that two readers could see end in different places. */
import { broken, hidden, unreadable } from '../../support/two-ways.ts';
import { bare, bearer, each, error, fine, lines, page, request, type Attack } from '../attack.ts';

const parser = bare(400, 505, 431);

const requestLines = each(
  {
    nonsense: 'nonsense\r\n\r\n',
    'HTTP/1.0': 'GET /health HTTP/1.0\r\n\r\n',
    'HTTP/0.9': 'GET /health\r\n\r\n',
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'HTTP/3.0': 'GET /health HTTP/3.0\r\nHost: x\r\n\r\n',
    'no host': 'GET /health HTTP/1.1\r\n\r\n',
    'no method': '/health HTTP/1.1\r\nHost: x\r\n\r\n',
    'a version in small letters': 'GET /health http/1.1\r\nHost: x\r\n\r\n',
    'a space too many': 'GET  /health HTTP/1.1\r\nHost: x\r\n\r\n',
    'tabs for spaces': 'GET\t/health\tHTTP/1.1\r\nHost: x\r\n\r\n',
    'a space in the path': 'GET /hea lth HTTP/1.1\r\nHost: x\r\n\r\n',
    TLS: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(200, '\0'),
    'a head of 100,000 bytes': `GET /health HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`,
    'a path of 100,000 bytes': `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    '3000 headers': `GET /health HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(3000)}\r\n`,
    'a header without a colon': 'GET /health HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n',
  },
  (bytes) => Buffer.from(bytes, 'latin1'),
  parser,
);

const smuggled: readonly Attack[] = ['GET /health', 'POST /v1/checkout', 'POST /v1/nowhere'].flatMap(
  (line) => [
    ...each(
      broken,
      (headers) => lines(`${line} HTTP/1.1`, 'Host: x', ...headers, '', '') + hidden,
      bare(400),
    ).map((one) => ({ ...one, name: `${line}, ${one.name}` })),
    ...each(
      unreadable,
      (headers) => Buffer.from(lines(`${line} HTTP/1.1`, 'Host: x', ...headers, '', '') + hidden, 'latin1'),
      parser,
    ).map((one) => ({ ...one, name: `${line}, ${one.name}` })),
  ],
);

const methods: readonly Attack[] = [
  ...['DELETE', 'PUT', 'PATCH', 'TRACE', 'OPTIONS', 'PROPFIND', 'get', 'M-SEARCH'].map((method): Attack => ({
    name: `${method} /v1/checkout`,
    send: () => request(`${method} /v1/checkout`),
    expected: error('method_not_allowed'),
  })),
  ...['POST /v1/payments', 'PATCH /health', 'POST /v1/openapi.json', 'DELETE /v1/public/payment-status'].map(
    (line): Attack => ({ name: line, send: () => request(line), expected: error('method_not_allowed') }),
  ),
  {
    name: 'a method that another header names',
    send: ({ secret, sessionId }) =>
      request(`GET /v1/checkout/${sessionId}`, [bearer(secret), 'X-HTTP-Method-Override: DELETE']),
    expected: fine(),
  },
];

const nowhere = [
  '/v1',
  '/v2/checkout',
  '/checkout',
  '/v1/checkout/',
  '/v1/checkouts',
  '/V1/checkout',
  '//v1/checkout',
  '/v1//checkout',
  '/v1/./checkout',
  '/v1/../admin',
  '/v1/%2e%2e/admin/v1/merchants',
  '/v1/checkout%2f',
  '/v1/checkout%00',
  '/v1/checkout;a=b',
  '/v1\\checkout',
  '/v1/checkout/a/b/c',
  '/v1/checkout#fragment',
  '/admin',
  '/admin/v1',
  '/.env',
  '/.git/config',
  '/v1/%c0%ae%c0%ae/etc/passwd',
  '/v1/payments/x/timeline/y',
  '/sim/control/nothing',
];
const paths: readonly Attack[] = nowhere.map((path) => ({
  name: `GET ${path}`,
  send: ({ secret }) => request(`GET ${path}`, [bearer(secret)]),
  expected: error('endpoint_not_found'),
}));

const targets: readonly Attack[] = [
  {
    name: 'the path of a proxy',
    send: () => request('GET http://127.0.0.1/health'),
    expected: parser,
  },
  { name: 'an asterisk', send: () => request('OPTIONS *'), expected: parser },
  {
    name: 'a tunnel',
    send: () => request('CONNECT shop.example:443'),
    expected: parser,
  },
  {
    name: 'a person at an address that is not there',
    send: () => request('GET /nowhere', ['Accept: text/html']),
    expected: page(404),
  },
  {
    name: 'HEAD at an address that is not there',
    send: () => request('HEAD /v1/nowhere'),
    expected: { is: 'head', status: 404 },
  },
  {
    name: 'HEAD without a key',
    send: () => request('HEAD /v1/payments'),
    expected: { is: 'head', status: 401 },
  },
  {
    name: 'a socket where there is none',
    send: () =>
      request('GET /v1/checkout', [
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ]),
    expected: error('api_key_missing'),
  },
  {
    name: 'an upgrade to HTTP/2',
    send: () =>
      request('GET /v1/checkout', [
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
      ]),
    expected: error('api_key_missing'),
  },
  {
    name: 'a body that is not sent because the answer is known',
    send: () =>
      lines('POST /v1/nowhere HTTP/1.1', 'Host: x', 'Expect: 100-continue', 'Content-Length: 5', '', ''),
    expected: error('endpoint_not_found'),
  },
  {
    name: 'a header without a name',
    send: () => lines('GET /health HTTP/1.1', 'Host: x', ': y', '', ''),
    expected: fine(),
  },
  {
    name: 'two hosts',
    send: () => lines('GET /v1/nowhere HTTP/1.1', 'Host: a', 'Host: b', '', ''),
    expected: bare(400),
  },
  {
    name: 'two hosts at a path that is there',
    send: () => lines('GET /health HTTP/1.1', 'Host: a', 'Host: b', '', ''),
    expected: bare(400),
  },
  {
    name: 'two hosts of a socket',
    send: () =>
      lines(
        'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
        'Host: a',
        'Host: b',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        '',
        '',
      ),
    expected: bare(400),
  },
  {
    name: 'a host that is none',
    send: () => lines('GET /v1/nowhere HTTP/1.1', 'Host: a/b?c@d', '', ''),
    expected: error('endpoint_not_found'),
  },
];

const named = (prefix: string, all: readonly Attack[]): readonly Attack[] =>
  all.map((one) => ({ ...one, name: `${prefix}: ${one.name}` }));

export const protocol: readonly Attack[] = [
  ...named('request line', requestLines),
  ...named('smuggling', smuggled),
  ...named('method', methods),
  ...named('path', paths),
  ...named('target', targets),
];
