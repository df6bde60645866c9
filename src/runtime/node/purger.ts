/** Removes what has been kept long enough, in the background.
 *  1. A node purges the scopes of the projects it owns: in a cluster each record is removed by one node, and
 *     by the next owner when that node dies. A batch that two nodes send is harmless.
 *  2. Age is counted on the clock of the scope; a scope whose clock is being advanced waits for the next
 *     round.
 *  3. Work in the foreground goes first: a batch is small, and the pause after it is a multiple of the time
 *     the store took, so a busy store is asked less often. */
import { minutes, pause, seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { PurgeQuery, Store } from '../../store/store.ts';
import { clockOf, scopeOf, type Scope } from '../model/address.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import type { Clocks } from '../time/clocks.ts';

/** Records of one kind that are removed at an age. */
export interface PurgeRule extends Pick<PurgeQuery, 'kind' | 'only' | 'gone'> {
  readonly keptMs: DurationMs;
  /** Real time, also where the project has a test clock. */
  readonly realTime?: true;
}

export interface PurgerParts {
  readonly rules: readonly PurgeRule[];
  readonly store: Pick<Store, 'purge' | 'listDocs'>;
  readonly scheduler: Scheduler;
  readonly clocks: Pick<Clocks, 'now' | 'walking' | 'fresh'>;
  /** The kind whose actors are the projects; null: nothing is purged. */
  readonly projectKind: string | null;
  /** Whether this node serves the actor with this id now. */
  readonly owns: (id: string) => boolean;
  readonly log: RuntimeLog;
  /** Reports records that were removed, and the ids that were asked to be. */
  readonly purged: (kind: string, count: number, ids: readonly string[]) => void;
}

export const roundEveryMs: DurationMs = minutes(10);
/** The first pause; each further one is twice as long, up to `roundEveryMs`. A node that has just started does not
 *  own its share yet: while nodes take over from each other, a scope may have no owner in the first round. */
export const firstRoundMs: DurationMs = seconds(5);
/** Records of one batch: SQLite's only writer is busy with one for about two milliseconds. */
export const batchMax = 64;
/** The pause after a batch, as a multiple of the time it took, and at least. */
const pauseFactor = 4;
const pauseMsMin: DurationMs = 5;
/** After so many queries that found nothing there is a pause, too. */
const probesPerPause = 50;
const projectsPage = 100;
/** The id of a record that nobody has: the owner of its slot purges what belongs to the service itself. */
const systemOwner = 'prj_000000000000000000000000';

export class Purger {
  private readonly parts: PurgerParts;
  private probes = 0;

  constructor(parts: PurgerParts) {
    this.parts = parts;
  }

  /** Purges round after round. Each failed round is logged, and the next one makes up for it. */
  begin(): void {
    if (this.parts.projectKind === null || this.parts.rules.length === 0) return;
    this.after(firstRoundMs);
  }

  private after(ms: DurationMs): void {
    this.parts.scheduler.after(ms, () => {
      void this.round()
        .catch((err: unknown) =>
          this.parts.log.warn(
            { err },
            'old records could not be removed: they are removed in the next round',
          ),
        )
        .then(() => this.after(Math.min(roundEveryMs, 2 * ms)));
    });
  }

  /** One round through all scopes of this node. Rejects when the store does not answer. */
  async round(): Promise<void> {
    await this.scope('system', systemOwner);
    for (let page = 1; ; page++) {
      const { items } = await this.parts.store.listDocs({
        kind: this.parts.projectKind ?? '',
        scope: null,
        page,
        limit: projectsPage,
      });
      for (const { id } of items) {
        await this.scope(scopeOf(id, 'sandbox'), id);
        await this.scope(scopeOf(id, 'live'), id);
      }
      if (items.length < projectsPage) return;
    }
  }

  private async scope(scope: Scope, owner: string): Promise<void> {
    for (const rule of this.parts.rules) while (this.parts.owns(owner) && (await this.batch(scope, rule)));
  }

  /** Whether there may be more. */
  private async batch(scope: Scope, rule: PurgeRule): Promise<boolean> {
    const { store, scheduler, clocks, purged } = this.parts;
    const { keptMs, realTime, ...what } = rule;
    const clock = realTime === true ? null : clockOf(scope);
    await clocks.fresh(clock);
    if (clocks.walking(clock)) return false;
    const began = scheduler.steady();
    const { removed, ids, more } = await store.purge({
      ...what,
      scope,
      before: clocks.now(clock) - keptMs,
      limit: batchMax,
    });
    if (removed > 0) purged(rule.kind, removed, ids);
    await this.rest(removed, scheduler.steady() - began);
    return more;
  }

  private async rest(removed: number, tookMs: DurationMs): Promise<void> {
    if (removed === 0 && ++this.probes < probesPerPause) return;
    this.probes = 0;
    await pause(this.parts.scheduler, Math.max(pauseMsMin, pauseFactor * tookMs));
  }
}
