/** Which kinds of objects of one project and mode have changed, told to the pages of the dashboard.
 *  Boundary: notices of commits in, names of kinds out. Nothing is read for it: a page that shows such a kind asks
 *  the API again.
 *  1. Sent at most once per `newsEveryMs`, however much changes; the first change is told at once, what follows
 *     it later, so that nothing stays untold.
 *  2. A notice may be lost: when the bus reconnects, everything may have changed. Pages ask at intervals, too.
 *  3. Keys and settings belong to the project, names and plans to the merchant: both are in no mode. */
import { logoAt } from '../../actors/logo/messages.ts';
import { merchantAt } from '../../actors/merchant/messages.ts';
import { projectAt, type ProjectState } from '../../actors/project/messages.ts';
import type { Complaints } from '../../src/kernel/complaints.ts';
import { seconds, type Cancel, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import { projectOf, type Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import { newsKinds, type NewsKind } from './news-kinds.ts';

export const newsEveryMs: DurationMs = seconds(1);
/** Delay before the merchant of a project is looked for again. */
const tryAgainMs: DurationMs = seconds(1);

/** The kinds of a scope's own actors, by the prefix of their ids. */
const kindOfPrefix: Readonly<Record<string, NewsKind>> = {
  bc: 'customer',
  bp: 'plan',
  inc: 'provider',
  lnk: 'link',
  phl: 'provider',
  rst: 'statement',
  sub: 'subscription',
  we: 'endpoint',
  whd: 'delivery',
};

export interface ScopeNewsParts {
  /** A client whose reads report when the store does not answer. */
  readonly client: Pick<Client, 'read' | 'watch' | 'watchScope'>;
  readonly scheduler: Pick<Scheduler, 'steady' | 'after'>;
  readonly complaints: Pick<Complaints, 'warn'>;
}

export class ScopeNews {
  private readonly parts: ScopeNewsParts;
  private readonly tell: (kinds: readonly NewsKind[]) => void;
  private readonly changed = new Set<NewsKind>();
  private readonly watched: Cancel[];
  /** The next message, if it is due. */
  private due: Cancel | null = null;
  private retry: Cancel | null = null;
  private sentAt = Number.NEGATIVE_INFINITY;
  private isClosed = false;

  constructor(scope: Scope, parts: ScopeNewsParts, tell: (kinds: readonly NewsKind[]) => void) {
    this.parts = parts;
    this.tell = tell;
    const { client } = parts;
    const projectId = projectOf(scope);
    this.watched = [
      client.watchScope(scope, (id) => this.noticed(id)),
      client.watch(projectAt(projectId).id, () => this.happened('project')),
      client.watch(logoAt(projectId).id, () => this.happened('merchant')),
    ];
    void this.watchMerchant(projectId);
  }

  /** Notices may have been lost just now. */
  missed(): void {
    for (const kind of newsKinds) this.happened(kind);
  }

  close(): void {
    this.isClosed = true;
    this.due?.();
    this.retry?.();
    for (const cancel of this.watched) cancel();
  }

  private noticed(id: string): void {
    const prefix = id.slice(0, id.indexOf('_'));
    const kind = Object.hasOwn(kindOfPrefix, prefix) ? kindOfPrefix[prefix] : undefined;
    if (kind !== undefined) this.happened(kind);
  }

  private happened(kind: NewsKind): void {
    if (this.isClosed) return;
    this.changed.add(kind);
    if (this.due !== null) return;
    const { scheduler } = this.parts;
    const wait = this.sentAt + newsEveryMs - scheduler.steady();
    if (wait <= 0) return this.tellNow();
    this.due = scheduler.after(wait, () => this.tellNow());
  }

  private tellNow(): void {
    this.due = null;
    this.sentAt = this.parts.scheduler.steady();
    const kinds = [...this.changed];
    this.changed.clear();
    this.tell(kinds);
  }

  /** Never rejects. */
  private async watchMerchant(projectId: string): Promise<void> {
    const { client, complaints, scheduler } = this.parts;
    try {
      const project = await client.read<ProjectState>(projectAt(projectId), 'system');
      if (project === null || this.isClosed) return;
      const { id } = merchantAt(project.state.merchantId);
      this.watched.push(client.watch(id, () => this.happened('merchant')));
    } catch (thrown) {
      complaints.warn('the merchant of a project could not be read: retrying', { err: thrown });
      if (this.isClosed) return;
      this.retry = scheduler.after(tryAgainMs, () => void this.watchMerchant(projectId));
    }
  }
}
