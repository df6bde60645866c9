/** Bodies and queries that cost the most to check, made from the schemas of the API, each beside a valid one of the same
 *  size and of the same JSON: the two cost the same to parse, so what differs is the checking.
 *  Boundary: builds texts; worst-bodies.test.ts sends them and holds the bounds. */
import type { TSchema } from 'typebox';
import { scanJson } from '../../../src/kernel/json-scan.ts';

export interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: Node };
  readonly required?: readonly string[];
  readonly items?: Node;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly means?: string;
  readonly minimum?: number;
  readonly minLength?: number;
  readonly patternProperties?: unknown;
}

/** What a request carries, and what is to be compared with it. */
export interface Pair {
  readonly name: string;
  readonly worst: string;
  readonly valid: string;
}

export const bodyBytes = 64 * 1024;
/** The head of a request has 16 KiB, its query a little less. */
export const queryBytes = 15 * 1024;

const times = (text: string, count: number): string => text.repeat(Math.max(0, count));

/** As many of them as fit, all of them different. */
const listOf = (room: number, entry: (at: number) => unknown): readonly unknown[] => {
  const all: unknown[] = [];
  for (let left = room, at = 0; ; at++) {
    const one = entry(at);
    left -= JSON.stringify(one).length + 1;
    if (left < 0) return all;
    all.push(one);
  }
};
const objectOf = (room: number, name: (at: number) => string, value: unknown = 0): object =>
  Object.fromEntries(listOf(room - 200, (at) => [name(at), value]) as [string, unknown][]);
const nested = (depth: number): unknown => (depth === 0 ? 0 : { d: nested(depth - 1) });
/** Different characters: a name of a host that is long to write in ASCII. */
const otherScript = (count: number): string =>
  Array.from({ length: count }, (_, at) => String.fromCodePoint(0x4e00 + (at % 20_000))).join('');
const wide = '\u{1f600}';

const hostileTexts: { readonly [name: string]: (room: number) => string } = {
  letters: (room) => times('a', room),
  'wide letters': (room) => times(wide, room / 4),
  commas: (room) => times(',', room),
  'a list of kinds': (room) => times('payment.succeeded,', room / 18),
  'a host in another script': (room) => `https://${otherScript((room - 8) / 3)}.example/`,
  'hosts in another script': (room) => `https://${times('चि.', (room - 20) / 7)}example/`,
  'a path up and down': (room) => `https://a.example/${times('a/../', (room - 20) / 5)}`,
  'an e-mail of labels': (room) => `a@${times('a.', room / 2 - 2)}!`,
  'an e-mail of hyphens': (room) => `a@a${times('-', room - 5)}`,
  'an e-mail of dots': (room) => `${times('a.', room / 2 - 3)}a@`,
  digits: (room) => times('1', room),
  'a date with a tail': (room) => `2026-11-20T00:00:00.${times('0', room - 21)}Z`,
};

/** Values of any type that fill `room` bytes. */
const hostileValues: { readonly [name: string]: (room: number) => unknown } = {
  ...hostileTexts,
  'a list of letters': (room) => listOf(room, (at) => (at % 36).toString(36)),
  'a list of near kinds': (room) => listOf(room, (at) => `payment_link.pai${at}`),
  'a list of long kinds': (room) =>
    listOf(room, (at) => `subscription.trial_will_end`.padEnd(50, String(at))),
  'a list of numbers': (room) => listOf(room, () => 0),
  'a list of lists': (room) => listOf(room, () => []),
  'a list of objects': (room) => listOf(room, () => ({})),
  'short names': (room) => objectOf(room, (at) => at.toString(36)),
  'names of 40': (room) => objectOf(room, (at) => `k${at}`.padEnd(40, '\u0001')),
  'long names': (room) => objectOf(room, (at) => `k${at}${times(wide, 250)}`),
  'one long name': (room) => ({ [times(wide, room / 4 - 4)]: 0 }),
  'long values': (room) => objectOf(room, (at) => `k${at}`, times('v', 1200)),
  'lists in an object': (room) =>
    objectOf(
      room,
      (at) => `k${at}`,
      listOf(1000, () => 1),
    ),
  'deep in an object': (room) => objectOf(room, (at) => `k${at}`, nested(60)),
  'large numbers': (room) => objectOf(room, (at) => `k${at}`, 1e300),
};

/** Names and values left for those that a body must have. */
const itemsLeft = 60;

/** JSON of `value` in at most `bytes`, with no more names and values than a body may have. */
function fitted(value: (room: number) => unknown, bytes: number): unknown {
  for (let room = bytes; ; room -= Math.max(64, Math.ceil(room / 10))) {
    const made = value(Math.floor(room));
    const json = Buffer.from(JSON.stringify([made, ...Array.from({ length: itemsLeft }, () => 0)]));
    if (json.length - 2 * itemsLeft <= bytes && scanJson(json).is !== 'too_many') return made;
  }
}

/** Each field at any depth, as the path of names that leads to it. */
function fieldsIn(node: Node, path: readonly string[] = []): readonly (readonly [readonly string[], Node])[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
    const at = [...path, name];
    return [[at, field] as const, ...fieldsIn(field, at)];
  });
}

const within = ([name = '', ...rest]: readonly string[], value: unknown): object => ({
  [name]: rest.length === 0 ? value : within(rest, value),
});

