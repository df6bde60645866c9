/** Laws about the answers of asks. */
import { addressText } from '../../../src/runtime/model/address.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import type { Answered, MakeChecker, Shown } from './checker.ts';

export const durableBeforeTold: MakeChecker = ({ disk }) => ({
  rule: 'no answer is told before its commit is durable',
  answered({ to, result, command }) {
    if (result.is !== 'ok') return null;
    const v = disk.doc(to.kind, to.id)?.v ?? 0;
    if (v >= result.v) return null;
    return `${command} of ${addressText(to)} was answered at version ${result.v}, durable is ${v}`;
  },
  shown: ({ kind, id, v }) =>
    (disk.doc(kind, id)?.v ?? 0) >= v
      ? null
      : `${kind}/${id} was shown at version ${v} before it was durable`,
});

export const keyedRefusalsAreStored: MakeChecker = ({ disk }) => ({
  rule: 'a refusal told to a keyed command is stored',
  answered({ to, result, identity, command }) {
    if (result.is !== 'refused' || identity?.from.startsWith('k:') !== true) return null;
    const doc = disk.doc(to.kind, to.id);
    if (doc === null || doc.gone) return null;
    const [, done = 0, , outcomes = []] = doc.seen.find(([from]) => from === identity.from) ?? [];
    const [, stored] = outcomes.find(([seq]) => seq === identity.seq) ?? [];
    if (stored === result.code || done >= identity.seq) return null;
    return `${command} of ${addressText(to)} was refused (${result.code}) and nothing of it is stored`;
  },
});

const definite = (result: AskResult): boolean =>
  result.is === 'ok' || (result.is === 'refused' && result.code !== 'not_found');

export const repeatsMeetTheirOutcome: MakeChecker = () => {
  const first = new Map<string, string>();
  return {
    rule: 'a repeated identity meets its stored outcome',
    answered({ to, identity, result, command }) {
      if (identity === null || !definite(result)) return null;
      const name = `${addressText(to)} ${identity.from} ${identity.seq}`;
      const text = JSON.stringify(result);
      const before = first.get(name);
      first.set(name, before ?? text);
      if (before === undefined || before === text) return null;
      return `${command} of ${name} was ${before}, then ${text}`;
    },
  };
};

export const readsNeverGoBack: MakeChecker = () => {
  const shownBefore: Shown[] = [];
  const answeredBefore: Answered[] = [];
  /** A newer state that a client had already seen before this ask. */
  const older = (kind: string, id: string, askedAt: number, v: number): string | null => {
    const shown = shownBefore.find(
      (other) => other.id === id && other.kind === kind && other.answeredAt < askedAt && other.v > v,
    );
    if (shown !== undefined) return `was shown at version ${shown.v}`;
    const told = answeredBefore.find(
      ({ to, result, answeredAt }) =>
        to.id === id && to.kind === kind && result.is === 'ok' && answeredAt < askedAt && result.v > v,
    );
    return told === undefined ? null : `acknowledged ${told.command}`;
  };
  return {
    rule: 'a read shows all that was acknowledged or shown before it was asked',
    answered(answered) {
      const { to, result, identity, askedAt, command } = answered;
      // a repeat brings an outcome of its own time
      const what = result.is === 'ok' && identity === null ? older(to.kind, to.id, askedAt, result.v) : null;
      answeredBefore.push(answered);
      return what === null ? null : `${addressText(to)} ${what}, later ${command} is answered before that`;
    },
    shown(shown) {
      const { kind, id, v, askedAt } = shown;
      const what = older(kind, id, askedAt, v);
      shownBefore.push(shown);
      return what === null ? null : `${kind}/${id} ${what}, a later read shows version ${v}`;
    },
  };
};
