/** Money after a restore: the providers are processes of their own and know what the backup does not. The service is
 *  killed an hour of payments after its backup, restored, and started again. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Answer, type Body } from '../../src/cli/demo/api.ts';
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import { freePorts, Service } from '../../src/cli/demo/service.ts';
import { sandboxCredentialsOf } from '../../src/providers/registry.ts';
import { billedBy } from '../support/billing.ts';
import { entry } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { houseOf } from '../support/galla.ts';
import { liveHosts, startLiveProviders, type LiveProviders } from '../support/live-providers.ts';
import { Merchant } from '../support/merchant.ts';
import { comparedFrom, itemsOf } from '../support/statements.ts';

const command = entry.replace(/start\.js$/, 'galla.js');
const login = { mobile: '9800000000', mpin: '1111', otp: '987654' };
const order = { amount: 125_050, returnUrl: 'https://shop.example/return' };
const passphrase = 'correct horse battery';
const seenMsMax = 40_000;

const dir = await mkdtemp(join(tmpdir(), 'galla-restored-'));
const inDir = (name: string): string => join(dir, name);
const dataDir = inDir('data');
const phraseFile = join(dir, 'passphrase');

/** Refund calls that have reached the provider, by the payment's reference there. */
const refundCalls: string[] = [];
const { port: providersPort, env: hosts } = await liveHosts();
const counting = createServer(
  (request, response) =>
    void forward(request).then(({ status, text }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    }),
);

async function forward(
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly text: string }> {
  const { method = 'GET', url = '/', headers } = request;
  const [, refunded] = /merchant-transaction\/([^/]+)\/refund\//.exec(url) ?? [];
  if (refunded !== undefined) refundCalls.push(refunded);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = await fetch(`http://127.0.0.1:${providersPort}${url}`, {
    method,
    headers: { authorization: headers.authorization ?? '', 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
  });
  return { status: answer.status, text: await answer.text() };
}

let live: LiveProviders;
let service: Service;
let env: { readonly [name: string]: string };
let shop: Merchant;
let port = 0;

const galla = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [command, ...args])).stdout;

const start = (folder: string, more: { readonly [name: string]: string } = {}): Promise<Service> =>
  Service.start({ dataDir: folder, entry, port, env: { ...env, ...more } });

/** What a client has been given: nothing of it may be given for anything else. */
class Seen {
  readonly ids = new Set<string>();
  readonly sequences = new Map<string, number>();
  /** Id of an event -> its text. */
  readonly events = new Map<string, string>();
  readonly numbers = new Set<string>();

  async look(): Promise<void> {
    for (const path of ['events', 'payments', 'refunds', 'billing/invoices']) {
      const { body } = await shop.api.must('GET', `/v1/${path}?limit=100`);
      expect(Number(body.at('total'))).toBeLessThanOrEqual(100);
      for (const one of body.list('data')) this.add(path, one);
    }
  }

  private add(path: string, one: Body): void {
    this.ids.add(one.text('id'));
    if (path === 'events') this.events.set(one.text('id'), JSON.stringify(one.value));
    if (path === 'billing/invoices' && one.at('invoiceNumber') !== null)
      this.numbers.add(one.text('invoiceNumber'));
    const about = path === 'events' ? String(one.at('data.id') ?? one.at('data.paymentId')) : one.text('id');
    const sequence = Number(one.at('sequence') ?? 0);
    this.sequences.set(about, Math.max(sequence, this.sequences.get(about) ?? 0));
  }
}

