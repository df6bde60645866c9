/** The commands of a project: its keys, provider settings, reservations of webhook endpoints and test clock. Always
 *  `system` scope. */
import { address, type Address, type ClockWalk, type Mode } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/answers.ts';
import { providerNames } from '../../src/providers/catalog.ts';

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

/** How a project uses a provider in one mode. */
export interface ProviderSettings {
  readonly provider: Provider;
  readonly mode: Mode;
  readonly enabled: boolean;
  /** Its place on the page where a buyer chooses: lower ones come first. */
  readonly order: number;
  /** Credentials sealed by src/providers/credentials.ts (associated data: project, provider, mode), never in
   *  clear; null: none. */
  readonly sealedCredentials: string | null;
  /** A buyer on a phone is sent to its app. */
  readonly appIntent: boolean;
  /** A refund needs the buyer's mobile number. */
  readonly refundsNeedMobile: boolean;
}

export const orderMin = 0;
export const orderMax = 100;

/** Its place unless a merchant chooses another: that in the catalog, from 1. */
const usualOrder = (provider: Provider): number => providerNames.indexOf(provider) + 1;

/** The settings of one provider, also where nothing was ever set. */
export const settingsOf = (
  all: readonly ProviderSettings[],
  provider: Provider,
  mode: Mode,
): ProviderSettings =>
  all.find((each) => each.provider === provider && each.mode === mode) ?? {
    provider,
    mode,
    enabled: true,
    order: usualOrder(provider),
    sealedCredentials: null,
    appIntent: false,
    refundsNeedMobile: false,
  };

/** The settings of every provider in one mode, in the order of the page; ties in that of the catalog. */
export const inPageOrder = (all: readonly ProviderSettings[], mode: Mode): readonly ProviderSettings[] =>
  providerNames
    .map((provider) => settingsOf(all, provider, mode))
    .toSorted((one, other) => one.order - other.order);

export interface ProjectCommands {
  open: {
    readonly merchantId: string;
    readonly name: string;
    readonly providers: readonly ProviderSettings[];
  };
  /** Changes what is given. */
  setProvider: Pick<ProviderSettings, 'provider' | 'mode'> & Partial<ProviderSettings>;
  /** Refuses `key_limit_reached` at 200 keys; the same key again changes nothing. */
  createKey: { readonly key: Omit<ApiKey, 'createdAt' | 'revokedAt' | 'lastUsedAt'> };
  /** Refuses `not_found` for a key of another project. */
  revokeKey: { readonly keyId: string };
  /** At most once per minute and key. */
  keyUsed: { readonly keyId: string };
  /** Refuses `webhook_endpoint_limit_reached` at 10 of a mode; reserving the same endpoint twice counts once. */
  reserveEndpoint: { readonly endpointId: string; readonly mode: Mode };
  releaseEndpoint: { readonly endpointId: string; readonly mode: Mode };
  /** The same two, by the names of version 0.1: its nodes send them, and its documents hold them unsent. */
  takeSeat: ProjectCommands['reserveEndpoint'];
  freeSeat: ProjectCommands['releaseEndpoint'];
  /** Starts a walk of the test clock. `to` is on the test clock; refuses `invalid_state` while
   *  walking, `must_be_later` when the clock shows it or more already. */
  advanceClock: { readonly to: Instant };
  /** Ends the walk at the instant it has reached; without a walk nothing changes. */
  stopClock: Record<string, never>;
  /** The walk has reached this instant; `fired` timers since it started. Sent by the runtime's walker. */
  walkStep: { readonly standsAt: Instant; readonly fired: number };
  walkEnded: { readonly realNow: Instant };
}

/** One key as the project keeps it; `sequence` grows with each change. */
export interface KeptKey extends ApiKey {
  readonly sequence: number;
}

/** Webhook endpoints of one project and mode. */
export const webhookEndpointsMax = 10;

/** Timers one advance of the test clock fires before it ends where it stands: each costs several commits, and
 *  many daily plans have millions in a year. */
export const timersPerAdvanceMax = 200_000;

/** A webhook endpoint that counts against the limit, and since when: the age shows a reservation whose endpoint
 *  was never created. */
export interface EndpointReservation {
  readonly endpointId: string;
  readonly takenAt: Instant;
}

/** The state of a project that does not depend on its clock. */
interface ProjectFields {
  readonly merchantId: string;
  readonly name: string;
  readonly keys: readonly KeptKey[];
  readonly providers: readonly ProviderSettings[];
  /** Webhook endpoints that count against the ten of each mode: their reservations. The field keeps its first
   *  name, because documents are stored with it. */
  readonly seats: { readonly [mode in Mode]: readonly EndpointReservation[] };
  /** How far the sandbox clock is ahead of real time; only grows. */
  readonly offsetMs: number;
  /** Timers the latest advance has fired. */
  readonly fired: number;
}

export type ProjectState =
  | (ProjectFields & { readonly status: 'ready' })
  | (ProjectFields & {
      readonly status: 'advancing';
      readonly walk: ClockWalk;
    });

export interface ProjectTypes {
  state: ProjectState;
  terminal: never;
  commands: ProjectCommands;
  effects: Record<never, never>;
}
