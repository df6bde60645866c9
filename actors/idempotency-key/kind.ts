/** The kind of idempotency keys. */
import type { Kind } from '../kind.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { lifeMs } from './messages.ts';

export const idempotencyKeyKind = {
  actor: idempotencyKey,
  keptMs: lifeMs,
} as const satisfies Kind;
