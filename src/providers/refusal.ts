/** How a provider refuses our requests: what its answer says, and who is told. */
import type { Instant } from '../kernel/time.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { CallName } from './answers.ts';
import type { Provider, Reading } from './provider.ts';
import { messageKept } from './redact.ts';

/** Called with each readable answer of a provider. */
export type OnAnswer = (answered: Answered) => void;

export interface Answered {
  readonly provider: Provider;
  readonly scope: Scope;
  readonly call: CallName;
  readonly at: Instant;
  /** How the provider refuses us, without secrets; null: it does not. */
  readonly refusal: string | null;
}

interface AnswerLog {
  warn(fields: { readonly [name: string]: unknown }, message: string): void;
  error(fields: { readonly [name: string]: unknown }, message: string): void;
}

/** How the provider refuses us, if it does; logs that, and an answer that is not readable. */
export function refusalIn(
  log: AnswerLog,
  fields: { readonly [name: string]: unknown },
  reading: Reading<unknown> | null,
  secrets: readonly string[],
): string | null {
  if (reading === null) log.warn(fields, 'an answer of a provider is not readable');
  if (reading === null || reading.alarm === null) return null;
  const says = messageKept(reading.alarm, secrets);
  log.error({ ...fields, says }, 'a provider rejects our requests: check its configuration');
  return says;
}
