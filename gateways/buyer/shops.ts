/** What buyers see of a merchant and of a project's providers, at most 5 s old.
 *  Boundary: reads projects and merchants; knows nothing of sessions.
 *  1. No page is lost over a notice: a provider that cannot be judged is well. */
import { merchantAt, type MerchantState } from '../../actors/merchant/messages.ts';
import { projectAt, type ProjectState } from '../../actors/project/messages.ts';
import type { Provider } from '../../actors/checkout-session/messages.ts';
import { assert } from '../../src/kernel/assert.ts';
import { seconds, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { isLive, projectOf, type Scope } from '../../src/runtime/address.ts';
import type { Client } from '../../src/runtime/client.ts';
import type { ProviderOf, ShopOf } from './parts.ts';
import type { SuccessRates } from './success-rates.ts';

const rememberedMsMax: DurationMs = seconds(4);
export const shopsRememberedMax = 10_000;

export interface ShopParts {
  readonly client: Client;
  /** Real time. */
  readonly now: () => Instant;
  /** Label of each provider this version speaks to. */
  readonly labels: ReadonlyMap<Provider, string>;
  /** Whether a provider's circuit is open for this scope now. */
  readonly isDown: (provider: Provider, scope: Scope) => boolean;
  readonly rates: SuccessRates;
}

export interface Shops {
  shopOf(scope: Scope): Promise<ShopOf>;
  providersOf(scope: Scope): Promise<readonly ProviderOf[]>;
}

interface Remembered {
  readonly at: Instant;
  readonly found: Promise<{ readonly project: ProjectState; readonly merchant: MerchantState }>;
}

/** Looks up and remembers; an answer that could not be had is not remembered. */
export function createShops({ client, now, labels, isDown, rates }: ShopParts): Shops {
  const remembered = new Map<Scope, Remembered>();

  const look = async (scope: Scope): Promise<Awaited<Remembered['found']>> => {
    const project = await client.read<ProjectState>(projectAt(projectOf(scope)), null);
    assert(project !== null, 'a session has its project');
    const merchant = await client.read<MerchantState>(merchantAt(project.state.merchantId), null);
    assert(merchant !== null, 'a project has its merchant');
    return { project: project.state, merchant: merchant.state };
  };

  const find = (scope: Scope): Remembered['found'] => {
    const known = remembered.get(scope);
    if (known !== undefined && now() - known.at < rememberedMsMax) return known.found;
    remembered.delete(scope);
    const found = look(scope);
    remembered.set(scope, { at: now(), found });
    found.catch(() => remembered.delete(scope));
    if (remembered.size > shopsRememberedMax) remembered.delete(remembered.keys().next().value ?? scope);
    return found;
  };

  return {
    async shopOf(scope) {
      const { merchant } = await find(scope);
      const suspended = merchant.status === 'suspended' ? { reason: merchant.suspension.reason } : null;
      return { name: merchant.name, logoUrl: merchant.logoUrl, suspended };
    },
    async providersOf(scope) {
      const [{ project }, troubled] = await Promise.all([
        find(scope),
        rates.troubledIn(scope).catch((): ReadonlySet<Provider> => new Set()),
      ]);
      const mode = isLive(scope) ? 'live' : 'sandbox';
      return [...labels].flatMap(([id, label]): ProviderOf[] => {
        const settings = project.providers.find((one) => one.provider === id && one.mode === mode);
        if (settings === undefined) return [];
        return [
          {
            id,
            label,
            configured: true,
            enabled: settings.enabled,
            health: isDown(id, scope) ? 'down' : troubled.has(id) ? 'degraded' : 'up',
          },
        ];
      });
    },
  };
}
