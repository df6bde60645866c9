/** Fields that a change cannot touch: what the merchant once set, and others rely on.
 *  1. The stored value sent back is accepted, so an object that was read can be sent whole; another value is
 *     `not_changeable`.
 *  2. The handler never sees them. */
import type { TSchema } from 'typebox';
import { fieldError, type FieldError } from '../../../src/errors.ts';
import { canonicalJson } from '../../../src/kernel/canonical-json.ts';
import { whenThere, type MaybePromise } from '../../../src/kernel/maybe-promise.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import { instantFrom } from './instant.ts';
import type { JsonObject } from './request.ts';

export interface Fixed {
  /** Their schemas by name, for readers: any other value than the stored one is refused alike. */
  readonly fields: { readonly [name: string]: TSchema };
  /** The object as it is stored, under the same names; null when there is none. */
  stored(id: string, scope: Scope): MaybePromise<{ readonly [name: string]: unknown } | null>;
}

/** The errors of the fixed fields that were sent with another value. */
export function changedIn(
  sent: JsonObject,
  fixed: Fixed,
  id: string,
  scope: Scope,
): MaybePromise<readonly FieldError[]> {
  const names = Object.keys(fixed.fields).filter((name) => sent[name] !== undefined);
  if (names.length === 0) return [];
  return whenThere(fixed.stored(id, scope), (stored) =>
    stored === null
      ? []
      : names
          .filter((name) => !isSame(sent[name], stored[name]))
          .map((name) => fieldError(name, 'not_changeable', JSON.stringify(stored[name]))),
  );
}

/** One instant can be written in several ways. */
function isSame(sent: unknown, stored: unknown): boolean {
  if (typeof sent !== 'string' || typeof stored !== 'string') return canonical(sent) === canonical(stored);
  const instant = instantFrom(sent);
  return sent === stored || (instant !== null && instant === instantFrom(stored));
}

const canonical = (value: unknown): string => canonicalJson(value as Parameters<typeof canonicalJson>[0]);
