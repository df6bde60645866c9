/** What a start finds to be done in the background: what an older build has left, and what a restore has lost. */
import { armEndedSubscriptions } from '../billing/ended-subscriptions.ts';
import { lookUpAfterRestore } from '../books/restored-payments.ts';
import { realScheduler } from '../kernel/time.ts';
import type { Node } from '../runtime/node/node.ts';
import type { Base } from './base.ts';
import type { Closing } from './closing.ts';

export function mendLater({ carriers, log, eras }: Base, { client }: Node, closing: Closing): void {
  const parts = { store: carriers.store, client, scheduler: realScheduler, log };
  const armed = armEndedSubscriptions(parts);
  closing.later(async () => armed());
  const lookedUp = lookUpAfterRestore({ ...parts, eras });
  closing.later(async () => lookedUp());
}
