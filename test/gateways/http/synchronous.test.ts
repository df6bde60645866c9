/** The busiest path, an authenticated GET of one object, awaits nothing when key and object are in memory: a promise
 *  there costs a turn of the microtask queue and several allocations for each request (src/kernel/maybe-promise.ts).
 *  The listener holds exactly those requests whose door returned a promise, so its calls are counted here. */
import { afterAll, expect, test, vi } from 'vitest';
import { RequestsInFlight } from '../../../gateways/server/in-flight.ts';
import type { Api } from '../../../src/cli/demo/api.ts';
import { eventually } from '../../support/eventually.ts';
import { gallaOfFile } from '../../support/of-file.ts';

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });
const held = vi.spyOn(RequestsInFlight.prototype, 'wait');
afterAll(async () => {
  held.mockRestore();
});

/** How many of these requests, sent one after the other, were answered with a promise. */
async function promises(api: Api, path: string, status: number, times = 1): Promise<number> {
  held.mockClear();
  for (let n = 0; n < times; n++) expect((await api.get(path)).status).toBe(status);
  return held.mock.calls.length;
}

test('given a cached key and an idle session, when it is read, then no promise is made', async () => {
  const { api, publishable } = await galla.merchant();
  const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
  const created = await api.must('POST', '/v1/checkout', order);
  const path = `/v1/checkout/${created.body.text('id')}`;
  // a key that is not cached yet is looked up: this shows that a promise is seen here
  expect(await promises(publishable, path, 200)).toBe(1);
  // the session may still be delivering what follows from its creation
  await eventually(
    async () => {
      held.mockClear();
      const { status } = await api.get(path);
      return status === 200 && held.mock.calls.length === 0 ? true : null;
    },
    () => 'a read that is answered without a promise',
    3000,
  );
  expect(await promises(api, path, 200, 10), 'the whole view, for a secret key').toBe(0);
  expect(await promises(publishable, path, 200, 10), 'the view without the buyer').toBe(0);
});

test('given a text that is no key, when anything is read, then it is refused without a promise', async () => {
  expect(await promises(galla.nobody, '/v1/payments', 401)).toBe(0);
  expect(await promises(galla.with('sk_test_x'), '/v1/payments', 401)).toBe(0);
});
