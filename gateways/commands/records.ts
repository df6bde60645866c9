/** The records of commands: by the user who sends and his `Nats-Msg-Id`.
 *  1. `at` of a command is at most `aheadMsMax` later than its first execution began, and one older than `ageMsMax` is
 *     refused. A record lives longer than both together, so none is forgotten whose command could still be executed.
 *  2. Real time: the age of a command is counted on the clock of the store, whatever a project's test clock shows.
 *  3. Every outcome is kept, a refusal, too: a repeat is told the same. */
import { idempotencyKeyAt, lifeMs } from '../../actors/idempotency-key/messages.ts';
import { errors } from '../../src/errors.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { hours, minutes, type DurationMs } from '../../src/kernel/time.ts';
import { hashOf, type Records } from '../http/route/idempotency.ts';

/** A command that was made longer ago is not executed any more. */
export const ageMsMax: DurationMs = lifeMs;
/** How far the sender's clock may be ahead. */
export const aheadMsMax: DurationMs = minutes(5);
/** How long its outcome is told again. */
export const outcomeKeptMs: DurationMs = ageMsMax + hours(1);

/** What names the record; the rest of a command is what it must repeat. */
const method = 'COMMAND';

export const commandRecords: Records = {
  at: ({ caller, key }) => idempotencyKeyAt(caller.scope, method, caller.keyId, key),
  hashOf: (keyed) => sha256Hex(`${keyed.path}\n${hashOf(keyed)}`),
  askingOf: () => ({ by: 'system', scope: 'system' }),
  lifeMs: outcomeKeptMs,
  fateOf: (code) => (errors[code].status === 503 ? 'yield' : 'keep'),
};
