/** The doors of the dashboard's settings: API keys, providers, the business and its logo. Behind them are the
 *  functions of the operator's doors.
 *  1. The place in the address decides: project and mode of a key, and whose business it is.
 *  2. Who may is decided in one place, the gate (gate.ts). */
import { Type } from 'typebox';
import { fieldError } from '../../../src/errors.ts';
import { pictureFrom, isPictureType, logoBytesMax } from '../../logo/picture.ts';
import type { Caller } from '../../http/access/auth.ts';
import { isAdmitted, refusalReply } from '../../http/access/gate.ts';
import type { ApiParts } from '../../http/api-parts.ts';
import { changeBusiness, putLogo, readBusiness, removeLogo } from '../../http/business.ts';
import { changeFields, changeProviderSettings, listProviderSettings } from '../../http/provider-settings.ts';
import { createKey, keyMints, listKeys, revokeKey } from '../../http/keys.ts';
import { refused, unavailable, type Answer, type Refused } from '../../http/route/answer.ts';
import { instantFrom } from '../../http/route/instant.ts';
import { listQuerySchema } from '../../http/route/paging.ts';
import { jsonReply } from '../../http/route/reply.ts';
import { invalid, type MakeBareRoute, type RouteParts } from '../../http/route/route.ts';
import { instant, nullable, siteUrl, text } from '../../http/route/schemas.ts';
import { keyAccesses, keyKinds } from '../../http/schemas/api-key.ts';
import type { Door } from '../../server/door.ts';
import { apiBase } from './api-base.ts';
import { FairQueue } from '../../http/access/fair-queue.ts';

const keyBody = Type.Object({
  name: text(100, 1),
  kind: Type.Enum([...keyKinds]),
  access: Type.Optional(Type.Enum([...keyAccesses])),
  expiresAt: Type.Optional(instant),
});

const businessBody = Type.Object({
  name: Type.Optional(text(100, 1)),
  shopUrl: Type.Optional(nullable(siteUrl)),
});

export function settingsDoors(
  make: MakeBareRoute,
  parts: ApiParts,
  { gate }: Pick<RouteParts, 'gate'>,
): readonly Door[] {
  return [
    ...keyDoors(make, parts),
    ...providerDoors(make, parts),
    ...businessDoors(make, parts),
    ...logoDoors(parts, gate),
  ];
}

const keyDoors = (
  make: MakeBareRoute,
  { client, auth, seal, scheduler, versions }: ApiParts,
): readonly Door[] => [
  make({
    method: 'GET',
    path: `${apiBase}/keys`,
    key: 'secret',
    reply: 200,
    query: listQuerySchema,
    handle: ({ caller, query }) => listKeys(client, caller.projectId, query, caller.mode),
  }),
  make({
    method: 'POST',
    path: `${apiBase}/keys`,
    key: 'secret',
    reply: 201,
    body: keyBody,
    mints: keyMints(seal, ({ projectId = '' }) => projectId),
    handle({ caller: { projectId, mode }, body, ids }) {
      const expiresAt = body.expiresAt === undefined ? null : instantFrom(body.expiresAt);
      // real time: keys expire on it in the sandbox, too
      if (expiresAt !== null && expiresAt <= scheduler.now())
        return invalid([fieldError('expiresAt', 'must_be_later', 'now')]);
      return createKey({ client, seal, versions }, projectId, { ...body, mode, expiresAt }, ids, 'system');
    },
  }),
  make({
    method: 'POST',
    path: `${apiBase}/keys/{id}/revoke`,
    key: 'secret',
    object: 'API key',
    reply: 200,
    handle: ({ caller, params }) => revokeKey({ client, auth }, params['id'] ?? '', 'system', caller),
  }),
];

const providerDoors = (make: MakeBareRoute, parts: ApiParts): readonly Door[] => [
  make({
    method: 'GET',
    path: `${apiBase}/provider-settings`,
    key: 'secret',
    reply: 200,
    handle: ({ caller }) => listProviderSettings(parts, caller.projectId, [caller.mode]),
  }),
  make({
    method: 'PUT',
    path: `${apiBase}/provider-settings/{provider}`,
    key: 'secret',
    reply: 200,
    body: Type.Object(changeFields),
    handle: ({ caller: { projectId, mode }, params, body }) =>
      changeProviderSettings(parts, { projectId, mode, by: 'merchant' }, params['provider'] ?? '', body),
  }),
];

const businessDoors = (make: MakeBareRoute, parts: ApiParts): readonly Door[] => [
  make({
    method: 'GET',
    path: `${apiBase}/business`,
    key: 'secret',
    reply: 200,
    handle: ({ caller }) => readBusiness(parts, caller),
  }),
  make({
    method: 'PATCH',
    path: `${apiBase}/business`,
    key: 'secret',
    reply: 200,
    body: businessBody,
    rules: ({ name }) =>
      name === undefined || name.trim() !== '' ? [] : [fieldError('name', 'too_short', '1 character')],
    handle: ({ caller, body }) => changeBusiness(parts, caller, body),
  }),
  make({
    method: 'DELETE',
    path: `${apiBase}/logo`,
    key: 'secret',
    reply: 200,
    handle: ({ caller }) => removeLogo(parts, caller),
  }),
];

/** The last of them waits for some three seconds. */
const picturesWaitingMax = 16;

/** The body is the picture itself. Checking one takes up to a fifth of a second: one at a time, with projects taking
 *  turns. */
function logoDoors(parts: ApiParts, gate: RouteParts['gate']): readonly Door[] {
  const line = new FairQueue(picturesWaitingMax);
  const upload: Door = {
    method: 'PUT',
    path: `${apiBase}/logo`,
    bodyBytesMax: logoBytesMax,
    lateHeaders: ['content-type'],
    async handle(request) {
      const admitted = await gate.admit(request, { key: 'secret', method: 'PUT' });
      if (!isAdmitted(admitted)) return admitted;
      const { caller, headers } = admitted;
      if (caller === null) return refusalReply(refused('login_required'), request.requestId, headers);
      const type = request.header('content-type');
      const leave = await line.enter(caller.projectId);
      const answer =
        leave === null ? unavailable : await uploaded(parts, caller, type, request.body).finally(leave);
      return answer.is === 'done'
        ? jsonReply(200, answer.text, headers)
        : refusalReply(answer, request.requestId, headers);
    },
  };
  return [upload];
}

async function uploaded(parts: ApiParts, caller: Caller, type: string, bytes: Buffer): Promise<Answer> {
  if (!isPictureType(type)) return noPicture;
  const picture = await pictureFrom(type, bytes);
  if ('must' in picture) return invalid([fieldError('logo', 'invalid_format', picture.must)]);
  return putLogo(parts, caller, picture);
}

const noPicture: Refused = refused('unsupported_media_type', {
  message: 'Send image/png or image/svg+xml.',
});
