/** The calls of the settings' screens, and their data. Boundary: addresses and types; api.ts sends. */
import { pathOf, type Asked } from './asked.ts';
import type { Result } from './failure.ts';
import type { Mode, Place } from './types.ts';

export type KeyKind = 'secret' | 'publishable';
export type KeyAccess = 'full' | 'read';

/** Times as ISO texts. */
export interface ApiKey {
  readonly id: string;
  readonly name: string | null;
  readonly kind: KeyKind;
  readonly mode: Mode;
  readonly access: KeyAccess;
  readonly prefix: string;
  readonly last4: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** `key` is its text. */
export interface NewApiKey extends ApiKey {
  readonly key: string;
}

export interface KeyRequest {
  readonly name: string;
  readonly kind: KeyKind;
  readonly access: KeyAccess;
  readonly expiresAt: string | null;
}

export interface EntitlementState {
  readonly entitlement: string;
  readonly sandbox: boolean;
  readonly live: boolean;
}

/** The same in both modes. */
export interface Business {
  readonly name: string;
  readonly email: string;
  readonly shopUrl: string | null;
  readonly logoUrl: string | null;
  /** It was uploaded here; otherwise the operator gave its address. */
  readonly logoUploaded: boolean;
  readonly plan: 'free' | 'premium';
  readonly verified: boolean;
  readonly suspension: { readonly suspended_at: string; readonly reason: string } | null;
  readonly entitlements: readonly EntitlementState[];
}

export interface BusinessChange {
  readonly name?: string;
  readonly shopUrl?: string | null;
}

/** How this project uses a provider in this mode. */
export interface ProviderSettings {
  readonly provider: string;
  readonly enabled: boolean;
  /** Lower ones come first. */
  readonly order: number;
  readonly configured: boolean;
  readonly credentialNames: readonly string[];
  readonly appIntent: boolean;
  readonly refundsNeedMobile: boolean;
  readonly liveHost: boolean;
  /** Attempts of the last 15 minutes that have ended. */
  readonly attempts15m: number;
  readonly health: 'up' | 'degraded' | 'down';
}

/** What was wrong with a provider, from when to when. Times as ISO texts. */
export interface ProviderIncident {
  readonly id: string;
  readonly provider: string;
  readonly kind: 'degraded' | 'down' | 'refused';
  readonly openedAt: string;
  readonly closedAt: string | null;
  /** It happened again within minutes. */
  readonly openings: number;
  /** `degraded` */
  readonly attempts?: number;
  readonly paid?: number;
  /** `down` */
  readonly failed?: readonly FailedCalls[];
  /** `refused` */
  readonly call?: string;
  readonly says?: string;
}

export interface FailedCalls {
  readonly call: string;
  readonly why: string;
  readonly count: number;
}

export interface ProviderIncidents {
  /** On the project's clock. */
  readonly now: string;
  readonly open: readonly ProviderIncident[];
  readonly data: readonly ProviderIncident[];
  readonly total: number;
}

export interface ProviderChange {
  readonly enabled?: boolean;
  readonly order?: number;
  readonly appIntent?: boolean;
  readonly refundsNeedMobile?: boolean;
  /** All of them; null removes them. */
  readonly credentials?: { readonly [name: string]: string } | null;
}

export interface SettingsApi {
  /** Sent again with the same key, it is executed once and answers the same text. */
  createKey(place: Place, request: KeyRequest, idempotencyKey: string): Promise<Result<NewApiKey>>;
  revokeKey(place: Place, id: string): Promise<Result<ApiKey>>;
  business(place: Place): Promise<Result<Business>>;
  changeBusiness(place: Place, change: BusinessChange): Promise<Result<Business>>;
  putLogo(place: Place, picture: Blob): Promise<Result<Business>>;
  removeLogo(place: Place): Promise<Result<Business>>;
  /** The newest hundred. */
  providerIncidents(place: Place): Promise<Result<ProviderIncidents>>;
  providerSettings(place: Place): Promise<Result<{ readonly data: readonly ProviderSettings[] }>>;
  changeProvider(place: Place, provider: string, change: ProviderChange): Promise<Result<ProviderSettings>>;
}

const part = encodeURIComponent;
const under = (place: Place, rest: string): string => `${pathOf(place)}/${rest}`;

export const settingsCallsOf = (asked: Asked): SettingsApi => ({
  createKey: (place, request, key) => asked('POST', under(place, 'keys'), request, key),
  revokeKey: (place, id) => asked('POST', under(place, `keys/${part(id)}/revoke`)),
  business: (place) => asked('GET', under(place, 'business')),
  changeBusiness: (place, change) => asked('PATCH', under(place, 'business'), change),
  putLogo: (place, picture) => asked('PUT', under(place, 'logo'), picture),
  removeLogo: (place) => asked('DELETE', under(place, 'logo')),
  providerIncidents: (place) => asked('GET', under(place, 'provider-incidents?limit=100')),
  providerSettings: (place) => asked('GET', under(place, 'provider-settings')),
  changeProvider: (place, provider, change) =>
    asked('PUT', under(place, `provider-settings/${part(provider)}`), change),
});
