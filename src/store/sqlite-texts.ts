/** Stored texts as documents and rows, or as what a damaged one is. */
import type { ListedTexts } from './sqlite-read.ts';
import { DocumentUnreadable, type Doc, type Listed, type Row } from './store.ts';

export function attempt<Result>(work: () => Result): Result | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** A stored text is what this port was given, unless it was damaged: then it is no longer JSON, or has the
 *  wrong kind. Its inner shape is trusted as written. */
type IsA<Item> = (value: unknown) => value is Item;
const hasFields = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name));
export const isDoc: IsA<Doc> = (value): value is Doc =>
  hasFields(value, 'kind', 'id', 'v', 'body', 'seen', 'out', 'timers');
export const isRow: IsA<Row> = (value): value is Row => hasFields(value, 'kind', 'id', 'v', 'body', 'owner');

/** Throws DocumentUnreadable. */
export function parsed<Item>(text: string, name: string, isA: IsA<Item>): Item {
  const value = attempt((): unknown => JSON.parse(text));
  if (value instanceof Error) throw new DocumentUnreadable(`${name} is stored as no JSON: ${value.message}`);
  if (!isA(value)) throw new DocumentUnreadable(`${name} is stored as something else`);
  return value;
}

/** Rejects with DocumentUnreadable for a damaged document, also when the database itself reports the
 *  damage. */
export async function recordOf<Item>(
  asked: Promise<string | null>,
  name: string,
  isA: IsA<Item>,
): Promise<Item | null> {
  try {
    const text = await asked;
    return text === null ? null : parsed(text, name, isA);
  } catch (error) {
    // an error from a thread arrives as a name and a message
    if (
      error instanceof Error &&
      error.name === 'DocumentUnreadable' &&
      !(error instanceof DocumentUnreadable)
    )
      throw new DocumentUnreadable(`${name}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** For reads that omit damaged documents. */
export function orNothing(thrown: unknown): null {
  if (thrown instanceof DocumentUnreadable) return null;
  throw thrown;
}

/** The readable documents of a page; unreadable ones are counted and left out. */
export const listed = <Item>({ texts, total }: ListedTexts, isA: IsA<Item>): Listed<Item> => ({
  items: texts.flatMap((text) => {
    const item = attempt(() => parsed(text, 'a record', isA));
    return item instanceof Error ? [] : [item];
  }),
  total,
});
