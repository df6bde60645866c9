/** Reads the body of `PUT /sim/control/faults` (providers 9): all mistakes at once, in the order of the fields. */
import { faultRules, isFaultKind } from '../../actors/simulated-payment/fault-kinds.ts';
import { faultsMax } from '../../actors/simulated-payment/faults.ts';
import type { Fault } from '../../actors/simulated-payment/messages.ts';
import { fieldError, type FieldError } from '../../src/errors.ts';

const delayMsMax = 600_000;
const timesMax = 1_000_000;
const textMax = 200;

type Entry = { readonly [field: string]: unknown };

export function faultsIn(body: Entry): { readonly faults: readonly Fault[] } | { readonly errors: readonly FieldError[] } {
  const { faults } = body;
  if (faults === undefined || faults === null) return { errors: [fieldError('faults', 'required')] };
  if (!Array.isArray(faults)) return { errors: [fieldError('faults', 'wrong_type', 'a list')] };
  if (faults.length > faultsMax) return { errors: [fieldError('faults', 'too_long', `${faultsMax} entries`)] };
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
  if (fields['provider'] !== 'wallet_b') errors.push(fieldError(`${at}.provider`, 'not_in_enum', 'wallet_b'));
  const kind = typeof fields['kind'] === 'string' && isFaultKind(fields['kind']) ? fields['kind'] : null;
  const calls: readonly string[] = ['any', ...(kind === null ? ['start', 'lookup', 'refund', 'return'] : faultRules[kind].calls)];
  const call = fields['call'] ?? 'any';
  if (typeof call !== 'string' || !calls.includes(call)) errors.push(fieldError(`${at}.call`, 'not_in_enum', calls.join(', ')));
  if (kind === null) errors.push(fieldError(`${at}.kind`, 'not_in_enum', Object.keys(faultRules).join(', ')));
  const reference = textOrNull(fields['reference'], `${at}.reference`, errors);
  const times = wholeOr(null, fields['times'], [1, timesMax], `${at}.times`, errors);
  const delayMs = wholeOr(0, fields['delayMs'], [0, delayMsMax], `${at}.delayMs`, errors);
  const value = typeof fields['value'] === 'number' ? fields['value'] : textOrNull(fields['value'], `${at}.value`, errors);
  if (errors.length > before || kind === null) return null;
  // `call` is one of the rule's own
  return { provider: 'wallet_b', call: call as Fault['call'], kind, reference, times, delayMs, value };
}

function textOrNull(value: unknown, param: string, errors: FieldError[]): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && value.length <= textMax) return value;
  errors.push(typeof value === 'string' ? fieldError(param, 'too_long', `${textMax} characters`) : fieldError(param, 'wrong_type', 'a text'));
  return null;
}

function wholeOr<Absent extends number | null>(
  absent: Absent, value: unknown, [min, max]: readonly [number, number], param: string, errors: FieldError[],
): number | Absent {
  if (value === undefined || value === null) return absent;
  if (typeof value !== 'number' || !Number.isInteger(value)) errors.push(fieldError(param, 'wrong_type', 'an integer'));
  else if (value < min) errors.push(fieldError(param, 'too_small', String(min)));
  else if (value > max) errors.push(fieldError(param, 'too_large', String(max)));
  else return value;
  return absent;
}
