/** The provider settings that a new project starts with. */
import { settingsOf, type ProviderSettings } from '../../actors/project/messages.ts';
import type { Seal } from '../kernel/seal.ts';
import { providerNames } from '../providers/catalog.ts';
import { sealedCredentials } from '../providers/credentials.ts';
import { sandboxCredentialsOf } from '../providers/registry.ts';

/** The simulator's credentials for every provider. */
export const sandboxProviders = (seal: Pick<Seal, 'seal'>, projectId: string): readonly ProviderSettings[] =>
  providerNames.map((provider) => {
    const credentials = sandboxCredentialsOf(provider);
    return {
      ...settingsOf([], provider, 'sandbox'),
      sealedCredentials: sealedCredentials(seal, projectId, provider, 'sandbox', credentials),
    };
  });
