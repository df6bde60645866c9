/** What a node does after each commit of an actor, once everything of it may leave the node: clocks, timers and
 *  the pump of a log learn of the document, and its watchers are told. */
import type { Doc } from '../../store/store.ts';
import type { Activation } from '../activation/activation.ts';
import type { ActivationHost } from '../activation/activation-host.ts';
import type { ActivationRegistry } from '../activation/activation-registry.ts';
import type { JournalPumps } from '../delivery/journal-pump.ts';
import type { ClockKeepers } from '../time/clock-keepers.ts';
import type { ClockWalks } from '../time/clock-walk.ts';
import type { Timers } from '../time/timers.ts';
import type { Watchers } from './watchers.ts';

export interface AfterCommitParts {
  /** Called first, before an answer of the commit can be seen. */
  readonly committed: ((doc: Doc) => void) | undefined;
  readonly registry: Pick<ActivationRegistry, 'livesOn'>;
  readonly keepers: Pick<ClockKeepers, 'committed'>;
  readonly walks: Pick<ClockWalks, 'committed'>;
  readonly timers: Pick<Timers, 'note'>;
  readonly pumps: Pick<JournalPumps, 'observe'>;
  readonly watchers: Pick<Watchers, 'notify'>;
}

type CommittedNow = ActivationHost<Activation>['committedNow'];

export const afterCommit =
  ({ committed, registry, keepers, walks, timers, pumps, watchers }: AfterCommitParts): CommittedNow =>
  (activation, doc, { rows, placed, shows }) => {
    const { actor, lease } = activation;
    try {
      committed?.(doc);
      keepers.committed(actor, doc);
      walks.committed(doc);
      registry.livesOn(activation, doc.clock);
      if (doc.wake !== null) timers.note({ kind: doc.kind, id: doc.id, wake: doc.wake }, doc.clock);
      if (actor.logCursors !== undefined && doc.body !== null)
        pumps.observe(doc, actor.logCursors(doc.body as never), lease, rows);
    } finally {
      // the events of others wait for these positions
      placed?.ended(placed.entries);
    }
    if (shows)
      watchers.notify(activation.id, doc.scope, {
        kind: actor.kind,
        shown: () => activation.held.shown(doc),
      });
  };
