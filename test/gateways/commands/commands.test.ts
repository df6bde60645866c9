/** Commands of other programs, as their door sees them: what they do, who may send them, what a repeat is told. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ageMsMax, aheadMsMax } from '../../../gateways/commands/records.ts';
import { refusedKeptMax } from '../../../gateways/commands/refused-commands.ts';
import { iso } from '../../../src/kernel/time.ts';
import type { Client } from '../../../src/runtime/model/client.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import type { Merchant } from '../../support/merchant.ts';
import { paidPayment } from '../../support/refunds.ts';
import { commandRig, toldIn, type CommandRig } from './rig.ts';

let galla: Galla;
let rig: CommandRig;
let shop: Merchant;
beforeAll(async () => {
  galla = await startGalla();
  rig = commandRig(galla);
  shop = await galla.merchant();
});
afterAll(() => galla.stop());

const at = (kind: string, id: string): string => `${shop.projectId}.sandbox.${kind}.${id}`;
const made = async (path: string, body: object): Promise<string> =>
  (await shop.api.must('POST', `/v1/billing/${path}`, body)).body.text('id');

async function subscription(): Promise<string> {
  const planId = await made('plans', { name: 'Monthly', amount: 150_000, intervalUnit: 'month' });
  const customerId = await made('customers', { name: 'Asha Rai' });
  return made('subscriptions', { planId, customerId });
}

const dead = async () => (await galla.admin.must('GET', '/admin/v1/dead?limit=100')).body.list('data');
/** The reasons of what this user sent. */
const refusedOf = async (user: string): Promise<readonly unknown[]> =>
  (await dead()).filter((row) => row.at('from') === `nats:${user}`).map((row) => row.at('reason'));

describe('what commands do', () => {
  test('a subscription is paused, resumed, given another plan and cancelled', async () => {
    const id = await subscription();
    const to = at('subscription', id);
    const paused = await rig.told({ to, command: 'pause', body: { pauseReason: 'Holiday' } });
    expect(paused).toMatchObject({ status: 200, replayed: false, body: { id, status: 'paused' } });
    expect(await rig.told({ to, command: 'resume' })).toMatchObject({ body: { status: 'active' } });
    const planId = await made('plans', { name: 'Dearer', amount: 300_000, intervalUnit: 'month' });
    expect(await rig.told({ to, command: 'change-plan', body: { planId } })).toMatchObject({
      status: 200,
      body: { nextPlan: { id: planId } },
    });
    const ended = await rig.told({ to, command: 'cancel', body: { atPeriodEnd: false } });
    expect(ended).toMatchObject({ body: { status: 'cancelled' } });
  });

  test('a session is expired, an invoice voided, a payment refunded', async () => {
    const session = (await shop.checkout()).text('id');
    const expired = await rig.told({ to: at('checkout_session', session), command: 'expire' });
    expect(expired).toMatchObject({ status: 200, body: { id: session, status: 'expired' } });
    const id = await subscription();
    const [invoice] = (await shop.api.must('GET', `/v1/billing/invoices?subscriptionId=${id}`)).body.list(
      'data',
    );
    const invoiceId = invoice?.text('id') ?? expect.unreachable();
    expect(await rig.told({ to: at('invoice', invoiceId), command: 'void' })).toMatchObject({
      body: { id: invoiceId, status: 'voided' },
    });
    const paymentId = (await paidPayment(shop)).text('id');
    const body = { amount: 25_050, reason: 'other' };
    const refund = await rig.told({ to: at('payment', paymentId), command: 'refund', body });
    expect(refund).toMatchObject({ status: 201, body: { paymentId, amount: 25_050 } });
  });

  test('a delivery is sent again', async () => {
    const hooks = await galla.shop();
    await shop.endpoint(hooks, ['checkout.created']);
    await shop.checkout();
    const endpoints = (await shop.api.must('GET', '/v1/webhooks')).body.list('data');
    const list = `/v1/webhooks/${endpoints[0]?.text('id')}/deliveries`;
    await expect
      .poll(async () => (await shop.api.must('GET', list)).body.at('data.0.status'), { timeout: 10_000 })
      .toBe('success');
    const id = (await shop.api.must('GET', list)).body.text('data.0.id');
    const told = await rig.told({ to: at('webhook_delivery', id), command: 'retry' });
    expect(told).toMatchObject({ status: 200, body: { id } });
  });

  test('a refusal of the actor is an outcome like any other', async () => {
    const to = at('subscription', await subscription());
    const refusal = await rig.told({ to, command: 'resume' });
    expect(refusal).toMatchObject({ status: 409, body: { error: { code: 'invalid_state' } } });
    const wrong = await rig.told({ to, command: 'pause', body: { resumeAt: 'soon' } });
    expect(wrong).toMatchObject({ status: 400, body: { error: { param: 'resumeAt' } } });
  });
});

