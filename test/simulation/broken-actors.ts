/** Broken builds of actors: nodes that keep in memory what belongs into the document. Whoever takes an actor over does
 *  not have it. */
import type { Actor } from '../../src/runtime/model/actor.ts';
import { checkoutSession } from '../../actors/checkout-session/session.ts';
import type { CheckoutSession } from '../../actors/checkout-session/state.ts';
import { invoiceBook } from '../../actors/invoice-book/invoice-book.ts';
import type { SubscriptionState } from '../../actors/subscription/state.ts';
import { subscription } from '../../actors/subscription/subscription.ts';
import type { Break, BreakOfActors } from './breaks.ts';
import type { Parts } from './process.ts';

interface Amnesia {
  readonly of: Pick<Actor, 'kind'>;
  /** The state as a node sees it that has not had the actor before. */
  readonly forgets: (state: never) => object;
}

const amnesias: Readonly<Record<BreakOfActors, Amnesia>> = {
  // what it has billed: the period it is in is billed again
  billsAgain: { of: subscription, forgets: (s: SubscriptionState) => ({ ...s, billedStart: null }) },
  // what it has not billed: the next period is skipped
  skipsPeriods: {
    of: subscription,
    forgets: (s: SubscriptionState) => ({ ...s, billedStart: s.period.end }),
  },
  // how long its key lives: a repeat of the request is a new one
  keyForgotten: {
    of: checkoutSession,
    forgets: (s: CheckoutSession['state']) =>
      s.keyed === undefined ? s : { ...s, keyed: { ...s.keyed, endsAt: 0 } },
  },
  numbersAgain: { of: invoiceBook, forgets: (s: object) => ({ ...s, last: 0 }) },
};

type Cell = (state: never, command: never, x: { readonly id: string }) => unknown;
type Birth = (command: never, x: { readonly id: string }) => unknown;
/** The cells of a command by status, and what creates the actor. */
type Row = { readonly [name: string]: unknown };

/** The parts of one process of the broken build. */
export function withBrokenActors(parts: Parts, broken: Break | null | undefined): Parts {
  const amnesia = broken === null || broken === undefined ? undefined : amnesiaOf(broken);
  if (amnesia === undefined) return parts;
  const known = new Set<string>();
  const forgetting =
    (cell: Cell): Cell =>
    (state, command, x) => {
      const had = known.has(x.id);
      known.add(x.id);
      return cell(had ? state : (amnesia.forgets(state) as never), command, x);
    };
  const remembering =
    (birth: Birth): Birth =>
    (command, x) => {
      known.add(x.id);
      return birth(command, x);
    };
  const changed = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => {
        if (typeof cell !== 'function') return [name, cell];
        return [name, name === 'creates' ? remembering(cell as Birth) : forgetting(cell as Cell)];
      }),
    );
  const of = (actor: Actor): Actor => {
    const rows = Object.entries(actor.on).map(([command, row]) => [command, changed(row as Row)]);
    return { ...actor, on: Object.fromEntries(rows) } as Actor;
  };
  return {
    ...parts,
    actors: parts.actors.map((actor) => (actor.kind === amnesia.of.kind ? of(actor) : actor)),
  };
}

const amnesiaOf = (broken: Break): Amnesia | undefined =>
  Object.entries(amnesias).find(([name]) => name === broken)?.[1];
