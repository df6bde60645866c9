/** From what was typed into a form to a request, or to what is wrong with each field. Pure. */

/** The text of a field by its name; '' when there is none. */
export type TextOf = (name: string) => string;

export type FieldErrors = { readonly [name: string]: string };

export type ReadForm<Request> =
  | { readonly request: Request; readonly errors: null }
  | { readonly request: null; readonly errors: FieldErrors };

/** A value, or what is wrong with the text. */
export type ReadField<Value> =
  | { readonly value: Value; readonly error: null }
  | { readonly value: null; readonly error: string };

export const good = <Value>(value: Value): ReadField<Value> => ({ value, error: null });
export const wrong = (error: string): ReadField<never> => ({ value: null, error });

type Values<Fields> = {
  readonly [Name in keyof Fields]: Extract<Fields[Name], { readonly error: null }> extends {
    readonly value: infer Value;
  }
    ? Value
    : never;
};

/** The request of all fields when none of them is wrong. */
export function readForm<Fields extends Readonly<Record<string, ReadField<unknown>>>, Request>(
  fields: Fields,
  request: (values: Values<Fields>) => Request,
): ReadForm<Request> {
  const errors: Record<string, string> = {};
  for (const [name, { error }] of Object.entries(fields)) if (error !== null) errors[name] = error;
  if (Object.keys(errors).length > 0) return { request: null, errors };
  const values = Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value]));
  return { request: request(values as Values<Fields>), errors: null };
}

/** A text that must be there. */
export function requiredText(typed: string, charactersMax: number, missing: string): ReadField<string> {
  const text = typed.trim();
  if (text === '') return wrong(missing);
  return withinCharacters(text, charactersMax);
}

/** null: nothing was typed. */
export function optionalText(typed: string, charactersMax: number): ReadField<string | null> {
  const text = typed.trim();
  return text === '' ? good(null) : withinCharacters(text, charactersMax);
}

const withinCharacters = (text: string, max: number): ReadField<string> =>
  text.length > max ? wrong(`At most ${max} characters.`) : good(text);

export function wholeNumber(typed: string, min: number, max: number): ReadField<number> {
  const value = numberIn(typed);
  return value !== null && value >= min && value <= max ? good(value) : wrong(`${rangeText(min, max)}.`);
}

/** null: nothing was typed. */
export function wholeOrNothing(typed: string, min: number, max: number): ReadField<number | null> {
  if (typed.trim() === '') return good(null);
  const read = wholeNumber(typed, min, max);
  return read.error === null ? read : wrong(`${rangeText(min, max)}, or nothing.`);
}

function numberIn(typed: string): number | null {
  const text = typed.replace(/[,\s]/g, '');
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

const rangeText = (min: number, max: number): string =>
  `Write a whole number from ${min} to ${max.toLocaleString('en-US')}`;
