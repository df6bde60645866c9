/** Bodies: not JSON, JSON that is dangerous to read, too large, of another type. */
import { jsonItemsMax } from '../../../src/kernel/json-scan.ts';
import { bearer, each, error, json, lines, order, request, type Attack, type Bytes } from '../attack.ts';

const good = JSON.stringify(order);
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const nested = (open: string, depth: number, close: string): string =>
  `{"a":${open.repeat(depth)}1${close.repeat(depth)}}`;

const notJson = each<Bytes>(
  {
    'an open brace': '{',
    'a list': '[]',
    'a list of one object': `[${good}]`,
    'a number': '1',
    text: '"text"',
    null: 'null',
    true: 'true',
    'a comma too many': '{"amount":1,}',
    'two commas': '{"amount":1,,"returnUrl":"x"}',
    'single quotes': "{'amount':125050}",
    'names without quotes': '{amount:125050}',
    'a comment': `{/* a */"amount":125050}`,
    'a line comment': `// a\n${good}`,
    'two objects': good + good,
    'two objects on two lines': `${good}\n${good}`,
    'something after the object': `${good}x`,
    'a zero byte after the object': bytes(good, [0]),
    NaN: '{"amount":NaN}',
    Infinity: '{"amount":Infinity}',
    'a number in hex': '{"amount":0x1e87a}',
    'a number with a plus': '{"amount":+125050}',
    'a number with zeros before it': '{"amount":0125050}',
    'a number that ends in a dot': '{"amount":125050.}',
    'a number that begins with a dot': '{"amount":.5}',
    'an exponent without digits': '{"amount":1e}',
    'a text that does not end': '{"description":"',
    'a line break in a text': '{"description":"a\nb"}',
    'a control character in a text': '{"description":"\u0001"}',
    'an unknown escape': '{"description":"\\x41"}',
    'half an escape': '{"description":"\\u00"}',
    'half a character': '{"description":"\\ud83d"}',
    'the second half of a character': '{"description":"\\udc00"}',
    'halves in the wrong order': '{"description":"\\udc00\\ud83d"}',
    'half a character in a name': '{"\\ud800":1}',
    'bytes that are not UTF-8': bytes('{"description":"', [0xff, 0xfe], '"}'),
    'a character in too many bytes': bytes('{"description":"', [0xc0, 0xaf], '"}'),
    'half a character in bytes': bytes('{"description":"', [0xed, 0xa0, 0x80], '"}'),
    'a character that ends too early': bytes('{"description":"', [0xf0, 0x9f, 0x98], '"}'),
    'UTF-16': Buffer.from(good, 'utf16le'),
    'lists 65 deep': nested('[', 64, ']'),
    'lists 5000 deep': nested('[', 5000, ']'),
    'objects 5000 deep': nested('{"a":', 5000, '}'),
    'lists that are never closed': '['.repeat(60_000),
    'objects that are never closed': '{"a":'.repeat(10_000),
    'a form': 'amount=125050&returnUrl=https%3A%2F%2Fshop.example',
    XML: '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  },
  (body, { secret }) => json('POST /v1/checkout', [bearer(secret)], body),
  error('invalid_json'),
);

const url = '"returnUrl":"https://shop.example/return"';

/** What readers of JSON disagree about, or trip over. */
const dangerous = each<readonly [body: string, ...fields: readonly string[]]>(
  {
    'a name twice: the last one counts': [`{"amount":125050,"amount":1,${url}}`, 'amount too_small'],
    'a name twice, once escaped': [`{"amount":125050,"\\u0061mount":1,${url}}`, 'amount too_small'],
    'a name twice, once null': [`{"amount":125050,"amount":null,${url}}`, 'amount required'],
    'a name in other letters is another name': [`{"Amount":125050,${url}}`, 'amount required'],
    'the prototype': [`{"__proto__":{"amount":125050},${url}}`, 'amount required'],
    'the prototype of a prototype': [
      `{"constructor":{"prototype":{"amount":125050}},${url}}`,
      'amount required',
    ],
    'the prototype of a field': [
      `{"amount":125050,"customer":{"__proto__":{"email":"x"},"email":"x"},${url}}`,
      'customer.email invalid_format',
    ],
    'a method for a value': [`{"amount":{"valueOf":1,"toString":1},${url}}`, 'amount wrong_type'],
    'a query operator for a value': [`{"amount":{"$gt":0},${url}}`, 'amount wrong_type'],
    'a list for a value': [`{"amount":[125050],${url}}`, 'amount wrong_type'],
    'a number too large for a number': [`{"amount":1e400,${url}}`, 'amount too_large'],
    'a number of 400 digits': [`{"amount":${'9'.repeat(400)},${url}}`, 'amount too_large'],
    'minus nothing': [`{"amount":-0,${url}}`, 'amount too_small'],
    'a fraction too small to see': [
      `{"amount":125050.0000000000000000000000001,${url}}`,
      'amount amount_must_be_integer',
    ],
    'a number that is next to nothing': [`{"amount":1e-400,${url}}`, 'amount amount_must_be_integer'],
    'a byte order mark, and nothing wanted in it': ['\ufeff{}', 'amount required', 'returnUrl required'],
    'an empty name': [`{"":125050,${url}}`, 'amount required'],
  },
  ([body], { secret }) => json('POST /v1/checkout', [bearer(secret)], body),
  ([, ...fields]) => error('validation_failed', ...fields),
);

const types = each(
  {
    'plain text': 'text/plain',
    'a form': 'application/x-www-form-urlencoded',
    'a form in parts': 'multipart/form-data; boundary=x',
    'almost JSON': 'application/jsonp',
    'JSON of a kind': 'application/vnd.api+json',
    'JSON with an asterisk': 'application/*',
    'two types': 'application/xml, application/json',
    'JSON elsewhere': 'text/json',
  },
  (type, { secret }) => request('POST /v1/checkout', [bearer(secret), `Content-Type: ${type}`], good),
  error('unsupported_media_type'),
);

const large = 'x'.repeat(70_000);
const sizes: readonly Attack[] = [
  {
    name: '64 KiB and a byte',
    send: ({ secret }) => json('POST /v1/checkout', [bearer(secret)], `{"a":"${'x'.repeat(65_529)}"}`),
    expected: error('request_too_large'),
  },
  ...each(
    {
      announced: 65_537,
      'announced as a gigabyte': 1_073_741_824,
      'announced as 15 digits': 999_999_999_999_999,
    },
    (length, { secret }) =>
      lines('POST /v1/checkout HTTP/1.1', 'Host: x', bearer(secret), `Content-Length: ${length}`, '', ''),
    error('request_too_large'),
  ),
  {
    name: 'in chunks, never announced',
    send: ({ secret }) =>
      lines('POST /v1/checkout HTTP/1.1', 'Host: x', bearer(secret), 'Transfer-Encoding: chunked', '', '') +
      `400\r\n${'x'.repeat(1024)}\r\n`.repeat(80) +
      '0\r\n\r\n',
    expected: error('request_too_large'),
  },
  {
    name: 'at a path that is not there',
    send: () => json('POST /v1/nowhere', [], large),
    expected: error('endpoint_not_found'),
  },
  {
    name: 'without a key',
    send: () => json('POST /v1/checkout', [], large),
    expected: error('request_too_large'),
  },
  {
    name: 'packed',
    send: ({ secret }) =>
      json('POST /v1/checkout', [bearer(secret), 'Content-Encoding: gzip'], bytes([0x1f, 0x8b, 8, 0])),
    expected: error('invalid_json'),
  },
];

/** Each is a name and a value. */
const names = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, at]));
const most = jsonItemsMax / 2;
const many: readonly Attack[] = [
  {
    name: '5000 names and values, nearly all unknown',
    send: ({ secret }) => json('POST /v1/checkout', [bearer(secret)], { ...names(most - 1), amount: 1 }),
    expected: error('validation_failed', 'amount too_small', 'returnUrl required'),
  },
  {
    name: '5000 names and values, nearly all in metadata',
    send: ({ secret }) =>
      json('POST /v1/checkout', [bearer(secret)], { ...order, metadata: names(most - 3) }),
    expected: error('validation_failed', 'metadata metadata_too_many_keys'),
  },
  ...each<object>(
    {
      '5002 names and values, all unknown': names(most + 1),
      '5002 names and values, nearly all in metadata': { ...order, metadata: names(most - 2) },
      '5001 values': { ...order, metadata: Array.from({ length: jsonItemsMax - 5 }, () => 0) },
    },
    (body, { secret }) => json('POST /v1/checkout', [bearer(secret)], body),
    error('invalid_json'),
  ),
];

const prefixed = (prefix: string, all: readonly Attack[]): readonly Attack[] =>
  all.map((one) => ({ ...one, name: `${prefix}: ${one.name}` }));

export const bodies: readonly Attack[] = [
  ...prefixed('not JSON', notJson),
  ...prefixed('dangerous JSON', dangerous),
  ...prefixed('media type', types),
  ...prefixed('too large', sizes),
  ...prefixed('very many', many),
];
