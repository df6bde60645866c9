import { Type, type TSchema } from 'typebox';
import { describe, expect, test } from 'vitest';
import { fieldsOf } from '../../../../gateways/http/route/fields.ts';
import { type FieldContext } from '../../../../gateways/http/route/meanings.ts';
import {
  amount,
  currency,
  email,
  instant,
  metadata,
  nullable,
  postalAddress,
  shopUrl,
  text,
  webhookUrl,
} from '../../../../gateways/http/route/schemas.ts';

const sandbox: FieldContext = { mode: 'sandbox', allowPrivateHosts: true };
const live: FieldContext = { mode: 'live', allowPrivateHosts: true };

/** `param code` of each error, in their order. */
function wrong(
  schema: TSchema,
  input: object,
  context = sandbox,
  nulls: 'absent' | 'values' = 'absent',
): readonly string[] {
  return fieldsOf(schema)
    .check(input, context, nulls)
    .errors.map(({ param, code }) => `${param} ${code}`);
}

const order = Type.Object({
  amount,
  returnUrl: shopUrl,
  currency: Type.Optional(currency),
  description: Type.Optional(text(500)),
  customer: Type.Optional(
    Type.Object({
      name: Type.Optional(text(10)),
      email: Type.Optional(email),
      address: Type.Optional(postalAddress),
    }),
  ),
  metadata: Type.Optional(metadata),
  flow: Type.Optional(Type.Enum(['hosted', 'redirect'])),
  at: Type.Optional(instant),
  minutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 10 })),
});
const good = { amount: 1000, returnUrl: 'https://shop.example/return' };

describe('amounts', () => {
  test.each([
    [125_050.0, []],
    [1000, []],
    [100_000_000, []],
    [1.5, ['amount amount_must_be_integer']],
    [1e-3, ['amount amount_must_be_integer']],
    ['125050', ['amount wrong_type']],
    [true, ['amount wrong_type']],
    [[1000], ['amount wrong_type']],
    [999, ['amount too_small']],
    [-5, ['amount too_small']],
    [0, ['amount too_small']],
    [100_000_001, ['amount too_large']],
    [1e300, ['amount too_large']],
    [JSON.parse('1e999'), ['amount too_large']],
    [JSON.parse('-1e999'), ['amount too_small']],
  ])('%j -> %j', (value, errors) => {
    expect(wrong(order, { ...good, amount: value })).toEqual(errors);
  });
});

test('all errors are returned at once, in the order of the field table, one per field', () => {
  expect(
    wrong(order, {
      flow: 'sideways',
      metadata: [],
      customer: { address: { city: 5 }, email: 'nobody', name: 'much too long' },
      description: 'x'.repeat(501),
      currency: 'USD',
      at: 'noon',
      minutes: 4,
    }),
  ).toEqual([
    'amount required',
    'returnUrl required',
    'currency currency_not_supported',
    'description too_long',
    'customer.name too_long',
    'customer.email invalid_format',
    'customer.address.line1 required',
    'customer.address.city wrong_type',
    'metadata wrong_type',
    'flow not_in_enum',
    'at invalid_format',
    'minutes too_small',
  ]);
});

describe('null in a POST', () => {
  test('counts as not sent, also inside', () => {
    const input = {
      ...good,
      description: null,
      customer: { name: null, email: null },
      metadata: null,
      flow: null,
    };
    const { value, errors } = fieldsOf(order).check(input, sandbox, 'absent');
    expect(errors).toEqual([]);
    expect(value).toEqual({ ...good, customer: {} });
  });
  test('fails where the field is required', () => {
    expect(wrong(order, { ...good, amount: null })).toEqual(['amount required']);
  });
  test('is kept where it has a meaning, and everywhere in a PATCH', () => {
    const change = Type.Object({ logo: Type.Optional(nullable(text(5))), name: Type.Optional(text(5)) });
    expect(fieldsOf(change).check({ logo: null }, sandbox, 'absent').value).toEqual({ logo: null });
    expect(wrong(change, { logo: null, name: null }, sandbox, 'values')).toEqual(['name wrong_type']);
    expect(wrong(change, { logo: 'too long', name: 'fine' }, sandbox, 'values')).toEqual(['logo too_long']);
  });
});

