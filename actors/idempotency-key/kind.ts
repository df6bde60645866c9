/** The kind of idempotency keys. */
import type { Kind } from '../kind.ts';
import { idempotencyKey } from './idempotency-key.ts';

export const idempotencyKeyKind = {
  actor: idempotencyKey,
} as const satisfies Kind;
