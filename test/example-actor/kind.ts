/** The kind of holds: all that others must know of them. */
import type { Kind } from '../../actors/kind.ts';
import { hold } from './hold.ts';

export const holdKind = { actor: hold } as const satisfies Kind;
