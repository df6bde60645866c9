/** A key that has expired: no key can be created so. */
import type { Api } from '../../src/cli/demo/api.ts';
import { eventually } from './eventually.ts';

/** `create` is given the end of the key: later than a slow machine takes to create it. */
export async function expiredKey<Made extends { readonly api: Api }>(
  create: (expiresAt: string) => Promise<Made>,
): Promise<Made> {
  const made = await create(new Date(Date.now() + 5_000).toISOString());
  await eventually(
    async () => ((await made.api.get('/v1/payments')).status === 401 ? true : null),
    () => 'a key to expire',
  );
  return made;
}
