/** How a project uses its providers, for the operator and for the dashboard: one change, one list.
 *  1. Credentials come in and never leave: they are sealed before the project sees them, and no answer, error
 *     or log contains them. */
import { Type, type Static } from 'typebox';
import { merchantAt, type MerchantState } from '../../../actors/merchant/messages.ts';
import {
  inPageOrder,
  orderMax,
  orderMin,
  projectAt,
  settingsOf,
  type ProjectCommands,
  type ProjectState,
  type ProviderSettings,
} from '../../../actors/project/messages.ts';
import { fieldError, type FieldError } from '../../../src/errors.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import { hasTrait, providerNames, traitsOf, type Provider } from '../../../src/providers/catalog.ts';
import type { WireTrait } from '../../../src/providers/traits.ts';
import { modes, scopeOf, type Mode } from '../../../src/runtime/model/address.ts';
import { healthOf, type Counted } from '../../../src/providers/health/success-rates.ts';
import { appIntentEntitlement, isEntitled, lacking } from '../access/entitlements.ts';
import type { ApiParts } from '../api-parts.ts';
import { credentialErrors } from '../credential-fields.ts';
import type { Snapshot } from '../../../src/runtime/model/client.ts';
import { askAndShow, done, notFound, refused, type Refused } from '../route/answer.ts';
import type { Resource } from '../route/description.ts';
import { invalid } from '../route/route.ts';
import { route } from '../route/spec.ts';
import { about } from '../route/schemas.ts';
import { projectProviderSettings, providerSettings as settingsShown } from '../schemas/provider-settings.ts';

type Parts = Pick<ApiParts, 'client' | 'auth' | 'credentials' | 'isDown' | 'rates' | 'hasLiveHost'>;

export const providerSettings: Resource = {
  name: 'Provider settings',
  description: 'How a project uses each provider, in each mode: credentials, place on the page, switches.',
};

/** Which fields each provider has: `wallet_b`: `secretKey`. */
const credentialFields = providerNames
  .map((provider) => {
    const names = traitsOf(provider).credentials.map(
      ({ name, optional }) => `\`${name}\`${optional === true ? ' (optional)' : ''}`,
    );
    return `\`${provider}\`: ${names.join(', ')}.`;
  })
  .join(' ');

const whoHas = (trait: WireTrait): string =>
  providerNames
    .filter((each) => hasTrait(each, trait))
    .map((name) => `\`${name}\``)
    .join(', ');

/** The fields of a change; an absent one stays as it is. */
const changeBody = Type.Object({
  mode: Type.Enum([...modes], { description: 'The mode it is changed for.' }),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether buyers are offered it.' })),
  order: Type.Optional(
    about(
      'Its place where a buyer chooses: lower ones come first.',
      Type.Integer({ minimum: orderMin, maximum: orderMax }),
    ),
  ),
  credentials: Type.Optional(
    Type.Unsafe<{ readonly [name: string]: unknown } | null>({
      type: ['object', 'null'],
      description:
        'What the provider issued to the merchant, always all of it. null removes it. It is stored encrypted and ' +
        `never shown again. ${credentialFields}`,
    }),
  ),
  appIntent: Type.Optional(
    Type.Boolean({
      description:
        'Whether buyers may pay in its app: a phone opens it, a computer shows a QR code. ' +
        `Only ${whoHas('app_intent')}, in the sandbox, where the plan includes it.`,
    }),
  ),
  refundsNeedMobile: Type.Optional(
    Type.Boolean({
      description: `Whether a refund needs the buyer's mobile number. Only ${whoHas('refund_call')}.`,
    }),
  ),
});
type Change = Static<typeof changeBody>;

const listQuery = Type.Object({
  mode: Type.Optional(Type.Enum([...modes], { description: 'Only of this mode.' })),
});

export const projectProviderRoutes = (parts: Parts) => [
  route({
    method: 'GET',
    at: { operator: '/admin/v1/projects/{id}/providers', dashboard: 'provider-settings' },
    resource: providerSettings,
    operation: 'listProviderSettings',
    summary: 'List how a project uses the providers',
    description: 'In each mode in the order in which buyers see them.',
    answer: projectProviderSettings,
    object: 'project',
    key: 'operator',
    reply: 200,
    query: listQuery,
    handle: ({ params: { id }, query: { mode } }) =>
      settingsIn(parts, id, mode === undefined ? modes : [mode]),
  }),
  route({
    method: 'PUT',
    at: {
      operator: '/admin/v1/projects/{id}/providers/{provider}',
      dashboard: 'provider-settings/{provider}',
    },
    resource: providerSettings,
    operation: 'setProviderSettings',
    summary: 'Change how a project uses a provider',
    description:
      'An absent field stays as it is. The change takes effect within 5 s, usually at once. New credentials also ' +
      'apply to payments under way: they are looked up with the new ones.',
    answer: settingsShown,
    exampleBody: { mode: 'live', credentials: { secretKey: 'live_secret_key_1a2b3c' } },
    errors: ['entitlement_required'],
    object: 'project',
    key: 'operator',
    reply: 200,
    body: changeBody,
    handle: ({ caller, params: { id, provider }, body }) =>
      changed(parts, id, provider, body, caller === null ? 'operator' : 'merchant'),
  }),
];

