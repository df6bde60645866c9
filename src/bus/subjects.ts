/** Names on the wire: which subject a question, notice, hint, durable copy or event travels on.
 *  1. Nothing a merchant or a buyer typed becomes part of a subject: ids and words of ours alone. */
import { assert } from '../kernel/assert.ts';
import type { Address, Scope } from '../runtime/model/address.ts';
import type { PublishedEvent } from './bus.ts';

const token = /^[a-z0-9_:]{1,128}$/;

/** One part of a subject; asserts that it is an id or a word of ours and cannot spread over several parts. */
function tokenOf(text: string): string {
  assert(token.test(text), 'an id or a word of ours is one part of a subject');
  return text;
}

/** The fast road to an actor: `actor.<partition>.<kind>.<id>`. */
export const actorSubject = (partition: number, { kind, id }: Address): string =>
  `actor.${partition}.${tokenOf(kind)}.${tokenOf(id)}`;

/** Everything that is asked of one partition. */
export const partitionSubject = (partition: number): string => `actor.${partition}.>`;

/** Notices: `live.<scope>.<id>`, so that one copy serves who watches the id and who watches its whole scope. */
export const liveSubject = (scope: Scope, id: string): string => `live.${tokenOf(scope)}.${tokenOf(id)}`;
/** Notices about one id, whosever it is. */
export const liveSubjectOfId = (id: string): string => `live.*.${tokenOf(id)}`;
/** Notices about everything of one scope. */
export const liveSubjectOfScope = (scope: Scope): string => `live.${tokenOf(scope)}.*`;
/** Which id a notice is about. */
export const idNoticed = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);

/** Broadcasts of one topic: `broadcast.<topic>`. */
export const broadcastSubject = (topic: string): string => `broadcast.${tokenOf(topic)}`;

/** The durable road to an actor: `mailbox.<kind>.<id>`. */
export const mailboxSubject = ({ kind, id }: Address): string => `mailbox.${tokenOf(kind)}.${tokenOf(id)}`;
export const mailboxSubjects = 'mailbox.>';

/** `events.<project>.<mode>.<event>`: `events.prj_x.live.payment.succeeded`, so that others can subscribe to one
 *  project, one mode or one kind of event. */
export const eventSubject = ({ scope, event }: Pick<PublishedEvent, 'scope' | 'event'>): string =>
  ['events', ...scope.split(':'), ...event.split('.').map(tokenOf)].map(tokenOf).join('.');
export const eventSubjects = 'events.>';

/** Asserts that a cluster of `partitions` has this one. */
export function assertPartition(partition: number, partitions: number): void {
  assert(
    Number.isInteger(partition) && partition >= 0 && partition < partitions,
    'a partition of this cluster',
  );
}
