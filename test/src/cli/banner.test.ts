import { expect, test } from 'vitest';
import { banner } from '../../../src/cli/banner.ts';
import { demoMerchant } from '../../../src/compose/demo-merchant.ts';
import { readSettings, type Settings } from '../../../src/config.ts';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const settingsOf = (env: { readonly [name: string]: string }): Settings => {
  const read = readSettings(env);
  if ('problems' in read) throw new Error(read.problems.join());
  return read.settings;
};

const url = 'http://127.0.0.1:8080';

test("the banner shows what the demo merchant's file contains, and where that file is", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'galla-banner-'));
  try {
    const answers = {
      merchant: { id: 'mer_1' },
      project: { id: 'prj_1' },
      password: 'pass',
      key: 'sk_test_1',
    };
    const demo = await demoMerchant(dataDir, () => Promise.resolve(answers));
    const file = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
      readonly [name: string]: string;
    };
    const settings = settingsOf({ GALLA_DATA_DIR: relative(process.cwd(), dataDir) });
    const text = banner({ url, settings, demo }, 22);
    for (const name of ['secretKey', 'publishableKey', 'email', 'password'])
      expect(text).toMatch(new RegExp(`^  ${name} +${file[name] ?? 'nothing'}$`, 'm'));
    expect(text).toContain(join(dataDir, 'demo.json'));
    expect(text).toContain(`${url}/sim/thanks`);
    expect(text).toMatch(/^ {2}Start page +http:\/\/127\.0\.0\.1:8080\/$/m);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

test("without the simulator its example returns to a shop's address", () => {
  const demo = {
    merchantId: 'm',
    projectId: 'p',
    email: 'e',
    password: 'w',
    secretKey: 's',
    publishableKey: 'q',
  };
  const text = banner({ url, settings: settingsOf({ GALLA_SIMULATOR: 'off' }), demo }, 22);
  expect(text).not.toContain('/sim');
  expect(text).toContain('https://shop.example/return');
});

test("the operator's login is named, and where its password is, never the password", () => {
  const demo = {
    merchantId: 'm',
    projectId: 'p',
    email: 'e',
    password: 'w',
    secretKey: 's',
    publishableKey: 'q',
  };
  const file = banner({ url, settings: settingsOf({ GALLA_DATA_DIR: '/data/till' }), demo }, 22);
  expect(file).toMatch(
    /^ {2}Operator +log in as operator; the password is the text of \/data\/till\/admin-token$/m,
  );
  const token = 'a-token-long-enough';
  const set = settingsOf({ GALLA_ADMIN_TOKEN: token });
  for (const each of [demo, null]) {
    const text = banner({ url, settings: set, demo: each }, 22);
    expect(text).toMatch(/^ {2}Operator +log in as operator; the password is GALLA_ADMIN_TOKEN$/m);
    expect(text).not.toContain(token);
  }
});
