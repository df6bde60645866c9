/** The fields of a published schema as rows of a Markdown table, and its type in words. */
import type { Json } from '../../gateways/http/openapi/schema.ts';

/** How a page refers to an object. */
export type Link = (name: string) => string;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

export const refIn = (schema: Json): string | null => {
  const { $ref } = schema as Schema;
  return $ref === undefined ? null : ($ref.split('/').at(-1) ?? '');
};

const names: { readonly [type: string]: string } = {
  string: 'text',
  integer: 'integer',
  number: 'number',
  boolean: 'true or false',
  object: 'object',
  null: 'null',
};
const formats: { readonly [format: string]: string } = {
  'date-time': 'time',
  uri: 'URL',
  email: 'e-mail address',
};

export function typeIn(schema: Json, link: Link): string {
  const { $ref, type, format, enum: values, const: only, anyOf, items } = schema as Schema;
  if ($ref !== undefined) return link(refIn(schema) ?? '');
  if (anyOf !== undefined) return anyOf.map((each) => typeIn(each as Json, link)).join(' or ');
  if (only !== undefined) return code(only);
  if (values !== undefined) return values.map(code).join(', ');
  if (items !== undefined) return `list of ${typeIn(items as Json, link)}`;
  const types = type === undefined ? ['any'] : [type].flat();
  const word = (each: string): string =>
    (each === 'string' ? formats[format ?? ''] : undefined) ?? names[each] ?? each;
  return types.map(word).join(' or ');
}

const code = (value: unknown): string => `\`${String(value)}\``;

/** The whole table; fields of objects that have no name are rows of their own, `customer.email`. A required field that
 *  is sent has a star; one that may be missing in an answer says so. */
export function fieldsTable(schema: Json, link: Link, sent: boolean): string {
  const rows = rowsOf(schema as Schema, '', link, sent);
  return rows.length === 0 ? '' : ['| Field | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
}

function rowsOf(schema: Schema, path: string, link: Link, sent: boolean): readonly string[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const isRequired = required.includes(name);
    const mark = sent === isRequired ? (sent ? '*' : ', may be absent') : '';
    const inner = field.anyOf?.find(({ properties: own }) => own !== undefined) ?? field;
    const about = [field.description ?? '', boundsOf(field)].filter((text) => text !== '').join(' ');
    const row = `| \`${path}${name}\`${mark} | ${typeIn(field as Json, link)} | ${about.replaceAll('|', '\\|')} |`;
    return [row, ...rowsOf(inner, `${path}${name}.`, link, sent)];
  });
}

/** The bounds of a field that is sent. */
function boundsOf({ minimum, maximum, minLength = 0, maxLength, maxItems }: Schema): string {
  if (maxLength !== undefined)
    return minLength > 0 ? `${minLength} to ${maxLength} characters.` : `At most ${maxLength} characters.`;
  if (maxItems !== undefined) return `At most ${maxItems} entries.`;
  if (maximum !== undefined) return `${minimum ?? 0} to ${maximum}.`;
  return minimum === undefined || minimum === 0 ? '' : `At least ${minimum}.`;
}
