/** The operator's doors to merchants: create, list, suspend, lift, change, reset the password. */
import { randomBytes } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { nameCharactersMax, reasonCharactersMax } from '../../../src/kernel/text-bounds.ts';
import { dashboardUserAt, dashboardUserIdOf, loginNameOf } from '../../../actors/dashboard-user/messages.ts';
import { merchantAt, type MerchantCommands, type MerchantState } from '../../../actors/merchant/messages.ts';
import { projectAt } from '../../../actors/project/messages.ts';
import { couldBeId, mintId } from '../../../src/kernel/id.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import {
  askAndShow,
  done,
  notFound,
  refusalOf,
  unavailable,
  type Answer,
  type Refused,
} from '../route/answer.ts';
import type { Passwords } from '../access/passwords.ts';
import { logoAddress } from '../../logo/address.ts';
import { dropLogo } from './business.ts';
import { answerPage, given, listQuery, queryOf } from '../route/paging.ts';
import type { ApiParts } from '../api-parts.ts';
import type { Resource } from '../route/description.ts';
import { about, email, nullable, shopUrl, siteUrl, text } from '../route/schemas.ts';
import { route } from '../route/spec.ts';
import {
  changedMerchant,
  login,
  merchant,
  newMerchant,
  plans,
  suspendedMerchant,
} from '../schemas/merchant.ts';
import { listOf } from '../schemas/parts.ts';

const merchants: Resource = {
  name: 'Merchants',
  description: 'Who takes payments. Each merchant has one project, and a login for the dashboard.',
};

const plan = about('What the merchant may use.', Type.Enum([...plans]));
const createPerSecondMax = 10_000;

const chosenPassword = about('Absent: one is made, and shown in the answer.', text(200, 8));
const name = about('Its name; buyers see it.', text(nameCharactersMax, 1));

const createBody = Type.Object({
  name,
  email: about('Its e-mail address, the login of the dashboard.', email),
  password: Type.Optional(chosenPassword),
  plan: Type.Optional(plan),
});

const changeBody = Type.Object({
  plan: Type.Optional(plan),
  verified: Type.Optional(Type.Boolean({ description: 'You have verified who it is.' })),
  name: Type.Optional(name),
  logoUrl: Type.Optional(about('The picture on its payment pages. null: none.', nullable(shopUrl))),
  shopUrl: Type.Optional(about('Where its shop is. null: not known.', nullable(siteUrl))),
  createPerSecond: Type.Optional(
    about(
      'Creations allowed each second. null: as everybody.',
      nullable(Type.Integer({ minimum: 1, maximum: createPerSecondMax })),
    ),
  ),
});

const merchantsQuery = Type.Object({
  ...listQuery,
  email: Type.Optional(about('Only those with this e-mail address.', email)),
  suspended: Type.Optional(Type.Boolean({ description: 'Only those that are suspended, or are not.' })),
  plan: Type.Optional(plan),
});

type Parts = Pick<ApiParts, 'client' | 'auth' | 'passwords' | 'sandboxProviders' | 'baseUrl'>;
const operator = { by: 'operator', scope: 'system' } as const;

