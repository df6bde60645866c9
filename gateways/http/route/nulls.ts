/** What null means in a body: one rule, by which requests are validated and by which documents describe them. */

/** `absent`: an optional field sent as null counts as not sent. `values`: null clears the field. */
export type Nulls = 'absent' | 'values';

export const nullsIn = (method: string): Nulls => (method === 'PATCH' ? 'values' : 'absent');

/** A schema, as plain data. */
type Schema = { readonly [key: string]: unknown };

/** Whether null is a value of the field. */
export const allowsNull = ({ type }: { readonly type?: unknown }): boolean =>
  Array.isArray(type) && type.includes('null');

/** The schema of an object in which null counts as absent, in standard keywords. */
export function withNulls(schema: Schema): Schema {
  const properties = schema['properties'];
  if (!isSchema(properties)) return schema;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields = Object.entries(properties).map(([name, field]) => {
    const inner = withNulls(field as Schema);
    return [name, required.includes(name) ? inner : orNull(inner)];
  });
  return { ...schema, properties: Object.fromEntries(fields) as Schema };
}

function orNull(schema: Schema): Schema {
  const { type, enum: values, $id: name } = schema;
  if (name !== undefined) return { anyOf: [schema, { type: 'null' }] };
  const all = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  return typeof type === 'string' ? { ...schema, type: [type, 'null'], ...all } : { ...schema, ...all };
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
