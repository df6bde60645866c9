/** Whether an attempt begins in the provider's app, or on the web. Decided here and nowhere else. */
import { isLive, type Scope } from '../runtime/model/address.ts';
import type { Provider } from './answers.ts';
import { hasTrait, traitsOf } from './catalog.ts';
import type { Credentials } from './provider.ts';

/** What a project and its plan say about a provider's app. */
export interface AppIntentAccess {
  /** The merchant has switched it on; it is off by default. */
  readonly isOn: boolean;
  readonly isInPlan: boolean;
}

interface Access {
  readonly credentials: Credentials;
  readonly appIntent?: AppIntentAccess;
}

/** All four hold: a sandbox session, the merchant's own credentials, switched on, in the plan. */
export const usesAppIntent = (scope: Scope, provider: Provider, access: Access | null): boolean =>
  access !== null &&
  hasTrait(provider, 'app_intent') &&
  !isLive(scope) &&
  isConfigured(provider, access.credentials) &&
  access.appIntent?.isOn === true &&
  access.appIntent.isInPlan;

const isConfigured = (provider: Provider, credentials: Credentials): boolean =>
  traitsOf(provider).credentials.every(
    ({ name, optional }) => optional === true || (credentials[name] ?? '') !== '',
  );
