/** The daily look-up: which payments a run has looked up, and who wakes it.
 *  1. The list of a run is found in pages, and each payment is looked up by its own session.
 *  2. Whoever looks up a payment wakes the run of that day: a payment that is never looked up cannot have been
 *     paid. */
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import { paidOnTag, underReviewTag } from '../../actors/checkout-session/view.ts';
import {
  dailyLookupAt,
  runDayOf,
  type DailyLookupCommands,
  type DailyLookupEffects,
  type RunPlace,
} from '../../actors/daily-lookup/messages.ts';
import { days, kathmanduMidnight, type DurationMs, type Instant } from '../kernel/time.ts';
import type { EffectContext } from '../runtime/delivery/effect-job.ts';
import type { EffectRunners } from '../runtime/delivery/effects.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Client } from '../runtime/model/client.ts';
import type { Row, Store } from '../store/store.ts';
import { pageOf, placeAfter, type WalkQuery } from './payment-walk.ts';
import { paymentOfRow } from './statement-payments.ts';

export interface DailyLookupParts {
  readonly store: Pick<Store, 'listRows'>;
  /** Called when the first effect runs. */
  readonly client: () => Pick<Client, 'ask'>;
}

/** Successful payments are looked up for so long after they were paid. */
const successMs: DurationMs = days(3);
/** Payments without a clear outcome are looked up for so long after they began. */
const unclearMs: DurationMs = days(30);
/** Payments of one page: look-ups that begin together. */
export const pagePayments = 20;
/** Reads that find nothing to look up, in one step. */
const readsPerPage = 50;
/** Lists of other projects that one node reads at the same time. */
const pagesAtOnce = 4;
/** Scopes of which is remembered that their next run is awake. */
const awakeMax = 10_000;

type Page = DailyLookupEffects['daily_lookup.page'];

export const dailyLookupEffects = (parts: DailyLookupParts): EffectRunners => ({
  'daily_lookup.page': {
    run: (page: Page, context: EffectContext) => runPage(parts, page, context),
    atOnce: pagesAtOnce,
  },
});

interface List {
  readonly query: Omit<WalkQuery, 'scope'>;
  readonly includes: (row: Row) => boolean;
}

/** What a run looks up: payments under review, open ones, and successful ones by the day they were paid on. */
export function listsOf(run: Instant): readonly List[] {
  const all = (): boolean => true;
  const isRecent = (row: Row): boolean => {
    const { status, paidAt } = paymentOfRow(row);
    const at = paidAt === null ? 0 : Date.parse(paidAt);
    return status === 'success' && at >= run - successMs && at < run;
  };
  const paidDays: List[] = [];
  for (let day = kathmanduMidnight(run - successMs); day < run; day += days(1))
    paidDays.push({ query: { tags: [paidOnTag(day)] }, includes: isRecent });
  const from = run - unclearMs;
  return [
    { query: { tags: [underReviewTag], from }, includes: all },
    { query: { anyOf: { status: ['pending', 'processing'] }, from }, includes: all },
    ...paidDays,
  ];
}

async function runPage(
  { store, client }: DailyLookupParts,
  { run, page, place }: Page,
  { scope }: EffectContext,
): Promise<DailyLookupCommands['pageEnded']> {
  const lists = listsOf(run);
  let found = 0;
  let at: RunPlace | null = place;
  for (let reads = 0; at !== null && found === 0 && reads < readsPerPage; reads++) {
    const { query, includes } = lists[at.list] ?? { query: {}, includes: () => false };
    const rows = await pageOf(store, { ...query, scope }, at, pagePayments);
    const payments = rows.filter(includes).map(paymentOfRow);
    await Promise.all(payments.map((payment) => reconcile(client(), payment, run, scope)));
    found = payments.length;
    at = following(at, rows, run, lists.length);
  }
  return { run, page, found, next: at };
}

function following(at: RunPlace, rows: readonly Row[], run: Instant, lists: number): RunPlace | null {
  const next = placeAfter(at, rows, pagePayments);
  if (next !== null) return { list: at.list, to: next.to ?? run, page: next.page };
  return at.list + 1 < lists ? { list: at.list + 1, to: run, page: 1 } : null;
}

async function reconcile(
  client: Pick<Client, 'ask'>,
  { id: paymentId, sessionId }: ReturnType<typeof paymentOfRow>,
  run: Instant,
  scope: Scope,
): Promise<void> {
  const asking = { by: 'system', scope, idempotent: true } as const;
  const result = await client.ask(checkoutSessionAt(sessionId), 'reconcile', { paymentId, run }, asking);
  if (result.is === 'not_executed' || result.is === 'unknown') throw new Error('a session was not reached');
}

/** Wakes the run of a day when a payment of its project is looked up: once for each day and node. */
export class DailyWaker {
  private readonly client: () => Pick<Client, 'ask'>;
  private readonly awake = new Map<Scope, number>();

  constructor(client: () => Pick<Client, 'ask'>) {
    this.client = client;
  }

  /** Never rejects; what fails is made up for by the next look-up. */
  async lookedUp(scope: Scope, now: Instant): Promise<void> {
    const day = runDayOf(now);
    if (this.awake.get(scope) === day) return;
    const asking = { by: 'system', scope, idempotent: true } as const;
    const { is } = await this.client().ask(dailyLookupAt(scope), 'wake', {}, asking);
    if (is !== 'ok') return;
    if (this.awake.size >= awakeMax) this.awake.clear();
    this.awake.set(scope, day);
  }
}

/** The same runners; a look-up wakes the run of its day first. */
export function wakingDaily(runners: EffectRunners, waker: DailyWaker): EffectRunners {
  const lookup = runners['provider.lookup'];
  if (lookup === undefined) return runners;
  const run = async (data: never, context: EffectContext): Promise<object> => {
    await waker.lookedUp(context.scope, context.now());
    return lookup.run(data, context);
  };
  return { ...runners, 'provider.lookup': { ...lookup, run } };
}
