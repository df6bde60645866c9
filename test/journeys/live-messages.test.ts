/** Live messages: handed over to a real mail server and a real SMS endpoint on this machine, and recorded. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  messageAt,
  messageIdOf,
  type MessageState,
  type ReceiptNotice,
} from '../../actors/message/messages.ts';
import { subscriptionAt, type SubscriptionCommands } from '../../actors/subscription/messages.ts';
import { mintId } from '../../src/kernel/id.ts';
import { start, type Galla } from '../../src/main.ts';
import { scopeOf } from '../../src/runtime/model/address.ts';
import { Api } from '../../src/cli/demo/api.ts';
import { Shop } from '../../src/cli/demo/shop.ts';
import { verifyStandard } from '../../src/cli/demo/signature.ts';
import { onFatal } from '../support/alone.ts';
import { Billing } from '../support/billing.ts';
import { eventually } from '../support/eventually.ts';
import { headerOf, MailServer } from '../support/mail-server.ts';
import { Merchant } from '../support/merchant.ts';

const smsSecret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
let dataDir: string;
let mail: MailServer;
let sms: Shop;
let galla: Galla;
let admin: Api;

const begin = async (env: { readonly [name: string]: string }): Promise<void> => {
  galla = await start({ onFatal, env: { PORT: '0', GALLA_DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...env } });
  admin = new Api(galla.url, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim());
};
const servers = () => ({
  GALLA_SMTP_URL: mail.url,
  GALLA_MAIL_FROM: 'Galla <pay@galla.example>',
  GALLA_SMS_URL: `${sms.url}/hooks`,
  GALLA_SMS_SECRET: smsSecret,
});

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'galla-test-'));
  [mail, sms] = await Promise.all([MailServer.open(), Shop.open()]);
  await begin(servers());
});
afterAll(async () => {
  await galla.stop();
  await Promise.all([mail.close(), sms.close()]);
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  mail.refusing = null;
});

/** A merchant's project, in live. */
async function project(plan: 'free' | 'premium' = 'premium'): Promise<string> {
  const made = { name: 'Example Store', email: `owner${performance.now()}@example.com`, plan };
  return (await admin.must('POST', '/admin/v1/merchants', made)).body.text('project.id');
}

const ended: readonly string[] = ['sent', 'not_sent', 'failed'];

/** A receipt is caused, as a session that was paid causes it. */
async function caused(projectId: string, channel: 'email' | 'sms', to: string) {
  const paymentId = mintId('pay');
  const notice: ReceiptNotice = {
    is: 'receipt',
    channel,
    to,
    language: 'ne',
    paymentId,
    amount: 125_050,
    description: 'Order 1001',
    provider: 'wallet_a',
    providerRef: '000AWEO',
    paidAt: Date.parse('2026-11-20T09:16:40.000Z'),
  };
  const id = messageIdOf(paymentId, ['receipt', channel]);
  const scope = scopeOf(projectId, 'live');
  const asked = await galla.node.client.ask(messageAt(id), 'open', { notice }, { by: 'system', scope });
  expect(asked.is).toBe('ok');
  return { paymentId, ...watched(id, projectId) };
}

/** What becomes of a live message. */
function watched(id: string, projectId: string) {
  const state = async (): Promise<MessageState | undefined> =>
    (await galla.node.client.read<MessageState>(messageAt(id), scopeOf(projectId, 'live')))?.state;
  const until = (are: (now: MessageState) => boolean): Promise<MessageState> =>
    eventually(
      async () => {
        const now = await state();
        return now !== undefined && are(now) ? now : null;
      },
      () => `message ${id} to be as said`,
    );
  return { id, until, untilEnded: () => until(({ status }) => ended.includes(status)) };
}

