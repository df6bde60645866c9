/** The parts that are created first and used by all others. */
import { scheduleBackups } from './backups.ts';
import { readDocs, type Docs } from '../../gateways/front/docs.ts';
import { appIntentEntitlement, isEntitled } from '../../gateways/http/access/entitlements.ts';
import { IdKey } from '../../gateways/http/id-key.ts';
import type { Settings } from '../config.ts';
import { realScheduler } from '../kernel/time.ts';
import type { ApiVersions } from '../kernel/api-versions.ts';
import { sealWith, type Seal } from '../kernel/seal.ts';
import { openHttp, type Http } from '../outbound/http.ts';
import { Breakers } from '../providers/breaker.ts';
import { shareBreakers } from '../providers/breaker-sharing.ts';
import { configuredWith, type IsConfigured } from '../providers/credentials.ts';
import type { CallParts } from '../providers/provider-calls.ts';
import { providerConnectMs } from '../providers/sender.ts';
import type { Eras } from '../runtime/model/era.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { openTracing, type Tracing } from '../telemetry/trace.ts';
import type { Carriers } from './carriers.ts';
import type { Closing } from './closing.ts';
import type { Addresses } from './port.ts';

export interface BaseParts {
  readonly settings: Settings;
  readonly log: Log;
  readonly carriers: Carriers;
  readonly metrics: Metrics;
  readonly addresses: Addresses;
  readonly versions: ApiVersions;
  /** The restores of this service. */
  readonly eras: Eras;
}

export interface Base extends Omit<BaseParts, 'addresses'>, Addresses {
  /** null: traces are not collected. */
  readonly tracing: Tracing | null;
  readonly seal: Seal;
  readonly idKey: IdKey;
  /** Whether a project has credentials for a provider that open under this service's key. */
  readonly isConfigured: IsConfigured;
  /** Whether a plan includes payments in a provider's app. */
  readonly isAppIntentIn: CallParts['isAppIntentIn'];
  readonly breakers: Breakers;
  /** What the start still has to do; reported by /health. */
  readonly missing: string[];
  /** null: no documentation is stored beside the program. */
  readonly docs: Docs | null;
  /** For our own calls: to providers, to the simulator, by a simulated buyer. */
  readonly http: Http;
  /** For looks at an app's link, which buyers cause: they take no connection from the calls to its provider. */
  readonly linkHttp: Http;
}

const linkConnectionsMax = 20;

export function openBase({ addresses, ...parts }: BaseParts, closing: Closing): Base {
  const { carriers, metrics } = parts;
  metrics.watchUnheard(() => carriers.unheard());
  scheduleBackups(parts, closing);
  const http = openHttp({ connectMs: providerConnectMs });
  closing.later(() => http.close());
  const linkHttp = openHttp({ connectMs: providerConnectMs, perOrigin: linkConnectionsMax });
  closing.later(() => linkHttp.close());
  const breakers = new Breakers();
  const seal = sealWith(carriers.secretsKey);
  shareBreakers(breakers, carriers.bus);
  return {
    ...parts,
    ...addresses,
    http,
    linkHttp,
    breakers,
    tracing: openTracing(),
    seal,
    idKey: new IdKey({ store: carriers.store, seal, scheduler: realScheduler }),
    isConfigured: configuredWith(seal),
    isAppIntentIn: (of) => isEntitled(appIntentEntitlement, of),
    missing: ['doors'],
    docs: readDocs(),
  };
}