describe('once', () => {
  test('sent five times at once, it is executed once, and all are told one outcome', async () => {
    const paymentId = (await paidPayment(shop)).text('id');
    const message = {
      to: at('payment', paymentId),
      command: 'refund',
      body: { amount: 100, reason: 'other' },
      id: 'five-at-once',
      at: new Date().toISOString(),
    };
    const ends = await Promise.all(Array.from({ length: 5 }, () => rig.execute(message)));
    // who comes while another one is at it comes again
    const later = await rig.told(message);
    const told = ends.filter(({ is }) => is === 'ended').map(toldIn);
    expect(told.length).toBeGreaterThan(0);
    expect(later.replayed).toBe(true);
    for (const one of told) expect(one.body).toEqual(later.body);
    expect((await shop.payment(paymentId)).at('refundedAmount')).toBe(100);
  });

  test('a repeat is told the outcome of then, also when the test clock has gone on for a month', async () => {
    const to = at('subscription', await subscription());
    const message = { to, command: 'pause', id: 'of-last-month', at: new Date().toISOString() };
    const first = await rig.told(message);
    await rig.told({ to, command: 'resume' });
    await shop.advance(31 * 86_400);
    const repeat = await rig.told(message);
    expect(repeat).toEqual({ ...first, replayed: true });
    const now = await shop.api.must('GET', `/v1/billing/subscriptions/${to.split('.').at(-1)}`);
    expect(now.body.at('status')).not.toBe('paused');
  });

  test('an id means one command: with anything else it is refused', async () => {
    const to = at('subscription', await subscription());
    const message = { to, command: 'pause', id: 'one-meaning', at: new Date().toISOString() };
    await rig.told(message);
    const others = [
      { ...message, body: { pauseReason: 'Another' } },
      { ...message, command: 'cancel' },
      { ...message, at: new Date(Date.now() - 1000).toISOString() },
      { ...message, to: at('subscription', await subscription()) },
    ];
    for (const other of others)
      expect(await rig.told(other)).toMatchObject({
        status: 422,
        body: { error: { code: 'idempotency_key_reused' } },
      });
  });

  test('two users may use one id: their commands have nothing to do with each other', async () => {
    const to = at('subscription', await subscription());
    expect(await rig.told({ to, command: 'pause', id: 'same', user: 'billing' })).toMatchObject({
      status: 200,
    });
    const other = await rig.told({ to, command: 'resume', id: 'same', user: 'support' });
    expect(other).toMatchObject({ status: 200, replayed: false });
  });

  test('one that was executed is never refused later: whoever takes it over goes on', async () => {
    const to = at('subscription', await subscription());
    const message = { to, command: 'pause', id: 'taken-over', at: new Date().toISOString() };
    // the node dies between the command and the record's end
    const dying = commandRig(galla, (client) => without(client, 'complete'));
    expect(await dying.execute(message)).toEqual({ is: 'again' });
    rig.aheadMs = ageMsMax + 60_000;
    try {
      expect(await rig.told(message)).toMatchObject({ status: 200, body: { status: 'paused' } });
      expect(await rig.told({ ...message, id: 'another' })).toMatchObject({ status: 410 });
    } finally {
      rig.aheadMs = 0;
    }
  });
});

/** A client whose record never learns of the end. */
const without = (client: Client, lost: string): Client =>
  new Proxy(client, {
    get: (of, name) =>
      name === 'ask'
        ? (to: never, command: string, ...rest: [never, never]) =>
            command === lost ? Promise.resolve({ is: 'unknown' }) : of.ask(to, command as never, ...rest)
        : Reflect.get(of, name),
  });

