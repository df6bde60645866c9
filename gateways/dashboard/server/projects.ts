/** The projects that a login may open, as listed on the page. */
import { merchantAt } from '../../../actors/merchant/messages.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import type { Login, Logins, OpenProject } from '../../http/access/logins.ts';

/** Maximum listed; the operator opens older ones by their address. */
export const projectsListedMax = 100;

export interface ListedProject {
  readonly id: string;
  readonly name: string;
  readonly merchantName: string;
}

/** Sorted by the merchant's name. Rejects when the store does not answer. */
export async function projectsOf(
  client: Client,
  logins: Pick<Logins, 'projectFor'>,
  login: Login,
): Promise<readonly ListedProject[]> {
  const ids = login.role === 'operator' ? await newestProjects(client) : await projectIdsOf(client, login);
  const found = await Promise.all(ids.map((id) => logins.projectFor(login, id)));
  return found
    .filter((project) => project !== null)
    .map(listed)
    .toSorted((a, b) => a.merchantName.localeCompare(b.merchantName) || (a.id < b.id ? -1 : 1));
}

const listed = ({ projectId, name, merchantName }: OpenProject): ListedProject => ({
  id: projectId,
  name,
  merchantName,
});

async function newestProjects(client: Client): Promise<readonly string[]> {
  const { items } = await client.list({
    kind: 'project',
    scope: 'system',
    page: 1,
    limit: projectsListedMax,
  });
  return items.map(({ meta }) => meta.id);
}

async function projectIdsOf(client: Client, { merchantIds }: Login): Promise<readonly string[]> {
  const newest = merchantIds.slice(-projectsListedMax);
  const merchants = await Promise.all(newest.map(async (id) => client.read(merchantAt(id), 'system')));
  const ids = merchants.map((merchant) => merchant?.view['projectId']);
  return ids.filter((id) => typeof id === 'string');
}
