/** Which providers have a low success rate now (docs/reference/api.md).
 *  Boundary: counts rows of the store along its indexes, so every node counts the same, and a restart loses
 *  nothing.
 *  1. Counts attempts of one project and mode that began within the window, on the scope's own clock, and
 *     have ended. A running attempt has no outcome yet. A buyer who gives up or changes provider counts
 *     like a decline: the payment failed whatever the reason, and no provider reports which it was.
 *  2. A provider with fewer than `attemptsMin` of them is not judged.
 *  3. No page waits for a new count: it shows the last result. Only when there is none does it wait, for a
 *     bounded time. */
import type { Provider } from '../../src/providers/answers.ts';
import { minutes, seconds, type DurationMs, type Instant, type Scheduler } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';

export const windowMs: DurationMs = minutes(15);
export const attemptsMin = 20;
/** Below this share of successes a provider is degraded. */
export const rateMin = 0.5;
/** Maximum age of a result before it is refreshed, on the scope's clock: a fraction of its window. */
export const keptMs: DurationMs = seconds(10);
/** Maximum age while it is refreshed: after a longer pause the result is not used at all. */
export const shownMs: DurationMs = minutes(1);
/** How long a page waits when there is no result (real time): without one every provider counts as up. */
export const firstMsMax: DurationMs = 300;
export const scopesKeptMax = 10_000;

export interface SuccessRates {
  /** Rejects when the store cannot answer and no result is cached; a failure is not cached. */
  troubledIn(scope: Scope): Promise<ReadonlySet<Provider>>;
}

type Counting = Pick<Client, 'now' | 'listRows'>;

interface Kept {
  /** The last result, and when it was requested; null before the first. */
  last: { readonly at: Instant; readonly found: ReadonlySet<Provider> } | null;
  making: Promise<ReadonlySet<Provider>> | null;
}

export function createSuccessRates(
  client: Counting,
  providers: readonly Provider[],
  scheduler: Pick<Scheduler, 'after'>,
): SuccessRates {
  const kept = new Map<Scope, Kept>();

  /** The read under way; starts one if there is none. */
  const making = (scope: Scope, of: Kept, now: Instant): Promise<ReadonlySet<Provider>> => {
    of.making ??= troubled(client, scope, providers, now)
      .then((found) => {
        of.last = { at: now, found };
        return found;
      })
      .finally(() => {
        of.making = null;
      });
    return of.making;
  };

  return {
    async troubledIn(scope) {
      const now = client.now(scope);
      const of = keptOf(kept, scope);
      const ageMs = of.last === null || now < of.last.at ? Infinity : now - of.last.at;
      if (of.last !== null && ageMs < keptMs) return of.last.found;
      const next = making(scope, of, now);
      if (of.last === null || ageMs >= shownMs) return atMost(scheduler, firstMsMax, next);
      // not awaited; if it fails, the next caller starts again
      next.catch(() => undefined);
      return of.last.found;
    },
  };
}

function keptOf(kept: Map<Scope, Kept>, scope: Scope): Kept {
  const of = kept.get(scope) ?? { last: null, making: null };
  kept.set(scope, of);
  if (kept.size > scopesKeptMax) kept.delete(kept.keys().next().value ?? scope);
  return of;
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

/** One query for a quiet project; two more per provider for a busy one. The window begins at whole ten
 *  seconds: nodes that ask at about the same time send the same query, and a store may count once for all. */
async function troubled(
  client: Counting,
  scope: Scope,
  providers: readonly Provider[],
  now: Instant,
): Promise<ReadonlySet<Provider>> {
  const count = countOf(client, scope, Math.floor((now - windowMs) / keptMs) * keptMs);
  if ((await count({})) < attemptsMin) return new Set();
  const judged = await Promise.all(
    providers.map(async (provider): Promise<readonly Provider[]> => {
      const [paid, unpaid] = await Promise.all([
        count({ provider }, ['success', 'refunded']),
        count({ provider }, ['failed', 'cancelled']),
      ]);
      const attempts = paid + unpaid;
      return attempts >= attemptsMin && paid / attempts < rateMin ? [provider] : [];
    }),
  );
  return new Set(judged.flat());
}

const countOf =
  (client: Counting, scope: Scope, from: Instant) =>
  async (equals: { readonly provider?: Provider }, status?: readonly string[]): Promise<number> => {
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
