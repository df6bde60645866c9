/** Laws of what leaves an actor: nothing before it is durable, rows before all else, nothing forgotten. */
import { addressFrom, addressText } from '../../../src/runtime/model/address.ts';
import type { Doc, OutRow, Row } from '../../../src/store/store.ts';
import { poison } from '../tally.ts';
import type { Checker, MakeChecker } from './checker.ts';

const cutKey = (key: string): readonly [actor: string, number: number] => {
  const cut = key.lastIndexOf(':');
  return [key.slice(0, cut), Number(key.slice(cut + 1))];
};

/** Effects that change nothing on the other side. */
const reads: readonly string[] = ['bell.look', 'provider.lookup'];

const docOf = (disk: { doc(kind: string, id: string): Doc | null }, name: string): Doc | null => {
  const { kind, id } = addressFrom(name);
  return disk.doc(kind, id);
};

const tellsTo = (doc: Doc | null, to: string): readonly OutRow[] =>
  (doc?.out ?? []).filter((row) => row.type === 'tell' && row.to === to);

const hasOutcome = (doc: Doc | null, from: string, seq: number): boolean =>
  doc?.seen.some(([one, , , outcomes]) => one === from && outcomes.some(([each]) => each === seq)) === true;

/** Names of the senders in `seen` that are actors, and their highest seq there. */
function actorsSeen(doc: Doc): readonly (readonly [from: string, seq: number, done: number])[] {
  return doc.seen
    .filter(([from]) => !from.startsWith('k:') && !from.startsWith('n:'))
    .map(([from, done, , outcomes]) => [from, Math.max(0, ...outcomes.map(([seq]) => seq)), done]);
}

/** The version in which each row of `out` first became durable, and the view rows not written yet. */
class Owed {
  readonly #rows = new Map<string, { readonly docV: number; readonly row: Row }[]>();
  readonly #since = new Map<string, number>();

  landed(doc: Doc, before: Doc | null, written: (row: Row) => boolean): void {
    const name = addressText(doc);
    const known = new Set(before?.out.map((row) => row.q));
    for (const row of doc.out) {
      if (known.has(row.q)) continue;
      this.#since.set(row.type === 'event' ? `${name}:e${row.eseq}` : `${name}:${row.q}`, doc.v);
      if (row.type !== 'row' || written(row.row)) continue;
      this.#rows.set(name, [...(this.#rows.get(name) ?? []), { docV: doc.v, row: row.row }]);
    }
  }

  rowLanded(row: Row): void {
    const name = addressText(row.owner);
    const left = (this.#rows.get(name) ?? []).filter(
      (owed) => owed.row.kind !== row.kind || owed.row.id !== row.id || owed.row.v > row.v,
    );
    if (left.length > 0) this.#rows.set(name, left);
    else this.#rows.delete(name);
  }

  /** A view row of this actor that version `v` committed, or an earlier one, and that nobody can read yet. */
  unwritten(name: string, v: number): string | null {
    const owed = this.#rows.get(name)?.find(({ docV }) => docV <= v);
    return owed === undefined ? null : `${owed.row.kind}/${owed.row.id} of version ${owed.docV}`;
  }

  /** The version that first held this row of `out` (`<actor>:<q>`, or `<actor>:e<eseq>`). */
  since(key: string): number {
    return this.#since.get(key) ?? 0;
  }
}

export const rowsBeforeAnythingLeaves: MakeChecker = ({ disk }) => {
  const owed = new Owed();
  const late = (name: string, v: number, what: string): string | null => {
    const row = owed.unwritten(name, v);
    return row === null ? null : `${what} left ${name} at version ${v} before ${row} was written`;
  };
  const written = (row: Row): boolean => {
    const there = disk.row(row.kind, row.id);
    return there !== null && (row.once || there.v >= row.v);
  };
  return {
    rule: 'every view row in `out` is written before anything leaves',
    landed(landed) {
      if (landed.is === 'row') {
        owed.rowLanded(landed.row);
        if (landed.row.kind !== 'journal') return null;
        const [name, eseq] = cutKey(landed.row.id);
        return late(name, owed.since(`${name}:e${eseq}`), 'an event');
      }
      if (landed.is !== 'doc') return null;
      const { doc, before } = landed;
      owed.landed(doc, before, written);
      for (const [from, seq] of actorsSeen(doc)) {
        if (hasOutcome(before, from, seq)) continue;
        const wrong = late(from, owed.since(`${from}:${seq}`), 'a tell');
        if (wrong !== null) return wrong;
      }
      return null;
    },
    answered: ({ to, result }) => (result.is === 'ok' ? late(addressText(to), result.v, 'an answer') : null),
    shown: ({ kind, id, v }) => late(`${kind}/${id}`, v, 'a read'),
    listed: ({ kind, id, v }) => late(`${kind}/${id}`, v, 'a list'),
    began({ key, kind }) {
      if (reads.includes(kind)) return null;
      const [name] = cutKey(key);
      return late(name, owed.since(key), 'an effect');
    },
  };
};

