/** The providers that payments of a caller can be started with now. */
import type { Provider } from '../../src/providers/answers.ts';
import { projectOf } from '../../src/runtime/model/address.ts';
import type { Caller } from './access/auth.ts';
import type { SealedCredentials } from './api-parts.ts';

/** Those that are switched on and have credentials that open here. */
export function usableProviders(
  credentials: Pick<SealedCredentials, 'isConfigured'>,
  { providers, scope }: Pick<Caller, 'providers' | 'scope'>,
): readonly Provider[] {
  const projectId = projectOf(scope);
  return providers
    .filter((each) => each.enabled && credentials.isConfigured(projectId, each))
    .map(({ provider }) => provider);
}
