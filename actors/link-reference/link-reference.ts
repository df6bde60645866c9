/** The claim of one payment link on its reference, for good.
 *  R1. A reference belongs to the first link that claims it, in any project and mode: the reference is the
 *      actor's id, so there is one writer. */
import { actor } from '../../src/runtime/model/actor.ts';
import { referenceOf, type LinkReferenceTypes } from './messages.ts';
import type { Kind } from '../kind.ts';

export const linkReference = actor<LinkReferenceTypes>('link_reference', '', {
  schema: 1,
  on: {
    claim: {
      by: 'merchant',
      creates: ({ linkId }, x) => x.become('claimed', { linkId }),
      claimed: (s, { linkId }, x) => (s.linkId === linkId ? x.ok() : x.refuse('reference_taken')),
    },
  },
  effects: {},
  timers: {},
  view: ({ linkId }, { id }) => ({ referenceId: referenceOf(id), linkId }),
});

export const linkReferenceKind = { actor: linkReference } as const satisfies Kind;