beforeAll(async () => {
  live = await startLiveProviders(providersPort);
  await new Promise<void>((resolve) => counting.listen(0, '127.0.0.1', resolve));
  const { port: countingPort } = counting.address() as AddressInfo;
  const counted = `http://127.0.0.1:${countingPort}/sim/wallet_b`;
  env = { ...hosts, GALLA_WALLET_B_URL: counted, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'warn' };
  [port = 0] = await freePorts(1);
  await writeFile(phraseFile, passphrase);
  service = await start(dataDir);
  const admin = new Api(service.url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
  const house = await houseOf(admin, () => Promise.resolve(), await service.keys(dataDir));
  const made = { name: 'Live Store', email: 'live@example.com', plan: 'premium' };
  const projectId = (await admin.must('POST', '/admin/v1/merchants', made)).body.text('project.id');
  const settings = { mode: 'live', credentials: sandboxCredentialsOf('wallet_b') };
  await admin.must('PUT', `/admin/v1/projects/${projectId}/providers/wallet_b`, settings);
  const api = house.with(await house.key(projectId, { kind: 'secret', mode: 'live' }));
  shop = new Merchant(projectId, api, api);
}, 60_000);
afterAll(async () => {
  await service.kill();
  await live.stop();
  await new Promise((resolve) => counting.close(resolve));
  await rm(dir, { recursive: true, force: true });
});

interface Event {
  readonly sequence: number;
  readonly data: { readonly id?: string; readonly paymentId?: string };
}

interface Bought {
  readonly sessionId: string;
  readonly paymentId: string;
  /** The provider's page, where the buyer has logged in. */
  readonly page: Page;
}

async function atTheProvider(session: Body): Promise<Bought> {
  const handover = await press(buttonFor(await open(session.text('checkout_url')), 'provider', 'wallet_b'));
  const page = await press(buttonOf(handover, /Log in/), login);
  const sessionId = session.text('id');
  const [payment] = (await shop.api.must('GET', `/v1/payments?sessionId=${sessionId}`)).body.list('data');
  if (payment === undefined) throw new Error('an attempt has begun');
  return { sessionId, paymentId: payment.text('id'), page };
}

async function pays(bought: Bought): Promise<Bought> {
  await press(buttonFor(bought.page, 'do', 'pay'));
  await shop.untilStatus(bought.sessionId, 'success', seenMsMax);
  references.set(bought.paymentId, (await shop.payment(bought.paymentId)).text('providerRef'));
  return bought;
}

const begins = async (): Promise<Bought> => atTheProvider(await shop.checkout(order));
const keyed = (idempotencyKey: string): Promise<Answer> =>
  shop.api.post('/v1/checkout', order, { idempotencyKey });
const refund = async ({ paymentId }: Bought, amount = order.amount): Promise<Body> =>
  (await shop.api.must('POST', '/v1/refunds', { paymentId, amount, reason: 'other' })).body;
const untilRefund = (id: string, status: string): Promise<Body> =>
  eventually(
    async () => {
      const { body } = await shop.api.must('GET', `/v1/refunds/${id}`);
      return body.at('status') === status ? body : null;
    },
    () => `refund ${id} to be ${status}`,
    seenMsMax,
  );
/** Also while no service runs. */
const references = new Map<string, string>();
const callsTo = ({ paymentId }: Bought): number =>
  refundCalls.filter((one) => decodeURIComponent(one) === references.get(paymentId)).length;
const untilReview = ({ paymentId }: Bought): Promise<Body> =>
  eventually(
    async () => {
      const payment = await shop.payment(paymentId);
      return payment.at('needsReview') === true ? payment : null;
    },
    () => `payment ${paymentId} to be under review`,
    seenMsMax,
  );
const invoiceNumberOf = async (word: string): Promise<string> => {
  const { invoiceId } = await billedBy(shop.api, word);
  return (await shop.api.must('GET', `/v1/billing/invoices/${invoiceId}`)).body.text('invoiceNumber');
};

test('row 121: after a restore providers say what became of the money, and nothing that was lost is given again', async () => {
  // what the backup knows
  const wholeLost = await pays(await begins());
  const partLost = await pays(await begins());
  const untouched = await pays(await begins());
  const paidLater = await begins();
  const abandoned = await begins();
  const replayed = await keyed('known-to-the-backup');
  const firstNumber = await invoiceNumberOf('first');
  const known = new Seen();
  await known.look();
  const file = join(dir, 'an-hour-ago.db.gz');
  await galla('backup', file, '--data-dir', dataDir, '--passphrase-file', phraseFile);

  // what is lost
  await pays(paidLater);
  const lostRefund = await refund(wholeLost);
  await untilRefund(lostRefund.text('id'), 'succeeded');
  await untilRefund((await refund(partLost, 25_050)).text('id'), 'succeeded');
  const madeLater = await pays(await begins());
  const madeLaterRef = (await shop.payment(madeLater.paymentId)).text('providerRef');
  const lostKeyed = await keyed('of-the-lost-time');
  const lostNumbers = [await invoiceNumberOf('second'), await invoiceNumberOf('third')];
  expect([firstNumber, ...lostNumbers]).toEqual(['INV-000001', 'INV-000002', 'INV-000003']);
  const seen = new Seen();
  await seen.look();
  expect(callsTo(wholeLost)).toBe(1);
  expect(callsTo(partLost)).toBe(1);
  await service.kill();

  const printed = await galla('restore', file, inDir('restored'), '--passphrase-file', phraseFile);
  expect(printed).toContain('era 1 begins');
  service = await start(inDir('restored'));

  // money that arrived in the lost time is found without anybody's doing
  expect((await shop.untilStatus(paidLater.sessionId, 'success', seenMsMax)).at('paymentId')).toBe(
    paidLater.paymentId,
  );
  for (const lost of [wholeLost, partLost]) await untilReview(lost);
  expect((await shop.payment(abandoned.paymentId)).at('status')).not.toBe('success');
  expect((await shop.payment(untouched.paymentId)).value).toMatchObject({
    status: 'success',
    needsReview: false,
  });

  // refunds of what was refunded in the lost time are not called again
  for (const [lost, amount] of [
    [wholeLost, order.amount],
    [partLost, 25_050],
  ] as const) {
    const again = await refund(lost, amount);
    expect(seen.ids).not.toContain(again.text('id'));
    const held = await untilRefund(again.text('id'), 'requires_action');
    expect(held.text('failureReason')).toContain('shows a refund');
    expect(callsTo(lost)).toBe(1);
    await shop.api.must('POST', `/v1/refunds/${again.text('id')}/complete`, {});
  }
  expect((await shop.payment(wholeLost.paymentId)).value).toMatchObject({
    status: 'refunded',
    refundedAmount: order.amount,
  });
  expect((await shop.payment(partLost.paymentId)).value).toMatchObject({
    status: 'success',
    refundedAmount: 25_050,
  });
  // one that was not is called, once
  await untilRefund((await refund(untouched)).text('id'), 'succeeded');
  expect(callsTo(untouched)).toBe(1);

  // what was made in the lost time is named from the statement, not invented
  expect((await shop.api.get(`/v1/payments/${madeLater.paymentId}`)).status).toBe(404);
  const csv = `reference,amount,status\n${madeLaterRef},1250.50,Completed\n`;
  const [item] = await itemsOf(shop, await comparedFrom(shop, csv));
  expect(item?.value).toMatchObject({ result: 'unmatched_statement', paymentId: null });

  // keys
  const repeated = await keyed('known-to-the-backup');
  expect([repeated.status, repeated.text]).toEqual([replayed.status, replayed.text]);
  const fresh = await keyed('of-the-lost-time');
  expect(fresh.body.text('id')).not.toBe(lostKeyed.body.text('id'));
  expect((await keyed('of-the-lost-time')).text).toBe(fresh.text);

  // numbers go on with one gap, also after another start
  await pays(await begins());
  expect(await invoiceNumberOf('fourth')).toBe('INV-001002');
  await service.stop();
  service = await start(inDir('restored'));
  expect(await invoiceNumberOf('fifth')).toBe('INV-001003');

  // whatever a client was given before means what it meant, and everything new is new
  const now = new Seen();
  await now.look();
  for (const [id, text] of now.events) {
    if (known.events.has(id)) expect(text).toBe(known.events.get(id));
    else expect(seen.events.has(id), `${id} is given again: ${text}`).toBe(false);
  }
  const made = [...now.events].filter(([id]) => !known.events.has(id));
  expect(made.length).toBeGreaterThan(10);
  for (const [, text] of made) {
    // the API wrote it
    const { data, sequence } = JSON.parse(text) as Event;
    expect(sequence, text).toBeGreaterThan(seen.sequences.get(data.id ?? data.paymentId ?? '') ?? 0);
  }
  for (const id of now.ids)
    if (!known.ids.has(id)) expect(seen.ids.has(id), `${id} is given again`).toBe(false);
  for (const number of now.numbers) if (number !== firstNumber) expect(seen.numbers).not.toContain(number);
}, 240_000);

test('the same backup restored once more begins a higher era, if the operator names it', async () => {
  const file = join(dir, 'an-hour-ago.db.gz');
  const args = ['restore', file, inDir('again'), '--era', '2', '--invoices-from', '1003', '--json'];
  expect(JSON.parse(await galla(...args))).toMatchObject({ era: 2 });
});

const processesMax = 10;

/** The last commit of a process is that of a refund whose call is still to come; `file` becomes a backup of
 *  this instant. The commit can be one of another checkout, whose payment is looked up just then: then no
 *  refund was made, and the next process is tried. */
async function diesBeforeTheCall(
  paid: Bought,
  file: string,
): Promise<{ readonly made?: Body; readonly answered: string | null }> {
  for (let processes = 0; processes < processesMax; processes += 1) {
    await service.stop();
    service = await start(inDir('restored'), { GALLA_FAILPOINT: 'after_commit/checkout_session' });
    const answered = await refund(paid).then(
      (body) => body.text('id'),
      () => null,
    );
    await service.over;
    await rm(file, { force: true });
    await galla('backup', file, '--data-dir', inDir('restored'), '--passphrase-file', phraseFile);
    expect(callsTo(paid)).toBe(0);
    service = await start(inDir('restored'));
    const path = `/v1/refunds?paymentId=${paid.paymentId}`;
    const [made] = (await shop.api.must('GET', path)).body.list('data');
    if (made !== undefined) return { made, answered };
    expect(answered).toBeNull();
  }
  return { answered: null };
}

test('row 121: a refund that the backup knows, and that was called in the lost time, is proven by look-ups', async () => {
  const paid = await pays(await begins());
  const file = inDir('before-the-call.db.gz');
  const { made, answered } = await diesBeforeTheCall(paid, file);
  if (made === undefined) throw new Error('no process ended after the commit of a refund');
  if (answered !== null) expect(made.text('id')).toBe(answered);
  const id = made.text('id');
  await untilRefund(id, 'succeeded');
  expect(callsTo(paid)).toBe(1);
  await service.kill();

  expect(await galla('restore', file, inDir('second'), '--passphrase-file', phraseFile)).toContain(
    'era 2 begins',
  );
  service = await start(inDir('second'));
  await untilRefund(id, 'succeeded');
  expect(callsTo(paid)).toBe(1);
  expect((await shop.payment(paid.paymentId)).value).toMatchObject({ status: 'refunded' });
}, 180_000);
