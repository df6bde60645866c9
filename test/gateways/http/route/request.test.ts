import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { instantFrom } from '../../../../gateways/http/route/instant.ts';
import { isJsonType, queryFrom, readObject } from '../../../../gateways/http/route/request.ts';
import { RequestIds } from '../../../../gateways/server/request-id.ts';
import { couldBeId } from '../../../../src/kernel/id.ts';

describe('a JSON body', () => {
  const readBytes = (bytes: Uint8Array) => {
    const body = readObject(Buffer.from(bytes));
    return 'object' in body ? body.object : null;
  };
  const read = (text: string) => readBytes(Buffer.from(text));

  test('is an object, or empty', () => {
    expect(read('{"a":[1,{"b":null}]}')).toEqual({ a: [1, { b: null }] });
    expect(read('')).toEqual({});
    expect(read('\uFEFF{"a":1}')).toEqual({ a: 1 });
    for (const text of [
      '[]',
      'null',
      '1',
      '"x"',
      'true',
      '{',
      '{"a":1}x',
      "{'a':1}",
      '{"a":NaN}',
      '{a:1}',
      '\n',
    ]) {
      expect(read(text), text).toBeNull();
    }
  });

  test('is UTF-8', () => {
    expect(read('{"a":"आशा 🙏"}')).toEqual({ a: 'आशा 🙏' });
    expect(readBytes(Buffer.from('{"a":"\xff"}', 'latin1'))).toBeNull();
    expect(readBytes(Buffer.from('{"a":"b"}', 'utf16le'))).toBeNull();
  });

  test('has complete characters only, however they are escaped', () => {
    expect(read('{"a":"\\ud83d\\ude4f"}')).toEqual({ a: '🙏' });
    expect(read('{"a":"\\\\ud83d"}')).toEqual({ a: '\\ud83d' });
    for (const text of [
      '{"a":"\\ud83d"}',
      '{"a":"\\ude4f x"}',
      '{"\\ud83d":1}',
      '{"a":[{"b":"\\uD83D\\u0041"}]}',
    ]) {
      expect(read(text), text).toBeNull();
    }
  });

  test('is nested at most 64 levels deep, brackets in texts not counted', () => {
    const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(read(nested(64))).not.toBeNull();
    expect(read(nested(65))).toBeNull();
    expect(read(nested(30_000))).toBeNull();
    expect(read(`{"a":"${'['.repeat(100)}\\"${'{'.repeat(100)}"}`)).not.toBeNull();
  });

  test('of too many names and values is refused by a sentence that says so', () => {
    const names = (count: number): Buffer =>
      Buffer.from(
        JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))),
      );
    expect(readObject(names(2500))).toHaveProperty('object.k2499', 2499);
    expect(readObject(names(2501))).toMatchObject({
      refusal: {
        code: 'invalid_json',
        details: { message: 'The body has more than 5,000 names and values.' },
      },
    });
  });

  test('with a repeated name has the last value, and __proto__ is an ordinary name', () => {
    const body = read('{"amount":1,"amount":2,"__proto__":{"x":1}}');
    expect(body?.['amount']).toBe(2);
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect(Object.hasOwn(body ?? {}, '__proto__')).toBe(true);
  });

  test('never throws, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const value = readBytes(bytes);
        return value === null || typeof value === 'object';
      }),
    );
  });
});

test('its media type is JSON, in any case and with any parameter', () => {
  for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/json;charset=x'])
    expect(isJsonType(type)).toBe(true);
  for (const type of ['', 'text/json', 'application/jsonp', 'application/json5', 'multipart/form-data'])
    expect(isJsonType(type)).toBe(false);
});

describe('a query', () => {
  const schema = Type.Object({
    page: Type.Optional(Type.Integer()),
    open: Type.Optional(Type.Boolean()),
    name: Type.Optional(Type.String()),
    from: Type.Optional(Type.String({ format: 'instant' })),
  });
  const read = (raw: string, withMetadata = true) => queryFrom(raw, schema, withMetadata);

  test('is read by type; a value of another type stays text', () => {
    expect(read('page=2&open=true&name=5').values).toEqual({ page: 2, open: true, name: '5' });
    expect(read('page=2.0&open=1').values).toEqual({ page: '2.0', open: '1' });
  });

  test('is percent-decoded; the plus of a time offset is kept', () => {
    expect(read('name=a%20b+c%E0%A4%95').values).toEqual({ name: 'a b cक' });
    expect(read('from=2026-11-20T15:00:00+05:45').values).toEqual({ from: '2026-11-20T15:00:00+05:45' });
  });

  test('reports a repeated parameter', () => {
    expect(read('page=1&page=2').errors.map(({ param, code }) => `${param} ${code}`)).toEqual([
      'page wrong_type',
    ]);
  });

  test('searches metadata by at most three keys', () => {
    expect(read('metadata.order_id=1001&metadata.a.b=x=y').tags).toEqual([
      'metadata.order_id=1001',
      'metadata.a.b=x=y',
    ]);
    expect(read('metadata.a=1&metadata.b=1&metadata.c=1&metadata.d=1').errors).toHaveLength(1);
    expect(read('metadata.a=1', false).tags).toEqual([]);
  });

  test('accepts any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 100 }),
        (bytes) => read(Buffer.from(bytes).toString('latin1')).errors.length >= 0,
      ),
    );
    expect(read('__proto__=1&%zz=%ff&=').errors).toEqual([]);
  });
});

describe('an instant', () => {
  test.each([
    ['2026-11-20T09:15:00Z', '2026-11-20T09:15:00.000Z'],
    ['2026-11-20T15:00:00+05:45', '2026-11-20T09:15:00.000Z'],
    ['2026-11-20T15:00+0545', '2026-11-20T09:15:00.000Z'],
    ['2026-11-20T04:15:00.123456-05', '2026-11-20T09:15:00.123Z'],
    ['2026-11-20t09:15:00z', '2026-11-20T09:15:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, at) => {
    expect(new Date(instantFrom(text) ?? Number.NaN).toISOString()).toBe(at);
  });
  test.each([
    '2026-11-20T09:15:00',
    '2026-11-20',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-20T25:00:00Z',
    '2026-11-20 09:15:00Z',
    '20261120T091500Z',
    '1795166200',
    '',
    'now',
    '2026-11-20T09:15:00+99:00',
    // in UTC they are in the years 10000 and -1
    '9999-12-31T23:59:59-12:00',
    '0000-01-01T00:00:00+14:00',
  ])('%j is not one', (text) => {
    expect(instantFrom(text)).toBeNull();
  });
});

test('request ids look like every other id and do not repeat', () => {
  const all = new RequestIds();
  const ids = Array.from({ length: 2000 }, () => all.next());
  expect(ids.every((id) => couldBeId('req', id) && id.length === 28)).toBe(true);
  expect(new Set(ids).size).toBe(2000);
});