describe('undeclared names', () => {
  test('are reported with their path and never copied', () => {
    const input = { ...good, foo: 1, customer: { name: 'Asha', age: 5 }, metadata: { any: { thing: 1 } } };
    const { value, ignored } = fieldsOf(order).check(input, sandbox, 'absent');
    expect(ignored).toEqual(['foo', 'customer.age']);
    expect(value).toEqual({ ...good, customer: { name: 'Asha' }, metadata: { any: { thing: 1 } } });
  });
  test('do no harm, whatever they are', () => {
    const input = JSON.parse(
      '{"amount":1000,"returnUrl":"https://a.example","__proto__":{"currency":"USD"},"constructor":1,"toString":2}',
    ) as object;
    const { value, errors, ignored } = fieldsOf(order).check(input, sandbox, 'absent');
    expect([errors, ignored]).toEqual([[], ['__proto__', 'constructor', 'toString']]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(({} as { currency?: unknown }).currency).toBeUndefined();
  });
});

describe('texts', () => {
  test('are measured in characters, not in bytes or halves of an emoji', () => {
    expect(wrong(Type.Object({ name: text(3, 1) }), { name: '🙏🏽क' })).toEqual([]);
    expect(wrong(Type.Object({ name: text(3, 1) }), { name: 'कखगघ' })).toEqual(['name too_long']);
    expect(wrong(Type.Object({ name: text(3, 1) }), { name: '' })).toEqual(['name too_short']);
  });
  test.each(['a@b.example', 'first.last+tag@sub.example.com'])('%s is an e-mail address', (value) => {
    expect(wrong(Type.Object({ email }), { email: value })).toEqual([]);
  });
  test.each([
    'a',
    'a@',
    '@b.example',
    'a b@c.example',
    'a@b..example',
    'a@b.example\n',
    `${'a'.repeat(250)}@b.example`,
  ])('%j is not one', (value) => {
    expect(wrong(Type.Object({ email }), { email: value })).toHaveLength(1);
  });
});

describe('addresses of a shop', () => {
  test.each(['https://shop.example', 'http://127.0.0.1:9/return?x=1#y', 'https://दुकान.example/फिर्ता'])(
    '%s is accepted in sandbox',
    (value) => {
      expect(wrong(Type.Object({ url: shopUrl }), { url: value })).toEqual([]);
    },
  );
  test.each([
    ['javascript:alert(1)', 'invalid_format'],
    ['data:text/html,x', 'invalid_format'],
    ['ftp://shop.example', 'url_not_allowed'],
    ['https://user@shop.example/', 'url_not_allowed'],
    ['https:a.b', 'invalid_format'],
    ['https:/a.b', 'invalid_format'],
    ['https:///a.b', 'invalid_format'],
    ['HTTP:a.b', 'invalid_format'],
    ['shop.example', 'invalid_format'],
    ['//shop.example', 'invalid_format'],
    ['', 'invalid_format'],
    [' https://shop.example', 'invalid_format'],
    ['https://shop.example/\r\nSet-Cookie: a=b', 'invalid_format'],
    ['https:\\\\shop.example', 'invalid_format'],
    ['http://', 'invalid_format'],
    [`https://shop.example/${'x'.repeat(2048)}`, 'too_long'],
  ])('%j is %s', (value, code) => {
    expect(wrong(Type.Object({ url: shopUrl }), { url: value })).toEqual([`url ${code}`]);
  });
  test('are https in live', () => {
    expect(wrong(Type.Object({ url: shopUrl }), { url: 'http://shop.example' }, live)).toEqual([
      'url url_not_allowed',
    ]);
    expect(wrong(Type.Object({ url: shopUrl }), { url: 'https://shop.example' }, live)).toEqual([]);
  });
});

describe('addresses of webhooks', () => {
  const check = (url: string, context: FieldContext) =>
    wrong(Type.Object({ url: webhookUrl }), { url }, context);
  test('may be private in sandbox where the service allows it, and nowhere else', () => {
    expect(check('http://127.0.0.1:4000/hooks', sandbox)).toEqual([]);
    expect(check('http://127.0.0.1:4000/hooks', { ...sandbox, allowPrivateHosts: false })).toEqual([
      'url url_not_allowed',
    ]);
    expect(check('https://10.0.0.1/hooks', live)).toEqual(['url url_not_allowed']);
    expect(check('https://2130706433/hooks', live)).toEqual(['url url_not_allowed']);
    expect(check('http://shop.example/hooks', live)).toEqual(['url url_not_allowed']);
    expect(check('not a url', sandbox)).toEqual(['url invalid_format']);
  });
});

describe('metadata', () => {
  const check = (value: unknown) => wrong(order, { ...good, metadata: value });
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

  const lists = (count: number, length: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`l${n}`, Array.from({ length }, () => 0)]));

  test('holds 50 keys of 40 characters, values of 500 characters as JSON, three levels, 1,000 names and values', () => {
    expect(check(keys(50))).toEqual([]);
    expect(check({ ['क'.repeat(40)]: 'ख'.repeat(498) })).toEqual([]);
    expect(check({ a: { b: [1, null, 'x'] } })).toEqual([]);
    expect(check({ ...lists(10, 90), ...keys(40) })).toEqual([]);
    expect(check(JSON.parse('{"__proto__":"a key","$where":1,"a.b":2,"":3}'))).toEqual([]);
  });
  test.each([
    [keys(51), 'metadata metadata_too_many_keys'],
    [{ ...lists(10, 90), ...keys(40), k0: [0] }, 'metadata metadata_too_many_keys'],
    [{ ['x'.repeat(41)]: 1 }, `metadata.${'x'.repeat(20)}... metadata_key_too_long`],
    [{ a: 'x'.repeat(499) }, 'metadata.a metadata_value_too_long'],
    [{ a: { b: { c: {} } } }, 'metadata.a metadata_too_deep'],
    [{ wallet_a_intent: {} }, 'metadata.wallet_a_intent metadata_key_reserved'],
    ['text', 'metadata wrong_type'],
  ])('%j -> %s', (value, error) => {
    expect(check(value)).toEqual([error]);
  });

  test.each(['9007199254740993', '-9007199254740993', '1e400', '-1e400', '[1,{"id":12345678901234567890}]'])(
    'refuses the number %s, which would become another one, and asks for text',
    (json) => {
      const { errors } = fieldsOf(order).check(
        { ...good, metadata: { id: JSON.parse(json) } },
        sandbox,
        'absent',
      );
      const message = 'metadata.id must be text: a number this large is not kept exactly.';
      expect(errors).toEqual([{ param: 'metadata.id', code: 'wrong_type', message }]);
    },
  );

  test('keeps every number that a double can hold, and large ones as text', () => {
    expect(
      check(JSON.parse('{"a":9007199254740991,"b":-9007199254740991,"c":0.1,"d":"9007199254740993"}')),
    ).toEqual([]);
  });
});

