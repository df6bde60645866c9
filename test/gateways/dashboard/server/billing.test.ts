/** Billing and the sandbox's clock behind a login: whose it is, in which mode, and with the token of the page. */
import { expect, test } from 'vitest';
import { merchantWithLogin, Page } from '../../../support/dashboard.ts';
import { gallaOfFile } from '../../../support/of-file.ts';

const galla = gallaOfFile();

test('a login reaches the billing of its own project alone, and the clock in the sandbox alone', async () => {
  const [owner, other] = [
    await merchantWithLogin(galla.admin, { email: 'owner@example.com' }),
    await merchantWithLogin(galla.admin, { email: 'other@example.com' }),
  ];
  const [page, stranger] = [new Page(galla.url), new Page(galla.url)];
  await page.logIn(owner);
  await stranger.logIn(other);
  const sandbox = `/dashboard/api/${owner.projectId}/sandbox`;
  const live = `/dashboard/api/${owner.projectId}/live`;

  const made = await page.post(`${sandbox}/billing/customers`, { name: 'Asha Rai' });
  expect(made.status).toBe(201);
  const id = made.body.text('id');
  const names = (of: Page, base: string) => of.get(`${base}/customer-names?ids=${id},bc_unknown,${id}`);
  expect((await names(page, sandbox)).body.value).toEqual({ data: [{ id, name: 'Asha Rai' }] });
  // the other mode has nothing of it, another login no such project
  expect((await names(page, live)).body.value).toEqual({ data: [] });
  expect((await names(stranger, sandbox)).status).toBe(404);
  expect((await stranger.get(`${sandbox}/billing/customers/${id}`)).status).toBe(404);
  const forged = await page.post(
    `${sandbox}/billing/customers`,
    { name: 'Nobody' },
    { 'x-csrf-token': 'forged' },
  );
  expect(forged.status).toBe(403);

  const clock = await page.get(`${sandbox}/test/clock`);
  const day = { bySeconds: 86_400 };
  const advanced = await page.post(`${sandbox}/test/clock/advance`, day);
  expect([clock.status, advanced.status]).toEqual([200, 200]);
  const movedMs = Date.parse(advanced.body.text('now')) - Date.parse(clock.body.text('now'));
  expect(movedMs).toBeGreaterThanOrEqual(86_400_000);
  for (const refused of [
    await page.get(`${live}/test/clock`),
    await page.post(`${live}/test/clock/advance`, day),
  ])
    expect([refused.status, refused.body.text('error.code')]).toEqual([403, 'sandbox_only']);
}, 30_000);
