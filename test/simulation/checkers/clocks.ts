/** The law of test clocks: their time never goes back, whichever actor on whichever node acts on it. */
import { addressText } from '../../../src/runtime/model/address.ts';
import type { Instant } from '../../../src/kernel/time.ts';
import type { MakeChecker } from './checker.ts';

/** What an actor did: when that could be seen, and at which instant of its clock. */
interface Act {
  readonly clock: string;
  readonly tick: number;
  readonly at: Instant;
}

/** One ask of an actor: what it committed may land until it is answered, and for ever when nobody knows. */
interface Ask {
  readonly askedAt: number;
  readonly landsUntil: number;
}

/** An answer that names a commit of a time its clock had left behind. */
interface Suspect {
  readonly of: string;
  readonly askedAt: number;
  readonly what: string;
}

/** A walk begins at the instant it was asked for, and others act while that is being committed. */
const askedMsMax = 60_000;

export const testClocksNeverGoBack: MakeChecker = ({ ticks }) => {
  const acts = new Map<string, Act>();
  /** By clock, each later than the one before. */
  const latest = new Map<string, Act[]>();
  const asks = new Map<string, Ask[]>();
  const suspects: Suspect[] = [];
  /** Whether an earlier ask may have made the commit, and this one only have found it there. */
  const isAnothers = ({ of, askedAt }: Suspect): boolean =>
    asks.get(of)?.some((ask) => ask.askedAt < askedAt && ask.landsUntil > askedAt) === true;
  return {
    rule: 'who is asked after somebody acted on a test clock acts at that time or later',
    landed(landed) {
      if (landed.is !== 'doc') return null;
      const { doc, before } = landed;
      const { clock, at } = doc;
      if (clock === null || before?.at === at) return null;
      const act = { clock, tick: ticks(), at };
      acts.set(`${addressText(doc)} ${doc.v}`, act);
      const known = latest.get(clock) ?? [];
      latest.set(clock, known);
      if (at > (known.at(-1)?.at ?? -Infinity)) known.push(act);
      return null;
    },
    answered({ to, askedAt, answeredAt, deadline, result }) {
      const of = addressText(to);
      const ask = { askedAt, landsUntil: result.is === 'unknown' ? Infinity : answeredAt };
      asks.set(of, [...(asks.get(of) ?? []), ask]);
      // a wall clock that was wrong once makes any time possible
      if (result.is !== 'ok' || deadline === Infinity) return null;
      const act = acts.get(`${of} ${result.v}`);
      if (act === undefined || act.tick < askedAt) return null;
      const shown = latest.get(act.clock)?.findLast(({ tick }) => tick < askedAt)?.at ?? -Infinity;
      const behind = shown - act.at;
      if (behind > askedMsMax)
        suspects.push({ of, askedAt, what: `${of} acted ${behind} ms before what its clock had shown` });
      return null;
    },
    ended: () => suspects.find((suspect) => !isAnothers(suspect))?.what ?? null,
  };
};
