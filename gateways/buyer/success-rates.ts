/** Which providers fare badly just now: the success rate of docs/reference/api.md.
 *  Boundary: counts rows of the store along its indexes, so every node counts the same, and a restart forgets nothing.
 *  1. Attempts of one project and mode that began within the window, on the scope's own clock, and have ended. One that
 *     is under way has no outcome yet. A buyer who gives up or goes to another provider counts like a decline: who
 *     fails to pay does so whatever the reason, and no provider says which it was.
 *  2. Whoever has had less than `attemptsMin` of them is judged by nobody.
 *  3. No page waits while they are counted anew: it shows what was found last. Only where nothing was, it waits, and
 *     not for long. */
import type { Provider } from '../../src/providers/answers.ts';
import { minutes, seconds, type DurationMs, type Instant, type Scheduler } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';

export const windowMs: DurationMs = minutes(15);
export const attemptsMin = 20;
/** Below this share of successes a provider is in trouble. */
export const rateMin = 0.5;
/** How old an answer may be, on the scope's clock: a fraction of its window. */
export const keptMs: DurationMs = seconds(10);
/** How old it may be while it is made anew: who comes after a longer rest is told nothing rather than that. */
export const shownMs: DurationMs = minutes(1);
/** How long a page waits when there is no answer to show (real time): without one every provider is well. */
export const firstMsMax: DurationMs = 300;
export const scopesKeptMax = 10_000;

export interface SuccessRates {
  /** Rejects when the store cannot answer and nothing is kept; that is not remembered. */
  troubledIn(scope: Scope): Promise<ReadonlySet<Provider>>;
}

type Counting = Pick<Client, 'now' | 'listRows'>;

interface Kept {
  /** What was found last, and when that was asked for; null before anything was. */
  last: { readonly at: Instant; readonly found: ReadonlySet<Provider> } | null;
  making: Promise<ReadonlySet<Provider>> | null;
}

export function createSuccessRates(
  client: Counting,
  providers: readonly Provider[],
  scheduler: Pick<Scheduler, 'after'>,
): SuccessRates {
  const kept = new Map<Scope, Kept>();

  /** The answer on its way, begun if nobody has. */
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
      // nobody waits for it; if it fails, the next who asks begins again
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

/** What comes in time; nobody when nothing does. */
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

/** One question of a quiet project; two more per provider of one that is busy. The window begins at whole ten
 *  seconds: nodes that ask at about the same time ask the same, and a store may count once for all. */
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
