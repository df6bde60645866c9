/** The commands of a link reference: the claim on one `PL-...` text, unique in the service. */
import { address, type Address } from '../../src/runtime/model/actor.ts';

/** Characters after `PL-`: 40 bits. */
export const referenceCharacters = 8;
const prefix = 'PL-';

/** By the characters after `PL-`, in lower case: as actors' ids are written. */
export const linkReferenceAt = (id: string): Address<LinkReferenceCommands> => address('link_reference', id);

/** `7k2m9q4x` -> `PL-7K2M9Q4X`. */
export const referenceOf = (id: string): string => `${prefix}${id.toUpperCase()}`;

/** The id of what somebody typed; null: it cannot be a reference of ours. Capitals or not, and a letter O
 *  for a zero or an I or L for a one, which no reference has. */
export function referenceIdIn(typed: string): string | null {
  const match = /^pl-([0-9a-z]{8})$/.exec(typed.trim().toLowerCase());
  const id = match?.[1]?.replaceAll('o', '0').replaceAll(/[il]/g, '1') ?? '';
  return id === '' || id.includes('u') ? null : id;
}

export interface LinkReferenceCommands {
  /** Refuses `reference_taken` when it belongs to another link. */
  claim: { readonly linkId: string };
}

export interface LinkReferenceState {
  readonly status: 'claimed';
  readonly linkId: string;
}

export interface LinkReferenceTypes {
  state: LinkReferenceState;
  terminal: never;
  commands: LinkReferenceCommands;
  effects: Record<never, never>;
}