/** Changes what is given, and answers the settings. `provider` is the text of the path. */
async function changed(
  parts: Parts,
  projectId: string,
  provider: string,
  { mode, ...sent }: Change,
  by: 'operator' | 'merchant',
) {
  const { client, auth } = parts;
  const named = providerNames.find((each) => each === provider);
  if (named === undefined) return noSuchProvider(provider);
  const errors = errorsIn(named, sent);
  if (errors.length > 0) return invalid(errors);
  const project = await projectOf(parts, projectId);
  if (project === null) return notFound;
  if (sent.appIntent === true && !(await mayUseIntent(parts, project, mode))) {
    return refused('entitlement_required', lacking(appIntentEntitlement));
  }
  const { credentials, ...switches } = sent;
  const next: ProjectCommands['setProvider'] = {
    ...switches,
    provider: named,
    mode,
    ...(credentials === undefined
      ? {}
      : {
          sealedCredentials:
            credentials && parts.credentials.sealed(projectId, named, mode, textsIn(credentials)),
        }),
  };
  const asking = { by, scope: 'system' } as const;
  const say = async ({ state: after }: Snapshot<ProjectState>) => {
    auth.forget(projectId);
    const counted = await parts.rates.countedIn(scopeOf(projectId, mode));
    return done(viewOf(parts, projectId, settingsOf(after.providers, named, mode), counted));
  };
  return askAndShow(client, projectAt(projectId), 'setProvider', next, asking, say);
}

/** The settings of every provider in these modes, in the order of the page. */
async function settingsIn(parts: Parts, projectId: string, modes: readonly Mode[]) {
  const project = await projectOf(parts, projectId);
  if (project === null) return notFound;
  const lists = modes.map(async (mode) => {
    const counted = await parts.rates.countedIn(scopeOf(projectId, mode));
    return inPageOrder(project.providers, mode).map((each) => viewOf(parts, projectId, each, counted));
  });
  return done({ data: (await Promise.all(lists)).flat() });
}

const noSuchProvider = (name: string): Refused =>
  refused('resource_not_found', { param: 'provider', message: `No provider ${name}.` });

async function projectOf({ client }: Parts, id: string): Promise<ProjectState | null> {
  const found = couldBeId('prj', id) ? await client.read<ProjectState>(projectAt(id), 'system') : null;
  return found?.state ?? null;
}

function errorsIn(provider: Provider, sent: Omit<Change, 'mode'>): readonly FieldError[] {
  const { credentials = null, appIntent, refundsNeedMobile } = sent;
  return [
    ...(credentials === null ? [] : credentialErrors(provider, credentials, 'credentials')),
    ...(appIntent === undefined || hasTrait(provider, 'app_intent')
      ? []
      : [fieldError('appIntent', 'wrong_type', 'absent: this provider has no app-intent flow')]),
    ...(refundsNeedMobile === undefined || hasTrait(provider, 'refund_call')
      ? []
      : [fieldError('refundsNeedMobile', 'wrong_type', 'absent: this provider has no refund API')]),
  ];
}

async function mayUseIntent({ client }: Parts, { merchantId }: ProjectState, mode: Mode): Promise<boolean> {
  const merchant = await client.read<MerchantState>(merchantAt(merchantId), 'system');
  return merchant !== null && isEntitled(appIntentEntitlement, { plan: merchant.state.plan, mode });
}

/** Checked credentials without the optional ones that were sent as null. */
const textsIn = (credentials: { readonly [name: string]: unknown }): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(credentials).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

function viewOf(
  { credentials, isDown, hasLiveHost }: Parts,
  projectId: string,
  settings: ProviderSettings,
  counted: Counted,
) {
  const { provider, mode, enabled, order, appIntent, refundsNeedMobile } = settings;
  const credentialNames = credentials.namesIn(projectId, settings);
  return {
    provider,
    mode,
    enabled,
    order,
    configured: credentials.isConfigured(projectId, settings),
    credentialNames,
    appIntent,
    refundsNeedMobile,
    liveHost: hasLiveHost(provider),
    attempts15m: counted.of.get(provider)?.attempts ?? 0,
    health: healthOf(counted.of.get(provider), isDown(provider, scopeOf(projectId, mode))),
  };
}
