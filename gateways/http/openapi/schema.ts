/** Schemas as a document shows them. Our own keywords become standard ones, and a schema with a name (`$id`)
 *  becomes a component that others refer to. */
import type { TSchema } from 'typebox';
import { assert } from '../../../src/kernel/assert.ts';
import type { Meaning } from '../route/meanings.ts';

/** A JSON object. */
export type Json = { readonly [key: string]: unknown };

/** http or https with a host and without a user: what every address that we accept matches. Only the service
 *  can judge the rest: the mode, the port, private hosts. */
const urlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://(:?@)?[^\\s/?#@\\\\]+([/?#][^\\s\\\\]*)?$';

/** What our keyword `means` says in standard keywords. */
const meanings: { readonly [meaning in Meaning]: Json } = {
  amount: {
    description:
      'In paisa: 125050 is NPR 1,250.50. `125050.0` is accepted, any other fraction is rejected, however small.',
  },
  currency: { description: 'The only currency.' },
  shopUrl: {
    format: 'uri',
    pattern: urlPattern,
    description: 'An http or https URL with a host, without a user name; in live mode https.',
  },
  siteUrl: {
    format: 'uri',
    pattern: urlPattern,
    description: 'An https URL; http only for this machine itself.',
  },
  webhookUrl: {
    format: 'uri',
    pattern: urlPattern,
    description:
      'https in live mode, http or https in sandbox, without a user name, port 80, 443 or 1024 to 65535. ' +
      'Private addresses are allowed only in sandbox, and only while `WEBHOOK_ALLOW_PRIVATE_HOSTS` is on.',
  },
  eventType: { description: 'An event type, or `*`.' },
  eventTypes: { description: 'Event types, separated by commas.' },
  metadata: {
    description:
      'Your own data. At most 50 keys of at most 40 characters; each value at most 500 characters as JSON, ' +
      'nested at most 3 levels deep; at most 1,000 names and values in all. Send a number beyond ' +
      '9007199254740991 as text. Lists find `order_id` or `orderId` by `orderId`, and every text, number ' +
      'or boolean at the top by `metadata.<key>`.',
  },
  exact: {},
  search: { description: 'Words, all of which must be found.' },
};

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const manySchemas: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const oneSchema: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'not', 'contentSchema']);

export class Components {
  private readonly found = new Map<string, Json>();

  /** By name, in alphabetical order. */
  get schemas(): Json {
    return Object.fromEntries([...this.found].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema, or a reference to it when it has a name, or is given one. */
  shown(schema: TSchema, name?: string): Json {
    return this.node(name === undefined ? (schema as Json) : { ...schema, $id: name });
  }

  private node(schema: Json): Json {
    const { $id: name, ...rest } = schema;
    const body = this.body(rest);
    if (typeof name !== 'string') return body;
    const known = this.found.get(name);
    assert(known === undefined || JSON.stringify(known) === JSON.stringify(body), `one schema named ${name}`);
    this.found.set(name, body);
    return { $ref: `#/components/schemas/${name}` };
  }

  private body(schema: Json): Json {
    const made: { [key: string]: unknown } = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === 'means') Object.assign(made, meanings[value as Meaning], describedIn(schema));
      else if (key === 'says') made['description'] ??= `Must be ${String(value)}.`;
      else if (key === 'format') made['format'] = value === 'instant' ? 'date-time' : value;
      else if (key === 'patternProperties' && isObject(value)) made['additionalProperties'] = this.any(value);
      else if (key === 'properties' && isObject(value)) made['properties'] = this.each(value);
      else if (manySchemas.has(key) && Array.isArray(value))
        made[key] = value.map((one) => (isObject(one) ? this.node(one) : one));
      else made[key] = oneSchema.has(key) && isObject(value) ? this.node(value) : value;
    }
    if (Array.isArray(made['enum'])) made['type'] ??= typeOf(made['enum']);
    return made;
  }

  private each(schemas: Json): Json {
    return Object.fromEntries(
      Object.entries(schemas).map(([name, one]) => [name, isObject(one) ? this.node(one) : one]),
    );
  }

  /** The values of a record, whatever its keys. */
  private any(patterns: Json): unknown {
    const [value] = Object.values(patterns);
    return isObject(value) && Object.keys(value).length > 0 ? this.node(value) : true;
  }
}

/** A description of its own comes before that of its meaning. */
const describedIn = ({ description }: Json): Json => (description === undefined ? {} : { description });

/** Of an enumeration of texts, with or without null. */
const typeOf = (values: readonly unknown[]): unknown =>
  values.includes(null) ? ['string', 'null'] : 'string';
