/** The values of a node that metrics can read at any moment (meters.ts). Reading inspects memory only and
 *  does no IO. */
import { slotCount } from '../../kernel/id.ts';
import type { DurationMs } from '../../kernel/time.ts';
import type { SlotRange } from '../../store/store.ts';
import type { Effects } from '../delivery/effects.ts';
import type { JournalPumps } from '../delivery/journal-pump.ts';
import type { ActivationRegistry } from '../activation/activation-registry.ts';
import type { RuntimeGauges } from '../model/meters.ts';
import { partitionsOfCluster } from '../cluster/ownership.ts';

export interface GaugedParts {
  /** Slots this node serves now; undefined: all. */
  readonly slots: () => readonly SlotRange[] | undefined;
  readonly registry: ActivationRegistry;
  readonly pumps: JournalPumps;
  readonly effects: Effects;
}

export const gaugesOf = ({ slots, registry, pumps, effects }: GaugedParts): RuntimeGauges => ({
  activations: () => registry.size,
  mailboxes() {
    let [commands, deepest] = [0, 0];
    for (const { waiting } of registry.all()) {
      commands += waiting;
      deepest = Math.max(deepest, waiting);
    }
    return { commands, deepest };
  },
  partitionsOwned: () => partitionsIn(slots()),
  outboxOldestMs() {
    let oldest: DurationMs = 0;
    for (const one of registry.all()) oldest = Math.max(oldest, one.outbox.oldestMs);
    return oldest;
  },
  eventLogLag: () => pumps.lag,
  effects: () => effects.load,
});

/** A single node owns all of them. */
function partitionsIn(slots: readonly SlotRange[] | undefined): number {
  if (slots === undefined) return partitionsOfCluster;
  const owned = slots.reduce((sum, { from, to }) => sum + to - from, 0);
  return Math.round((owned * partitionsOfCluster) / slotCount);
}
