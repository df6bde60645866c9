/** `galla doctor --live`: asks each provider for a payment that nobody has made, with the credentials of merchants, and
 *  says what its wire answers beside what our adapter expects.
 *  1. No money moves: the only call is a look-up. Nothing is written, and no running service hears of it.
 *  2. How many are asked is bounded, and so is each wait.
 *  3. What is shown of an answer is redacted first. */
import { project } from '../../../actors/project/project.ts';
import type { ProjectState, ProviderSettings } from '../../../actors/project/messages.ts';
import { readText, secretFiles } from '../../compose/data-dir.ts';
import { isCluster, type Settings } from '../../config.ts';
import { findingsOf, type Finding } from '../../kernel/finding.ts';
import { mintId } from '../../kernel/id.ts';
import { amountPaisaMin } from '../../kernel/money.ts';
import { sealWith } from '../../kernel/seal.ts';
import { realScheduler } from '../../kernel/time.ts';
import { openHttp } from '../../outbound/http.ts';
import { Breakers } from '../../providers/breaker.ts';
import { make } from '../../providers/call.ts';
import { providerNames, type Provider } from '../../providers/catalog.ts';
import { openingWith } from '../../providers/credentials.ts';
import { liveCallsAt } from '../../providers/provider-calls.ts';
import { isRefusal, providerReference, type Credentials } from '../../providers/provider.ts';
import { providers } from '../../providers/registry.ts';
import { createSender, providerConnectMs, type Send } from '../../providers/sender.ts';
import { scopeOf } from '../../runtime/model/address.ts';
import { readableOnes } from '../../runtime/model/upcast.ts';
import type { Doc } from '../../store/store.ts';

/** Projects whose settings are read, the newest. */
export const projectsReadMax = 500;
/** Projects in whose name one provider is asked, the newest that have credentials for it. */
export const askedPerProviderMax = 5;
const shownCharactersMax = 200;

const { ok, unknown, warning, problem } = findingsOf('wire');