/** A live subscription whose first invoice has just opened. */
async function invoiced(email: string | null) {
  const projectId = await project();
  const { body } = await admin.must('POST', `/admin/v1/projects/${projectId}/keys`, {
    kind: 'secret',
    mode: 'live',
  });
  const api = new Api(galla.url, body.text('key'));
  const billing = new Billing(new Merchant(projectId, api, api));
  const customerId = (await billing.customer({ email })).text('id');
  const made = await billing.subscribe(await billing.plan(), { customerId });
  const [subscriptionId, invoiceId] = [made.text('id'), made.text('latestInvoice.id')];
  const scope = scopeOf(projectId, 'live');
  const asking = { by: 'merchant', scope } as const;
  return {
    api,
    customerId,
    invoiceId,
    ask: <K extends 'markPaid' | 'sendInvoice'>(command: K, data: SubscriptionCommands[K]) =>
      galla.node.client.ask(subscriptionAt(subscriptionId), command, data, asking),
    tryAgain: (id: string) =>
      galla.node.client.ask(messageAt(id), 'retryDue', { key: '' }, { by: 'system', scope }),
    mailOf: (...cause: readonly string[]) => watched(messageIdOf(invoiceId, ['mail', ...cause]), projectId),
    messages: async () => {
      const { items } = await galla.node.client.list({ kind: 'message', scope, page: 1, limit: 10 });
      return items.map(({ state }) => state as unknown as MessageState);
    },
    /** The mails that arrived about it. */
    received: () => mail.received.filter(({ raw }) => raw.includes(invoiceId)),
  };
}

test('row 27: in live a receipt is handed over once, and what became of it is on the timeline', async () => {
  const projectId = await project();
  const { id, paymentId, untilEnded } = await caused(projectId, 'email', 'asha@example.com');
  expect(await untilEnded()).toMatchObject({ status: 'sent', reason: '250 kept as 1', tries: 1 });
  const mine = () => mail.received.filter((one) => headerOf(one, 'Message-ID')?.includes(id));
  const [received] = mine();
  expect(received).toMatchObject({ from: 'pay@galla.example', to: ['asha@example.com'] });
  expect(received?.raw).not.toContain('test:');
  const { items } = await galla.node.client.listRows({
    kind: 'timeline',
    scope: scopeOf(projectId, 'live'),
    equals: { about: paymentId },
    page: 1,
    limit: 10,
  });
  expect(items.map(({ body }) => body['summary'])).toEqual(['Receipt by e-mail: the server has accepted it']);

  // once recorded it is not sent again, not even by a service that starts anew
  await galla.stop();
  await begin(servers());
  const next = await caused(projectId, 'email', 'bibek@example.com');
  await next.untilEnded();
  expect(mine()).toHaveLength(1);
});

test('a server that is not there, or says later, is asked again by the schedule; one that refuses is not', async () => {
  const projectId = await project();
  mail.refusing = 451;
  const waits = await caused(projectId, 'email', 'later@example.com');
  expect(await waits.until(({ tries }) => tries === 1)).toMatchObject({ status: 'sending' });
  mail.refusing = 550;
  const refused = await caused(projectId, 'email', 'nobody@example.com');
  expect(await refused.untilEnded()).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('550'),
  });
});

test('row 27: an SMS goes to the endpoint of the operator, signed as webhooks are, on premium alone', async () => {
  const { id, paymentId, untilEnded } = await caused(await project(), 'sms', '+977 980-0000000');
  expect(await untilEnded()).toMatchObject({ status: 'sent', reason: '200' });
  const [heard] = sms.webhooks;
  if (heard === undefined) throw new Error('no SMS came');
  verifyStandard(heard, smsSecret);
  expect(JSON.parse(heard.raw.toString())).toEqual({
    to: '+977 980-0000000',
    text: `Example Store लाई NPR 1,250.50 भुक्तानी भयो। भुक्तानी नम्बर ${paymentId}।`,
    id,
  });
  const free = await caused(await project('free'), 'sms', '9800000000');
  expect(await free.untilEnded()).toMatchObject({
    status: 'not_sent',
    reason: expect.stringContaining('plan'),
  });
  expect(sms.webhooks).toHaveLength(1);

  sms.answering = () => ({ status: 400 });
  const refused = await caused(await project(), 'sms', '9800000000');
  expect(await refused.untilEnded()).toMatchObject({ status: 'failed', tries: 1 });
  sms.answering = () => ({ status: 503 });
  const waits = await caused(await project(), 'sms', '9800000000');
  expect(await waits.until(({ tries }) => tries === 1)).toMatchObject({ status: 'sending' });
});

