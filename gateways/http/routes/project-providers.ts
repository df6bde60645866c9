/** The operator's doors to a project's provider settings. */
import { Type } from 'typebox';
import type { ApiParts } from '../api-parts.ts';
import {
  changeFields,
  changeProviderSettings,
  listProviderSettings,
  type ProviderSettingsParts,
} from '../provider-settings.ts';
import type { MakeRoute } from '../route/route.ts';
import type { Door } from '../../server/door.ts';
import type { Resource } from '../route/description.ts';
import { projectProviderSettings, providerSettings as settingsShown } from '../schemas/provider-settings.ts';

export const providerSettings: Resource = {
  name: 'Provider settings',
  description: 'How a project uses each provider, in each mode: credentials, place on the page, switches.',
};

const modes = ['sandbox', 'live'] as const;

const changeBody = Type.Object({
  mode: Type.Enum([...modes], { description: 'The mode it is changed for.' }),
  ...changeFields,
});

const listQuery = Type.Object({
  mode: Type.Optional(Type.Enum([...modes], { description: 'Only of this mode.' })),
});

export const projectProviderRoutes = (
  route: MakeRoute,
  parts: ProviderSettingsParts & Pick<ApiParts, 'client'>,
): readonly Door[] => [
  route({
    method: 'GET',
    path: '/admin/v1/projects/{id}/providers',
    resource: providerSettings,
    operation: 'listProviderSettings',
    summary: 'List how a project uses the providers',
    description: 'In each mode in the order in which buyers see them.',
    answer: projectProviderSettings,
    object: 'project',
    key: 'operator',
    reply: 200,
    query: listQuery,
    handle: ({ params, query }) =>
      listProviderSettings(parts, params['id'] ?? '', query.mode === undefined ? modes : [query.mode]),
  }),
  route({
    method: 'PUT',
    path: '/admin/v1/projects/{id}/providers/{provider}',
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
    handle: ({ params, body: { mode, ...change } }) =>
      changeProviderSettings(
        parts,
        { projectId: params['id'] ?? '', mode, by: 'operator' },
        params['provider'] ?? '',
        change,
      ),
  }),
];
