/** Dependencies of the buyer's doors. Boundary: types alone; the composition root supplies the values. */
import type { CallbackHint, CallbackRequest, Provider } from '../../src/providers/answers.ts';
import type { Scheduler } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client } from '../../src/runtime/model/client.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { LookUp } from '../status/answer.ts';
import type { BuyerLimits } from './limits.ts';

/** The merchant of a session, as buyers see it. At most 5 s old. */
export interface ShopOf {
  readonly name: string;
  /** A path of this service when it was uploaded. */
  readonly logoUrl: string | null;
  readonly shopUrl: string | null;
  /** The operator has checked who this is. */
  readonly verified: boolean;
  readonly suspended: { readonly reason: string } | null;
}

/** A provider as a project has it. At most 5 s old. */
export interface ProviderOf {
  readonly id: Provider;
  readonly label: string;
  readonly configured: boolean;
  readonly enabled: boolean;
  /** `up` by default: docs/reference/api/providers.md. */
  readonly health?: 'up' | 'degraded' | 'down';
}

/** What a return claims, as read by the adapter. */
export interface ReturnClaim {
  readonly hint: 'paid' | 'failed' | 'cancelled' | 'unknown';
  readonly verified: boolean;
  readonly summary: string;
}

export interface BuyerParts extends BuyerLimits {
  readonly client: Client;
  readonly log: Pick<Log, 'warn'>;
  /** Real time and its timers. */
  readonly scheduler: Scheduler;
  /** The service's own key for form tokens, 32 bytes. */
  readonly formKey: Uint8Array;
  /** `https://pay.example`, without a trailing slash. */
  readonly baseUrl: string;
  /** Live hosts of providers without TLS, which can only be on this machine. */
  readonly plainHttpHosts: readonly string[];
  shopOf(scope: Scope): Promise<ShopOf>;
  providersOf(scope: Scope): Promise<readonly ProviderOf[]>;
  /** The public status of a payment. */
  readonly lookUp: LookUp;
  /** null: no such provider here, or it sends no buyer back. `outcome` is the last segment of the address,
   *  `query` that of a GET or the form of a POST. */
  parseReturn(
    scope: Scope,
    provider: Provider,
    returned: { readonly paymentId: string; readonly outcome: string; readonly query: URLSearchParams },
  ): Promise<ReturnClaim | null>;
  /** The payment that a return to a registered address names; null: none of ours, or a provider without such
   *  addresses. Any text is accepted as provider. */
  paymentOfReturn(provider: string, query: URLSearchParams): string | null;
  /** null: it does not prove that this provider sent it. */
  parseCallback(scope: Scope, provider: Provider, call: CallbackRequest): Promise<CallbackHint | null>;
  /** The payment that a call to an address without one is about; null: none of ours. */
  paymentOfCallback(provider: string, body: string): string | null;
  /** Whether a link opens the wallet's app in this browser. */
  leadsToApp(scope: Scope, provider: Provider, link: string, userAgent: string): Promise<boolean>;
  /** A new `pay_...` in the session's slot. */
  mintPaymentId(sessionId: string): string;
}
