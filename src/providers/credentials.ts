/** Provider credentials at rest: sealed for one project, provider and mode, and decrypted only for calls, or to list
 *  their names. */
import type { ProviderSettings } from '../../actors/project/messages.ts';
import { SealBroken, type Seal } from '../kernel/seal.ts';
import type { Mode } from '../runtime/model/address.ts';
import { traitsOf } from './catalog.ts';
import type { Credentials, Provider } from './provider.ts';
import { sandboxCredentialsOf } from './registry.ts';

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

/** The names of stored credentials; empty where there are none that open here. */
export const credentialNamesIn = (
  seal: Pick<Seal, 'open'>,
  projectId: string,
  settings: ProviderSettings,
): readonly string[] => Object.keys(stored(seal, projectId, settings) ?? {});

/** Whether payments can be started with the stored credentials: there are some, and they open here. */
export type IsConfigured = (projectId: string, settings: ProviderSettings) => boolean;

/** Opens the credentials of each settings object once: a cached project is asked for every request. */
export function configuredWith(seal: Pick<Seal, 'open'>): IsConfigured {
  const known = new WeakMap<ProviderSettings, boolean>();
  return (projectId, settings) => {
    if (settings.sealedCredentials === null) return false;
    const found = known.get(settings) ?? stored(seal, projectId, settings) !== null;
    known.set(settings, found);
    return found;
  };
}

/** The credentials for a call; null where there are none that open here. */
export type OpenedCredentials = (projectId: string, settings: ProviderSettings) => Credentials | null;

/** Opens the credentials of each settings object once: a project in memory is asked for every call. They are kept no
 *  longer than that object. */
export function openingWith(seal: Pick<Seal, 'open'>): OpenedCredentials {
  const known = new WeakMap<ProviderSettings, Credentials | null>();
  return (projectId, settings) => {
    const found = known.get(settings);
    if (found !== undefined) return found;
    const opened = openedCredentials(seal, projectId, settings);
    known.set(settings, opened);
    return opened;
  };
}

function openedCredentials(
  seal: Pick<Seal, 'open'>,
  projectId: string,
  settings: ProviderSettings,
): Credentials | null {
  const found = stored(seal, projectId, settings);
  if (found === null) return null;
  const { credentials: fields } = traitsOf(settings.provider);
  const published = Object.entries(sandboxCredentialsOf(settings.provider)).filter(([name]) =>
    fields.some((field) => field.name === name && field.optional === true),
  );
  return { ...Object.fromEntries(published), ...found };
}

/** A text that does not open counts as none: the service has another GALLA_SECRETS_KEY, or the text was sealed
 *  for another owner. No repetition helps; the credentials must be entered again. */
function stored(
  seal: Pick<Seal, 'open'>,
  projectId: string,
  { provider, mode, sealedCredentials: sealed }: ProviderSettings,
): Credentials | null {
  if (sealed === null) return null;
  try {
    // it was sealed from checked credentials
    return JSON.parse(seal.open(sealed, about(projectId, provider, mode))) as Credentials;
  } catch (thrown) {
    if (thrown instanceof SealBroken) return null;
    throw thrown;
  }
}
