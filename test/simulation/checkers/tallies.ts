/** Per-actor linearizability, read off actors that only append: their state is the order of execution. */
import { addressText } from '../../../src/runtime/model/address.ts';
import type { Doc } from '../../../src/store/store.ts';
import { poison, type TallyCommands } from '../tally.ts';
import type { Answered, MakeChecker } from './checker.ts';

const entriesOf = (doc: Doc | null): readonly string[] => (doc?.body?.['entries'] ?? []) as readonly string[];

const opOf = (answered: Answered): string | null => {
  const { op } = answered.data as { readonly op?: string };
  return answered.to.kind === 'tally' && op !== undefined ? op : null;
};

const placeIn = (answered: Answered): number | null => {
  const { result } = answered;
  return result.is === 'ok' && typeof result.detail['place'] === 'number' ? result.detail['place'] : null;
};

export const nothingTwice: MakeChecker = () => ({
  rule: 'no command is applied twice',
  landed(landed) {
    if (landed.is !== 'doc' || landed.doc.kind !== 'tally') return null;
    const entries = entriesOf(landed.doc);
    const twice = entries.find((entry, index) => entries.indexOf(entry) !== index);
    return twice === undefined ? null : `${addressText(landed.doc)} holds ${twice} twice`;
  },
});

export const nothingAcknowledgedIsLost: MakeChecker = ({ disk }) => {
  const acknowledged: Answered[] = [];
  const stillThere = ({ to, data, ...rest }: Answered): string | null => {
    const doc = disk.doc(to.kind, to.id);
    if (doc?.gone === true) return null;
    const place = placeIn({ to, data, ...rest });
    const { op } = data as { readonly op: string };
    if (place === null || entriesOf(doc)[place] === op) return null;
    return `${op} was acknowledged at ${place} of ${addressText(to)}`;
  };
  return {
    rule: 'an acknowledged command is never lost',
    answered(answered) {
      if (opOf(answered) === null || placeIn(answered) === null) return null;
      acknowledged.push(answered);
      return stillThere(answered);
    },
    ended: () => acknowledged.map(stillThere).find((wrong) => wrong !== null) ?? null,
  };
};

export const nothingRefusedIsApplied: MakeChecker = ({ disk }) => {
  const attempts = new Map<string, Answered[]>();
  const never = ({ result, identity }: Answered): boolean =>
    result.is === 'internal' ||
    (result.is === 'refused' && (identity === null || result.code !== 'not_found'));
  return {
    rule: 'what was refused, or proven not executed, is nowhere',
    answered(answered) {
      const op = opOf(answered);
      if (op !== null) attempts.set(op, [...(attempts.get(op) ?? []), answered]);
      return null;
    },
    ended() {
      for (const [op, copies] of attempts) {
        const proven =
          copies.every(({ result }) => result.is === 'not_executed') ||
          copies.some((copy) => copy.identity !== null && never(copy)) ||
          copies.every(never);
        const to = copies[0]?.to;
        if (to === undefined || !proven) continue;
        const stands = entriesOf(disk.doc(to.kind, to.id)).includes(op);
        if (stands) return `${op} stands in ${addressText(to)} and was not to`;
      }
      return null;
    },
  };
};

export const orderIsReal: MakeChecker = () => {
  const firstAsked = new Map<string, number>();
  const acknowledged = new Map<string, Answered>();
  return {
    rule: 'a command answered before another was asked stands before it',
    answered(answered) {
      const op = opOf(answered);
      if (op === null) return null;
      firstAsked.set(op, Math.min(firstAsked.get(op) ?? Infinity, answered.askedAt));
      if (placeIn(answered) !== null && !acknowledged.has(op)) acknowledged.set(op, answered);
      return null;
    },
    ended() {
      const all = [...acknowledged];
      for (const [first, a] of all) {
        for (const [second, b] of all) {
          if (a.to.id !== b.to.id || a.answeredAt >= (firstAsked.get(second) ?? 0)) continue;
          const after = (placeIn(a) ?? 0) >= (placeIn(b) ?? 0);
          if (after) return `${second} stands before ${first}, which was answered first`;
        }
      }
      return null;
    },
  };
};

interface Expected {
  readonly op: string;
  /** Who was asked, and exists. */
  readonly asked: string;
  /** Where it is at home: one that nobody had seen open when this was first asked for may have refused the tell. */
  readonly home: string;
  readonly is: (entry: string) => boolean;
}

/** Of everything a tally set in motion, exactly one consequence. */
export const everythingComesHome: MakeChecker = ({ disk }) => {
  const homes: Readonly<Partial<Record<keyof TallyCommands, (op: string, entry: string) => boolean>>> = {
    ring: (op, entry) => entry.startsWith(`rung:${op}:`),
    wait: (op, entry) => entry === `woke:${op}`,
  };
  const expected: Expected[] = [];
  const asked = new Set<string>();
  const firstAsked = new Map<string, number>();
  const openedAt = new Map<string, number>();
  const wasOpen = (home: string, op: string): boolean =>
    (openedAt.get(home) ?? Infinity) <= (firstAsked.get(op) ?? 0);
  return {
    rule: 'every effect has one result, every timer fires once, every tell arrives once',
    answered(answered) {
      if (answered.command === 'open' && answered.result.is === 'ok')
        openedAt.set(answered.to.id, Math.min(openedAt.get(answered.to.id) ?? Infinity, answered.answeredAt));
      const op = opOf(answered);
      if (op !== null) firstAsked.set(op, Math.min(firstAsked.get(op) ?? Infinity, answered.askedAt));
      if (op === null || asked.has(op) || op.includes(poison) || placeIn(answered) === null) return null;
      const { to, command, data } = answered;
      if (command === 'pass') {
        const { to: target } = data as { readonly to: string };
        const entry = `received:${op}:${addressText(to)}`;
        expected.push({ op, asked: to.id, home: target, is: (text) => text === entry });
      }
      const home = homes[command as keyof TallyCommands];
      if (home !== undefined) {
        expected.push({ op, asked: to.id, home: to.id, is: (text) => home(op, text) });
      }
      asked.add(op);
      return null;
    },
    ended() {
      for (const { op, asked: sender, home, is } of expected) {
        const found = disk.doc('tally', home);
        if (found?.gone === true || (found === null && home !== sender)) continue;
        const count = entriesOf(found).filter(is).length;
        if (count === 0 && home !== sender && !wasOpen(home, op)) continue;
        if (count !== 1) return `${op} came home ${count} times`;
      }
      return null;
    },
  };
};

