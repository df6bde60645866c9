/** Provider credentials at rest: sealed for one project, provider and mode, and decrypted only for a call. */
import type { ProviderSettings } from '../../actors/project/messages.ts';
import type { Seal } from '../kernel/seal.ts';
import type { Mode } from '../runtime/model/address.ts';
import type { Credentials, Provider } from './provider.ts';
import { providers } from './registry.ts';

const about = (projectId: string, provider: Provider, mode: Mode): string =>
  `credentials ${projectId} ${provider} ${mode}`;

/** Seals the credentials a provider issued to a merchant. */
export const sealedCredentials = (
  seal: Pick<Seal, 'seal'>,
  projectId: string,
  provider: Provider,
  mode: Mode,
  credentials: Credentials,
): string => seal.seal(JSON.stringify(credentials), about(projectId, provider, mode));

/** Decrypts. Throws SealBroken for text sealed for another owner. */
export const openedCredentials = (
  seal: Pick<Seal, 'open'>,
  projectId: string,
  settings: ProviderSettings,
): Credentials =>
  JSON.parse(
    seal.open(settings.sealedCredentials, about(projectId, settings.provider, settings.mode)),
  ) as Credentials;

/** The settings of a new project: the simulator, for every provider this version supports. */
export const sandboxProviders = (seal: Pick<Seal, 'seal'>, projectId: string): readonly ProviderSettings[] =>
  [...providers].map(([provider, { sandboxCredentials }]) => ({
    provider,
    mode: 'sandbox',
    enabled: true,
    sealedCredentials: sealedCredentials(seal, projectId, provider, 'sandbox', sandboxCredentials),
  }));
