/** What a project understands: its keys, provider settings, seats and test clock. Always `system` scope. */
import { address, type Address, type Mode } from '../../src/runtime/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../checkout-session/messages.ts';

export const projectAt = (id: string): Address<ProjectCommands> => address('project', id);

export interface ApiKey {
  readonly id: string;
  readonly name: string | null;
  readonly kind: 'secret' | 'publishable';
  readonly mode: Mode;
  readonly access: 'full' | 'read';
  /** The issued prefix, e.g. `sk_test_`. */
  readonly prefix: string;
  readonly last4: string;
  /** SHA-256 of the whole key text, hex. */
  readonly sha256: string;
  readonly apiVersion: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  readonly lastUsedAt: Instant | null;
}

export interface ProviderSettings {
  readonly provider: Provider;
  readonly mode: Mode;
  readonly enabled: boolean;
  /** Credentials sealed by src/kernel/seal.ts (associated data: project, provider, mode); never in clear. */
  readonly sealedCredentials: string;
}

export interface ProjectCommands {
  open: { readonly merchantId: string; readonly name: string; readonly providers: readonly ProviderSettings[] };
  createKey: { readonly key: Omit<ApiKey, 'createdAt' | 'revokedAt' | 'lastUsedAt'> };
  revokeKey: { readonly keyId: string };
  /** At most one a minute and key. */
  keyUsed: { readonly keyId: string };
  /** Refuses `webhook_endpoint_limit_reached` at 10 of a mode; taking a seat twice is one seat. */
  takeSeat: { readonly endpointId: string; readonly mode: Mode };
  freeSeat: { readonly endpointId: string; readonly mode: Mode };
  /** Starts a walk of the test clock (decisions 19). `to` is on the test clock; refuses `invalid_state` while walking. */
  advanceClock: { readonly to: Instant };
  /** The walk stands at this instant now, `fired` timers later. Sent by the runtime's walker. */
  walkStep: { readonly standsAt: Instant; readonly fired: number };
  walkEnded: { readonly realNow: Instant };
}
