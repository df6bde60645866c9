/** Parts of reply schemas. The schemas describe what is answered; nothing is checked by them in production.
 *  1. A schema with a name becomes a component of the document, and is shared wherever it is used.
 *  2. Objects stay open in the published document: a later version may add fields, and a client that was
 *     generated from an older document must still accept its answers. Tests close every object, so that no
 *     field is answered that is not described. */
import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { csvLine, csvRow } from '../route/csv.ts';
import { shown, type Shown } from '../route/description.ts';

/** An object with a name of its own. */
export const object = <Fields extends TProperties>(
  name: string,
  description: string,
  fields: Fields,
): TObject<Fields> => Type.Object(fields, { $id: name, description });

export const text = (description: string) => Type.String({ description });
export const integer = (description: string) => Type.Integer({ description });
export const flag = (description: string) => Type.Boolean({ description });

export const textOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], description });
export const integerOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], description });

/** Of every object that changes. */
export const sequence = integer(
  'Grows by one with each change. Of two copies keep the one with the higher number.',
);
export const currency = Type.Enum(['NPR'], { description: 'The only currency.' });

/** UTC with milliseconds. */
export const time = (description: string) => Type.String({ format: 'date-time', description });
export const timeOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });

export const url = (description: string) => Type.String({ format: 'uri', description });
export const urlOrNull = (description: string) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'uri', description });

/** An amount of money. */
export const paisa = (description: string) => Type.Integer({ minimum: 0, description });

export const oneOf = <const Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ enum: [...values], description });

export const oneOfOrNull = <const Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value | null>({ enum: [...values, null], description });

/** An object, or null where there is none. */
export const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** Data whose fields are the merchant's, the provider's or another operation's. */
export const anyObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** One page of a list, as every list answers it. `entries`: those of the example, one unless told. */
export function listOf<Schema extends TSchema & { readonly $id?: string }>(
  { schema, example }: Shown<Schema>,
  entries: readonly Static<Schema>[] = [example],
) {
  const list = Type.Object(
    {
      data: Type.Array(schema, { description: 'The entries of this page.' }),
      total: integer('Entries on all pages. Exact up to 10,000; a larger total may be some seconds old.'),
      page: integer('This page, from 1.'),
      limit: integer('Entries of a full page.'),
    },
    { $id: `${schema.$id ?? ''}List`, description: 'One page of a list.' },
  );
  return shown(list, { data: [...entries], total: entries.length, page: 1, limit: 50 } as Static<
    typeof list
  >);
}

/** The columns of an object in a CSV file: its top-level fields. */
export const columnsOf = ({ schema }: Shown<TObject>): readonly string[] => Object.keys(schema.properties);

/** A list as a CSV file. */
export const csvOf = (of: Shown<TObject>): Shown =>
  shown(
    Type.String({
      description:
        'All entries that match, the newest 10,000 of them, one per line; `page` and `limit` are ignored. ' +
        'The first line names the fields. Values that are objects or lists are JSON, null is empty. A text ' +
        'that a spreadsheet would run as a formula starts with an apostrophe.',
    }),
    csvLine(columnsOf(of)) + csvRow(columnsOf(of), of.example as { readonly [name: string]: unknown }),
  );

/** All entries at once, for lists that are short by nature. */
export function allOf<Schema extends TSchema & { readonly $id?: string }>(
  { schema, example }: Shown<Schema>,
  entries: readonly Static<Schema>[] = [example],
) {
  const all = Type.Object(
    { data: Type.Array(schema, { description: 'All entries.' }) },
    { $id: `All${schema.$id ?? ''}`, description: 'A whole list.' },
  );
  return shown(all, { data: [...entries] } as Static<typeof all>);
}
