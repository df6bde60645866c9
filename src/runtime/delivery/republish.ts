/** Refills EVENTS after it was lost and created again: every log publishes again from its beginning. The
 *  journals hold all events.
 *  Boundary: rewinds logs with a command; the pumps of the nodes that own them do the rest.
 *  1. Any node may do it, several at once may, and it may be repeated after a node died in the middle: each
 *     run rewinds the log, and duplicates are stored once.
 *  2. This node rewinds a log once per stream that is filled: logs already notified are not notified again
 *     when others are retried.
 *  3. A log that fails to rewind becomes a dead letter for an operator, and delays no other log. */
import { pause, seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Store } from '../../store/store.ts';
import { addressText, type Address, type Scope } from '../model/address.ts';
import type { AskUntyped } from '../model/client.ts';
import type { Park } from '../model/dead-letter.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import { throwsMax } from '../turn/turn.ts';

const logsPerPage = 100;
/** How often a log that does not answer is retried. */
const triesMax = 10;
const againMs: DurationMs = seconds(1);
const command = 'republish';

/** The parts of a node it needs. */
export interface RepublishHost {
  readonly store: Pick<Store, 'listDocs'>;
  readonly scheduler: Pick<Scheduler, 'after'>;
  readonly log: RuntimeLog;
  readonly eventLogKind: string | null;
  readonly ask: AskUntyped;
  readonly park: Park;
}

export class Republishing {
  private readonly host: RepublishHost;
  /** The stream that is being filled, and the logs already notified of it. */
  private made: string | null = null;
  private readonly notified = new Set<string>();

  constructor(host: RepublishHost) {
    this.host = host;
  }

  /** Rewinds every log of the cluster that was not yet notified of the stream made at `made`; returns false
   *  when some still were not. One call at a time. Never rejects. */
  async all(made: string): Promise<boolean> {
    const { eventLogKind: kind, store, log } = this.host;
    if (kind === null) return true;
    let unanswered = 0;
    try {
      for (let page = 1; ; page++) {
        const query = { kind, scope: null, page, limit: logsPerPage };
        const { items } = await store.listDocs(query);
        if (made !== this.made) this.begin(made, items.length > 0);
        for (const one of items) if (!(await this.notify(one, one.scope))) unanswered++;
        if (items.length < logsPerPage) break;
      }
      if (unanswered === 0) return true;
      throw new Error(`${unanswered} logs do not answer`);
    } catch (thrown) {
      log.error({ err: thrown }, 'EVENTS is not completely refilled yet: retrying in a minute');
      return false;
    }
  }

  private begin(made: string, isAny: boolean): void {
    this.made = made;
    this.notified.clear();
    if (isAny)
      this.host.log.warn({}, 'EVENTS was created again: every event of the journal is published again');
  }

  /** A log that does not answer delays no other log. */
  private async notify({ kind, id }: Address, scope: Scope): Promise<boolean> {
    if (!this.notified.has(id) && (await this.rewind({ kind, id }, scope))) this.notified.add(id);
    return this.notified.has(id);
  }

  private async rewind(to: Address, scope: Scope): Promise<boolean> {
    const { host, made } = this;
    for (let tries = 0, internals = 0; tries < triesMax; tries++) {
      const { is } = await host.ask(to, command, {}, { by: 'system', scope: null, idempotent: true });
      if (is === 'ok' || is === 'refused') return true;
      if (is === 'internal') internals++;
      if (internals === throwsMax) {
        const tell = addressText(to);
        await host.park(to, scope, `${tell}:${command}:${made}`, { tell, command, data: {}, reason: is });
        return true;
      }
      await pause(host.scheduler, againMs);
    }
    return false;
  }
}
