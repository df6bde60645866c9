/** Where calls to providers go, and where browsers are sent. */
import { describe, expect, test } from 'vitest';
import { providerDeps, type CallParts } from '../../../src/providers/provider-calls.ts';
import { readSettings } from '../../../src/config.ts';
import { sealWith } from '../../../src/kernel/seal.ts';
import { sandboxProviders } from '../../../src/compose/api.ts';
import {
  configuredWith,
  credentialNamesIn,
  openingWith,
  sealedCredentials,
} from '../../../src/providers/credentials.ts';

const [sandbox, live] = ['prj_1:sandbox', 'prj_1:live'] as const;

type Env = { readonly [name: string]: string };

function read(env: Env): Pick<CallParts, 'settings'> {
  const settings = readSettings(env);
  if ('problems' in settings) throw new Error(settings.problems.join('\n'));
  return settings;
}

function of(env: Env): ReturnType<typeof providerDeps> {
  const parts = { listenerUrl: 'http://127.0.0.1:8080', baseUrl: 'https://pay.example', ...read(env) };
  return providerDeps(parts as unknown as CallParts);
}

test('each mode has the credentials that its project keeps for it and that provider', async () => {
  const seal = sealWith(Buffer.alloc(32, 1));
  const credentials = { secretKey: 'LIVE' };
  const providers = [
    ...sandboxProviders(seal, 'prj_1'),
    { provider: 'qr_a', mode: 'live', enabled: true, sealedCredentials: null },
    {
      provider: 'wallet_b',
      mode: 'live',
      enabled: false,
      sealedCredentials: sealedCredentials(seal, 'prj_1', 'wallet_b', 'live', credentials),
    },
  ];
  const client = { read: () => Promise.resolve({ state: { providers } }) };
  const { settings } = read({});
  const calls = providerDeps({ settings, seal, client: () => client } as unknown as CallParts);
  expect(await calls.settings(live, 'wallet_b')).toEqual({ enabled: false, credentials });
  expect(await calls.settings(live, 'wallet_a')).toBeNull();
  expect(await calls.settings(live, 'qr_a')).toBeNull();
  const [a, b] = [await calls.settings(sandbox, 'wallet_a'), await calls.settings(sandbox, 'wallet_b')];
  expect([a?.enabled, b?.enabled]).toEqual([true, true]);
  expect(a?.credentials).not.toEqual(b?.credentials);
  expect(b?.credentials).not.toEqual(credentials);
});

test('credentials that do not open here count as none, and the operator is told', async () => {
  const [old, now] = [sealWith(Buffer.alloc(32, 1)), sealWith(Buffer.alloc(32, 2))];
  const client = { read: () => Promise.resolve({ state: { providers: sandboxProviders(old, 'prj_1') } }) };
  const said: string[] = [];
  const log = { error: (_fields: object, message: string) => said.push(message) };
  const { settings } = read({});
  const parts = { settings, seal: now, log, client: () => client };
  expect(await providerDeps(parts as unknown as CallParts).settings(sandbox, 'wallet_b')).toBeNull();
  expect(said.join()).toMatch(/GALLA_SECRETS_KEY/);
  const [stored] = sandboxProviders(old, 'prj_1');
  expect(credentialNamesIn(now, 'prj_1', stored ?? expect.unreachable())).toEqual([]);
  expect(configuredWith(now)('prj_1', stored ?? expect.unreachable())).toBe(false);
  // nor do those of another project
  expect(credentialNamesIn(old, 'prj_2', stored ?? expect.unreachable())).toEqual([]);
  expect(credentialNamesIn(old, 'prj_1', stored ?? expect.unreachable())).toContain('secretKey');
});

