/** Going live as the guide rehearses it: the operator's and the merchant's calls, then a service whose providers a second
 *  process plays. */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buttonFor, buttonOf, open, press } from '../../../src/cli/demo/buyer.ts';
import { freePorts } from '../../../src/cli/demo/service.ts';
import { eventually } from '../../support/eventually.ts';
import { root } from '../../support/house.ts';
import { objectsIn, walked } from './walk.ts';

const started = `node ${join(root, 'dist/src/cli/start.js')}`;
const usual = 'http://127.0.0.1:8080';

let service: string;
const walk = walked('go-live.md', async () => {
  const [of = 0, at = 0] = await freePorts(2);
  service = `http://127.0.0.1:${at}`;
  return {
    'http://127.0.0.1:9090': `http://127.0.0.1:${of}`,
    'PORT=9090': `PORT=${of}`,
    [usual]: service,
    'npm start': started,
  };
});

test(
  'the calls of operator and merchant, and the rehearsal, do what the guide says',
  { timeout: 120_000 },
  async () => {
    const [merchant] = (await walk().galla.admin.must('GET', '/admin/v1/merchants')).body.list('data');
    const listed = await walk().run('GALLA=', {
      replace: {
        'https://pay.example': walk().galla.url,
        'mer_...': merchant?.text('id') ?? '',
        'prj_...': merchant?.text('projectId') ?? '',
      },
    });
    expect(objectsIn(listed)[0]).toMatchObject({ data: [{ id: merchant?.text('id') }] });
    await startsWithSettings();
    expect(objectsIn(await walk().run('curl -s -X PATCH'))).toMatchObject([{ plan: 'premium' }]);
    expect(objectsIn(await walk().run('curl -s -X PUT'))).toMatchObject([{ credentialNames: ['secretKey'] }]);
    makePfx(walk().folder);
    // the password is typed at a terminal; here it is an argument
    const pem = await walk().run('(umask', { replace: { '-legacy': '-legacy -passin pass:secret' } });
    expect(pem).toContain('-----BEGIN PRIVATE KEY-----');
    const [key] = objectsIn(await walk().run('curl -s $GALLA/admin'));
    const offered = await walk().run('KEY=', { replace: { 'sk_live_...': String(key?.['key']) } });
    expect(offered).toContain('"configured":true');

    // the rehearsal, with another data folder than that of the service above
    const provider = await walk().start('PORT=');
    await provider.heard(/Galla is ready/);
    await walk().shelled('GALLA_DATA_DIR=.galla-rehearsal\nexport GALLA_DATA_DIR');
    await walk().shelled(`PORT=${new URL(service).port}\nexport PORT`);
    const live = await walk().start('GALLA_WALLET_A_URL=');
    await live.heard(/Galla is ready/);
    expect(await walk().run('GALLA=')).toContain('provider_not_configured');
    for (const settings of objectsIn(await walk().run('for SETTINGS in')))
      expect(settings).toMatchObject({ credentialNames: expect.any(Array), liveHost: true });
    const page = (await walk().run('ID=')).trim();
    await paid(page);
    const [payment, refund] = objectsIn(await walk().run('PAYMENT='));
    expect(payment).toMatchObject({ status: 'success', livemode: true });
    expect(refund).toMatchObject({ amount: 125_050, status: expect.stringMatching(/succeeded|processing/) });
    await rehearsedInvoices();
    const removed = objectsIn(await walk().run('for PROVIDER in'));
    expect(removed.map(({ credentialNames }) => credentialNames)).toEqual([[], [], [], [], []]);
  },
);

/** What is paid on invoices only: with a key as PEM, and with a signed session. */
async function rehearsedInvoices(): Promise<void> {
  // the reader is in the folder of the service
  symlinkSync(join(root, 'src'), join(walk().folder, 'src'));
  const [bank, wallet] = objectsIn(await walk().run('for PROVIDER in bank-a'));
  expect(bank).toMatchObject({ provider: 'bank_a', liveHost: true });
  expect(bank?.['credentialNames']).toContain('privateKey');
  expect(wallet).toMatchObject({ provider: 'wallet_c', liveHost: true });
  const [first = '', second = ''] = (await walk().run('api() {')).match(/http:\S+/g) ?? [];
  await paysInvoice(first, 'bank_a', { user: 'testbuyer1', password: 'Bank@123' });
  await paysInvoice(second, 'wallet_c', { wallet: '9841414141', pin: '0000', otp: '000000' });
  for (const page of [first, second]) await untilPaid(page);
  const lists = objectsIn(await walk().run('api "/v1/payments?provider=bank_a"'));
  expect(lists).toMatchObject([
    { data: [{ provider: 'bank_a', status: 'success', livemode: true, fee: 1000 }] },
    { data: [{ provider: 'wallet_c', status: 'success', livemode: true }] },
  ]);
}

/** In a browser: picks the provider, logs in at its page and pays. */
async function paysInvoice(page: string, provider: string, login: Record<string, string>): Promise<void> {
  const handover = await press(buttonFor(await open(page), 'provider', provider));
  const atProvider = await press(buttonOf(handover, /^Continue to/));
  await press(buttonFor(await press(buttonOf(atProvider, /Log in/), login), 'do', 'pay'));
}

const untilPaid = (page: string): Promise<boolean> =>
  eventually(
    async () => ((await (await fetch(`${page}/status`)).text()).includes('success') ? true : null),
    () => 'the session to be paid',
  );

/** A service of its own takes the lines of the next block as its settings. */
async function startsWithSettings(): Promise<void> {
  const [port = 0] = await freePorts(1);
  const other = await walk().start('GALLA_WALLET_A_URL=https', {
    before: 'set -a',
    after: `GALLA_DATA_DIR=.galla-settings PORT=${port} ${started}`,
  });
  await other.heard(/Galla is ready/);
}

/** What a bank hands to a merchant: a key and its certificate in one file, in the old encryption that banks use. */
function makePfx(folder: string): void {
  const openssl = (...words: string[]): void =>
    void execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=x',
    '-keyout',
    'k.pem',
    '-out',
    'c.pem',
  );
  openssl(
    'pkcs12',
    '-export',
    '-legacy',
    '-inkey',
    'k.pem',
    '-in',
    'c.pem',
    '-out',
    'merchant.pfx',
    '-passout',
    'pass:secret',
  );
}

/** In a browser, with Wallet B; the way back leads to a shop that does not exist here. */
async function paid(page: string): Promise<void> {
  const wallet = await press(buttonOf(await open(page), /Wallet B/));
  const loggedIn = await press(buttonOf(wallet, /Log in/), {
    mobile: '9800000000',
    mpin: '1111',
    otp: '987654',
  });
  await press(buttonOf(loggedIn, /^Pay$/));
  await untilPaid(page);
}
