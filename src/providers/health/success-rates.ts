/** The success rates of providers, and which have a low one now (docs/reference/api/providers.md).
 *  Boundary: counts rows of the store along its indexes, so every node counts the same, and a restart loses
 *  nothing.
 *  1. Counts attempts of one project and mode that began within the window (rounded up to ten seconds
 *     longer), on the scope's own clock, and have ended. A running attempt has no outcome yet. A buyer who
 *     gives up or changes provider counts like a decline: the payment failed whatever the reason, and no
 *     provider reports which it was.
 *  2. When a provider is degraded is decided in actors/provider-health/rule.ts. Whoever counts one that is,
 *     tells of it.
 *  3. A page shows the last result while a new one is counted. Without a result, or with one older than
 *     `shownMs`, it waits for at most `firstMsMax`, and then counts every provider as up. */
import { degradedRule, isDegraded, windowMs, type Attempts } from '../../../actors/provider-health/rule.ts';
import type { Provider } from '../answers.ts';
import { minutes, seconds, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Scope } from '../../runtime/model/address.ts';
import type { Client } from '../../runtime/model/client.ts';

/** Maximum age of a result before it is refreshed, on the scope's clock: a fraction of its window. */
export const keptMs: DurationMs = seconds(10);
/** Maximum age while it is refreshed: after a longer pause the result is not used at all. */
export const shownMs: DurationMs = minutes(1);
/** How long a page waits when there is no result (real time): without one every provider counts as up. */
export const firstMsMax: DurationMs = 300;
const scopesKeptMax = 10_000;

export interface SuccessRates {
  /** The providers in trouble, for a page. Rejects when the store cannot answer and no result is cached; a
   *  failure is not cached. */
  troubledIn(scope: Scope): Promise<ReadonlySet<Provider>>;
  /** The attempts of each provider, for the API. Rejects in the same way; the first caller waits for the
   *  count. */
  countedIn(scope: Scope): Promise<Counted>;
}

export interface Counted {
  /** When they were counted, on the scope's clock. */
  readonly at: Instant;
  readonly of: ReadonlyMap<Provider, Attempts>;
}

/** How a provider fares; `isDown`: its circuit is open. */
export function healthOf(counted: Attempts | undefined, isDown: boolean): 'up' | 'degraded' | 'down' {
  if (isDown) return 'down';
  return counted !== undefined && isDegraded(counted) ? 'degraded' : 'up';
}

export type Counting = Pick<Client, 'now' | 'listRows'>;

export function createSuccessRates(
  client: Counting,
  providers: readonly Provider[],
  scheduler: Pick<Scheduler, 'after'>,
  onDegraded: (scope: Scope, provider: Provider) => void = () => undefined,
): SuccessRates {
  const now = (scope: Scope): Instant => client.now(scope);
  const count = async (scope: Scope, at: Instant): Promise<Counted> => {
    const found = await counted(client, scope, providers, at);
    for (const [provider, attempts] of found.of) if (isDegraded(attempts)) onDegraded(scope, provider);
    return found;
  };
  const counts = new Recent(now, count);
  const troubles = new Recent<ReadonlySet<Provider>>(now, async (scope, at) => {
    // one query for a quiet project; two more per provider for a busy one
    if ((await countOf(client, scope, at)({})) < degradedRule.attemptsMin) return new Set();
    const { of } = await count(scope, at);
    return new Set([...of].flatMap(([provider, attempts]) => (isDegraded(attempts) ? [provider] : [])));
  });
  return {
    troubledIn: (scope) => troubles.in(scope, (next) => atMost(scheduler, firstMsMax, next)),
    countedIn: (scope) => counts.in(scope, (next) => next),
  };
}

interface Kept<Found> {
  /** The last result, and when it was requested; null before the first. */
  last: { readonly at: Instant; readonly found: Found } | null;
  making: Promise<Found> | null;
}

/** The last result of each scope, refreshed while it is used. */
class Recent<Found> {
  private readonly kept = new Map<Scope, Kept<Found>>();
  private readonly now: (scope: Scope) => Instant;
  private readonly make: (scope: Scope, now: Instant) => Promise<Found>;

