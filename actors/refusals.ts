/** The public errors declared by the actor kinds. */
import type { PublicError } from '../src/kernel/public-error.ts';
import { kinds } from './cast.ts';

type Kinds = (typeof kinds)[number];
type Own<K> = K extends { readonly refusals: infer R } ? keyof R : never;
export type Refusal = Own<Kinds>;

/** By code. */
export const refusals = Object.assign(
  {},
  ...kinds.map((kind) => ('refusals' in kind ? kind.refusals : {})),
) as { readonly [code in Refusal]: PublicError };
