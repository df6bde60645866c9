/** What the tests of a file, or of one `describe`, share: opened before the first of them, closed after the last.
 *  1. It is there while they run; before and after, using it throws. */
import { afterAll, beforeAll } from 'vitest';
import { startGalla, type Galla } from './galla.ts';

/** A machine that does much else too. */
const openMsMax = 60_000;

/** A service of one node; `env` overrides settings. */
export const gallaOfFile = (env: { readonly [name: string]: string } = {}): Galla =>
  ofFile(
    () => startGalla(env),
    (galla) => galla.stop(),
  );

/** Any part, used as if it were there already. */
export function ofFile<Part extends object>(
  open: () => Promise<Part>,
  close: (part: Part) => Promise<unknown>,
): Part {
  let part: Part | null = null;
  beforeAll(async () => void (part = await open()), openMsMax);
  afterAll(async () => {
    if (part !== null) await close(part);
    part = null;
  }, openMsMax);
  const there = (): Part => {
    if (part === null) throw new Error('it is there only while the tests run');
    return part;
  };
  const valueOf = (name: PropertyKey): unknown => {
    const value: unknown = Reflect.get(there(), name);
    return typeof value === 'function' ? value.bind(there()) : value;
  };
  return new Proxy({} as Part, {
    get: (_, name) => valueOf(name),
    // for those who copy it
    ownKeys: () => Reflect.ownKeys(there()),
    getOwnPropertyDescriptor: (_, name) => ({ configurable: true, enumerable: true, value: valueOf(name) }),
  });
}
