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
  const open: Open[] = [];
  const begin = (one: JsonValue): void => {
    if (one === null || typeof one !== 'object') {
      text += scalar(one);
      return;
    }
    const list = isList(one);
    text += list ? '[' : '{';
    // the default order of sort() is by UTF-16 code units, as the RFC asks
    open.push(list ? { list: one, at: 0 } : { object: one, keys: Object.keys(one).sort(), at: 0 });
  };
  begin(value);
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const at = inner.at++;
    const isOver = at >= ('list' in inner ? inner.list : inner.keys).length;
    if (isOver) {
      text += 'list' in inner ? ']' : '}';
      open.pop();
      continue;
    }
    if (at > 0) text += ',';
    if ('list' in inner) begin(inner.list[at] ?? null);
    else {
      const key = inner.keys[at] ?? '';
      text += `${JSON.stringify(key)}:`;
      begin(inner.object[key] ?? null);
    }
  }
  return text;
}

/** A list or object that is being written, and what of it comes next. */
type Open =
  | { readonly list: readonly JsonValue[]; at: number }
  | { readonly object: { readonly [key: string]: JsonValue }; readonly keys: readonly string[]; at: number };

const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

function scalar(value: string | number | boolean | null): string {
  if (value === Infinity) return '1e999';
  if (value === -Infinity) return '-1e999';
  return JSON.stringify(value);
}
