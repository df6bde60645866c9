/** Checks the fields of body and query by the schemas of a route, and the rules between fields. All that are wrong are
 *  told at once. */
import { Type } from 'typebox';
import type { FieldError } from '../../../src/errors.ts';
import type { Mode } from '../../../src/runtime/model/address.ts';
import type { Caller } from '../access/auth.ts';
import { fieldsOf } from './fields.ts';
import { nullsIn } from './nulls.ts';
import { queryFrom, type Input } from './request.ts';
import { takesBody } from '../../server/door.ts';
import type { AnyRules } from './spec.ts';

export type Check = (input: Input, caller: Caller | null) => AllChecked;

export interface AllChecked {
  readonly body: unknown;
  readonly query: unknown;
  readonly tags: readonly string[];
  readonly errors: readonly FieldError[];
  readonly ignored: readonly string[];
}

export const nothingSent: AllChecked = { body: {}, query: {}, tags: [], errors: [], ignored: [] };

/** Doors without a key have no mode of their own; their fields are checked by the stricter mode. */
const noMode: Mode = 'live';
const nothing = Type.Object({});

/** Schemas are compiled here, once. */
export function checkOf(
  spec: Pick<AnyRules, 'method' | 'body' | 'query' | 'rules' | 'metadataFilter'>,
  allowPrivateHosts: boolean,
): Check {
  const querySchema = spec.query ?? nothing;
  const [bodyFields, queryFields] = [fieldsOf(spec.body ?? nothing), fieldsOf(querySchema)];
  const [hasBody, needsQuery] = [takesBody(spec), 'required' in querySchema];
  const nulls = nullsIn(spec.method);
  return ({ body, rawQuery, errors: unread }, caller) => {
    if (!hasBody && rawQuery === '' && !needsQuery) return nothingSent;
    const context = { mode: caller?.mode ?? noMode, allowPrivateHosts };
    const read = queryFrom(rawQuery, querySchema, spec.metadataFilter === true);
    const query = queryFields.check(read.values, context, 'values');
    const queryErrors = [...unread, ...read.errors, ...query.errors];
    if (!hasBody) {
      return { body, query: query.value, tags: read.tags, errors: queryErrors, ignored: query.ignored };
    }
    const fields = bodyFields.check(body, context, nulls);
    const sent = (name: string): boolean => body[name] !== undefined && body[name] !== null;
    const named = new Set(fields.errors.map(({ param }) => param));
    const broken = spec.rules?.(sound(fields.value, fields.errors), sent) ?? [];
    // one error per field: its own error comes before one of a rule between fields
    const rules = broken.filter(({ param }) => !named.has(param));
    const errors = rules.length === 0 ? fields.errors : bodyFields.sorted([...fields.errors, ...rules]);
    return {
      body: fields.value,
      query: query.value,
      tags: read.tags,
      errors: [...queryErrors, ...errors],
      ignored: [...fields.ignored, ...query.ignored],
    };
  };
}

/** The fields without an error of their own. */
function sound(value: unknown, wrong: readonly FieldError[]): object {
  if (wrong.length === 0 && typeof value === 'object' && value !== null) return value;
  const names = new Set(wrong.map(({ param }) => param.split(/[.[]/)[0]));
  return Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => !names.has(name)));
}