test('the seal of one settings object is opened once', () => {
  const seal = sealWith(Buffer.alloc(32, 1));
  const [stored = expect.unreachable()] = sandboxProviders(seal, 'prj_1');
  let opened = 0;
  const counting = {
    open: (...of: Parameters<typeof seal.open>) => {
      opened += 1;
      return seal.open(...of);
    },
  };
  const isConfigured = configuredWith(counting);
  for (let times = 0; times < 3; times += 1) expect(isConfigured('prj_1', stored)).toBe(true);
  expect(isConfigured('prj_1', { ...stored, sealedCredentials: null })).toBe(false);
  expect(opened).toBe(1);
  // a change makes another object
  expect(isConfigured('prj_1', { ...stored, sealedCredentials: 's1.x' })).toBe(false);

  const credentialsOf = openingWith(counting);
  opened = 0;
  const found = [1, 2, 3].map(() => credentialsOf('prj_1', stored));
  expect([opened, found.every((one) => one !== null)]).toEqual([1, true]);
  expect(credentialsOf('prj_1', { ...stored, sealedCredentials: 's1.x' })).toBeNull();
});

describe('where a provider is reached', () => {
  test('in sandbox our calls go to our own listener, browsers to our public address', () => {
    const calls = of({ GALLA_WALLET_B_URL: 'https://wallet-b.example' });
    expect(calls.root(sandbox, 'wallet_b')).toBe('http://127.0.0.1:8080/sim/wallet_b');
    expect(calls.pageRoot(sandbox, 'wallet_b')).toBe('https://pay.example/sim/wallet_b');
  });

  test('in sandbox without the simulator has no address', () => {
    const calls = of({ GALLA_SIMULATOR: 'off' });
    expect([calls.root(sandbox, 'wallet_b'), calls.pageRoot(sandbox, 'wallet_b')]).toEqual([null, null]);
  });

  test('in live at its own address, whatever the simulator', () => {
    for (const simulator of ['on', 'off']) {
      const calls = of({
        GALLA_SIMULATOR: simulator,
        GALLA_WALLET_B_URL: 'https://wallet-b.example',
      });
      expect(calls.root(live, 'wallet_b')).toBe('https://wallet-b.example');
      expect(calls.pageRoot(live, 'wallet_b')).toBe('https://wallet-b.example');
      expect(calls.root(live, 'qr_a')).toBe(of({}).root(live, 'qr_a'));
    }
  });

  test.each([
    ['bank_a', 'GALLA_BANK_A_URL', 'GALLA_BANK_A_PAGE_URL', '/ws', '/gateway'],
    ['wallet_c', 'GALLA_WALLET_C_URL', 'GALLA_WALLET_C_PAGE_URL', '', '/gateway'],
  ] as const)(
    '%s has an address for calls and one for pages, which may hold a path',
    (name, calls, pages, ws, page) => {
      const apart = of({ [calls]: 'https://calls.example:8443/a/b', [pages]: 'https://pages.example/c' });
      expect([apart.root(live, name), apart.pageRoot(live, name)]).toEqual([
        'https://calls.example:8443/a/b',
        'https://pages.example/c',
      ]);
      expect([of({}).root(live, name), of({}).pageRoot(live, name)]).toEqual([null, null]);
      expect([apart.root(sandbox, name), apart.pageRoot(sandbox, name)]).toEqual([
        `http://127.0.0.1:8080/sim/${name}${ws}`,
        `https://pay.example/sim/${name}${page}`,
      ]);
    },
  );

  test('a wallet with a separate status host is queried there, and browsers go to the other', () => {
    const pages = 'https://wallet-a.example';
    const alone = of({ GALLA_WALLET_A_URL: pages });
    expect([alone.root(live, 'wallet_a'), alone.pageRoot(live, 'wallet_a')]).toEqual([pages, pages]);
    const status = 'https://status.wallet-a.example';
    const two = of({ GALLA_WALLET_A_URL: pages, GALLA_WALLET_A_STATUS_URL: status });
    expect([two.root(live, 'wallet_a'), two.pageRoot(live, 'wallet_a')]).toEqual([status, pages]);
  });
});