export async function liveFindings(settings: Settings): Promise<readonly Finding[]> {
  const set = providerNames.filter((one) => liveCallsAt(settings, one) !== null);
  if (set.length === 0) return [unknown('no provider has a live address, so none was asked')];
  const { dataDir, secretsKey } = settings;
  let projects: readonly Doc[];
  let key: Uint8Array | null;
  try {
    projects = await newestProjects(settings);
    key = secretsKey ?? keyIn(dataDir);
  } catch (thrown) {
    const [why = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n');
    return [unknown(`no provider was asked, as the credentials of merchants cannot be read: ${why}`)];
  }
  if (key === null) return [unknown('no provider was asked: their credentials need the secrets key')];
  const http = openHttp({ connectMs: providerConnectMs });
  const asking = { send: createSender(http), merchants: merchantsOf(projects, key) };
  try {
    const found = await Promise.all(
      set.map((provider) => providerFindings(asking, provider, liveCallsAt(settings, provider) ?? '')),
    );
    return found.flat();
  } finally {
    await http.close();
  }
}

async function newestProjects(settings: Settings): Promise<readonly Doc[]> {
  const newest = async (): Promise<readonly Doc[]> => {
    if (isCluster(settings)) {
      const { newestDocs } = await import('../../store/mongo-examine.ts');
      return newestDocs(settings.mongodbUrl ?? '', project.kind, projectsReadMax);
    }
    const { MoveSource } = await import('../../store/move-source.ts');
    const source = new MoveSource(settings.dataDir);
    try {
      return source.newest(project.kind, projectsReadMax);
    } finally {
      source.close();
    }
  };
  return readableOnes(project, await newest());
}

const keyIn = (dataDir: string): Uint8Array | null => {
  const text = readText(dataDir, secretFiles.secretsKey);
  return text === null ? null : Buffer.from(text, 'base64');
};

/** A merchant's project that takes live payments by a provider. `credentials`: null: they do not open here. */
interface Merchant {
  readonly projectId: string;
  readonly provider: Provider;
  readonly credentials: Credentials | null;
}

function merchantsOf(projects: readonly Doc[], key: Uint8Array): readonly Merchant[] {
  const opened = openingWith(sealWith(key));
  const isUsed = ({ mode, enabled, sealedCredentials }: ProviderSettings): boolean =>
    mode === 'live' && enabled && sealedCredentials !== null;
  return projects.flatMap(({ id: projectId, body }) =>
    // the actor wrote it itself
    (body as unknown as ProjectState).providers
      .filter(isUsed)
      .map((one) => ({ projectId, provider: one.provider, credentials: opened(projectId, one) })),
  );
}

interface Asking {
  readonly send: Send;
  readonly merchants: readonly Merchant[];
}

async function providerFindings(
  { send, merchants }: Asking,
  provider: Provider,
  root: string,
): Promise<readonly Finding[]> {
  const all = merchants.filter((one) => one.provider === provider);
  if (all.length === 0)
    return [unknown(`${provider} was not asked: no merchant has live credentials for it`)];
  const found: Finding[] = [];
  for (const { projectId, credentials } of all.slice(0, askedPerProviderMax)) {
    const who = `${provider}, ${projectId}`;
    found.push(
      credentials === null
        ? problem(`${who}: its credentials do not open with this GALLA_SECRETS_KEY: use that of the service`)
        : await askedFinding(send, { who, provider, projectId, credentials, root }),
    );
  }
  const rest = all.length - found.length;
  return rest === 0
    ? found
    : [
        ...found,
        unknown(`${provider} was asked for the ${found.length} newest projects, not for ${rest} others`),
      ];
}

interface Asked {
  readonly who: string;
  readonly provider: Provider;
  readonly projectId: string;
  readonly credentials: Credentials;
  readonly root: string;
}

/** One look-up, as the service makes them. */
async function askedFinding(
  send: Send,
  { who, provider, projectId, credentials, root }: Asked,
): Promise<Finding> {
  const paymentId = mintId('pay');
  let refusal: string | null = null;
  const made = await make(
    {
      adapter: (one) => providers.get(one)?.adapter ?? null,
      settings: async () => ({ credentials, enabled: true }),
      root: () => root,
      pageRoot: () => root,
      returnBase: root,
      send,
      breakers: new Breakers(),
      onAnswer: (answered) => void (refusal = answered.refusal),
      log: { warn: () => undefined, error: () => undefined },
    },
    { scope: scopeOf(projectId, 'live'), now: () => realScheduler.now() },
    { provider, name: 'lookup' },
    providers.get(provider)?.adapter.lookup,
    { paymentId, amount: amountPaisaMin, lookupReference: providerReference(paymentId) },
  );
  const { httpStatus, raw } = made;
  if (httpStatus === null)
    return problem(`${who}: no answer (${made.answer === null ? made.end : ''}): is its address right?`);
  const wire = `its wire says HTTP ${httpStatus} ${oneLine(raw ?? '')}`.trimEnd();
  const isRefused = refusal !== null || isRefusal({ status: httpStatus, headers: {}, text: '' });
  if (isRefused)
    return problem(
      `${who}: ${wire}, which our adapter reads as a refusal of our calls: check the credentials of that project`,
    );
  if (made.answer === null)
    return problem(`${who}: ${wire}, which our adapter cannot read: is its address right, is it well?`);
  const { outcome, answered } = made.answer;
  const read = `${wire}, which our adapter reads as ${answered ? outcome : 'no answer about the payment'}`;
  if (outcome === 'not_found') return ok(`${who}: ${read}, as expected of a payment that nobody has made`);
  const expected = `${who}: ${read}; it expects not_found of a payment that nobody has made`;
  return outcome === 'pending' ? warning(`${expected}: such a payment stays pending`) : problem(expected);
}

const oneLine = (text: string): string =>
  Array.from(text.replaceAll(/[\s\p{C}]+/gu, ' ').trim())
    .slice(0, shownCharactersMax)
    .join('');