export const effectsAreDurableFirst: MakeChecker = () => {
  const durable = new Map<string, string>();
  return {
    // once durable, an `again` effect may run more than needed: a dead process's last commit lands when it likes
    rule: 'an effect runs only after its row is durable, unless it only reads',
    landed(landed) {
      if (landed.is !== 'doc') return null;
      const name = addressText(landed.doc);
      for (const row of landed.doc.out) if (row.type === 'effect') durable.set(`${name}:${row.q}`, row.kind);
      return null;
    },
    began: ({ key, kind }) =>
      reads.includes(kind) || durable.get(key) === kind
        ? null
        : `${kind} ran as ${key}, its actor never held it`,
  };
};

export const onceMeansOnce: MakeChecker = ({ disk, ledger }) => ({
  rule: 'a `once` effect is begun by a commit and called at most once',
  began({ key, kind }) {
    if (!kind.endsWith('.once') && kind !== 'provider.refund') return null;
    const [name, q] = cutKey(key);
    const row = docOf(disk, name)?.out.find((other) => other.q === q);
    if (row?.type !== 'effect' || row.tries !== 1) return `${kind} ran as ${key} without being begun`;
    return null;
  },
  ended() {
    const twice = [...ledger.rings].find(([, rings]) => rings.once > 1);
    return twice === undefined ? null : `the other side was called ${twice[1].once} times for ${twice[0]}`;
  },
});

export const tellsAreDurableFirst: MakeChecker = ({ disk }) => ({
  rule: 'a tell reaches its target only after it is durable at its sender',
  landed(landed) {
    if (landed.is !== 'doc') return null;
    for (const [from, seq] of actorsSeen(landed.doc)) {
      const durable = docOf(disk, from)?.oq ?? 0;
      if (seq > durable) return `${addressText(landed.doc)} met ${from}:${seq}, which is not durable`;
    }
    return null;
  },
});

export const doneIsCommitted: MakeChecker = ({ disk }) => ({
  rule: '`done` is read off the committed `out`: what is settled there is never sent again',
  landed(landed) {
    if (landed.is !== 'doc') return null;
    for (const [from, , done] of actorsSeen(landed.doc)) {
      const open = tellsTo(docOf(disk, from), addressText(landed.doc)).find((row) => row.q <= done);
      if (open !== undefined) return `${from} said ${done} is settled, its row ${open.q} is still in its out`;
    }
    return null;
  },
});

export const eventsAreDurableFirst: MakeChecker = ({ disk }) => ({
  rule: 'an event reaches the journal only after it is durable at its actor',
  landed(landed) {
    if (landed.is !== 'row' || landed.row.kind !== 'journal') return null;
    const [name, eseq] = cutKey(landed.row.id);
    const durable = docOf(disk, name)?.eseq ?? 0;
    return eseq <= durable
      ? null
      : `${landed.row.id} stands in the journal, its actor has reached ${durable}`;
  },
});

export const eventsAreClearedLast: MakeChecker = ({ disk }) => ({
  rule: 'an event is cleared from `out` only once it stands in the journal',
  landed(landed) {
    if (landed.is !== 'doc' || landed.before === null) return null;
    const kept = new Set(landed.doc.out.map((row) => row.q));
    for (const row of landed.before.out) {
      if (row.type !== 'event' || kept.has(row.q)) continue;
      const key = `${addressText(landed.doc)}:${row.eseq}`;
      if (disk.row('journal', key) === null) return `${key} was cleared and is not in the journal`;
    }
    return null;
  },
});

export const settledIsDone: MakeChecker = ({ disk }) => ({
  rule: 'a document stops being busy only once its events stand in the journal and its view rows are written',
  landed(landed) {
    if (landed.is !== 'settled') return null;
    const name = addressText(landed.doc);
    for (const row of landed.doc.out) {
      if (row.type === 'event') {
        const key = `${name}:${row.eseq}`;
        if (disk.row('journal', key) === null) return `${key} is not in the journal, and ${name} is not busy`;
      } else if (row.type === 'row') {
        const stored = disk.row(row.row.kind, row.row.id);
        if ((stored?.v ?? 0) < row.row.v && !row.row.once)
          return `${row.row.id} is not written, and ${name} is not busy`;
      } else return `${name} is not busy, with ${row.type} ${row.q} in its out`;
    }
    return null;
  },
});

export const onlyPoisonIsParked: MakeChecker = () => ({
  rule: 'nothing is stored as a dead letter but what was poisoned',
  landed(landed) {
    if (landed.is !== 'row' || landed.row.kind !== 'dead') return null;
    const text = JSON.stringify(landed.row.body);
    return text.includes(poison) ? null : `${landed.row.id} was parked: ${text}`;
  },
});

/** What is left in the world when everything had time to finish. */
export const nothingStaysBehind: MakeChecker = ({ disk, now }): Checker => ({
  rule: 'in the end nothing is busy, no timer is overdue, no clock walks',
  ended() {
    for (const doc of disk.docs()) {
      const name = addressText(doc);
      if (doc.busy) return `${name} is still busy: ${JSON.stringify(doc.out).slice(0, 300)}`;
      if (doc.body?.['status'] === 'advancing') return `${name} still walks its clock`;
      const overdue = doc.wake !== null && doc.wake < now() - overdueMs;
      if (overdue) return `${name} was to wake at ${doc.wake}, it is ${now()}`;
    }
    return null;
  },
});

const overdueMs = 20_000;
