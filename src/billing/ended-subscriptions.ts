/** Invoices that an older build has left open for ever: it armed no timer for a subscription that has ended, so an
 *  invoice that nobody pays would never become past due. At its start a node asks each such subscription to arm it.
 *  1. A row of an invoice without `appliesFrom` was written by such a build. This build writes that field with every
 *     invoice, and arms the timer in the same commit: what was asked once is not found again.
 *  2. Every node asks for all projects. What two nodes ask changes nothing the second time.
 *  3. Nothing waits for it: it runs in the background, a page at a time, and begins again when it fails. */
import { subscriptionAt } from '../../actors/subscription/messages.ts';
import { pageOf, placeAfter, type WalkPlace } from '../books/payment-walk.ts';
import { assert } from '../kernel/assert.ts';
import { minutes, pause, seconds, type Cancel, type DurationMs, type Scheduler } from '../kernel/time.ts';
import { modes, scopeOf, type Scope } from '../runtime/model/address.ts';
import type { Client } from '../runtime/model/client.ts';
import type { RuntimeLog } from '../runtime/model/runtime-log.ts';
import type { Row, Store } from '../store/store.ts';

export interface EndedParts {
  readonly store: Pick<Store, 'listDocs' | 'listRows'>;
  readonly client: Pick<Client, 'ask'>;
  readonly scheduler: Scheduler;
  readonly log: Pick<RuntimeLog, 'warn'>;
}

/** The node has its partitions by then. */
const firstMs: DurationMs = seconds(10);
const againMs: DurationMs = minutes(1);
/** After each page of invoices, so that requests go first. */
const pageMs: DurationMs = 50;
const projectsPage = 100;

/** Arms them once after the start; tried again until it has succeeded, or is cancelled. */
export function armEndedSubscriptions(parts: EndedParts): Cancel {
  const { scheduler, log } = parts;
  let cancel: Cancel = () => undefined;
  let isOver = false;
  const after = (ms: DurationMs): void => {
    cancel = scheduler.after(ms, () => {
      armAll(parts, () => isOver).catch((err: unknown) => {
        if (isOver) return;
        log.warn({ err }, 'subscriptions that ended under an older version were not all found: trying again');
        after(againMs);
      });
    });
  };
  after(firstMs);
  return () => {
    isOver = true;
    cancel();
  };
}

/** Rejects when the store or a subscription does not answer. */
export async function armAll(parts: EndedParts, isOver = (): boolean => false): Promise<void> {
  for (let page = 1; !isOver(); page++) {
    const projects = { kind: 'project', scope: null, page, limit: projectsPage } as const;
    const { items } = await parts.store.listDocs(projects);
    for (const { id } of items) for (const mode of modes) await armIn(parts, scopeOf(id, mode));
    if (items.length < projectsPage) return;
  }
}

async function armIn({ store, client, scheduler }: EndedParts, scope: Scope): Promise<void> {
  const open = { kind: 'invoice', scope, equals: { status: 'open' } } as const;
  let place: WalkPlace | null = { to: null, page: 1 };
  while (place !== null) {
    const rows: readonly Row[] = await pageOf(store, open, place);
    for (const id of new Set(rows.filter(isOld).map(subscriptionOf))) {
      const asking = { by: 'system', scope, idempotent: true } as const;
      const { is } = await client.ask(subscriptionAt(id), 'armAfterEnd', {}, asking);
      if (is === 'not_executed' || is === 'unknown') throw new Error(`subscription ${id} was not reached`);
    }
    place = placeAfter(place, rows);
    if (place !== null) await pause(scheduler, pageMs);
  }
}

const isOld = ({ body }: Row): boolean => !('appliesFrom' in body);

function subscriptionOf({ body: { subscriptionId } }: Row): string {
  assert(typeof subscriptionId === 'string', 'an invoice names its subscription');
  return subscriptionId;
}
