/** Names of actors and of who owns what: addresses, scopes, clocks, slots. Texts alone; nothing is looked up here. */
import { assert } from '../../kernel/assert.ts';
import { slotOf } from '../../kernel/id.ts';

/** Whose an object is: one half of a project, or the service's own. */
export type Scope = `${string}:sandbox` | `${string}:live` | 'system';

export type Mode = 'sandbox' | 'live';

export const scopeOf = (projectId: string, mode: Mode): Scope => `${projectId}:${mode}`;

export const projectOf = (scope: Scope): string => {
  assert(scope !== 'system', 'a project scope');
  return scope.slice(0, scope.indexOf(':'));
};

export const isLive = (scope: Scope): boolean => scope.endsWith(':live');

/** The project whose test clock things of this scope live on; null = real time. */
export const clockOf = (scope: Scope): string | null =>
  scope.endsWith(':sandbox') ? projectOf(scope) : null;

/** Where an actor is reached. `Commands` is what it understands; it exists in types alone. */
export interface Address<Commands = unknown> {
  readonly kind: string;
  readonly id: string;
  readonly _commands?: Commands;
}

export const address = <Commands>(kind: string, id: string): Address<Commands> => ({ kind, id });

/** `checkout_session/cs_...`: an address as text, also the `from` of what an actor sends. */
export const addressText = (to: Address): string => `${to.kind}/${to.id}`;

export function addressFrom(text: string): Address {
  const cut = text.indexOf('/');
  return { kind: text.slice(0, cut), id: text.slice(cut + 1) };
}

/** The slot of any actor: ids of ours and scopes carry it after `_`, bare base32 ids begin with it. */
export const slotOfActor = (id: string): number => slotOf(id.includes('_') ? id : `x_${id}`);
