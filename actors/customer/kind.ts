/** The customer kind. */
import type { Kind } from '../kind.ts';
import { customer } from './customer.ts';

export const customerKind = { actor: customer } as const satisfies Kind;
