/** Sessions as a build has stored them (stored-v9.json), and what becomes of them, for the test beside this file. */
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { days, seconds } from '../../../src/kernel/time.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { upcasted } from '../../../src/runtime/model/upcast.ts';
import type { Doc, OutRow } from '../../../src/store/store.ts';
import { given } from '../../support/simulated/test-runner.ts';
import { saying, type SessionStory } from './buyer.ts';

export interface StoredSession {
  readonly what: string;
  /** As it lies in the store, in the schema that it names. */
  readonly doc: Doc;
  readonly now: number;
  /** What it shows, and what it does from then on. */
  readonly view: object;
  readonly rows: readonly object[];
  readonly future: readonly string[];
}

/** A stored session that goes on in this build. */
export function continued({ doc, now }: Pick<StoredSession, 'doc' | 'now'>): SessionStory {
  const story = given(checkoutSession, { id: doc.id, scope: doc.scope, now });
  story.doc = upcasted(checkoutSession as unknown as AnyActor, doc);
  story.pending = doc.out.filter((row) => row.type === 'effect');
  return story;
}

/** Its rows as they are read. */
export const rowsOf = (story: SessionStory): readonly object[] =>
  ['payment', 'hidden_payment', 'refund', 'ended_review'].flatMap((kind) => story.rows(kind));

/** Nothing starts, and no look-up in flight finds anything. Then a callback is about each leg of each payment, and
 *  each look-up finds money, which pays the invoice, if there is one. Three days pass, without more. */
export function futureOf(stored: Pick<StoredSession, 'doc' | 'now'>): readonly string[] {
  const story = continued(stored);
  const future = new Future(story);
  future.answered('not_found');
  for (const paymentId of paymentIds(story)) {
    for (const leg of ['intent', 'web'] as const) {
      if (story.doc?.body === null) break;
      const isApp = leg === 'intent' ? { leg } : {};
      const summary = `Callback about ${leg}`;
      const hint = { paymentId, from: 'callback', says: 'paid', verified: true, summary, ...isApp } as const;
      story.when('hint', hint).wait(seconds(1));
      future.answered('paid');
    }
    story.when('claimed', { paymentId, duplicate: false });
  }
  const until = story.now + days(3);
  for (let next = future.nextAt(until); next <= until; next = future.nextAt(until)) {
    story.wait(Math.max(0, next - story.now));
    future.answered('not_found');
  }
  return future.lines;
}

const paymentIds = ({ doc }: SessionStory): readonly string[] => {
  const body = doc?.body as { readonly payments: readonly { readonly id: string }[] } | null | undefined;
  return body?.payments.map(({ id }) => id) ?? [];
};

/** What a session has done, as lines. */
class Future {
  readonly lines: string[] = [];
  private readonly story: SessionStory;
  private told = { events: 0, notes: 0, tells: 0 };

  constructor(story: SessionStory) {
    this.story = story;
  }

  /** When its next timer is due; after `until` when none is. */
  nextAt(until: number): number {
    return Math.min(until + 1, ...(this.story.doc?.timers ?? []).map(({ at }) => at));
  }

  /** Everything in flight is answered, a look-up with this outcome. */
  answered(outcome: 'paid' | 'not_found'): void {
    const { story, lines, told } = this;
    for (let row = story.pending[0]; row !== undefined; row = story.pending[0]) {
      lines.push(`${row.kind} ${JSON.stringify(shownOf(row))}`);
      story.settle(row.kind as never, resultOf(row, outcome));
    }
    lines.push(
      ...story.notes.slice(told.notes).map(({ kind, summary }) => `${kind}: ${summary}`),
      ...story.events.slice(told.events).map(({ type, data }) => `${type} ${data.id} ${data.sequence}`),
      ...story.tells.slice(told.tells).map(({ to, command }) => `${command} to ${to}`),
    );
    this.told = { events: story.events.length, notes: story.notes.length, tells: story.tells.length };
  }
}

type EffectRow = Extract<OutRow, { type: 'effect' }>;
type Data = { readonly [field: string]: unknown };

/** The merchant's order says nothing here. */
function shownOf({ data }: EffectRow): Data {
  const { order: _order, ...shown } = data as Data;
  return shown;
}

function resultOf({ kind, data }: EffectRow, outcome: 'paid' | 'not_found'): object {
  const { paymentId, refundId, leg, cause, lookupReference, amount } = data as Data;
  const isApp = leg === 'intent' ? { leg } : {};
  switch (kind) {
    case 'provider.start':
      return { paymentId, durationMs: 1, answer: { outcome: 'failed', message: 'no' } };
    case 'provider.cancel':
      return { paymentId, done: false, durationMs: 1 };
    case 'provider.refund': {
      const nothing = { providerRefundId: null, message: null, httpStatus: null, durationMs: 1, raw: null };
      return { refundId, answer: { outcome: 'done', ...nothing } };
    }
    case 'provider.lookup': {
      const amountPaisa = leg === 'intent' ? null : Number(amount);
      const answer = saying(outcome, String(lookupReference), { amountPaisa });
      return { paymentId, ...isApp, cause, answer };
    }
    default:
      return { paymentId };
  }
}
