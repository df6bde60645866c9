/** Checks provider credentials where they come in.
 *  1. No message repeats a value. */
import { fieldError, type FieldError } from '../../src/errors.ts';
import { shortened } from '../../src/kernel/text.ts';
import { traitsOf, type Provider } from '../../src/providers/catalog.ts';
import type { CredentialField } from '../../src/providers/traits.ts';

const credentialCharactersMax = 500;
/** A private key of 4096 bits has about 3300. */
const pemCharactersMax = 8000;
/** An undeclared name is shown cut: it may be a secret at the wrong place. */
const unknownNameShownMax = 20;
/** More of them are not listed. */
const unknownNamesShownMax = 10;

const visible = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const pem =
  /^-----BEGIN (?:RSA )?PRIVATE KEY-----\r?\n[A-Za-z0-9+/=\r\n]+-----END (?:RSA )?PRIVATE KEY-----\s*$/;

/** What is wrong with credentials as sent, under `param`: every required one must be there, and nothing
 *  else. */
export function credentialErrors(
  provider: Provider,
  sent: { readonly [name: string]: unknown },
  param: string,
): readonly FieldError[] {
  const { credentials: fields } = traitsOf(provider);
  const names = fields.map(({ name }) => name);
  const unknown = Object.keys(sent)
    .filter((name) => !names.includes(name))
    .slice(0, unknownNamesShownMax);
  return [
    ...fields.flatMap((field) => errorOf(field, sent[field.name], `${param}.${field.name}`)),
    ...unknown.map((name) =>
      fieldError(`${param}.${shortened(name, unknownNameShownMax)}`, 'not_in_enum', names.join(', ')),
    ),
  ];
}

function errorOf(field: CredentialField, value: unknown, param: string): FieldError[] {
  const { optional, pem: isPem } = field;
  if (value === undefined || value === null) return optional === true ? [] : [fieldError(param, 'required')];
  if (typeof value !== 'string') return [fieldError(param, 'wrong_type', 'a string')];
  if (value === '') return [fieldError(param, 'too_short', '1 character')];
  const charactersMax = field.charactersMax ?? (isPem === true ? pemCharactersMax : credentialCharactersMax);
  if (value.length > charactersMax) return [fieldError(param, 'too_long', `${charactersMax} characters`)];
  if (isPem === true) return pem.test(value) ? [] : [fieldError(param, 'invalid_format', aPemKey)];
  return visible.test(value) ? [] : [fieldError(param, 'invalid_format', visibleText)];
}

const aPemKey = 'a private key in PEM, from -----BEGIN to -----END';
const visibleText = 'printable ASCII that neither begins nor ends with a space';