describe('what is refused', () => {
  const refusedAs = async (code: string, user: string, message: object): Promise<void> => {
    const base = { to: at('subscription', 'sub_0'), command: 'pause', user };
    const { body } = await rig.told({ ...base, ...message });
    expect(body, JSON.stringify(message)).toMatchObject({ error: { code } });
    expect(await refusedOf(user)).toContain(code);
  };

  test("another project's object, and one of the other mode, do not exist", async () => {
    const other = await galla.merchant();
    const id = await subscription();
    const scopes = [`${other.projectId}.sandbox`, `${shop.projectId}.live`, 'prj_none.sandbox'];
    for (const [n, scope] of scopes.entries())
      await refusedAs('resource_not_found', `foreign${n}`, { to: `${scope}.subscription.${id}` });
    expect((await shop.api.must('GET', `/v1/billing/subscriptions/${id}`)).body.at('status')).toBe('active');
  });

  test('a kind or a command that is not offered is refused', async () => {
    const to = (kind: string): string => at(kind, 'x_1');
    await refusedAs('command_not_offered', 'no-kind', { to: to('merchant'), command: 'pause' });
    await refusedAs('command_not_offered', 'no-name', { command: 'delete' });
    await refusedAs('command_not_offered', 'no-proto', { to: to('constructor'), command: 'constructor' });
    expect(await rig.execute({ to: 'prj_x', command: 'pause' })).toMatchObject({ subject: null });
  });

  test('a message that cannot be read, one without an id, one of too many', async () => {
    await refusedAs('invalid_json', 'no-json', { data: Buffer.from('{') });
    await refusedAs('validation_failed', 'no-at', { data: Buffer.from('{"command":"pause"}') });
    await refusedAs('validation_failed', 'no-body', { body: [] });
    await refusedAs('idempotency_key_invalid', 'no-id', { id: '' });
    await refusedAs('rate_limit_exceeded', 'too-many', { tooMany: true });
  });

  test('a field that names another object than the subject is refused', async () => {
    const paymentId = (await paidPayment(shop)).text('id');
    const body = { amount: 100, reason: 'other', paymentId: 'pay_0000000000000000' };
    await refusedAs('validation_failed', 'two-names', {
      to: at('payment', paymentId),
      command: 'refund',
      body,
    });
  });

  test('outcomes are told below what the user may hear, and nowhere else', async () => {
    const to = at('subscription', await subscription());
    const own = `outcome.${shop.projectId}.billing.jobs.7`;
    expect(await rig.execute({ to, command: 'pause', replyTo: own })).toMatchObject({ subject: own });
    const usual = `outcome.${shop.projectId}.billing.default`;
    expect(await rig.execute({ to, command: 'resume' })).toMatchObject({ subject: usual });
    for (const replyTo of [
      'actor.1.x.y',
      `outcome.${shop.projectId}.support.x`,
      `${own}.*`,
      `${own}.`,
      '>',
    ]) {
      const end = await rig.execute({ to, command: 'pause', replyTo });
      expect(end).toMatchObject({ subject: usual });
      expect(toldIn(end)).toMatchObject({ status: 400, body: { error: { param: 'Reply-To' } } });
    }
  });

  test('24 hours old it is executed, a moment older it is not, by the clock of the store', async () => {
    const to = at('subscription', await subscription());
    const now = Date.now();
    rig.aheadMs = 3_600_000;
    try {
      const old = { to, command: 'pause', id: 'old', at: iso(now + rig.aheadMs - ageMsMax - 1) };
      expect(await rig.told(old)).toMatchObject({
        status: 410,
        body: { error: { code: 'command_expired' } },
      });
      const young = { to, command: 'pause', at: iso(Date.now() + rig.aheadMs - ageMsMax + 5000) };
      expect(await rig.told(young)).toMatchObject({ status: 200 });
      const ahead = {
        to,
        command: 'resume',
        id: 'ahead',
        at: iso(Date.now() + rig.aheadMs + aheadMsMax + 5000),
      };
      expect(await rig.told(ahead)).toMatchObject({ status: 400, body: { error: { param: 'at' } } });
      // the outcome stays, though its time has come
      rig.aheadMs += 60_000;
      expect(await rig.told(ahead)).toMatchObject({ status: 400, replayed: true });
      const within = { to, command: 'resume', at: iso(Date.now() + rig.aheadMs + aheadMsMax - 5000) };
      expect(await rig.told(within)).toMatchObject({ status: 200 });
    } finally {
      rig.aheadMs = 0;
    }
  });

  test('a suspended merchant sends nothing, and a repeat is told the same when he is back', async () => {
    const fields = { name: 'S', email: 's@example.com' };
    const { body } = await galla.admin.must('POST', '/admin/v1/merchants', fields);
    const merchantId = body.text('merchant.id');
    const scope = `${body.text('project.id')}.sandbox`;
    await galla.admin.must('POST', `/admin/v1/merchants/${merchantId}/suspend`, { reason: 'Review.' });
    const message = {
      to: `${scope}.subscription.sub_0`,
      command: 'pause',
      id: 's',
      at: new Date().toISOString(),
    };
    const first = await rig.told(message);
    expect(first).toMatchObject({ status: 403, body: { error: { code: 'account_suspended' } } });
    await galla.admin.must('POST', `/admin/v1/merchants/${merchantId}/unsuspend`);
    expect(await rig.told(message)).toEqual({ ...first, replayed: true });
  });

  test('however many are refused, the operator keeps so many of each user', async () => {
    for (let n = 0; n < refusedKeptMax * 3; n++)
      await rig.told({ to: at('subscription', 'sub_0'), command: 'none', user: 'flood', id: `flood-${n}` });
    const kept = (await refusedOf('flood')).length;
    expect(kept).toBeGreaterThan(refusedKeptMax / 2);
    expect(kept).toBeLessThanOrEqual(refusedKeptMax);
  });
});
