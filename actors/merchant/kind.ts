/** The kind of merchants. */
import type { Kind } from '../kind.ts';
import { merchant } from './merchant.ts';

export const merchantKind = {
  actor: merchant,
} as const satisfies Kind;
