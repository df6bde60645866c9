/** By what a customer is found: the beginning of its name, e-mail, phone or `externalCustomerId`, in upper or
 *  lower case. Boundary: pure; the tags of a customer, and the beginning of a tag for what is typed. */
import type { Scope } from '../../src/runtime/model/actor.ts';
import type { CustomerRequest } from './messages.ts';

/** A range of tags is searched in all scopes at once, so each tag begins with its own. */
const tagOf = (scope: Scope, text: string): string => `begins=${scope} ${folded(text)}`;

const folded = (text: string): string => text.normalize('NFC').toLowerCase();

export const searchTagsOf = (
  { name, email, phone, externalCustomerId }: CustomerRequest,
  scope: Scope,
): readonly string[] => [
  ...new Set(
    [name, email, phone, externalCustomerId].flatMap((text) => (text === null ? [] : [tagOf(scope, text)])),
  ),
];

/** The beginning of a tag of each customer that this text finds. */
export const foundBy = tagOf;
