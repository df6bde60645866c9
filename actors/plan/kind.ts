/** The plan kind. */
import type { Kind } from '../kind.ts';
import { plan } from './plan.ts';

export const planKind = { actor: plan } as const satisfies Kind;
