/** Live payments by bank_a and wallet_c, whose hosts are a simulator in a second service: its returns and its server's call find
 *  the way back by the addresses registered for the other service, and no secret of a merchant is kept or shown. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buttonFor, buttonOf, open, press } from '../../src/cli/demo/buyer.ts';
import { traitsOf } from '../../src/providers/catalog.ts';
import { sandboxCredentialsOf } from '../../src/providers/registry.ts';
import { eventually } from '../support/eventually.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import { invoiceSession } from '../support/invoice-session.ts';
import { Merchant } from '../support/merchant.ts';

let provider: Galla;
let shop: Galla;

/** A port that is free now: each service must know the other's address before it starts. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

beforeAll(async () => {
  const port = await freePort();
  provider = await startGalla({
    GALLA_SIMULATOR: 'standalone',
    GALLA_SIMULATOR_RETURNS_TO: `http://127.0.0.1:${port}`,
  });
  shop = await startGalla({
    PORT: String(port),
    GALLA_SIMULATOR: 'off',
    GALLA_BANK_A_URL: `${provider.url}/sim/bank_a/ws`,
    GALLA_BANK_A_PAGE_URL: `${provider.url}/sim/bank_a/gateway`,
    GALLA_WALLET_C_URL: `${provider.url}/sim/wallet_c`,
    GALLA_WALLET_C_PAGE_URL: `${provider.url}/sim/wallet_c/gateway`,
  });
});
afterAll(async () => {
  await shop.stop();
  await provider.stop();
});

const logins = {
  bank_a: { user: 'testbuyer1', password: 'Bank@123' },
  wallet_c: { wallet: '9841414141', pin: '0000', otp: '000000' },
} as const;

test.each(['bank_a', 'wallet_c'] as const)('a live invoice is paid by %s', async (name) => {
  const made = { name: 'Live Store', email: `${name}@example.com`, plan: 'premium' };
  const projectId = (await shop.admin.must('POST', '/admin/v1/merchants', made)).body.text('project.id');
  const credentials = sandboxCredentialsOf(name);
  const settings = { mode: 'live', credentials };
  await shop.admin.must('PUT', `/admin/v1/projects/${projectId}/providers/${name}`, settings);
  const api = shop.with(await shop.key(projectId, { kind: 'secret', mode: 'live' }));
  const { url, invoiceId } = await invoiceSession(new Merchant(projectId, api, api));
  const handover = await press(buttonFor(await open(url), 'provider', name));
  const page = await press(buttonOf(handover, /^Continue to/));
  expect(page.url).toContain(`${provider.url}/sim/${name}/`);
  const back = await press(buttonFor(await press(buttonOf(page, /Log in/), logins[name]), 'do', 'pay'));
  expect(back.hops.map(({ to }) => to).join(' ')).toContain(`${shop.url}/return/${name}/`);

  const payment = await eventually(
    async () => {
      const [found] = (await api.must('GET', `/v1/payments?invoiceId=${invoiceId}`)).body.list('data');
      return found?.at('status') === 'success' ? found : null;
    },
    () => `a payment by ${name}`,
  );
  expect(payment.value).toMatchObject({ livemode: true, provider: name });
  const timeline = await api.must('GET', `/v1/payments/${payment.text('id')}/timeline`);
  if (name === 'wallet_c') {
    // its server has called the service whose payment it is
    await expect
      .poll(async () => (await api.must('GET', `/v1/payments/${payment.text('id')}/timeline`)).text, {
        timeout: 5000,
      })
      .toContain('"kind":"provider_callback"');
  }
  const secrets = traitsOf(name)
    .credentials.filter(({ identifies }) => identifies !== true)
    .map((field) => credentials[field.name] ?? '')
    .flatMap((secret) => secret.split('\n'))
    .filter((line) => line.length >= 8 && !line.startsWith('-----') && line !== 'simulated');
  expect(secrets.length).toBeGreaterThan(name === 'bank_a' ? 20 : 2);
  const texts = [timeline.text, page.html, back.html, (await api.must('GET', '/v1/events')).text];
  const files = (await readdir(shop.dataDir, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  for (const { parentPath, name: file } of files)
    texts.push(String(await readFile(join(parentPath, file), 'latin1')));
  for (const text of texts) for (const secret of secrets) expect(text.includes(secret)).toBe(false);
});
