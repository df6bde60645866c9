/** What happens to money after a restore (docs/decisions/0060): every payment that the backup knows, and that may have
 *  changed at its provider since, is looked up again.
 *  1. The payment's own session looks it up, once for each restore, however often it is asked.
 *  2. Every node asks for all projects. That all were asked is written down, so that a later start does not ask again.
 *  3. Nothing waits for it: it runs in the background, a page at a time, and begins again when it fails. */
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import { underReviewTag } from '../../actors/checkout-session/view.ts';
import {
  days,
  minutes,
  pause,
  seconds,
  type Cancel,
  type DurationMs,
  type Scheduler,
} from '../kernel/time.ts';
import { ClusterFact } from '../runtime/cluster/cluster-fact.ts';
import { modes, scopeOf, type Scope } from '../runtime/model/address.ts';
import type { Client } from '../runtime/model/client.ts';
import type { EraBegun, Eras } from '../runtime/model/era.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import { pageOf, placeAfter, type WalkPlace, type WalkQuery } from './payment-walk.ts';
import { paymentOfRow } from './statement-payments.ts';

export interface RestoredParts {
  readonly store: Pick<Store, 'listDocs' | 'listRows' | 'readRow' | 'putRows'>;
  readonly client: Pick<Client, 'ask'>;
  readonly scheduler: Scheduler;
  readonly log: Pick<Log, 'warn' | 'info'>;
  readonly eras: Eras;
}

/** The node has its partitions by then. */
const firstMs: DurationMs = seconds(2);
const againMs: DurationMs = minutes(1);
/** After each page of payments, so that requests and providers are not flooded. */
const pageMs: DurationMs = seconds(1);
/** Look-ups that begin together. */
const pagePayments = 20;
const projectsPage = 100;
/** Of those that have ended, those that began so long before the backup: longer than late money is waited for. */
const recentMs: DurationMs = days(3);

/** Once after the start; tried again until it has succeeded, or is cancelled. */
export function lookUpAfterRestore(parts: RestoredParts): Cancel {
  const { scheduler, log, eras } = parts;
  const era = eras.at(-1);
  if (era === undefined) return () => undefined;
  let cancel: Cancel = () => undefined;
  let isOver = false;
  const after = (ms: DurationMs): void => {
    cancel = scheduler.after(ms, () => {
      lookUpAll(parts, era, () => isOver).catch((err: unknown) => {
        if (isOver) return;
        log.warn({ err }, 'payments were not all looked up after the restore: trying again');
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

/** Rejects when the store or a session does not answer. */
async function lookUpAll(parts: RestoredParts, era: EraBegun, isOver = (): boolean => false): Promise<void> {
  const { store, log } = parts;
  const done = new ClusterFact(`looked up in era ${era.era}`, parts);
  if ((await done.look()) !== null) return;
  let asked = 0;
  for (let page = 1; !isOver(); page++) {
    const projects = { kind: 'project', scope: null, page, limit: projectsPage } as const;
    const { items } = await store.listDocs(projects);
    for (const { id } of items)
      for (const mode of modes) asked += await lookUpIn(parts, scopeOf(id, mode), era, isOver);
    if (items.length < projectsPage) break;
  }
  if (isOver()) return;
  await done.establish({ id: `looked up in era ${era.era}`, asked });
  log.info({ era: era.era, asked }, 'the payments of the backup were looked up after the restore');
}

/** How many. */
async function lookUpIn(
  parts: RestoredParts,
  scope: Scope,
  era: EraBegun,
  isOver: () => boolean,
): Promise<number> {
  let asked = 0;
  for (const query of listsOf(era)) {
    let place: WalkPlace | null = { to: null, page: 1 };
    while (place !== null && !isOver()) {
      const rows = await pageOf(parts.store, { ...query, scope }, place, pagePayments);
      await Promise.all(rows.map((row) => lookUp(parts, paymentOfRow(row), scope, era)));
      asked += rows.length;
      place = placeAfter(place, rows, pagePayments);
      if (place !== null) await pause(parts.scheduler, pageMs);
    }
  }
  return asked;
}

/** What may have changed: payments under review and open ones, whatever their age, and all that are young enough. What
 *  began in the lost time is not known here. */
function listsOf({ backupAt, restoredAt }: EraBegun): readonly Omit<WalkQuery, 'scope'>[] {
  const from = (backupAt ?? restoredAt) - recentMs;
  return [
    { tags: [underReviewTag] },
    { anyOf: { status: ['pending', 'processing'] } },
    { anyOf: { status: ['cancelled', 'failed', 'success'] }, from },
  ];
}

async function lookUp(
  { client }: RestoredParts,
  { id: paymentId, sessionId }: ReturnType<typeof paymentOfRow>,
  scope: Scope,
  { restoredAt: run }: EraBegun,
): Promise<void> {
  const asking = { by: 'system', scope, idempotent: true } as const;
  const { is } = await client.ask(checkoutSessionAt(sessionId), 'reconcile', { paymentId, run }, asking);
  if (is === 'not_executed' || is === 'unknown') throw new Error(`session ${sessionId} was not reached`);
}
