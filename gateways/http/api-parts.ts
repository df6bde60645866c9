/** The dependencies of every API route. Boundary: types alone; the composition root supplies the values. */
import type { ApiVersions } from '../../src/kernel/api-versions.ts';
import type { Seal } from '../../src/kernel/seal.ts';
import type { ProviderSettings } from '../../actors/project/messages.ts';
import type { SandboxOutcome } from '../../actors/simulated-payment/messages.ts';
import type { DurationMs, Instant, Scheduler } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/answers.ts';
import type { Mode, Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Replayed } from '../../src/runtime/delivery/replay.ts';
import type { Metrics } from '../../src/telemetry/metrics.ts';
import type { NodesSeen } from '../../src/telemetry/nodes.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { SuccessRates } from '../../src/providers/health/success-rates.ts';
import type { Passwords } from './access/passwords.ts';
import type { LookUp } from '../status/answer.ts';
import type { Auth } from './access/auth.ts';
import type { Idempotency } from './route/idempotency.ts';
import type { Limits } from './access/rate-limit.ts';
import type { KeyedSessions } from './keyed-sessions.ts';
import type { FairQueue } from './access/fair-queue.ts';

export interface Health {
  /** What the service still lacks; empty when it is ready. */
  readonly missing: readonly string[];
  /** What is away without making it less ready than the other nodes. */
  readonly away: readonly string[];
}

/** Dependencies of the API's doors. */
export interface ApiParts {
  /** A client whose reads report when the store does not answer: `readingClient`. */
  readonly client: Client;
  readonly log: Log;
  readonly auth: Auth;
  readonly limits: Limits;
  readonly idempotency: Idempotency;
  /** Of keyed POST /v1/checkout. */
  readonly keyedSessions: KeyedSessions;
  /** Bodies above 64 KiB are parsed one at a time. */
  readonly largeBodies: FairQueue;
  readonly seal: Seal;
  readonly scheduler: Scheduler;
  /** Of the dashboard, set by the operator. */
  readonly passwords: Passwords;
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
  /** WEBHOOK_ALLOW_PRIVATE_HOSTS. */
  readonly allowPrivateHosts: boolean;
  health(): Health;
  /** Timers that have not fired on a project's test clock, and the next one's instant. */
  timersOf(projectId: string): Promise<{ readonly pending: number; readonly nextAt: Instant | null }>;
  /** The nodes as the directory lists them; embedded: this node alone. Rejects when it cannot be read. */
  nodes(): Promise<NodesSeen>;
  /** Sends the message parked in `dead` once more. Rejects when the store does not answer. */
  replayDead(id: string): Promise<Replayed>;
  /** The text of GET /metrics. */
  readonly metrics: Pick<Metrics, 'text' | 'contentType'>;
  /** The versions of the API. */
  readonly versions: ApiVersions;
  /** Whether a provider's circuit is open for this scope now. */
  isDown(provider: Provider, scope: Scope): boolean;
  /** Whether this service knows a provider's live host: without it no live payment can be started. */
  hasLiveHost(provider: Provider): boolean;
  readonly rates: Pick<SuccessRates, 'countedIn'>;
  /** The public status of a payment. */
  readonly lookUp: LookUp;
  readonly credentials: SealedCredentials;
  /** Provider settings a new project starts with. */
  sandboxProviders(projectId: string): readonly ProviderSettings[];
  /** null: the simulator is off, and its door does not exist. */
  readonly simulate: ((input: SimulateInput) => Promise<Simulated>) | null;
}

/** Provider credentials at rest, whose values no gateway sees. */
export interface SealedCredentials {
  sealed(
    projectId: string,
    provider: Provider,
    mode: Mode,
    texts: { readonly [name: string]: string },
  ): string;
  /** Whether there are some that open under this service's key. */
  isConfigured(projectId: string, settings: ProviderSettings): boolean;
  /** The names of the stored ones; empty also when they do not open under this service's key. */
  namesIn(projectId: string, settings: ProviderSettings): readonly string[];
}

/** What `simulate` plays (docs/guides/sandbox.md). */
export interface SimulateInput {
  readonly sessionId: string;
  readonly outcome: string;
  /** Needed when a hosted session is pending. */
  readonly provider: string | null;
  /** On the project's clock. */
  readonly delayMs: DurationMs;
  readonly scope: Scope;
}

export type Simulated =
  | { readonly is: 'done' }
  | {
      readonly is: 'refused';
      readonly code: SimulateRefusal;
      readonly param?: string;
      /** For `not_in_enum`: the possible outcomes. */
      readonly possible?: readonly SandboxOutcome[];
    };

export type SimulateRefusal =
  | 'resource_not_found'
  | 'invalid_state'
  | 'required'
  | 'not_in_enum'
  | 'provider_not_configured'
  | 'provider_unavailable'
  | 'service_unavailable';