const eventsOf = (maxItems: number) =>
  Type.Object({ events: Type.Array(Type.String({ means: 'eventType' }), { maxItems }) });

test('a list of events reports each unknown one', () => {
  expect(wrong(eventsOf(10), { events: ['payment.succeeded', 'payment.eaten', 5, '*'] })).toEqual([
    'events[1] unknown_event_type',
    'events[2] wrong_type',
  ]);
});

test('a list is read only up to one more than its limit', () => {
  const events = Array.from({ length: 1000 }, (_, at) => `payment.p${at}`);
  const { value, errors } = fieldsOf(eventsOf(3)).check({ events }, sandbox, 'absent');
  expect(errors.map(({ param }) => param)).toEqual(['events', ...[0, 1, 2, 3].map((at) => `events[${at}]`)]);
  expect(value.events.length).toBe(4);
  expect(() => fieldsOf(Type.Object({ all: Type.Array(Type.String()) }))).toThrow('a bound');
});

test('at most a hundred wrong fields are listed, and few get suggestions', () => {
  const events = Array.from({ length: 300 }, () => 'payment.payed');
  const { errors } = fieldsOf(eventsOf(200)).check({ events }, sandbox, 'absent');
  expect(errors.length).toBe(100);
  expect(errors[1]?.message).toContain('Did you mean');
  expect(errors.filter(({ message }) => message.includes('Did you mean')).length).toBe(5);
});

describe('a required field sent under a similar name', () => {
  const messages = (input: object): readonly string[] =>
    fieldsOf(
      Type.Object({
        returnUrl: Type.String(),
        to: Type.Optional(Type.String()),
        customer: Type.Object({ email: Type.String() }),
      }),
    )
      .check(input, sandbox, 'absent')
      .errors.map(({ message }) => message);
  const customer = { email: 'a@b.np' };

  test.each(['return_url', 'return-url', 'ReturnURL', 'returnUri', 'returnUrls'])(
    '%s is suggested',
    (name) => {
      expect(messages({ [name]: 'https://a.example', customer })).toEqual([
        `returnUrl is required: unknown field ${name}, did you mean returnUrl?`,
      ]);
    },
  );

  test('is suggested with its path', () => {
    expect(messages({ returnUrl: 'x', customer: { e_mail: 'a@b.np' } })).toEqual([
      'customer.email is required: unknown field customer.e_mail, did you mean customer.email?',
    ]);
  });

  test.each([['url'], ['mail'], ['returnAddress'], [`${'_'.repeat(60_000)}returnUrl`]])(
    '%s is not similar enough',
    (name) => {
      expect(messages({ [name]: 'x', customer })).toEqual(['returnUrl is required.']);
    },
  );

  test('is not searched in another object', () => {
    expect(messages({ e_mail: 'x', returnUrl: 'x', customer: {} })).toEqual(['customer.email is required.']);
  });
});
