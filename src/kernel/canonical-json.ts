/** RFC 8785: the canonical text of a JSON value, independent of key order and number format in the input.
 *  1. Equal values give equal texts; nesting uses no call stack. */

/** A parsed JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** The canonical text of a value returned by JSON.parse. RFC 8785 defines no text for a number beyond the
 *  range of a double and for a lone surrogate (escaped here); both stay distinguishable instead of failing. */
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
    // the default order of sort() is by UTF-16 code units, as the RFC requires
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

/** A list or object being written, and its next element. */
type Open =
  | { readonly list: readonly JsonValue[]; at: number }
  | { readonly object: { readonly [key: string]: JsonValue }; readonly keys: readonly string[]; at: number };

const isList = (value: object): value is readonly JsonValue[] => Array.isArray(value);

function scalar(value: string | number | boolean | null): string {
  if (value === Infinity) return '1e999';
  if (value === -Infinity) return '-1e999';
  return JSON.stringify(value);
}
