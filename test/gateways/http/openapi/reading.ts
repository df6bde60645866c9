/** The document as a careful client reads it: its operations, and a judge of answers that accepts nothing the document
 *  does not describe. */
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

export type Json = { readonly [key: string]: unknown };

export interface Media {
  readonly schema: Json;
  readonly example?: unknown;
  readonly examples?: { readonly [name: string]: { readonly value?: unknown; readonly $ref?: string } };
}

export interface Response {
  readonly headers: { readonly [name: string]: Json };
  readonly content?: { readonly [type: string]: Media };
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface Described {
  /** Its JSON pointer in the document. */
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly security: readonly Json[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: { readonly [type: string]: Media } };
  readonly responses: { readonly [status: string]: Response };
}

export function operationsOf(document: Json): readonly Described[] {
  const shared = at(document, '/components/parameters') as { readonly [name: string]: Parameter };
  return Object.entries(document['paths'] as { readonly [path: string]: Json }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => {
      const described = one as unknown as Described;
      const parameters = (described.parameters ?? []) as readonly (Parameter & { readonly $ref?: string })[];
      return {
        ...described,
        at: `/paths/${escaped(path)}/${method}`,
        method: method.toUpperCase(),
        path,
        parameters: parameters.flatMap((each) =>
          each.$ref === undefined ? each : (shared[each.$ref.split('/').at(-1) ?? ''] ?? []),
        ),
      };
    }),
  );
}

export const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

export const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((found, part) => (found as Json | undefined)?.[part], value);

/** What is wrong with a value, by the schema at a pointer; empty when nothing is. */
export type Judge = (pointer: string, value: unknown) => readonly string[];

/** Every object is closed: a field that is not described is wrong. */
export function judgeBy(document: Json): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema({ ...(closed(document) as Json), $id: 'document' });
  return (pointer, value) => {
    const check = ajv.getSchema(`document#${encodeURI(pointer)}`);
    if (check === undefined) return [`no schema at ${pointer}`];
    return check(value) === true ? [] : (check.errors ?? []).map(words);
  };
}

const words = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`;

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const all = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, closed(each)]));
  const isOpen = all['type'] === 'object' && 'properties' in all && !('additionalProperties' in all);
  return isOpen ? { ...all, additionalProperties: false } : all;
}

export interface Frame {
  readonly [field: string]: unknown;
}

/** The frames of an event stream. */
export const framesIn = (text: string): readonly Frame[] =>
  text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) =>
      Object.fromEntries(
        block.split('\n').map((line) => {
          const [name = '', ...rest] = line.split(': ');
          const value = rest.join(': ');
          return [
            name,
            name === 'data' ? (JSON.parse(value) as unknown) : name === 'retry' ? Number(value) : value,
          ];
        }),
      ),
    );

const idPattern =
  /\b(cs|pay|prj|mer|evt|we|whd|key|req|tkt|msg|rfd|ref|lnk|rst|bp|bc|sub|inv|n:)_?[0-9a-hjkmnp-tv-z]{16,24}\b/g;
const timePattern = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** What differs from one run to the next. */
const oneRun: readonly (readonly [RegExp, string])[] = [
  [idPattern, '$1_...'],
  [timePattern, '(time)'],
  [/\bPL-[0-9A-HJKMNP-TV-Z]{8}\b/g, 'PL-...'],
  [/\bTX[0-9A-Z]{12,}/g, 'TX...'],
  [/\bpx[0-9a-z]{16}\b/g, 'px...'],
  [/whsec_[0-9A-Za-z+/=]+/g, 'whsec_...'],
  [/https?:\/\/(?:127\.0\.0\.1:\d+|pay\.example\.com)\b/g, '(service)'],
  [/\b[sp]k_(?:test|live|sandbox)_[0-9A-Za-z]{32}\b/g, '(key)'],
  [/^[\w.-]+ \d+$/g, '(host and process)'],
  [/^data:image\/png;base64,.*$/g, '(image)'],
  [/^000201.*$/g, '(code)'],
];
const numbersOfOneRun: ReadonlySet<string> = new Set([
  'durationMs',
  'created',
  'activations',
  'mailboxCommands',
  'outboxOldestMs',
  'eventsToDispatch',
  'eventsToPublish',
  'unusedCredit',
  'netAmount',
]);
const textsOfOneRun: ReadonlySet<string> = new Set(['traceId', 'merchant', 'x', 'password', 'last4']);

/** What a compact JWS signs. */
function signedIn(jws: string): unknown {
  const [, payload = ''] = jws.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
}

/** The value without ids and times. */
export function lasting(value: unknown, name = ''): unknown {
  if (typeof value === 'string' && textsOfOneRun.has(name)) return '(text)';
  if (typeof value === 'string' && name === 'receipt') return lasting(signedIn(value));
  if (typeof value === 'string')
    return oneRun.reduce((text, [pattern, instead]) => text.replace(pattern, instead), value);
  if (typeof value === 'number') return numbersOfOneRun.has(name) ? '(number)' : value;
  // the later ones come in another order after a month of another length
  if (Array.isArray(value) && name === 'nextSteps') return value.slice(0, 2).map((each) => lasting(each));
  if (Array.isArray(value)) return value.map((each) => lasting(each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, lasting(each, key)]));
}
