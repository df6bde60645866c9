/** The kind of references of payment links. */
import type { Kind } from '../kind.ts';
import { linkReference } from './link-reference.ts';

export const linkReferenceKind = { actor: linkReference } as const satisfies Kind;
