/** Reads the body of `PUT /sim/control/faults`: reports all errors at once, in the fields' order. */
import {
  callsOf,
  faultKindsOf,
  faultRules,
  faultsMax,
  isFaultKind,
} from '../../actors/simulated-payment/fault-kinds.ts';
import type { Fault } from '../../actors/simulated-payment/messages.ts';
import { providerNames } from '../../src/providers/catalog.ts';
import { fieldError, type FieldCode, type FieldError } from '../../src/errors.ts';

const delayMsMax = 600_000;
const timesMax = 1_000_000;
const textMax = 200;

/** Of an entry without a valid provider and kind: which of the calls its kind has is not known. */
const anyCall = ['start', 'lookup', 'refund', 'cancel', 'return', 'callback', 'socket'] as const;

/** Fields allowed in an entry of `faults`. */
export const faultFields = ['provider', 'call', 'kind', 'reference', 'times', 'delayMs', 'value'] as const;

type Entry = { readonly [field: string]: unknown };

type Read = { readonly faults: readonly Fault[] } | { readonly errors: readonly FieldError[] };

export function faultsIn(body: Entry): Read {
  const { faults } = body;
  const wrong = (code: FieldCode, form = ''): Read => ({ errors: [fieldError('faults', code, form)] });
  if (faults === undefined || faults === null) return wrong('required');
  if (!Array.isArray(faults)) return wrong('wrong_type', 'a list');
  if (faults.length > faultsMax) return wrong('too_long', `${faultsMax} entries`);
  const errors: FieldError[] = [];
  const read = faults.flatMap((entry: unknown, at) => {
    const fault = faultIn(entry, `faults[${at}]`, errors);
    return fault === null ? [] : [fault];
  });
  return errors.length > 0 ? { errors } : { faults: read };
}

function faultIn(entry: unknown, at: string, errors: FieldError[]): Fault | null {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    errors.push(fieldError(at, 'wrong_type', 'an object'));
    return null;
  }
  const fields: Entry = { ...entry };
  const before = errors.length;
  const unlisted = (name: string, list: readonly string[]): void =>
    void errors.push(fieldError(`${at}.${name}`, 'not_in_enum', list.join(', ')));

  const provider = providerNames.find((each) => each === fields['provider']);
  if (provider === undefined) unlisted('provider', providerNames);
  const kinds = provider === undefined ? Object.keys(faultRules) : faultKindsOf(provider);
  const asked = fields['kind'];
  const kind = typeof asked === 'string' && isFaultKind(asked) && kinds.includes(asked) ? asked : null;
  const calls: readonly Fault['call'][] = [
    'any',
    ...(kind === null || provider === undefined ? anyCall : callsOf(kind, provider)),
  ];
  const call = calls.find((each) => each === (fields['call'] ?? 'any'));
  if (call === undefined) unlisted('call', calls);
  if (kind === null) unlisted('kind', kinds);
  const reference = textOrNull(fields['reference'], `${at}.reference`, errors);
  const times = wholeOr(null, fields['times'], [1, timesMax], `${at}.times`, errors);
  const delayMs = wholeOr(0, fields['delayMs'], [0, delayMsMax], `${at}.delayMs`, errors);
  const sent = fields['value'];
  const value = typeof sent === 'number' ? sent : textOrNull(sent, `${at}.value`, errors);
  if (errors.length > before || provider === undefined || kind === null || call === undefined) return null;
  return { provider, call, kind, reference, times, delayMs, value };
}

function textOrNull(value: unknown, param: string, errors: FieldError[]): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') errors.push(fieldError(param, 'wrong_type', 'a text'));
  else if (value.length > textMax) errors.push(fieldError(param, 'too_long', `${textMax} characters`));
  else return value;
  return null;
}

function wholeOr<Absent extends number | null>(
  absent: Absent,
  value: unknown,
  [min, max]: readonly [number, number],
  param: string,
  errors: FieldError[],
): number | Absent {
  if (value === undefined || value === null) return absent;
  const whole = typeof value === 'number' && Number.isInteger(value);
  if (!whole) errors.push(fieldError(param, 'wrong_type', 'an integer'));
  else if (value < min) errors.push(fieldError(param, 'too_small', String(min)));
  else if (value > max) errors.push(fieldError(param, 'too_large', String(max)));
  else return value;
  return absent;
}
