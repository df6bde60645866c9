/** Every field and query parameter that the documents describe, beyond its bounds, of another type, absent or twice:
 *  derived, so that a new operation takes part by itself. */
import { operationsOf, type Described, type Json } from '../../gateways/http/openapi/reading.ts';
import {
  fieldsIn,
  leastOf,
  sampleOf,
  textsOfOtherTypes,
  valuesBeyond,
  valuesOfOtherTypes,
  withAt,
  type Beyond,
  type Field,
  type Schema,
} from '../../journeys/bounds.ts';
import { bearer, json, request, type Attack, type Expected, type Stage } from '../attack.ts';
import { bodySchemaOf, pathWith } from '../stage.ts';

export const fieldAttacks = (documents: readonly Json[]): readonly Attack[] =>
  documents.flatMap((document) =>
    operationsOf(document).flatMap((operation) => [
      ...bodyAttacks(operation, bodySchemaOf(document, operation) as Schema | null),
      ...queryAttacks(operation),
    ]),
  );

const keyFor = ({ path, security }: Described, { adminToken, secret }: Stage): readonly string[] => {
  if (security.length === 0) return [];
  return [bearer(path.startsWith('/admin/') ? adminToken : secret)];
};

function lineOf(operation: Described, stage: Stage, search = ''): string {
  const path = pathWith(operation, stage);
  if (path === null) throw new Error(`the stage has no object for ${operation.path}`);
  return `${operation.method} ${path}${search === '' ? '' : `?${search}`}`;
}

const refused = (param: string, { codes }: Pick<Beyond, 'codes'>): Expected => ({
  is: 'error',
  code: 'validation_failed',
  either: codes.map((code) => `${param} ${code}`),
});

const nameOf = ({ method, path }: Described, param: string, value: unknown): string =>
  `field: ${method} ${path}, ${param} = ${JSON.stringify(value)?.slice(0, 60) ?? 'absent'}`;

function bodyAttacks(operation: Described, body: Schema | null): readonly Attack[] {
  if (body === null) return [];
  return fieldsIn(body).flatMap((field) => {
    const param = field.path.join('.');
    return beyondOf(field, operation).map((beyond, at): Attack => {
      const sent = withAt(body, leastOf(body), field.path, beyond.value);
      return {
        name: `${nameOf(operation, param, beyond.value)} (${at})`,
        send: (stage) => json(lineOf(operation, stage), keyFor(operation, stage), sent),
        expected: refused(param, beyond),
      };
    });
  });
}

function beyondOf({ schema, required }: Field, { method }: Described): readonly Beyond[] {
  const isNullable = [schema.type].flat().includes('null');
  const none: readonly Beyond[] =
    method === 'PATCH'
      ? isNullable
        ? []
        : [{ value: null, codes: ['wrong_type', 'not_in_enum'] }]
      : required
        ? [undefined, null].map((value): Beyond => ({ value, codes: ['required'] }))
        : [];
  const all = [...none, ...valuesBeyond(schema), ...valuesOfOtherTypes(schema)];
  // whatever else is wrong with it, it is not the stored value
  const isFixed = schema.description?.includes('`not_changeable`') === true;
  return isFixed ? all.map(({ value }): Beyond => ({ value, codes: ['not_changeable'] })) : all;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

const file = 'reference,amount\nNOBODY-KNOWS,500\n';

/** As JSON is asked for, and as CSV where the operation has it. */
function queryAttacks(operation: Described): readonly Attack[] {
  const all = operation.parameters as unknown as readonly Parameter[];
  // such a query is read only beside a file
  const takesFile = operation.requestBody?.content['text/csv'] !== undefined;
  const query = all.filter((one) => one.in === 'query' && one.name !== 'metadata');
  const isCsv = operation.responses['200']?.content?.['text/csv'] !== undefined;
  const accepts = isCsv ? ['application/json', 'text/csv'] : ['application/json'];
  return query.flatMap((one) =>
    wrongTexts(one).flatMap(([what, values, beyond], at) =>
      accepts.map((accept): Attack => {
        const others = query.filter(
          ({ required, name }) =>
            (required === true || (takesFile && name === 'provider')) && name !== one.name,
        );
        const pairs = [
          ...others.map(({ name, schema }): [string, string] => [name, String(sampleOf(schema))]),
          ...values.map((value): [string, string] => [one.name, value]),
        ];
        const search = new URLSearchParams(pairs).toString();
        return {
          name: `${nameOf(operation, one.name, what)} (${at}) for ${accept}`,
          send: (stage) =>
            request(
              lineOf(operation, stage, search),
              [
                ...keyFor(operation, stage),
                `Accept: ${accept}`,
                ...(takesFile ? ['Content-Type: text/csv'] : []),
              ],
              takesFile ? file : undefined,
            ),
          expected: refused(one.name, beyond),
        };
      }),
    ),
  );
}

type WrongText = readonly [what: unknown, values: readonly string[], Pick<Beyond, 'codes'>];

function wrongTexts({ schema, required }: Parameter): readonly WrongText[] {
  const sample = String(sampleOf(schema));
  return [
    ...[...valuesBeyond(schema), ...textsOfOtherTypes(schema)].map((beyond): WrongText => [
      beyond.value,
      [String(beyond.value)],
      beyond,
    ]),
    ['twice', [sample, sample], { codes: ['wrong_type'] }],
    ...(required === true ? ([['absent', [], { codes: ['required'] }]] as const) : []),
  ];
}
