/** Cache of merchants and of their projects' providers as buyers see them, at most 5 s old. A changed
 *  merchant is read again as soon as the node is notified.
 *  Boundary: reads projects and merchants; knows nothing of sessions.
 *  1. A page never fails because of a notice about a provider: a provider whose state cannot be determined
 *     counts as up. */
import { merchantAt, type MerchantState } from '../../actors/merchant/messages.ts';
import {
  inPageOrder,
  projectAt,
  type ProjectState,
  type ProviderSettings,
} from '../../actors/project/messages.ts';
import type { Provider } from '../../src/providers/answers.ts';
import { assert } from '../../src/kernel/assert.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { isLive, projectOf, type Mode, type Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Auth } from '../http/access/auth.ts';
import { TtlCache } from '../http/access/ttl-cache.ts';
import type { ProviderOf, ShopOf } from './parts.ts';
import type { SuccessRates } from '../../src/providers/health/success-rates.ts';

export interface ShopParts {
  readonly client: Pick<Client, 'read'>;
  /** Notifies when merchants have changed, on any node. */
  readonly auth: Pick<Auth, 'onForget'>;
  /** Real time. */
  readonly now: () => Instant;
  /** Label of each provider that this version supports. */
  readonly labels: ReadonlyMap<Provider, string>;
  /** Whether there are credentials that open under this service's key. */
  readonly isConfigured: (projectId: string, settings: ProviderSettings) => boolean;
  /** Whether a provider's circuit is open for this scope now. */
  readonly isDown: (provider: Provider, scope: Scope) => boolean;
  readonly rates: SuccessRates;
}

export interface MerchantCache {
  shopOf(scope: Scope): Promise<ShopOf>;
  providersOf(scope: Scope): Promise<readonly ProviderOf[]>;
}

/** A provider of a project, as long as the project does not change. */
type Listed = Omit<ProviderOf, 'health'>;

interface Found {
  readonly project: ProjectState;
  readonly merchant: MerchantState;
  /** In the order of the page, by mode: made for the first page of this project, and used by the next ones. */
  readonly listed: Map<Mode, readonly Listed[]>;
}

export function createMerchantCache(parts: ShopParts): MerchantCache {
  const { client, auth, now, labels, isConfigured, isDown, rates } = parts;
  const projects = new TtlCache((id) => foundIn(client, id), now);
  auth.onForget((projectId) => projects.forget(projectId));

  const find = async (scope: Scope): Promise<Found> => {
    const found = await projects.get(projectOf(scope));
    assert(found !== null, 'a session has its project');
    return found;
  };

  const listed = ({ project, listed: known }: Found, scope: Scope): readonly Listed[] => {
    const mode = isLive(scope) ? 'live' : 'sandbox';
    const made =
      known.get(mode) ??
      inPageOrder(project.providers, mode).flatMap((settings): readonly Listed[] => {
        const { provider: id, enabled } = settings;
        const label = labels.get(id);
        if (label === undefined) return [];
        return [{ id, label, configured: isConfigured(projectOf(scope), settings), enabled }];
      });
    known.set(mode, made);
    return made;
  };

  return {
    async shopOf(scope) {
      const { merchant } = await find(scope);
      const suspended = merchant.status === 'suspended' ? { reason: merchant.suspension.reason } : null;
      const { name, logoUrl, shopUrl = null, verified } = merchant;
      return { name, logoUrl, shopUrl, verified, suspended };
    },
    async providersOf(scope) {
      const [found, troubled] = await Promise.all([
        find(scope),
        rates.troubledIn(scope).catch((): ReadonlySet<Provider> => new Set()),
      ]);
      return listed(found, scope).map(({ id, label, configured, enabled }) => {
        const health = isDown(id, scope) ? 'down' : troubled.has(id) ? 'degraded' : 'up';
        return { id, label, configured, enabled, health };
      });
    },
  };
}

async function foundIn(client: ShopParts['client'], projectId: string): Promise<Found | null> {
  const project = await client.read<ProjectState>(projectAt(projectId), null);
  if (project === null) return null;
  const merchant = await client.read<MerchantState>(merchantAt(project.state.merchantId), null);
  assert(merchant !== null, 'a project has its merchant');
  return { project: project.state, merchant: merchant.state, listed: new Map() };
}
