/** `galla doctor --live`: what it says of providers that answer as expected, refuse, cannot be read, or are away. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askedPerProviderMax, liveFindings } from '../../../src/cli/doctor/live.ts';
import { readSettings, type Settings } from '../../../src/config.ts';
import type { Finding } from '../../../src/kernel/finding.ts';
import { gallaOfFile } from '../../support/of-file.ts';

const asked: string[] = [];
const canary = 'canary_of_a_refused_key';
const of = { total_amount: 1000, transaction_id: null, fee: 0, refunded: false };
/** By the merchant's key: the status and the text of the answer. */
const answers: { readonly [key: string]: readonly [status: number, text: string] } = {
  as_published: [404, '{"detail": "Not found.",\n "error_key": "validation_error"}'],
  [canary]: [401, `{"detail": "Invalid token ${canary}."}`],
  broken: [502, '<h1>Bad gateway</h1>'],
  waiting: [200, JSON.stringify({ ...of, pidx: 'px', status: 'Pending' })],
  paid: [200, JSON.stringify({ ...of, pidx: 'px', transaction_id: 'tx', status: 'Completed' })],
};
const host = createServer((request, response) => {
  asked.push(`${request.method ?? ''} ${request.url ?? ''}`);
  const [status, text] = answers[String(request.headers.authorization).slice('Key '.length)] ?? [500, ''];
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
});
beforeAll(() => new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => host.close(resolve)));
const galla = gallaOfFile();

function settings(env: { readonly [name: string]: string }): Settings {
  const read = readSettings({ GALLA_DATA_DIR: galla.dataDir, ...env });
  if ('problems' in read) throw new Error(read.problems.join());
  return read.settings;
}
const hostUrl = (): string => `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
const lines = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ check, is, says }) => `${check} ${is}: ${says}`);

/** A merchant with live credentials for wallet_b; its project. */
async function shop(secretKey: string, body: object = {}): Promise<string> {
  const { projectId } = await galla.merchant();
  await galla.admin.must('PUT', `/admin/v1/projects/${projectId}/providers/wallet_b`, {
    mode: 'live',
    credentials: { secretKey },
    ...body,
  });
  return projectId;
}

test('nobody is asked where no address is set, or no merchant has credentials', async () => {
  expect(lines(await liveFindings(settings({})))).toEqual([
    'wire unknown: no provider has a live address, so none was asked',
  ]);
  expect(lines(await liveFindings(settings({ GALLA_WALLET_B_URL: hostUrl() })))).toEqual([
    'wire unknown: wallet_b was not asked: no merchant has live credentials for it',
  ]);
  expect(asked).toEqual([]);
});

test('what the wire says stands beside what our adapter expects, without secrets; only look-ups go out', async () => {
  const projects: { [key: string]: string } = {};
  for (const key of Object.keys(answers)) projects[key] = await shop(key);
  await shop('of_a_provider_that_is_off', { enabled: false });
  const found = await liveFindings(settings({ GALLA_WALLET_B_URL: hostUrl() }));
  const wire = (key: string): string => `wallet_b, ${projects[key] ?? ''}: its wire says HTTP`;
  expect(lines(found).toSorted()).toEqual(
    [
      `wire ok: ${wire('as_published')} 404 {"detail": "Not found.", "error_key": "validation_error"}, ` +
        'which our adapter reads as not_found, as expected of a payment that nobody has made',
      `wire problem: ${wire(canary)} 401 {"detail": "Invalid token ***."}, ` +
        'which our adapter reads as a refusal of our calls: check the credentials of that project',
      `wire problem: ${wire('broken')} 502 <h1>Bad gateway</h1>, ` +
        'which our adapter cannot read: is its address right, is it well?',
      `wire warning: ${wire('waiting')} ${answers['waiting']?.join(' ') ?? ''}, which our adapter reads as pending; ` +
        'it expects not_found of a payment that nobody has made: such a payment stays pending',
      `wire problem: ${wire('paid')} ${answers['paid']?.join(' ') ?? ''}, which our adapter reads as paid; ` +
        'it expects not_found of a payment that nobody has made',
    ].toSorted(),
  );
  expect(asked).toEqual(Array.from({ length: 5 }, () => 'POST /api/v2/epayment/lookup/'));
});

test('a provider is asked for so many projects, the newest, and the line says how many were not', async () => {
  await shop('as_published');
  asked.length = 0;
  const found = await liveFindings(settings({ GALLA_WALLET_B_URL: hostUrl() }));
  expect(asked).toHaveLength(askedPerProviderMax);
  expect(lines(found)[0]).toMatch(/^wire ok: /);
  expect(lines(found).at(-1)).toBe(
    `wire unknown: wallet_b was asked for the ${askedPerProviderMax} newest projects, not for 1 others`,
  );
});

test('an address where nobody is, another secrets key, and a folder that is none are said', async () => {
  const gone = lines(await liveFindings(settings({ GALLA_WALLET_B_URL: 'http://127.0.0.1:1' })));
  expect(gone[0]).toMatch(
    /^wire problem: wallet_b, prj_\w+: no answer \(connection\): is its address right\?$/,
  );
  asked.length = 0;
  const key = { GALLA_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') };
  const shut = lines(await liveFindings(settings({ GALLA_WALLET_B_URL: hostUrl(), ...key })));
  expect(shut[0]).toMatch(
    /: its credentials do not open with this GALLA_SECRETS_KEY: use that of the service$/,
  );
  const none = settings({ GALLA_WALLET_B_URL: hostUrl(), GALLA_DATA_DIR: `${galla.dataDir}/none` });
  expect(lines(await liveFindings(none))).toEqual([
    expect.stringMatching(
      /^wire unknown: no provider was asked, as .* cannot be read: .*galla\.db is not there/,
    ),
  ]);
  expect(asked).toEqual([]);
});
