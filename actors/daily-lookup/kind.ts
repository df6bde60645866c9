/** The kind of daily look-ups. */
import type { Kind } from '../kind.ts';
import { dailyLookup } from './daily-lookup.ts';

export const dailyLookupKind = { actor: dailyLookup } as const satisfies Kind;
