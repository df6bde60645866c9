/** Laws of one document's life. */
import { addressText } from '../../../src/runtime/model/address.ts';
import type { MakeChecker } from './checker.ts';

export const versionsRise: MakeChecker = () => ({
  rule: 'a version rises by one with every write',
  landed(landed) {
    if (landed.is !== 'doc') return null;
    const before = landed.before?.v ?? 0;
    if (landed.doc.v === before + 1) return null;
    return `${addressText(landed.doc)} went from version ${before} to ${landed.doc.v}`;
  },
});

export const tombstonesStay: MakeChecker = () => ({
  rule: 'what was deleted stays deleted',
  landed(landed) {
    if (landed.is !== 'doc' || landed.before?.gone !== true || landed.doc.gone) return null;
    return `${addressText(landed.doc)} came back at version ${landed.doc.v}`;
  },
});

export const timeNeverGoesBack: MakeChecker = ({ now }) => {
  const moves: { readonly clock: string; readonly at: number; readonly offsetMs: number }[] = [];
  /** How far a clock was ahead a while ago: what is under way while it moves may still show the time before. */
  const offsetOf = (clock: string): number =>
    moves.findLast((move) => move.clock === clock && move.at < now() - underWayMsMax)?.offsetMs ?? 0;
  return {
    rule: 'time never goes back for an actor, nor falls behind its test clock',
    landed(landed) {
      if (landed.is !== 'doc') return null;
      const { doc, before } = landed;
      const { offsetMs, status } = doc.body ?? {};
      // a clock that walks stands still, however long the walk takes
      const inForce = status === 'advancing' ? -Infinity : offsetMs;
      if (typeof inForce === 'number') moves.push({ clock: doc.id, at: now(), offsetMs: inForce });
      if (before !== null && doc.at < before.at) {
        return `${addressText(doc)} went from ${before.at} back to ${doc.at}`;
      }
      if (doc.clock === null || doc.at === before?.at) return null;
      const behind = now() + offsetOf(doc.clock) - doc.at;
      return behind <= behindMsMax ? null : `${addressText(doc)} is ${behind} ms behind its clock`;
    },
  };
};

const underWayMsMax = 60_000;
/** Wall clocks that jump. */
const behindMsMax = 600_000;

export const settledOnlyGrows: MakeChecker = () => ({
  rule: 'what a sender settled never opens again',
  landed(landed) {
    if (landed.is !== 'doc' || landed.before === null) return null;
    for (const [from, done] of landed.doc.seen) {
      const [, before = 0] = landed.before.seen.find(([one]) => one === from) ?? [];
      if (before > done) return `${addressText(landed.doc)} forgot that ${from} had settled ${before}`;
    }
    return null;
  },
});

export const documentsKeepTheirBounds: MakeChecker = () => ({
  rule: 'a document says what is true of it: busy while something is left to do, wake at its earliest timer',
  landed(landed) {
    if (landed.is !== 'doc') return null;
    const { doc } = landed;
    const wake = doc.timers.length === 0 ? null : Math.min(...doc.timers.map((timer) => timer.at));
    if (doc.wake !== wake)
      return `${addressText(doc)} wakes at ${doc.wake}, its earliest timer is at ${wake}`;
    const { pos = 0, dispatched = 0 } = doc.kind === 'event_log' ? (doc.body ?? {}) : {};
    const busy = doc.out.length > 0 || Number(dispatched) < Number(pos);
    return doc.busy === busy ? null : `${addressText(doc)} says busy: ${doc.busy}`;
  },
});

export const whatIsDeletedIsNeverSeen: MakeChecker = ({ disk }) => {
  const deleted = new Map<string, { readonly kind: string; readonly id: string; readonly at: number }>();
  return {
    rule: 'what was told to be deleted is never shown again',
    answered({ to, command, result, answeredAt }) {
      if (to.kind === 'tally' && command === 'remove' && result.is === 'ok')
        deleted.set(to.id, { kind: to.kind, id: to.id, at: answeredAt });
      return null;
    },
    shown({ id, askedAt, v }) {
      const at = deleted.get(id)?.at ?? Infinity;
      return askedAt > at ? `${id} was deleted and is shown at version ${v}` : null;
    },
    ended() {
      for (const { kind, id } of deleted.values())
        if (disk.doc(kind, id)?.gone !== true) return `${kind}/${id} was deleted and is there again`;
      return null;
    },
  };
};
