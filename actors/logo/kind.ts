/** The kind of uploaded logos. */
import type { Kind } from '../kind.ts';
import { logo } from './logo.ts';

export const logoKind = {
  actor: logo,
} as const satisfies Kind;
