/** A refund that is asked for in the dashboard counts against the creations of its project, as one by a key does. */
import { expect, test } from 'vitest';
import { mintId } from '../../../../src/kernel/id.ts';
import { merchantWithLogin, Page } from '../../../support/dashboard.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import { expectRefusal } from '../../../support/refusal.ts';

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });
/** More than a project has at once that may create one a second. */
const tries = 3;

test('given a project that may create one a second, when refunds are asked for at once, then the rest is 429', async () => {
  const owner = await merchantWithLogin(galla.admin, { email: 'limited@example.com' });
  await galla.admin.must('PATCH', `/admin/v1/merchants/${owner.merchantId}`, { createPerSecond: 1 });
  const page = new Page(galla.url);
  await page.logIn(owner);
  const base = `/dashboard/api/${owner.projectId}/sandbox`;
  const ask = () =>
    page.post(`${base}/refunds`, { paymentId: mintId('pay'), amount: 100, reason: 'duplicate' });
  expect((await ask()).status).toBe(404);
  for (let n = 2; n < tries; n++) await ask();
  expectRefusal(await ask(), 'rate_limit_exceeded');
  // what creates nothing is not limited by it
  expect((await page.get(`${base}/payments`)).status).toBe(200);
}, 30_000);
