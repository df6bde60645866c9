/** Undeclared names in a request: the first few, to be reported back, and the required field that each one
 *  probably meant. */
import { nearest } from '../../../src/kernel/nearest.ts';

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
