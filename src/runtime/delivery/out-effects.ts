/** The effects of one actor: offers them to their lanes, claims those that may run once only, and returns their results
 *  as commands. */
import { Backoff } from '../../kernel/backoff.ts';
import { SmallSet } from '../../kernel/small-set.ts';
import type { Scheduler } from '../../kernel/time.ts';
import type { Doc } from '../../store/store.ts';
import { isOnce, type BrokenBuild } from '../model/broken-builds.ts';
import { eraOfQ, type Eras } from '../model/era.ts';
import type { Envelope } from '../model/envelope.ts';
import type { AtFailpoint } from '../model/failpoint.ts';
import type { Clocks } from '../time/clocks.ts';
import { beginOnce } from '../turn/turn.ts';
import type { EffectOutRow } from './effect-job.ts';
import type { Effects } from './effects.ts';
import { addressOf, retryDelayMsMax, retryDelayMsMin, type OutboxOwner, type OutRows } from './out-rows.ts';

export interface EffectsHost {
  readonly clocks: Pick<Clocks, 'now'>;
  readonly scheduler: Pick<Scheduler, 'now'>;
  readonly effects: Pick<Effects, 'start'>;
  readonly failpoint: AtFailpoint;
  readonly faults: BrokenBuild;
  readonly eras: Eras;
}

/** Takes the result of a read that began before its commit. Resolves when its turn has ended: `committed` with it,
 *  `late`: committed without it, `dropped`: not committed, so that its row does not exist. */
export type TakeRead = (result: Envelope) => Promise<'committed' | 'late' | 'dropped'>;

export class OutEffects {
  private readonly host: EffectsHost;
  private readonly owner: OutboxOwner;
  private readonly rows: OutRows;
  private readonly underWay = new SmallSet<number>();
  /** Those for which their lane has no room now. */
  private readonly parked = new SmallSet<number>();

  constructor(host: EffectsHost, owner: OutboxOwner, rows: OutRows) {
    this.host = host;
    this.owner = owner;
    this.rows = rows;
  }

  /** Starts every row that is not in progress; a full lane returns it. */
  offer(): void {
    for (const row of this.rows.left('effect')) if (!this.underWay.has(row.q)) this.start(row);
  }

  isParked(q: number): boolean {
    return this.parked.has(q);
  }

  /** The row does not exist. */
  drop({ q }: EffectOutRow): void {
    this.underWay.delete(q);
  }

  /** With `take` its document is not committed yet. */
  start(row: EffectOutRow, doc = this.rows.doc, take: TakeRead | null = null): void {
    const { owner, host } = this;
    const declared = owner.actor.effects[row.kind];
    if (doc === null || declared === undefined) return;
    this.underWay.add(row.q);
    this.parked.delete(row.q);
    const once = isOnce(declared, host.faults);
    // what was asked for before a restore may have been called in the time that is lost
    if (once && (row.tries > 0 || eraOfQ(row.q) < host.eras.length)) {
      void this.finish(row, doc, 'unknown', take);
      return;
    }
    let claimed = false;
    const begin = async (): Promise<boolean> => (claimed = await this.claimed(row, doc));
    host.effects.start({
      row,
      finish: async (result) => {
        await this.finish(row, doc, result, take);
        owner.lease.acted(claimed);
      },
      context: {
        scope: doc.scope,
        actorId: owner.id,
        key: `${owner.name}:${row.q}`,
        now: () => Math.max(host.clocks.now(doc.clock), doc.at),
      },
      ready: () => owner.lease.toAct(),
      begin: once ? begin : null,
      park: () => {
        this.underWay.delete(row.q);
        this.parked.add(row.q);
        owner.leaveIfParked();
      },
    });
  }

  /** Resolves when the result is committed. */
  private async finish(
    row: EffectOutRow,
    doc: Doc,
    result: object | 'unknown',
    take: TakeRead | null,
  ): Promise<void> {
    const { owner, host } = this;
    const { kind, effects } = owner.actor;
    const declared = effects[row.kind];
    if (declared === undefined) return;
    const data = (result === 'unknown' ? declared.unknown(row.data as never) : result) as never;
    const envelope = this.commandOf(row, doc, declared.result, data);
    await host.failpoint('before_result', kind, owner.id);
    if (isOnce(declared, host.faults) && result !== 'unknown')
      await host.failpoint('before_once_result', kind, owner.id);
    // a successor produces its own result
    const taken = take === null ? 'late' : await owner.lease.whileMine(take(envelope));
    if (taken === 'dropped') return;
    if (taken === 'late') await owner.lease.whileMine(owner.deliverSurely(envelope));
    this.underWay.delete(row.q);
  }

  /** Whether this owner may run the effect. If the lease ends during a claim, the claim gets no answer, and
   *  it must not block the lane. */
  private async claimed(row: EffectOutRow, doc: Doc): Promise<boolean> {
    const { lease, actor, id } = this.owner;
    const claimed = (await lease.whileMine(this.claim(row, doc))) === true;
    if (claimed) lease.callOnce();
    if (claimed) await this.host.failpoint('before_once_call', actor.kind, id);
    return claimed;
  }

  /** Claims an `atMostOnce` effect by a commit: a former owner fails here and sends nothing. */
  private async claim(row: EffectOutRow, doc: Doc): Promise<boolean> {
    const { owner } = this;
    const backoff = new Backoff(owner.lease.scheduler, retryDelayMsMin, retryDelayMsMax);
    for (; ; await backoff.wait()) {
      const result = await owner.deliver(this.commandOf(row, doc, beginOnce, {}));
      // a claim that was not executed has claimed nothing
      if (result.is !== 'not_executed') return result.is === 'ok';
    }
  }

  private commandOf({ q }: EffectOutRow, { scope }: Doc, command: string, data: Envelope['data']): Envelope {
    return { to: addressOf(this.owner), command, data, by: 'system', scope, deadline: Infinity, settles: q };
  }
}
