/** The kind of idempotency keys. */
import type { Kind } from '../kind.ts';
import { idempotencyKey, lifeMs } from './idempotency-key.ts';

export const idempotencyKeyKind = {
  actor: idempotencyKey,
  keptMs: lifeMs,
} as const satisfies Kind;
