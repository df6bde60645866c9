/** The commands of a merchant's uploaded logo. It is an actor of its own, because its bytes must not be read whenever
 *  the merchant is. Always `system` scope. */
import { address, type Address } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import type { Instant } from '../../src/kernel/time.ts';

/** One for each project: its public address names the project. */
export const logoAt = (projectId: string): Address<LogoCommands> =>
  address('logo', sha256Base32(['logo', projectId], 24));

export const logoFormats = ['png', 'svg'] as const;
export type LogoFormat = (typeof logoFormats)[number];

/** A checked picture. */
export interface LogoPicture {
  readonly format: LogoFormat;
  /** SHA-256 of the bytes, hex. */
  readonly sha256: string;
  /** Base64. */
  readonly bytes: string;
}

export interface LogoCommands {
  /** Replaces the picture; the same one again changes nothing. */
  put: LogoPicture;
  remove: Record<string, never>;
}

export type LogoState =
  | (LogoPicture & { readonly status: 'kept'; readonly updatedAt: Instant })
  | { readonly status: 'removed' };

export interface LogoTypes {
  state: LogoState;
  terminal: never;
  commands: LogoCommands;
  effects: Record<never, never>;
}
