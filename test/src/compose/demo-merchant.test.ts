import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { demoMerchant } from '../../../src/compose/demo-merchant.ts';
import { start, type Galla } from '../../../src/main.ts';
import { Page } from '../../support/dashboard.ts';
import { onFatal } from '../../support/alone.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'galla-demo-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** The operator API as far as a demo needs it; remembers what it was asked. */
function operator(): { asked: string[]; call: Parameters<typeof demoMerchant>[1] } {
  const asked: string[] = [];
  return {
    asked,
    async call(path) {
      asked.push(path);
      if (path.endsWith('/keys')) return { key: `key ${asked.length}` };
      return { merchant: { id: 'mer_1' }, project: { id: 'prj_1' }, password: `drawn ${asked.length}` };
    },
  };
}

test('the first start creates a merchant, whose keys and login only the owner of the folder can read', async () => {
  const { asked, call } = operator();
  const demo = await demoMerchant(dir, call);
  expect(demo).toMatchObject({ email: 'demo@example.com', password: 'drawn 1', opensDashboard: true });
  expect(asked).toHaveLength(3);
  expect(statSync(join(dir, 'demo.json')).mode & 0o777).toBe(0o600);
});

test('later starts find it and create nothing', async () => {
  const first = await demoMerchant(dir, operator().call);
  const { asked, call } = operator();
  expect(await demoMerchant(dir, call)).toEqual(first);
  expect(asked).toEqual([]);
});

test('one created before the dashboard existed gets a password once', async () => {
  const { opensDashboard: _new, ...old } = await demoMerchant(dir, operator().call);
  writeFileSync(join(dir, 'demo.json'), JSON.stringify({ ...old, password: 'opens nothing' }));
  const { asked, call } = operator();
  expect(await demoMerchant(dir, call)).toEqual({ ...old, password: 'drawn 1', opensDashboard: true });
  expect(await demoMerchant(dir, call)).toMatchObject({ password: 'drawn 1' });
  expect(asked).toEqual(['/admin/v1/merchants/mer_1/reset-password']);
});

test('the login in the banner opens the dashboard, and a session survives a restart', async () => {
  const env = { PORT: '0', GALLA_DATA_DIR: dir, LOG_LEVEL: 'silent' };
  let galla: Galla = await start({ onFatal, env });
  const page = new Page(galla.url);
  const written = JSON.parse(readFileSync(join(dir, 'demo.json'), 'utf8')) as object;
  expect(written).toEqual(galla.demo);
  expect(
    (await page.logIn({ email: galla.demo?.email ?? '', password: galla.demo?.password ?? '' })).status,
  ).toBe(200);
  const { demo } = galla;
  await galla.stop();
  galla = await start({ onFatal, env });
  try {
    expect(galla.demo).toEqual(demo);
    const again = await new Page(galla.url, page).me();
    expect(again.body.at('projects.0.id')).toBe(demo?.projectId);
  } finally {
    await galla.stop();
  }
}, 60_000);
