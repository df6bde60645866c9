/** Which providers fare badly just now: the success rate of decisions 8.7.
 *  Boundary: counts rows of the store along its indexes, so every node counts the same, and a restart forgets nothing.
 *  1. Attempts of one project and mode that began within the window, on the scope's own clock, and have ended. One that
 *     is under way has no outcome yet. A buyer who gives up or goes to another provider counts like a decline: who
 *     fails to pay does so whatever the reason, and no provider says which it was.
 *  2. Whoever has had less than `attemptsMin` of them is judged by nobody. */
import type { Provider } from '../../actors/checkout-session/messages.ts';
import { minutes, seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/address.ts';
import type { Client } from '../../src/runtime/client.ts';

export const windowMs: DurationMs = minutes(15);
export const attemptsMin = 20;
/** Below this share of successes a provider is in trouble. */
export const rateMin = 0.5;
/** How old an answer may be, on the scope's clock: a fraction of its window. */
export const keptMs: DurationMs = seconds(10);
export const scopesKeptMax = 10_000;

export interface SuccessRates {
  /** Rejects when the store cannot answer; that is not remembered. */
  troubledIn(scope: Scope): Promise<ReadonlySet<Provider>>;
}

type Counting = Pick<Client, 'now' | 'listRows'>;

export function createSuccessRates(client: Counting, providers: readonly Provider[]): SuccessRates {
  const kept = new Map<Scope, { readonly at: Instant; readonly found: Promise<ReadonlySet<Provider>> }>();
  return {
    troubledIn(scope) {
      const now = client.now(scope);
      const known = kept.get(scope);
      if (known !== undefined && now >= known.at && now - known.at < keptMs) return known.found;
      kept.delete(scope);
      const found = troubled(client, scope, providers, now);
      kept.set(scope, { at: now, found });
      found.catch(() => kept.delete(scope));
      if (kept.size > scopesKeptMax) kept.delete(kept.keys().next().value ?? scope);
      return found;
    },
  };
}

/** One question of a quiet project; two more per provider of one that is busy. */
async function troubled(
  client: Counting,
  scope: Scope,
  providers: readonly Provider[],
  now: Instant,
): Promise<ReadonlySet<Provider>> {
  const count = countOf(client, scope, now - windowMs);
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
