/** The kind of healths of providers. */
import type { Kind } from '../kind.ts';
import { providerHealth } from './provider-health.ts';

export const providerHealthKind = { actor: providerHealth } as const satisfies Kind;