export const merchantRoutes = ({ client, auth, passwords, sandboxProviders, baseUrl }: Parts) => [
  route({
    method: 'POST',
    at: { operator: '/admin/v1/merchants', dashboard: true },
    resource: merchants,
    operation: 'createMerchant',
    summary: 'Create a merchant',
    description:
      'With a project, and a login for the dashboard; at most 500 merchants of one e-mail address. Its keys are ' +
      'created separately.',
    answer: newMerchant,
    exampleBody: { name: 'Asha Books', email: 'asha@example.com', plan: 'free' },
    errors: ['login_limit_reached'],
    key: 'operator',
    reply: 201,
    mints: { merchant: () => mintId('mer'), project: () => mintId('prj') },
    body: createBody,
    async handle({ body, ids }) {
      const { merchant: merchantId, project: projectId } = ids;
      const password = passwordOf(body);
      // before the merchant: it may be refused. A password whose merchant was never created gives access to
      // nothing
      const refusal = await setPassword(client, passwords, { ...password, merchantId, email: body.email });
      if (refusal !== null) return refusal;
      // the project first: a listed merchant always has one
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
      const shownPassword = password.isDrawn ? { password: password.text } : {};
      const opening = { name: body.name, email: body.email, plan: body.plan ?? 'free', projectId };
      return askAndShow(client, merchantAt(merchantId), 'open', opening, operator, ({ view }) =>
        done({ merchant: view, project: { id: projectId }, ...shownPassword }),
      );
    },
  }),
  route({
    method: 'GET',
    at: { operator: '/admin/v1/merchants', dashboard: true },
    resource: merchants,
    operation: 'listMerchants',
    summary: 'List merchants',
    description: 'Newest first.',
    answer: listOf(merchant),
    key: 'operator',
    reply: 200,
    query: merchantsQuery,
    handle: ({ query }) =>
      answerPage(
        query,
        (page) => client.list(queryOf('merchant', 'system', page, query, { equals: filtersOf(query) })),
        (found) => merchantShown(found, baseUrl),
      ),
  }),
  route({
    method: 'GET',
    at: { operator: '/admin/v1/merchants/{id}', dashboard: true },
    resource: merchants,
    operation: 'readMerchant',
    summary: 'Read a merchant',
    answer: merchant,
    object: 'merchant',
    key: 'operator',
    reply: 200,
    handle: ({ params }) => shown(client, baseUrl, params.id),
  }),
  route({
    method: 'POST',
    at: { operator: '/admin/v1/merchants/{id}/suspend', dashboard: true },
    resource: merchants,
    operation: 'suspendMerchant',
    summary: 'Suspend a merchant',
    description:
      'Within 5 s its keys are refused and nobody can start to pay it. Payments under way are still ' +
      'looked up, recorded and reported.',
    answer: suspendedMerchant,
    exampleBody: { reason: 'Document review is overdue.' },
    object: 'merchant',
    key: 'operator',
    reply: 200,
    body: Type.Object({ reason: about('Why; the merchant is told.', text(reasonCharactersMax, 1)) }),
    handle: ({ params, body }) =>
      changed({ client, auth, baseUrl }, params.id, 'suspend', { reason: body.reason }),
  }),
  route({
    method: 'POST',
    at: { operator: '/admin/v1/merchants/{id}/unsuspend', dashboard: true },
    resource: merchants,
    operation: 'unsuspendMerchant',
    summary: 'End the suspension of a merchant',
    answer: merchant,
    object: 'merchant',
    key: 'operator',
    reply: 200,
    handle: ({ params }) => changed({ client, auth, baseUrl }, params.id, 'unsuspend', {}),
  }),
  route({
    method: 'POST',
    at: { operator: '/admin/v1/merchants/{id}/reset-password', dashboard: true },
    resource: merchants,
    operation: 'resetPassword',
    summary: 'Set a new password for the dashboard',
    description: 'Sessions with the old password end on every node, within a second.',
    answer: login,
    exampleBody: {},
    object: 'merchant',
    key: 'operator',
    reply: 200,
    body: Type.Object({ password: Type.Optional(chosenPassword) }),
    async handle({ params, body }) {
      const id = params.id;
      const merchant = couldBeId('mer', id) ? await client.read(merchantAt(id), 'system') : null;
      if (merchant === null) return notFound;
      const password = passwordOf(body);
      const email = String(merchant.view['email']);
      const refusal = await setPassword(client, passwords, { ...password, merchantId: id, email });
      if (refusal !== null) return refusal;
      // ends the sessions of the old one on every node
      auth.forget();
      return done({ email, ...(password.isDrawn ? { password: password.text } : {}) });
    },
  }),
  route({
    method: 'PATCH',
    at: { operator: '/admin/v1/merchants/{id}', dashboard: true },
    resource: merchants,
    operation: 'changeMerchant',
    summary: 'Change a merchant',
    description: 'What is absent stays as it is.',
    answer: changedMerchant,
    exampleBody: { plan: 'premium', verified: true },
    object: 'merchant',
    key: 'operator',
    reply: 200,
    body: changeBody,
    async handle({ params, body }) {
      return changed({ client, auth, baseUrl }, params.id, 'change', body, async ({ state }) =>
        // an uploaded picture that the operator has replaced is not served any longer
        body.logoUrl === undefined ? null : dropLogo(client, state.projectId, 'operator'),
      );
    },
  }),
];

const filtersOf = ({
  email,
  plan,
  suspended,
}: Static<typeof merchantsQuery>): { readonly [field: string]: string } =>
  given({ email, plan, status: suspended === undefined ? undefined : suspended ? 'suspended' : 'active' });

/** Asks the actor, then clears this process's caches so that the change takes effect at once. `andThen`: what else is
 *  to be done; null: it is done. */
async function changed<K extends keyof MerchantCommands>(
  { client, auth, baseUrl }: Pick<Parts, 'client' | 'auth' | 'baseUrl'>,
  id: string,
  command: K,
  data: MerchantCommands[K],
  andThen: (merchant: Snapshot<MerchantState>) => Promise<Refused | null> = () => Promise.resolve(null),
): Promise<Answer> {
  if (!couldBeId('mer', id)) return notFound;
  return askAndShow(
    client,
    merchantAt(id),
    command,
    data,
    operator,
    async (merchant: Snapshot<MerchantState>) => {
      auth.forget();
      return (await andThen(merchant)) ?? done(merchantShown(merchant, baseUrl));
    },
  );
}

async function shown(client: Client, baseUrl: string, id: string): Promise<Answer> {
  const merchant = couldBeId('mer', id) ? await client.read<MerchantState>(merchantAt(id), 'system') : null;
  return merchant === null ? notFound : done(merchantShown(merchant, baseUrl));
}

/** An uploaded logo is shown by its whole address. */
const merchantShown = ({ view }: Pick<Snapshot, 'view'>, baseUrl: string) => ({
  ...view,
  logoUrl: logoAddress(view['logoUrl'] as string | null, baseUrl),
});

interface Password {
  readonly text: string;
  /** Random, made by us: it is shown once and needs no slow hash. */
  readonly isDrawn: boolean;
}

const passwordOf = ({ password }: { readonly password?: string }): Password =>
  password === undefined
    ? { text: randomBytes(15).toString('base64url'), isDrawn: true }
    : { text: password, isDrawn: false };

/** Sets the password that gives access to this merchant in the dashboard; null when it is set. */
async function setPassword(
  client: Client,
  passwords: Passwords,
  of: Password & { readonly merchantId: string; readonly email: string },
): Promise<Refused | null> {
  const { merchantId, text: password } = of;
  const name = loginNameOf(of.email);
  const hash = of.isDrawn ? passwords.drawn(name, password) : await passwords.chosen(name, password);
  if (hash === null) return unavailable;
  const user = dashboardUserAt(dashboardUserIdOf(name));
  const opened = await client.ask(user, 'open', { name }, operator);
  if (opened.is !== 'ok') return refusalOf(opened);
  const set = await client.ask(user, 'setPassword', { merchantId, hash }, operator);
  return set.is === 'ok' ? null : refusalOf(set);
}
