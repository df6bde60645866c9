/** The operator's door to a project's provider settings. Credentials never leave the service. */
import { Type } from 'typebox';
import { projectAt, type ProjectState, type ProviderSettings } from '../../../actors/project/messages.ts';
import { fieldError } from '../../../src/errors.ts';
import { couldBeId } from '../../../src/kernel/id.ts';
import { hasTrait, providerNames, type Provider } from '../../../src/providers/catalog.ts';
import type { Mode } from '../../../src/runtime/model/address.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { ApiParts } from '../api-parts.ts';
import { done, notFound, refusalOf, refused, unavailable, type Answer } from '../route/answer.ts';
import { invalid, type MakeRoute } from '../route/route.ts';
import type { Door } from '../../server/door.ts';
import type { Resource } from '../route/description.ts';
import { providerSettings as settingsShown } from '../schemas/provider-settings.ts';

export const providerSettings: Resource = {
  name: 'Provider settings',
  description: 'How a project uses a provider, in each mode.',
};

const changeBody = Type.Object({
  mode: Type.Enum(['sandbox', 'live'], { description: 'The mode it is changed for.' }),
  enabled: Type.Optional(Type.Boolean({ description: 'Whether buyers are offered it.' })),
  refundsNeedMobile: Type.Optional(
    Type.Boolean({ description: "Whether a refund needs the buyer's mobile number." }),
  ),
});

const operator = { by: 'operator', scope: 'system' } as const;

export const projectProviderRoutes = (
  route: MakeRoute,
  { client, auth }: Pick<ApiParts, 'client' | 'auth'>,
): readonly Door[] => [
  route({
    method: 'PUT',
    path: '/admin/v1/projects/{id}/providers/{provider}',
    resource: providerSettings,
    operation: 'setProviderSettings',
    summary: 'Change how a project uses a provider',
    description: 'An absent field stays as it is. The change takes effect within 5 s, usually at once.',
    answer: settingsShown,
    exampleBody: { mode: 'sandbox', refundsNeedMobile: true },
    errors: ['provider_not_configured'],
    object: 'project',
    key: 'operator',
    reply: 200,
    body: changeBody,
    async handle({ params, body }) {
      const projectId = params['id'] ?? '';
      const provider = providerNames.find((each) => each === params['provider']);
      if (provider === undefined) {
        const message = `No provider ${params['provider'] ?? ''}.`;
        return refused('resource_not_found', { param: 'provider', message });
      }
      if (body.refundsNeedMobile !== undefined && !hasTrait(provider, 'refund_call'))
        return invalid([
          fieldError('refundsNeedMobile', 'wrong_type', 'absent: this provider has no refund API'),
        ]);
      if (!couldBeId('prj', projectId)) return notFound;
      const result = await client.ask(projectAt(projectId), 'setProvider', { ...body, provider }, operator);
      if (result.is !== 'ok') return refusalOf(result);
      auth.forget();
      return shown(client, projectId, provider, body.mode);
    },
  }),
];

async function shown(client: Client, projectId: string, provider: Provider, mode: Mode): Promise<Answer> {
  const found = await client.read<ProjectState>(projectAt(projectId), 'system');
  const settings = found?.state.providers.find((each) => each.provider === provider && each.mode === mode);
  return settings === undefined ? unavailable : done(settingsView(settings));
}

const settingsView = ({ provider, mode, enabled, refundsNeedMobile = false }: ProviderSettings) => ({
  provider,
  mode,
  enabled,
  refundsNeedMobile,
});