/** Every body that is worth a try. `seen` keeps what another schema has tried already. */
export function bodiesOf(schema: TSchema, valid: object, seen: Set<string>): readonly Pair[] {
  const room = bodyBytes - 2 * Buffer.byteLength(JSON.stringify(valid)) - 300;
  const pair = (name: string, value: unknown, over: object): Pair => ({
    name,
    worst: JSON.stringify({ ...valid, ...over }),
    valid: JSON.stringify({ ...valid, padding: value }),
  });
  const fields = fieldsIn(schema as Node).filter(([, node]) => isNew(seen, JSON.stringify(node)));
  const bad = fields.flatMap(([path, node]) =>
    Object.entries(hostileValues)
      .filter(([, value]) => node.type !== 'integer' || typeof value(10) !== 'string')
      .map(([what, make]) => {
        const value = fitted(make, room);
        return pair(`${path.join('.')}: ${what}`, value, within(path, value));
      }),
  );
  return [...bad, ...unknownIn(schema as Node, pair, room)];
}

const isNew = (seen: Set<string>, text: string): boolean => !seen.has(text) && seen.add(text).size > 0;

/** Names nobody declared, at the root and in each object, also in the place of those that are required. */
function unknownIn(
  root: Node,
  pair: (name: string, value: unknown, over: object) => Pair,
  room: number,
): readonly Pair[] {
  const required = root.required ?? [];
  const missing = Object.fromEntries(required.map((name) => [name, undefined]));
  const near = (at: number): string => `${required[at % Math.max(1, required.length)] ?? 'name'}_${at}`;
  const floods: { readonly [name: string]: unknown } = {
    'unknown short names': fitted(hostileValues['short names'] as (room: number) => unknown, room),
    'unknown long names': fitted(hostileValues['long names'] as (room: number) => unknown, room),
    'unknown names of 40': fitted(hostileValues['names of 40'] as (room: number) => unknown, room),
    'one unknown name': fitted(hostileValues['one long name'] as (room: number) => unknown, room),
    'near names': fitted((left) => objectOf(left, near), room),
  };
  const objects = [
    [] as readonly string[],
    ...fieldsIn(root).flatMap(([path, node]) => (node.properties ? [path] : [])),
  ];
  return Object.entries(floods).flatMap(([what, value]) =>
    objects.map((path) =>
      pair(`${path.join('.')}: ${what}`, value, {
        ...missing,
        ...(path.length === 0 ? (value as object) : within(path, value)),
      }),
    ),
  );
}

/** Every query that is worth a try; `valid` is one that is taken. */
export function queriesOf(schema: TSchema, valid: string, withMetadata: boolean): readonly Pair[] {
  const names = Object.keys((schema as Node).properties ?? {});
  const begun = valid === '' ? '' : `${valid}&`;
  const filled = (part: (at: number) => string): string => {
    let text = '';
    for (let at = 0; ; at++) {
      const next = `${part(at)}&`;
      if (begun.length + text.length + next.length > queryBytes) return begun + text.slice(0, -1);
      text += next;
    }
  };
  const few = filled((at) => at.toString(36));
  const floods: readonly (readonly [string, string, string])[] = [
    ['unknown names', few, few],
    ['one unknown name, again and again', filled(() => 'aa'), filled((at) => `b${at.toString(36)}`)],
    ['many names twice', filled((at) => `c${(at >> 1).toString(36)}`), filled((at) => `c${at.toString(36)}`)],
    [
      'names that need escapes',
      filled((at) => `%01%F0%9F%98%80${at}`),
      filled((at) => `%01%F0%9F%98%80${at}`),
    ],
    ['metadata', filled((at) => `metadata.k${at}=v`), filled((at) => `metatada.k${at}=v`)],
    [
      'one long name twice',
      `${begun}${times('n', 7000)}&${times('n', 7000)}`,
      `${begun}${times('n', 14_000)}`,
    ],
  ];
  const values = names.flatMap((name) =>
    Object.entries(hostileTexts).map(([what, text]) => {
      const value = encodeURIComponent(String(fitted(text, queryBytes / 9)));
      return [`${name}: ${what}`, `${name}=${value}`, `${begun}padding=${value}`] as const;
    }),
  );
  const twice = names.map(
    (name) => [`${name} again and again`, filled(() => `${name}=1`), filled((at) => `p${at}=1`)] as const,
  );
  return [...floods, ...values, ...twice]
    .filter(([name]) => withMetadata || name !== 'metadata')
    .map(([name, worst, padded]) => ({ name, worst, valid: padded }));
}

/** Objects some of which are valid: the required fields, then each other one beside them. */
export function validTries(schema: TSchema): readonly { readonly [name: string]: unknown }[] {
  const { properties = {}, required = [] } = schema as Node;
  const least = Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
  const others = Object.keys(properties).filter((name) => !required.includes(name));
  return [least, ...others.map((name) => ({ ...least, [name]: sampleOf(properties[name] ?? {}) }))];
}

function sampleOf(node: Node): unknown {
  if (node.enum !== undefined) return node.enum[0];
  switch ([node.type].flat()[0]) {
    case 'integer':
      return Math.max(node.minimum ?? 0, node.means === 'amount' ? 1000 : 0);
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return validTries(node as TSchema)[0];
    default:
      return textOf(node);
  }
}

function textOf({ format, means, minLength = 1 }: Node): string {
  if (format === 'email') return 'asha@example.com';
  if (format === 'instant') return '2026-11-20T09:15:00.000Z';
  if (means === 'shopUrl' || means === 'webhookUrl') return 'https://shop.example/path';
  if (means === 'eventType' || means === 'eventTypes') return 'payment.succeeded';
  return times('a', Math.max(1, minLength));
}
