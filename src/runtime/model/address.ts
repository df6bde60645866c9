/** Names of actors and of ownership: addresses, scopes, clocks, slots. Only texts; no look-ups here. */
import { assert } from '../../kernel/assert.ts';
import { slotOf } from '../../kernel/id.ts';

/** The owner of an object: one mode of a project, or the service itself. */
export type Scope = `${string}:sandbox` | `${string}:live` | 'system';

export const modes = ['sandbox', 'live'] as const;
export type Mode = (typeof modes)[number];

export const scopeOf = (projectId: string, mode: Mode): Scope => `${projectId}:${mode}`;

export const projectOf = (scope: Scope): string => {
  assert(scope !== 'system', 'a project scope');
  return scope.slice(0, scope.indexOf(':'));
};

export const isLive = (scope: Scope): boolean => scope.endsWith(':live');

/** The project whose test clock applies to this scope; null = real time. */
export const clockOf = (scope: Scope): string | null =>
  scope.endsWith(':sandbox') ? projectOf(scope) : null;

/** The address of an actor. `Commands` lists the commands it accepts and exists in types only. */
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

/** The slot of any actor: our ids and scopes carry it after `_`, bare base32 ids start with it. */
export const slotOfActor = (id: string): number => slotOf(id.includes('_') ? id : `x_${id}`);