test('the mail of an invoice goes to its customer, with the address of its page', async () => {
  const { mailOf, received, invoiceId } = await invoiced('asha@example.com');
  expect(await mailOf('opened').untilEnded()).toMatchObject({ status: 'sent', tries: 1 });
  const [arrived] = received();
  expect(received()).toHaveLength(1);
  expect(arrived?.to).toEqual(['asha@example.com']);
  // the words of the body are encoded for the way, the address of the page is not
  expect(arrived?.raw).toContain(`/invoice/${invoiceId}`);
  expect(arrived?.raw).not.toContain('This is a test');
});

test('row 53: a mail that has to wait for its server is not sent once the invoice is paid', async () => {
  mail.refusing = 451;
  const { mailOf, ask, tryAgain, received, invoiceId } = await invoiced('late@example.com');
  const waiting = mailOf('opened');
  await waiting.until(({ tries }) => tries === 1);
  mail.refusing = null;
  expect((await ask('markPaid', { invoiceId, paidAt: null, notes: null })).is).toBe('ok');
  await tryAgain(waiting.id);
  expect(await waiting.untilEnded()).toMatchObject({
    status: 'not_sent',
    reason: 'the invoice is paid or voided',
    tries: 2,
  });
  expect(received()).toEqual([]);
});

test('a mail goes to the address that the customer has by then; without one there is none', async () => {
  mail.refusing = 451;
  const { api, customerId, mailOf, tryAgain, received } = await invoiced('wrong@example.com');
  const waiting = mailOf('opened');
  await waiting.until(({ tries }) => tries === 1);
  mail.refusing = null;
  await api.must('PATCH', `/v1/billing/customers/${customerId}`, { email: 'right@example.com' });
  await tryAgain(waiting.id);
  expect(await waiting.untilEnded()).toMatchObject({ status: 'sent' });
  expect(received().map(({ to }) => to)).toEqual([['right@example.com']]);
});

test('a customer without an address gets no mail; the event tells of the invoice all the same', async () => {
  const { api, ask, invoiceId, messages, received } = await invoiced(null);
  const [event] = await eventually(
    async () => {
      const found = (await api.must('GET', `/v1/events?objectId=${invoiceId}`)).body.list('data');
      return found.length === 0 ? null : found;
    },
    () => 'the event of the invoice',
  );
  expect(event?.at('type')).toBe('invoice.created');
  expect((await ask('sendInvoice', { invoiceId })).is).toBe('ok');
  const [asked, ...others] = await eventually(
    async () => {
      const all = await messages();
      return all.some(({ status }) => status === 'sending') || all.length === 0 ? null : all;
    },
    () => 'the message that was asked for to end',
  );
  expect([asked, others]).toMatchObject([
    { status: 'not_sent', reason: 'the customer has no e-mail address', notice: { cause: 'again' } },
    [],
  ]);
  expect(received()).toEqual([]);
});

test('without the settings live messages are recorded as not sent', async () => {
  await galla.stop();
  await begin({});
  const projectId = await project();
  const [one, two] = [
    await caused(projectId, 'email', 'asha@example.com'),
    await caused(projectId, 'sms', '9800000000'),
  ];
  expect(await one.untilEnded()).toMatchObject({ status: 'not_sent', reason: 'GALLA_SMTP_URL is not set' });
  expect(await two.untilEnded()).toMatchObject({ status: 'not_sent', reason: 'GALLA_SMS_URL is not set' });
});
