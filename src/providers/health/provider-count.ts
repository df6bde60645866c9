/** The counts behind the incidents of providers (actors/provider-health): what causes them, and what makes them.
 *  1. Every unpaid attempt has an event `payment.failed`, and the pump of the journal loses none: a provider
 *     that fails is counted, whichever node dies.
 *  2. A paid attempt causes nothing, unless the provider is degraded. */
import {
  providerHealthAt,
  type HealthCommands,
  type HealthEffects,
} from '../../../actors/provider-health/messages.ts';
import { couldChange, isDegraded } from '../../../actors/provider-health/rule.ts';
import { minutes, type Scheduler } from '../../kernel/time.ts';
import { providerNames, type Provider } from '../catalog.ts';
import type { EffectContext } from '../../runtime/delivery/effect-job.ts';
import type { EffectRunners } from '../../runtime/delivery/effects.ts';
import type { Caused } from '../../runtime/delivery/journal-pump.ts';
import type { Scope } from '../../runtime/model/address.ts';
import type { Row } from '../../store/store.ts';
import { attemptsOf, nextChangeOf, type Counting } from './success-rates.ts';

const countsAtOnce = 20;
/** A degraded provider is counted every minute by the node that serves it. */
const degradedKnownMs = minutes(2);

interface Known {
  readonly scope: Scope;
  readonly provider: Provider;
  readonly at: number;
}

function providerIn(envelope: unknown): Provider | null {
  const { data } = JSON.parse(String(envelope)) as { readonly data?: { readonly provider?: unknown } };
  return providerNames.find((name) => name === data?.provider) ?? null;
}

export interface ProviderCounts {
  readonly runners: EffectRunners;
  /** What a page of a journal causes: at most one look at each provider. */
  looksCausedBy(scope: Scope, entries: readonly Row[]): readonly (readonly Caused[])[];
  /** The providers that are degraded for a project that this node serves, one for each project and mode. */
  degradedNow(): readonly Provider[];
}

/** `client` is called when the first count is made. */
export function providerCounts(client: () => Counting, scheduler: Pick<Scheduler, 'steady'>): ProviderCounts {
  const degraded = new Map<string, Known>();
  return {
    runners: {
      'provider.count': {
        async run(
          { provider }: HealthEffects['provider.count'],
          context: EffectContext,
        ): Promise<HealthCommands['counted']> {
          const { scope, actorId } = context;
          const at = context.now();
          const found = await attemptsOf(client(), scope, provider, at);
          degraded.delete(actorId);
          if (isDegraded(found)) degraded.set(actorId, { scope, provider, at: scheduler.steady() });
          const changesAt = couldChange(found)
            ? await nextChangeOf(client(), scope, provider, found, at)
            : null;
          return { found: { at, ...found, changesAt } };
        },
        atOnce: countsAtOnce,
      },
    },
    looksCausedBy(scope, entries) {
      if (scope === 'system') return entries.map(() => []);
      const ends: readonly unknown[] = [...degraded.values()].some((one) => one.scope === scope)
        ? ['payment.failed', 'payment.succeeded']
        : ['payment.failed'];
      const seen = new Set<Provider>();
      return entries.map(({ body }) => {
        const provider = ends.includes(body['event']) ? providerIn(body['envelope']) : null;
        if (provider === null || seen.has(provider)) return [];
        seen.add(provider);
        const to = providerHealthAt(scope, provider);
        return [{ inOrder: to.id, to, command: 'look', data: { provider } }];
      });
    },
    degradedNow() {
      const since = scheduler.steady() - degradedKnownMs;
      for (const [id, { at }] of degraded) if (at < since) degraded.delete(id);
      return [...degraded.values()].map(({ provider }) => provider);
    },
  };
}
