/** Names in a request that no schema declares. They are ignored: the first few are listed in `X-Ignored-Params`, and
 *  the message of a missing field says which of them was probably meant. */
import { nearest } from '../../../src/kernel/nearest.ts';
import { beginning } from '../../../src/kernel/text.ts';
import type { Headers } from './reply.ts';

/** A client that sends more of them is told of this many. */
const namesMax = 100;
/** No declared field has a longer name. */
const charactersComparedMax = 40;
/** Typing errors in a name for which it is still matched with a field. */
const lettersWrongMax = 2;

export class UnknownNames {
  private readonly names: { readonly path: string; readonly name: string }[] = [];

  /** `path` leads to the object that contains it; '' is the body itself. */
  add(path: string, name: string): void {
    if (this.names.length < namesMax) this.names.push({ path, name });
  }

  get paths(): readonly string[] {
    return this.names.map(({ path, name }) => pathTo(path, name));
  }

  /** Undeclared names of one object. */
  at(path: string): readonly string[] {
    return this.names.filter((each) => each.path === path).map(({ name }) => name);
  }
}

/** Completes the message of a missing required field with the name that was sent in its place, if any. */
export function hintOf(unknown: UnknownNames, path: string, missing: string): string {
  const wanted = plain(missing);
  const max = Math.min(lettersWrongMax, Math.floor(wanted.length / 3));
  const sent = new Map(
    unknown
      .at(path)
      .filter(({ length }) => length <= charactersComparedMax)
      .map((name) => [plain(name), name]),
  );
  const near = nearest(wanted, sent.keys(), max);
  const name = near === null ? undefined : sent.get(near);
  if (name === undefined) return '';
  return `: unknown field ${pathTo(path, name)}, did you mean ${pathTo(path, missing)}?`;
}

const pathTo = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** `return_url`, `return-url` and `ReturnURL` are treated as one name. */
const plain = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

const ignoredParamsMax = 20;
const ignoredParamCharactersMax = 100;
/** Limit of the whole header value: proxies refuse long ones. */
const headerBytesMax = 2048;

/** Adds the first twenty ignored names to the headers; returns the headers unchanged when there is none. */
export function withIgnored(headers: Headers, ignored: readonly string[]): Headers {
  if (ignored.length === 0) return headers;
  let value = '';
  for (const name of ignored.slice(0, ignoredParamsMax)) {
    const next = value === '' ? inHeader(name) : `${value},${inHeader(name)}`;
    if (next.length > headerBytesMax) break;
    value = next;
  }
  return { ...headers, 'X-Ignored-Params': value };
}

/** A name as it was sent; characters that a list in a header cannot hold are percent-encoded. */
const inHeader = (name: string): string =>
  beginning(name, ignoredParamCharactersMax).replace(/[^\x21-\x7e]|[,%]/gu, encodeURIComponent);
