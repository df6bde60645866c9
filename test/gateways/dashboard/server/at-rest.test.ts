/** What is stored on disk after log-ins. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { merchantWithLogin, Page } from '../../../support/dashboard.ts';
import { gallaOfFile } from '../../../support/of-file.ts';

const galla = gallaOfFile();

test('no password, no token and no key of the operator is stored in the database', async () => {
  const chosen = await merchantWithLogin(galla.admin, {
    email: 'chosen@example.com',
    password: 'a password somebody chose',
  });
  const drawn = await merchantWithLogin(galla.admin, { email: 'drawn@example.com' });
  const operator = { email: 'operator', password: galla.admin.key ?? '' };
  const secrets = [chosen.password, drawn.password, operator.password];
  for (const person of [chosen, drawn, operator]) {
    const page = new Page(galla.url);
    expect((await page.logIn(person)).status).toBe(200);
    secrets.push(page.cookie.slice(page.cookie.indexOf('.') + 1), page.csrf);
  }
  const files = readdirSync(galla.dataDir).filter((file) => file.startsWith('galla.db'));
  const bytes = Buffer.concat(files.map((file) => readFileSync(join(galla.dataDir, file))));
  expect(bytes.includes('drawn@example.com')).toBe(true);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(16);
    expect(bytes.includes(secret)).toBe(false);
  }
}, 30_000);