/** A tell that may be refused has one end: there, or back at its sender. */
export const refusedTellsReturn: MakeChecker = ({ disk }) => {
  const told = new Map<string, Answered>();
  return {
    rule: 'a refused tell returns to its sender exactly once, an accepted one never',
    answered(answered) {
      const op = opOf(answered);
      const counts = op !== null && !op.includes(poison) && placeIn(answered) !== null;
      if (counts && answered.command === 'passIfOdd') told.set(op, answered);
      return null;
    },
    ended() {
      for (const [op, { to, data }] of told) {
        const { to: target } = data as { readonly to: string };
        const received = `received:${op}:${addressText(to)}`;
        const there = entriesOf(disk.doc('tally', target)).filter((entry) => entry === received);
        const back = entriesOf(disk.doc('tally', to.id)).filter((entry) =>
          entry.startsWith(`returned:${op}:`),
        );
        if (there.length + back.length === 1) continue;
        return `${op} was received ${there.length} times and returned ${back.length} times`;
      }
      return null;
    },
  };
};

export const deadlinesHold: MakeChecker = () => {
  const executedAt = new Map<string, number>();
  const deadlines = new Map<string, number>();
  return {
    rule: 'no command is executed after its deadline',
    landed(landed) {
      if (landed.is !== 'doc' || landed.doc.kind !== 'tally' || landed.doc.at === landed.before?.at)
        return null;
      // deadlines are of real time
      if (landed.doc.clock !== null) return null;
      const fresh = entriesOf(landed.doc).slice(entriesOf(landed.before).length);
      for (const entry of fresh) executedAt.set(entry, landed.doc.at);
      return null;
    },
    answered(answered) {
      const op = opOf(answered);
      // a turn that waits for what it reads is dated by the result
      const isDatedLate = (answered.data as { readonly mode?: string }).mode === 'look';
      if (op !== null && !isDatedLate) deadlines.set(op, Math.max(deadlines.get(op) ?? 0, answered.deadline));
      return null;
    },
    ended() {
      for (const [op, deadline] of deadlines) {
        const at = executedAt.get(op) ?? 0;
        if (at > deadline) return `${op} was executed at ${at}, all its copies had ended by ${deadline}`;
      }
      return null;
    },
  };
};

export const alarmsAreNeverEarly: MakeChecker = ({ now }) => ({
  rule: 'no timer fires before its instant',
  landed(landed) {
    if (landed.is !== 'doc' || landed.doc.kind !== 'tally') return null;
    const known = entriesOf(landed.before).length;
    const alarms = (landed.doc.body?.['alarms'] ?? {}) as { readonly [op: string]: number };
    for (const entry of entriesOf(landed.doc).slice(known)) {
      const due = entry.startsWith('woke:') ? dueOf(alarms, entry.slice('woke:'.length)) : undefined;
      // a wall clock that jumped back after it had fired makes it look early: then real time knows better
      const early = due !== undefined && landed.doc.at < due && now() < due;
      if (early) return `${entry} fired at ${landed.doc.at}, due at ${due}`;
    }
    return null;
  },
});

/** When an alarm was to ring; of the shared one, as its latest arming before that place says. */
function dueOf(alarms: { readonly [op: string]: number }, key: string): number | undefined {
  const [name = '', place] = key.split('@');
  if (place === undefined) return alarms[name];
  for (let at = Number(place) - 1; at >= 0; at--) {
    const due = alarms[`${name}@${at}`];
    if (due !== undefined) return due;
  }
  return undefined;
}

export const tellsKeepTheirOrder: MakeChecker = ({ disk }) => ({
  rule: 'tells of one sender to one target arrive in the order they were sent',
  landed(landed) {
    if (landed.is !== 'doc' || landed.doc.kind !== 'tally') return null;
    const received = entriesOf(landed.doc).filter((entry) => entry.startsWith('received:'));
    const last = received.at(-1);
    if (last === undefined || entriesOf(landed.before).includes(last)) return null;
    const [, , from = ''] = last.split(':');
    const sent = entriesOf(disk.doc('tally', from.slice('tally/'.length)));
    const places = received
      .filter((entry) => entry.endsWith(`:${from}`))
      .map((entry) => sent.indexOf(entry.split(':')[1] ?? ''));
    const early = places.find((place, index) => index > 0 && place < (places[index - 1] ?? -1));
    if (early === undefined) return null;
    return `${addressText(landed.doc)} received ${sent[early]} of ${from} too late`;
  },
});
