/** Subject names: which subject an ask, notice, broadcast, mailbox copy or event is sent on.
 *  1. No text typed by a merchant or a buyer becomes part of a subject: only our own ids and words. */
import { assert } from '../kernel/assert.ts';
import type { Address, Scope } from '../runtime/model/address.ts';
import type { PublishedEvent } from './bus.ts';

const token = /^[a-z0-9_:]{1,128}$/;

/** One token of a subject; asserts that it is one of our ids or words and cannot span several tokens. */
function tokenOf(text: string): string {
  assert(token.test(text), 'an id or a word of ours is one part of a subject');
  return text;
}

/** Whether an actor can be reached over a bus. */
export const canBeReached = ({ kind, id }: Address): boolean => token.test(kind) && token.test(id);

/** Asserts that these can be part of a subject. */
export function assertNamed(...texts: readonly string[]): void {
  for (const text of texts) tokenOf(text);
}

/** Asks to an actor over core NATS: `actor.<partition>.<kind>.<id>`. */
export const actorSubject = (partition: number, { kind, id }: Address): string =>
  `actor.${partition}.${tokenOf(kind)}.${tokenOf(id)}`;

/** All asks of one partition. */
export const partitionSubject = (partition: number): string => `actor.${partition}.>`;

/** Notices: `live.<scope>.<id>`, so that one message serves watchers of the id and of its whole scope. */
export const liveSubject = (scope: Scope, id: string): string => `live.${tokenOf(scope)}.${tokenOf(id)}`;
/** Notices about one id, in any scope. */
export const liveSubjectOfId = (id: string): string => `live.*.${tokenOf(id)}`;
/** Notices about everything in one scope. */
export const liveSubjectOfScope = (scope: Scope): string => `live.${tokenOf(scope)}.*`;
/** The id a notice is about. */
export const idNoticed = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);

/** Broadcasts of one topic: `broadcast.<topic>`. */
export const broadcastSubject = (topic: string): string => `broadcast.${tokenOf(topic)}`;

/** The mailbox of an actor: `mailbox.<kind>.<id>`. */
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

/** Commands of other programs: `command.<project>.<mode>.<kind>.<id>.<user>`, the address of an actor and the NATS user
 *  who sends. NATS proves nothing else of a sender: the permissions of a user name his projects and himself. */
export const commandSubjects = 'command.*.*.*.*.*';

/** A subject of a command in its parts. */
export interface CommandSubject {
  readonly projectId: string;
  readonly mode: string;
  readonly kind: string;
  readonly id: string;
  readonly user: string;
}

const commandForm = /^command\.(\w{1,64})\.(sandbox|live)\.([a-z_]{1,64})\.(\w{1,64})\.([\w-]{1,64})$/;

/** null: not of that form. */
export function commandSubjectFrom(subject: string): CommandSubject | null {
  const [, projectId, mode, kind, id, user] = commandForm.exec(subject) ?? [];
  return projectId === undefined || mode === undefined || kind === undefined || id === undefined || !user
    ? null
    : { projectId, mode, kind, id, user };
}

/** Where the outcomes of one user's commands go: below this, so that its permissions bound who hears them. */
const outcomePrefix = ({ projectId, user }: CommandSubject): string => `outcome.${projectId}.${user}.`;

const outcomeRest = /^[\w-]+(?:\.[\w-]+)*$/;
const outcomeCharactersMax = 255;

/** Where the outcome is told: at `asked`, by default at `outcome.<project>.<user>.default`. null: not below what this
 *  user may hear. */
export function outcomeSubject(of: CommandSubject, asked: string): string | null {
  const prefix = outcomePrefix(of);
  if (asked === '') return `${prefix}default`;
  const isOwn = asked.startsWith(prefix) && outcomeRest.test(asked.slice(prefix.length));
  return isOwn && asked.length <= outcomeCharactersMax ? asked : null;
}
