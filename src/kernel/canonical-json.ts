/** RFC 8785: the one text of a JSON value, whatever the order of keys or spelling of numbers it was sent in.
 *  1. Equal values give equal texts; nesting costs no stack. */

/** A parsed JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** The canonical text of a value that came out of JSON.parse. Two things RFC 8785 has no text for stay
 *  distinguishable instead of failing: a number beyond the range of a double, a lone surrogate (escaped). */
export function canonicalJson(value: JsonValue): string {
  let text = '';
  const todo: Part[] = [{ value }];
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if ('text' in part) text += part.text;
    else if (part.value === null || typeof part.value !== 'object') text += scalar(part.value);
    else for (const inner of partsOf(part.value).reverse()) todo.push(inner);
  }
  return text;
}

type Part = { readonly text: string } | { readonly value: JsonValue };

function partsOf(value: readonly JsonValue[] | { readonly [key: string]: JsonValue }): Part[] {
  if (isList(value)) {
    const items = value.flatMap((item, index): Part[] => [{ text: index === 0 ? '' : ',' }, { value: item }]);
    return [{ text: '[' }, ...items, { text: ']' }];
  }
  // the default order of sort() is by UTF-16 code units, as the RFC asks
  const members = Object.keys(value)
    .sort()
    .flatMap((key, index): Part[] => [
      { text: `${index === 0 ? '' : ','}${JSON.stringify(key)}:` },
      { value: value[key] ?? null },
    ]);
  return [{ text: '{' }, ...members, { text: '}' }];
}

const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

function scalar(value: string | number | boolean | null): string {
  if (value === Infinity) return '1e999';
  if (value === -Infinity) return '-1e999';
  return JSON.stringify(value);
}
