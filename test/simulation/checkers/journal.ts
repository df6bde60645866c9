/** Laws of the log of one project and mode. */
import type { Row } from '../../../src/store/store.ts';
import type { MakeChecker } from './checker.ts';

const posOf = (row: Row): number => Number(row.body['pos']);

/** Where the log appends every event, its journal grows in their order. */
export const journalHasNoHoles: MakeChecker = ({ streams }) => {
  const last = new Map<string, number>();
  return {
    rule: 'the journal grows in the order of pos: no reader passes a hole that fills later',
    landed(landed) {
      if (streams === null || landed.is !== 'row' || landed.row.kind !== 'journal') return null;
      const { scope, id } = landed.row;
      const [before, pos] = [last.get(scope) ?? 0, posOf(landed.row)];
      last.set(scope, Math.max(before, pos));
      return pos > before ? null : `${id} took place ${pos} after ${before} was there`;
    },
  };
};

export const readersPassNoHole: MakeChecker = () => {
  const read = new Map<string, number>();
  const taken = new Map<string, Set<number>>();
  return {
    rule: 'what a reader was told to read of the journal is there, and each position is taken once',
    told({ scope, upTo }) {
      read.set(scope, Math.max(upTo, read.get(scope) ?? 0));
      return null;
    },
    landed(landed) {
      if (landed.is !== 'row' || landed.row.kind !== 'journal') return null;
      const { scope, id } = landed.row;
      const [upTo, pos] = [read.get(scope) ?? 0, posOf(landed.row)];
      const others = taken.get(scope) ?? new Set();
      if (others.has(pos)) return `${id} took place ${pos}, which another event has`;
      taken.set(scope, others.add(pos));
      return pos > upTo ? null : `${id} took place ${pos} after readers had gone up to ${upTo}`;
    },
  };
};

export const journalKeepsOrderOfEvents: MakeChecker = () => {
  const last = new Map<string, { readonly eseq: number; readonly pos: number }>();
  return {
    rule: 'the events of one actor stand in the journal in the order they happened',
    landed(landed) {
      if (landed.is !== 'row' || landed.row.kind !== 'journal') return null;
      const { id } = landed.row;
      const cut = id.lastIndexOf(':');
      const [name, eseq, pos] = [id.slice(0, cut), Number(id.slice(cut + 1)), posOf(landed.row)];
      const before = last.get(name) ?? { eseq: 0, pos: 0 };
      last.set(name, { eseq: Math.max(before.eseq, eseq), pos: Math.max(before.pos, pos) });
      if (pos < before.pos) return `${id} has place ${pos}, an earlier one has ${before.pos}`;
      return eseq > before.eseq ? null : `${id} came after ${name}:${before.eseq}`;
    },
  };
};

export const everyEventIsLogged: MakeChecker = ({ disk }) => {
  const happened = new Map<string, string>();
  return {
    rule: 'every committed event reaches the journal, with the same bytes',
    landed(landed) {
      if (landed.is !== 'doc') return null;
      const { kind, id, out } = landed.doc;
      for (const row of out)
        if (row.type === 'event') happened.set(`${kind}/${id}:${row.eseq}`, row.envelope);
      return null;
    },
    ended() {
      for (const [key, envelope] of happened) {
        const row = disk.row('journal', key);
        if (row === null) return `${key} never reached the journal`;
        const { envelope: there } = row.body;
        if (there !== envelope) return `${key} is ${JSON.stringify(there)}, was ${envelope}`;
      }
      return null;
    },
  };
};

export const everyEventIsPublished: MakeChecker = ({ disk, streams }) => ({
  rule: 'in the end other systems were told every event of the journal, with the same bytes',
  ended() {
    for (const { id, body } of streams === null ? [] : disk.rows('journal')) {
      const told = streams?.events.get(id);
      if (told === undefined) return `${id} was never published`;
      if (told.envelope !== body['envelope']) return `${id} was published as ${told.envelope}`;
    }
    return null;
  },
});

export const noHintStaysOnItsWay: MakeChecker = ({ streams }) => ({
  rule: 'in the end no hint waits on the durable road',
  ended() {
    const waiting = streams?.mail ?? 0;
    return waiting === 0 ? null : `${waiting} hints were never taken`;
  },
});

export const dispatchFollowsTheJournal: MakeChecker = ({ disk }) => ({
  rule: 'a log dispatches only what its journal holds',
  landed(landed) {
    if (landed.is !== 'doc' || landed.doc.kind !== 'event_log') return null;
    const { scope, body, out } = landed.doc;
    const dispatched = Number(body?.['dispatched'] ?? 0);
    const last = Number(body?.['pos'] ?? 0);
    if (dispatched > last) return `${scope} dispatched up to ${dispatched}, beyond its last place`;
    for (const row of out) {
      if (row.type !== 'row' || row.row.kind !== 'journal' || posOf(row.row) > dispatched) continue;
      const { id } = row.row;
      if (disk.row('journal', id) === null) return `${scope} dispatched ${id} before it was written`;
    }
    return null;
  },
});
