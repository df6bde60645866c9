import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSettings, settings, type Settings } from '../../src/config.ts';

const good = (env: { readonly [name: string]: string }): Settings => {
  const read = readSettings(env);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return read.settings;
};
const problems = (env: { readonly [name: string]: string }): readonly string[] => {
  const read = readSettings(env);
  return 'problems' in read ? read.problems : [];
};

describe('an empty environment', () => {
  test('starts an embedded node on 127.0.0.1:8080', () => {
    expect(good({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      baseUrl: null,
      trustedProxies: null,
      dataDir: '.galla',
      natsUrl: null,
      natsReplicas: 1,
      mongodbUrl: null,
      storePatienceMs: 3000,
      roles: 'actors,gateways',
      adminToken: null,
      secretsKey: null,
      rateLimits: true,
      webhookAllowPrivateHosts: null,
      simulator: 'on',
      simulatorReturnsTo: null,
      simulatorSpelling: 'own',
      GALLA_WALLET_A_URL: null,
      GALLA_WALLET_A_STATUS_URL: null,
      GALLA_WALLET_B_URL: null,
      GALLA_QR_A_URL: null,
      GALLA_BANK_A_URL: null,
      GALLA_BANK_A_PAGE_URL: null,
      GALLA_WALLET_C_URL: null,
      GALLA_WALLET_C_PAGE_URL: null,
      smtpUrl: null,
      mailFrom: null,
      memoryMb: null,
      backupDir: null,
      backupEveryMs: 86_400_000,
      backupKeep: 7,
      smsUrl: null,
      smsSecret: null,
      logLevel: 'info',
    });
  });

  test('is equal to empty values', () => {
    expect(good({ PORT: '', BASE_URL: '', GALLA_SECRETS_KEY: '' })).toEqual(good({}));
  });
});

describe('values', () => {
  test('are read by type', () => {
    const key = Buffer.alloc(32, 7);
    const read = good({
      PORT: '0',
      HOST: '0.0.0.0',
      BASE_URL: 'https://pay.example/shop/',
      GALLA_RATE_LIMITS: 'off',
      GALLA_SECRETS_KEY: key.toString('base64'),
      GALLA_WALLET_B_URL: 'https://wallet-b.example',
      LOG_LEVEL: 'warn',
    });
    expect(read).toMatchObject({
      port: 0,
      host: '0.0.0.0',
      baseUrl: 'https://pay.example/shop',
      rateLimits: false,
      GALLA_WALLET_B_URL: 'https://wallet-b.example',
      logLevel: 'warn',
    });
    expect(Buffer.from(read.secretsKey ?? [])).toEqual(key);
  });

  test.each([
    ['PORT', '65536'],
    ['PORT', '8080 '],
    ['PORT', '-1'],
    ['PORT', '1e3'],
    ['HOST', 'a b'],
    ['BASE_URL', 'pay.example'],
    ['BASE_URL', 'ftp://pay.example'],
    ['BASE_URL', 'https://u:p@pay.example'],
    ['BASE_URL', 'https://pay.example?x=1'],
    ['GALLA_ROLES', 'gateway'],
    ['GALLA_RATE_LIMITS', 'yes'],
    ['GALLA_SIMULATOR', 'OFF'],
    ['GALLA_SIMULATOR_SPELLING', 'PUBLIC'],
    ['GALLA_BANK_A_PAGE_URL', 'http://bank-a.example/gateway'],
    ['GALLA_WALLET_C_PAGE_URL', 'https://wallet-c.example/form?x=1'],
    ['LOG_LEVEL', 'loud'],
    ['WEBHOOK_ALLOW_PRIVATE_HOSTS', '1'],
    ['GALLA_MAIL_FROM', 'nobody'],
    ['GALLA_MAIL_FROM', 'Galla <nobody>'],
    ['GALLA_MAIL_FROM', 'a@b.example, c@d.example'],
    ['GALLA_MAIL_FROM', 'Galla\r\nBcc: x <a@b.example>'],
    ['GALLA_SMS_URL', 'ftp://sms.example'],
    ['GALLA_WALLET_B_URL', 'http://wallet-b.example'],
    ['GALLA_WALLET_B_URL', 'http://10.0.0.1/sim/wallet_b'],
    ['GALLA_WALLET_B_URL', 'http://127.0.0.1.example'],
    ['GALLA_QR_A_URL', 'https://user:password@qr.example'],
  ])('%s=%s is refused in one line that names what is allowed', (name, value) => {
    const row = Object.values(settings).find((each) => each.name === name);
    expect(problems({ [name]: value })).toEqual([
      `${name}=${JSON.stringify(value)}: must be ${row?.allowed}`,
    ]);
  });

  test.each([
    'https://wallet-b.example',
    'http://127.0.0.1:9090/sim/wallet_b',
    'http://localhost:1',
    'http://[::1]:1',
  ])('credentials may be sent to %s', (url) =>
    expect(good({ GALLA_WALLET_B_URL: url })).toMatchObject({ GALLA_WALLET_B_URL: url }),
  );

  test.each([
    ['bank_a', 'GALLA_BANK_A', '/ws'],
    ['wallet_c', 'GALLA_WALLET_C', ''],
  ])('%s has two addresses: one alone is refused in a line that says what they were', (name, prefix, ws) => {
    const [calls, pages, url] = [`${prefix}_URL`, `${prefix}_PAGE_URL`, 'https://p.example:7443/x'];
    expect(problems({ [calls]: url })).toEqual([
      `${pages} is not set, but ${calls} is: ${name} needs both. ` +
        `If ${url} was enough so far, set ${pages}=${url}/gateway and ${calls}=${url}${ws}`,
    ]);
    expect(problems({ [pages]: url })).toEqual([
      `${calls} is not set, but ${pages} is: ${name} needs both, for our calls and for pages`,
    ]);
    expect(problems({ [calls]: url, [pages]: url })).toEqual([]);
  });

  test('the address of a form keeps its slash, other addresses have none', () => {
    const form = {
      GALLA_WALLET_C_URL: 'https://c.example/v/',
      GALLA_WALLET_C_PAGE_URL: 'https://f.example/pay/',
    };
    expect(good(form)).toMatchObject({ ...form, GALLA_WALLET_C_URL: 'https://c.example/v' });
    const bank = {
      GALLA_BANK_A_URL: 'https://b.example/ws/',
      GALLA_BANK_A_PAGE_URL: 'https://b.example/gw/',
    };
    expect(good(bank)).toMatchObject({ GALLA_BANK_A_PAGE_URL: 'https://b.example/gw' });
  });

  test('a stand-alone simulator is for this machine', () => {
    expect(good({ GALLA_SIMULATOR: 'standalone' }).simulator).toBe('standalone');
    expect(problems({ GALLA_SIMULATOR: 'standalone', HOST: '0.0.0.0' }).join()).toMatch(/loopback/);
  });

  test('an invalid secret is refused without being repeated', () => {
    expect(problems({ GALLA_SECRETS_KEY: 'hunter2' })).toEqual([
      'GALLA_SECRETS_KEY=(hidden): must be 32 bytes in base64',
    ]);
    expect(problems({ GALLA_ADMIN_TOKEN: 'short' }).join()).not.toContain('short');
  });

  test.each([
    ['NATS_URL', 'http://127.0.0.1:4222'],
    ['NATS_URL', 'nats://one:4222,two'],
    ['MONGODB_URL', 'postgres://127.0.0.1/galla'],
    ['GALLA_SMTP_URL', 'https://mail.example'],
    ['GALLA_SMTP_URL', 'smtp://mail.example/path'],
    ['GALLA_SMS_SECRET', 'hunter2'],
    ['GALLA_SMS_SECRET', 'whsec_short'],
  ])('%s=%s is refused', (name, value) => {
    expect(problems({ [name]: value })).toEqual([
      expect.stringMatching(new RegExp(`^${name}=\\(hidden\\): must be`)),
    ]);
  });

  describe('messages', () => {
    const smsSecret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';

    test('have a sender, with or without a name', () => {
      const from = (text: string) => good({ GALLA_SMTP_URL: 'smtp://mail', GALLA_MAIL_FROM: text }).mailFrom;
      expect(from('Galla Pay <pay@galla.example>')).toEqual({
        name: 'Galla Pay',
        address: 'pay@galla.example',
      });
      expect(from('pay@galla.example')).toEqual({ name: '', address: 'pay@galla.example' });
      expect(from('<pay@galla.example>')).toEqual({ name: '', address: 'pay@galla.example' });
    });

    test('need a sender for mail, and a secret for SMS', () => {
      expect(problems({ GALLA_SMTP_URL: 'smtps://user:pass@mail.example:465' })).toEqual([
        expect.stringContaining('GALLA_MAIL_FROM is not set'),
      ]);
      expect(problems({ GALLA_SMS_URL: 'https://sms.example' })).toEqual([
        expect.stringContaining('GALLA_SMS_SECRET is not set'),
      ]);
      const whole = { GALLA_SMS_URL: 'https://sms.example', GALLA_SMS_SECRET: smsSecret };
      expect(problems({ ...whole, GALLA_MAIL_FROM: 'pay@galla.example' })).toEqual([]);
    });
  });

  describe('a cluster', () => {
    const whole = {
      NATS_URL: 'nats://one:4222, tls://two:4222',
      MONGODB_URL: 'mongodb://one,two/galla?replicaSet=rs0',
      GALLA_ADMIN_TOKEN: 'a-token-long-enough',
      GALLA_SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    };

    test('needs the addresses of both of its servers', () => {
      expect(problems(whole)).toEqual([]);
      expect(problems({ NATS_URL: whole.NATS_URL }).join()).toContain('MONGODB_URL is not set');
      expect(problems({ MONGODB_URL: whole.MONGODB_URL }).join()).toContain('NATS_URL is not set');
    });

    test('needs secrets shared by every node', () => {
      const { GALLA_ADMIN_TOKEN: _token, GALLA_SECRETS_KEY: _key, ...servers } = whole;
      expect(problems(servers)).toEqual([
        expect.stringContaining('GALLA_ADMIN_TOKEN is not set'),
        expect.stringContaining('GALLA_SECRETS_KEY is not set'),
      ]);
    });

    test('may split roles between nodes; a single node may not', () => {
      expect(problems({ ...whole, GALLA_ROLES: 'gateways' })).toEqual([]);
      expect(problems({ GALLA_ROLES: 'gateways' })).toEqual([
        expect.stringContaining('one node alone runs both'),
      ]);
    });
  });

  test('all errors are reported at once', () => {
    expect(problems({ PORT: 'x', LOG_LEVEL: 'y', GALLA_PORT: '1' })).toHaveLength(3);
  });
});

describe('names', () => {
  test('backups are for the embedded service, and their interval has a unit', () => {
    const cluster = {
      NATS_URL: 'nats://one:4222',
      MONGODB_URL: 'mongodb://one/galla',
      GALLA_ADMIN_TOKEN: 'a'.repeat(16),
      GALLA_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    };
    expect(problems({ ...cluster, GALLA_BACKUP_DIR: '/backups' })).toEqual([
      expect.stringContaining('GALLA_BACKUP_DIR is set: a cluster keeps everything in MongoDB'),
    ]);
    for (const text of ['24', '4m', '31d', '1w', '-1h'])
      expect(problems({ GALLA_BACKUP_EVERY: text })).toEqual([
        `GALLA_BACKUP_EVERY="${text}": must be a number with m, h or d, from 5m to 30d`,
      ]);
    for (const [text, ms] of Object.entries({ '5m': 300_000, '24h': 86_400_000, '30d': 2_592_000_000 }))
      expect(good({ GALLA_BACKUP_EVERY: text }).backupEveryMs).toBe(ms);
  });

  test('an unknown name with our prefix is an error with a suggestion', () => {
    expect(problems({ GALLA_RATE_LIMIT: 'off' })).toEqual([
      'GALLA_RATE_LIMIT: no such setting; did you mean GALLA_RATE_LIMITS?',
    ]);
    expect(problems({ GALLA_DATADIR: '/x' })).toEqual([
      'GALLA_DATADIR: no such setting; did you mean GALLA_DATA_DIR?',
    ]);
  });

  test('one that is correct without its prefix gets that suggestion, and one like no other gets none', () => {
    expect(problems({ GALLA_PORT: '1', GALLA_BASE_URL: 'x', GALLA_FAVOURITE_COLOUR: 'red' })).toEqual([
      'GALLA_BASE_URL: no such setting; did you mean BASE_URL?',
      'GALLA_FAVOURITE_COLOUR: no such setting',
      'GALLA_PORT: no such setting; did you mean PORT?',
    ]);
  });

  test('other names are ignored', () => {
    expect(problems({ PATH: '/bin', GALLANT: 'x', MY_GALLA_X: 'y' })).toEqual([]);
  });
});

test('docs/reference/settings.md has each setting with its default, bound and reason, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/settings.md'), 'utf8');
  const known = Object.values(settings).map(
    (row) =>
      `| \`${row.name}\` | ${row.default === null ? 'unset' : `\`${row.default}\``} | ${row.allowed} | ${row.reason} |`,
  );
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(known);
});
