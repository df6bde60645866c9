/** The commands of the health of one provider in one project and mode. */
import { address, projectOf, type Address, type Scope } from '../../src/runtime/model/actor.ts';
import { sha256Base32 } from '../../src/kernel/hash.ts';
import { placedBeside } from '../../src/kernel/id.ts';
import type { Instant } from '../../src/kernel/time.ts';
import type { Provider } from '../../src/providers/catalog.ts';
import type { CallName, FailedCalls } from '../../src/providers/answers.ts';
import type { Incident, IncidentKind } from '../provider-incident/messages.ts';
import type { Attempts } from './rule.ts';

export const providerHealthAt = (scope: Scope, provider: Provider): Address<HealthCommands> =>
  address(
    'provider_health',
    placedBeside('phl', projectOf(scope), sha256Base32(['provider_health', scope, provider], 24)),
  );

export interface HealthCommands {
  /** An attempt has ended unpaid: its success rate may be low now. */
  look: { readonly provider: Provider };
  /** The result of a count; null: it could not be counted. */
  counted: { readonly found: Found | null };
  lookAgain: { readonly key: string };
  /** A circuit opened on a node, `failed` says after which calls. It may arrive late, and from every node. */
  circuitOpened: {
    readonly provider: Provider;
    readonly at: Instant;
    readonly until: Instant;
    readonly failed: readonly FailedCalls[];
  };
  /** The provider answered a probe. */
  circuitClosed: { readonly at: Instant };
  /** The circuit is not open any more: the next call is a probe. */
  circuitOver: { readonly key: string };
  /** The provider refuses our requests: `says` is its answer, without secrets. */
  refused: {
    readonly provider: Provider;
    readonly at: Instant;
    readonly call: CallName;
    readonly says: string;
  };
  /** It took such a request. */
  accepted: { readonly at: Instant; readonly call: CallName };
}

export interface Found extends Attempts {
  readonly at: Instant;
  /** When the oldest of them leaves the window; null: not asked, because it could change nothing. */
  readonly changesAt: Instant | null;
}

export interface HealthEffects {
  /** Counts the attempts of the last 15 minutes. */
  'provider.count': { readonly provider: Provider };
}

interface HealthFields {
  readonly provider: Provider;
  /** A count is under way; `again`: another one was asked for meanwhile. */
  readonly counting: 'no' | 'running' | 'again';
  readonly countedAt: Instant | null;
  /** When it is counted next without being asked; null: not at all. */
  readonly nextAt: Instant | null;
  /** The last incident of each kind, open or closed. */
  readonly last: { readonly [kind in IncidentKind]: Incident | null };
  /** Until when the circuit is open, or was. */
  readonly circuitUntil: Instant | null;
  /** When each call was refused last, while the provider refuses it. */
  readonly refusals: { readonly [call in CallName]?: Instant };
}

export type HealthState = HealthFields & { readonly status: 'well' | 'troubled' };

export interface HealthTypes {
  state: HealthState;
  terminal: never;
  commands: HealthCommands;
  effects: HealthEffects;
}
