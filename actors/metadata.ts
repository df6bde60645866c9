/** Metadata: a merchant's own data on an object. */
import { canonicalJson, type JsonValue } from '../src/kernel/canonical-json.ts';
import type { Json } from '../src/runtime/model/actor.ts';

export type Metadata = { readonly [key: string]: Json };

/** Merged by key; null deletes a key. */
export const mergedMetadata = (before: Metadata, change: Metadata | undefined): Metadata =>
  change === undefined
    ? before
    : Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));

/** Whether two states or views of JSON say the same. */
export const isSameJson = (a: object, b: object): boolean =>
  canonicalJson(a as JsonValue) === canonicalJson(b as JsonValue);
