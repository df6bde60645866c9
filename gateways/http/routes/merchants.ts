/** The operator's doors to merchants: create, list, suspend, lift, change (operations 4). */
import { randomBytes, scrypt } from 'node:crypto';
import { Type } from 'typebox';
import { merchantAt, type MerchantCommands } from '../../../actors/merchant/messages.ts';
import { projectAt } from '../../../actors/project/messages.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import type { Client } from '../../../src/runtime/client.ts';
import { done, doneView, notFound, refusalOf, unavailable, type Answer } from '../answer.ts';
import type { Auth } from '../auth.ts';
import type { Door } from '../door.ts';
import { isPage, listed, listQuerySchema, pageOf, queryOf } from '../paging.ts';
import type { MakeRoute } from '../route.ts';
import type { ApiParts } from '../api-parts.ts';
import { email, nullable, shopUrl, text } from '../schemas.ts';

const plan = Type.Enum(['free', 'premium']);
const createPerSecondMax = 10_000;

const createBody = Type.Object({
  name: text(100, 1),
  email,
  password: Type.Optional(text(200, 8)),
  plan: Type.Optional(plan),
});

const changeBody = Type.Object({
  plan: Type.Optional(plan),
  verified: Type.Optional(Type.Boolean()),
  name: Type.Optional(text(100, 1)),
  logoUrl: Type.Optional(nullable(shopUrl)),
  createPerSecond: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: createPerSecondMax }))),
});

type Parts = Pick<ApiParts, 'client' | 'auth' | 'sandboxProviders'>;
const operator = { by: 'operator', scope: 'system' } as const;

export const merchantRoutes = (
  route: MakeRoute,
  { client, auth, sandboxProviders }: Parts,
): readonly Door[] => [
  route({
    method: 'POST',
    path: '/admin/v1/merchants',
    key: 'operator',
    reply: 201,
    mints: { merchant: () => mintId('mer'), project: () => mintId('prj') },
    body: createBody,
    async handle({ body, ids }) {
      const { merchant: merchantId = '', project: projectId = '' } = ids;
      const password = body.password ?? randomBytes(15).toString('base64url');
      const passwordHash = await hashed(password);
      // the project first: a merchant in the list always has one
      const opened = await client.ask(
        projectAt(projectId),
        'open',
        {
          merchantId,
          name: body.name,
          providers: sandboxProviders(projectId),
        },
        operator,
      );
      if (opened.is !== 'ok') return refusalOf(opened);
      const made = await client.ask(
        merchantAt(merchantId),
        'open',
        {
          name: body.name,
          email: body.email,
          plan: body.plan ?? 'free',
          projectId,
          passwordHash,
        },
        operator,
      );
      if (made.is !== 'ok') return refusalOf(made);
      const merchant = await client.read(merchantAt(merchantId), 'system');
      if (merchant === null) return unavailable;
      const shownPassword = body.password === undefined ? { password } : {};
      return done({ merchant: merchant.view, project: { id: projectId }, ...shownPassword });
    },
  }),
  route({
    method: 'GET',
    path: '/admin/v1/merchants',
    key: 'operator',
    reply: 200,
    query: listQuerySchema,
    async handle({ query }) {
      const page = pageOf(query);
      if (!isPage(page)) return page;
      const { items, total } = await client.list(queryOf('merchant', 'system', page, query));
      return listed(
        items.map(({ view }) => view),
        total,
        page,
      );
    },
  }),
  route({
    method: 'GET',
    path: '/admin/v1/merchants/{id}',
    key: 'operator',
    reply: 200,
    handle: ({ params }) => shown(client, params['id'] ?? ''),
  }),
  route({
    method: 'POST',
    path: '/admin/v1/merchants/{id}/suspend',
    key: 'operator',
    reply: 200,
    body: Type.Object({ reason: text(500, 1) }),
    handle: ({ params, body }) => told(client, auth, params['id'] ?? '', 'suspend', { reason: body.reason }),
  }),
  route({
    method: 'POST',
    path: '/admin/v1/merchants/{id}/unsuspend',
    key: 'operator',
    reply: 200,
    handle: ({ params }) => told(client, auth, params['id'] ?? '', 'unsuspend', {}),
  }),
  route({
    method: 'PATCH',
    path: '/admin/v1/merchants/{id}',
    key: 'operator',
    reply: 200,
    body: changeBody,
    handle: ({ params, body }) => told(client, auth, params['id'] ?? '', 'change', body),
  }),
];

/** Asks, and makes this process feel it at once. */
async function told<K extends keyof MerchantCommands>(
  client: Client,
  auth: Auth,
  id: string,
  command: K,
  data: MerchantCommands[K],
): Promise<Answer> {
  if (!couldBeId('mer', id)) return notFound;
  const result = await client.ask(merchantAt(id), command, data, operator);
  if (result.is !== 'ok') return refusalOf(result);
  auth.forget();
  return shown(client, id);
}

async function shown(client: Client, id: string): Promise<Answer> {
  const merchant = couldBeId('mer', id) ? await client.read(merchantAt(id), 'system') : null;
  return merchant === null ? notFound : doneView(merchant.view);
}

const saltBytes = 16;
const hashBytes = 32;

/** scrypt, `salt:hash` in base64. */
function hashed(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashBytes, (error, hash) => {
      if (error === null) resolve(`${salt.toString('base64')}:${hash.toString('base64')}`);
      else reject(error);
    });
  });
}
