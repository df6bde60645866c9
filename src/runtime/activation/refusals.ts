/** The answers for commands of which no part was executed. */
import type { Complaints } from '../../kernel/complaints.ts';
import type { AskResult } from '../model/envelope.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import { overloadedRetryMs } from './admission.ts';
import type { Committed } from './committed-document.ts';

export const moved: AskResult = { is: 'not_executed', why: 'moved', retryAfterMs: 100 };
export const overloaded: AskResult = {
  is: 'not_executed',
  why: 'overloaded',
  retryAfterMs: overloadedRetryMs,
};

/** Logs that the store refused the write of an actor. */
export function writeRefused(
  actor: string,
  { of, reason }: Extract<Committed, { is: 'error' }>,
  { log, complaints }: { readonly log: RuntimeLog; readonly complaints: Pick<Complaints, 'error'> },
): AskResult {
  const refused = { actor, reason };
  if (of === 'store') complaints.error('the store refuses writes: none of them was executed', refused);
  else log.error(refused, 'the store refused a write: it was not executed');
  return of === 'store' ? overloaded : { is: 'internal' };
}
