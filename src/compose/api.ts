/** The dependencies of the API and dashboard routes. */
import type { ApiParts } from '../../gateways/http/api-parts.ts';
import { openPasswords, settingsWaitingMax } from '../../gateways/http/access/passwords.ts';
import type { SuccessRates } from '../providers/health/success-rates.ts';
import { FairQueue } from '../../gateways/http/access/fair-queue.ts';
import { createIdempotency } from '../../gateways/http/route/idempotency.ts';
import { KeyedSessions } from '../../gateways/http/keyed-sessions.ts';
import { largeBodiesWaitingMax } from '../../gateways/http/route/request.ts';
import { askedOfStore } from '../../gateways/http/route/reading.ts';
import { createSimulate } from '../../gateways/simulator/outcomes.ts';
import { allowsPrivateHosts } from '../config.ts';
import { realScheduler } from '../kernel/time.ts';
import { circuitOf } from '../providers/breaker.ts';
import type { Provider } from '../providers/answers.ts';
import { catalog, providerNames } from '../providers/catalog.ts';
import { credentialNamesIn, sealedCredentials } from '../providers/credentials.ts';
import { providers, sandboxCredentialsOf } from '../providers/registry.ts';
import type { Scope } from '../runtime/model/address.ts';
import type { Node } from '../runtime/node/node.ts';
import { timersOf } from '../runtime/pending-timers.ts';
import type { Access } from './access.ts';
import type { Base } from './base.ts';
import { playDeps } from './simulator.ts';
import { settingsOf, type ProviderSettings } from '../../actors/project/messages.ts';
import type { Seal } from '../kernel/seal.ts';

/** Whether a provider's circuit is open for this scope now. */
export type IsDown = (provider: Provider, scope: Scope) => boolean;

export const isDownOf =
  ({ breakers }: Base, node: Node): IsDown =>
  (provider, scope) =>
    breakers.isOpen(circuitOf(provider, scope), node.client.now(scope));

export function apiParts(
  base: Base,
  node: Node,
  { client, auth, limits }: Access,
  rates: SuccessRates,
): Omit<ApiParts, 'lookUp'> {
  const { settings, log, seal, baseUrl, metrics, carriers, versions, idKey, eras } = base;
  const idempotency = createIdempotency({ client, seal, scheduler: realScheduler });
  const [isDown, ids] = [isDownOf(base, node), [...providers.keys()]];
  return {
    client,
    log,
    auth,
    limits,
    largeBodies: new FairQueue(largeBodiesWaitingMax),
    idempotency,
    keyedSessions: new KeyedSessions({
      client,
      idempotency,
      idKey,
      versions,
      eras,
      scheduler: realScheduler,
    }),
    seal,
    scheduler: realScheduler,
    passwords: openPasswords(carriers.secretsKey, settingsWaitingMax),
    baseUrl,
    allowPrivateHosts: allowsPrivateHosts(settings),
    health: () => ({
      missing: [
        ...new Set([...base.missing, ...carriers.missing(), ...(node.breaker.open ? ['store'] : [])]),
      ],
      away: carriers.away(),
    }),
    timersOf: (projectId) => timersOf(carriers.store, projectId),
    nodes: () => carriers.nodes(metrics.own()),
    replayDead: (id) => askedOfStore(node.replayDead(id)),
    metrics,
    versions,
    isDown,
    hasLiveHost: (provider) => settings[catalog[provider].liveHost.pages] !== null,
    rates,
    credentials: {
      sealed: (projectId, provider, mode, texts) => sealedCredentials(seal, projectId, provider, mode, texts),
      isConfigured: base.isConfigured,
      namesIn: (projectId, of) => credentialNamesIn(seal, projectId, of),
    },
    sandboxProviders: (projectId) => sandboxProviders(seal, projectId),
    simulate:
      settings.simulator === 'off'
        ? null
        : createSimulate({ ...playDeps(base, client), providers: ids, isDown }),
  };
}

/** The simulator's credentials for every provider. */
export const sandboxProviders = (seal: Pick<Seal, 'seal'>, projectId: string): readonly ProviderSettings[] =>
  providerNames.map((provider) => {
    const credentials = sandboxCredentialsOf(provider);
    return {
      ...settingsOf([], provider, 'sandbox'),
      sealedCredentials: sealedCredentials(seal, projectId, provider, 'sandbox', credentials),
    };
  });