  constructor(now: (scope: Scope) => Instant, make: (scope: Scope, now: Instant) => Promise<Found>) {
    this.now = now;
    this.make = make;
  }

  /** `first` decides how long to wait when there is no result to show. */
  async in(scope: Scope, first: (next: Promise<Found>) => Promise<Found>): Promise<Found> {
    const now = this.now(scope);
    const of = this.keptOf(scope);
    const ageMs = of.last === null || now < of.last.at ? Infinity : now - of.last.at;
    if (of.last !== null && ageMs < keptMs) return of.last.found;
    const next = this.making(scope, of, now);
    if (of.last === null || ageMs >= shownMs) return first(next);
    // not awaited; if it fails, the next caller starts again
    next.catch(() => undefined);
    return of.last.found;
  }

  /** The read under way; starts one if there is none. */
  private making(scope: Scope, of: Kept<Found>, now: Instant): Promise<Found> {
    of.making ??= this.make(scope, now)
      .then((found) => {
        of.last = { at: now, found };
        return found;
      })
      .finally(() => {
        of.making = null;
      });
    return of.making;
  }

  private keptOf(scope: Scope): Kept<Found> {
    const { kept } = this;
    const of = kept.get(scope) ?? { last: null, making: null };
    kept.set(scope, of);
    if (kept.size > scopesKeptMax) kept.delete(kept.keys().next().value ?? scope);
    return of;
  }
}

/** The result if it arrives in time; otherwise no provider. */
function atMost(
  scheduler: Pick<Scheduler, 'after'>,
  ms: DurationMs,
  found: Promise<ReadonlySet<Provider>>,
): Promise<ReadonlySet<Provider>> {
  return new Promise((resolve, reject) => {
    const cancel = scheduler.after(ms, () => resolve(new Set()));
    found.then(resolve, reject).finally(cancel);
  });
}

async function counted(
  client: Counting,
  scope: Scope,
  providers: readonly Provider[],
  now: Instant,
): Promise<Counted> {
  const each = providers.map(
    async (provider) => [provider, await attemptsOf(client, scope, provider, now)] as const,
  );
  return { at: now, of: new Map(await Promise.all(each)) };
}

/** The attempts of one provider in the window that ends now. Rejects when the store cannot answer. */
export async function attemptsOf(
  client: Counting,
  scope: Scope,
  provider: Provider,
  now: Instant,
): Promise<Attempts> {
  const count = countOf(client, scope, now);
  const [paid, unpaid] = await Promise.all([
    count({ provider }, ended.paid),
    count({ provider }, ended.unpaid),
  ]);
  return { paid, attempts: paid + unpaid };
}

const ended = { paid: ['success', 'refunded'], unpaid: ['failed', 'cancelled'] } as const;

/** When the oldest of these attempts leaves the window; at the latest after a minute, if another one ends
 *  meanwhile. */
export async function nextChangeOf(
  client: Counting,
  scope: Scope,
  provider: Provider,
  { attempts }: Attempts,
  now: Instant,
): Promise<Instant> {
  const { items } = await client.listRows({
    kind: 'payment',
    scope,
    equals: { provider },
    anyOf: { status: [...ended.paid, ...ended.unpaid] },
    range: [{ field: 'created', from: windowFrom(now) }],
    // newest first
    page: attempts,
    limit: 1,
  });
  const oldest = items[0]?.created;
  return oldest === undefined ? now + minutes(1) : stepOf(oldest) + keptMs + windowMs;
}

const stepOf = (at: Instant): Instant => Math.floor(at / keptMs) * keptMs;
const windowFrom = (now: Instant): Instant => stepOf(now - windowMs);

/** The window begins at whole ten seconds: nodes that ask at about the same time send the same query, and a
 *  store may count once for all. */
const countOf = (client: Counting, scope: Scope, now: Instant) => {
  const from = windowFrom(now);
  return async (equals: { readonly provider?: Provider }, status?: readonly string[]): Promise<number> => {
    const { total } = await client.listRows({
      kind: 'payment',
      scope,
      equals,
      ...(status === undefined ? {} : { anyOf: { status } }),
      range: [{ field: 'created', from }],
      page: 1,
      limit: 1,
    });
    return total;
  };
};
