/** EVENTS was lost and made anew: every log publishes again from its beginning. The journal has them all.
 *  Boundary: rewinds logs by a command of theirs; the pumps of whoever owns them do the rest.
 *  1. Any node may do it, several at once may, and again where one died over it: each time a log begins again, and what
 *     is told twice is kept once.
 *  2. A log begins again once for each stream that a node fills: those that have heard are not asked again for the sake
 *     of those that have not.
 *  3. A log that fails at it waits as a dead letter, for a person, and holds up nobody. */
import { pause, seconds, type DurationMs, type Scheduler } from '../../kernel/time.ts';
import type { Store } from '../../store/store.ts';
import { addressText, type Address, type Scope } from '../model/address.ts';
import type { AskUntyped } from '../model/client.ts';
import type { Park } from '../model/dead-letter.ts';
import type { RuntimeLog } from '../model/runtime-log.ts';
import { throwsMax } from '../turn/turn.ts';

const logsPerPage = 100;
/** How often a log that does not answer is asked. */
const triesMax = 10;
const againMs: DurationMs = seconds(1);
const command = 'republish';

/** A node. */
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
  /** The stream that is filled, and the logs that have heard of it. */
  private made: string | null = null;
  private readonly heard = new Set<string>();

  constructor(host: RepublishHost) {
    this.host = host;
  }

  /** Rewinds every log of the cluster that has not heard yet of the stream made at `made`; false when some still have
   *  not. One call at a time. Never rejects. */
  async all(made: string): Promise<boolean> {
    const { eventLogKind: kind, store, log } = this.host;
    if (kind === null) return true;
    let silent = 0;
    try {
      for (let page = 1; ; page++) {
        const query = { kind, scope: null, page, limit: logsPerPage };
        const { items } = await store.listDocs(query);
        if (made !== this.made) this.begin(made, items.length > 0);
        for (const one of items) if (!(await this.hears(one, one.scope))) silent++;
        if (items.length < logsPerPage) break;
      }
      if (silent === 0) return true;
      throw new Error(`${silent} logs do not answer`);
    } catch (thrown) {
      log.error({ err: thrown }, 'EVENTS is not whole yet: it is tried again in a minute');
      return false;
    }
  }

  private begin(made: string, isAny: boolean): void {
    this.made = made;
    this.heard.clear();
    if (isAny) this.host.log.warn({}, 'EVENTS was made anew: every event of the journal is published again');
  }

  /** One log that does not answer holds up nobody else's. */
  private async hears({ kind, id }: Address, scope: Scope): Promise<boolean> {
    if (!this.heard.has(id) && (await this.rewind({ kind, id }, scope))) this.heard.add(id);
    return this.heard.has(id);
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
