import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/testing/demo/api.ts';
import { Billing } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { startGalla, type Galla } from '../../support/galla.ts';
import type { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';

let galla: Galla;
beforeAll(async () => {
  galla = await startGalla();
});
afterAll(() => galla.stop());

describe('the test clock', () => {
  test('returns its time, and advances in two ways', async () => {
    const mine = await galla.merchant();
    await mine.checkout();
    const before = (await mine.clock()).value as { [key: string]: unknown };
    expect(Object.keys(before)).toEqual([
      'projectId',
      'livemode',
      'now',
      'offsetSeconds',
      'status',
      'fired',
      'pendingTimers',
      'nextTimerAt',
    ]);
    expect(before).toMatchObject({
      projectId: mine.projectId,
      livemode: false,
      offsetSeconds: 0,
      status: 'ready',
      fired: 0,
      pendingTimers: 1,
    });
    const after = await mine.api.must('POST', '/v1/test/clock/advance', { bySeconds: 3600 });
    expect(after.body.value).toMatchObject({
      offsetSeconds: 3600,
      status: 'ready',
      fired: 1,
      pendingTimers: 0,
      nextTimerAt: null,
    });
    expectRefusal(
      await mine.api.post('/v1/test/clock/advance', { to: '2020-01-01T00:00:00Z' }),
      'validation_failed',
      ['to must_be_later'],
    );
    expectRefusal(await mine.api.post('/v1/test/clock/advance', {}), 'validation_failed', [
      'to mutually_exclusive',
    ]);
    expectRefusal(
      await mine.api.post('/v1/test/clock/advance', { to: '2036-01-01T00:00:00Z', bySeconds: 1 }),
      'validation_failed',
      ['to mutually_exclusive'],
    );
  });
});

test('a long advance is stopped: it answers where it has come to, and the clock goes on from there', async () => {
  const mine = await galla.merchant();
  const billing = new Billing(mine);
  const begun = Date.parse((await mine.clock()).text('now'));
  const planId = (await billing.plan({ intervalUnit: 'day' })).text('id');
  const customerId = (await billing.customer()).text('id');
  for (let made = 0; made < 10; made++)
    await mine.api.must('POST', '/v1/billing/subscriptions', { planId, customerId });
  const yearMs = 366 * 86_400_000;
  const advance = mine.api.must('POST', '/v1/test/clock/advance', { bySeconds: yearMs / 1000 });
  await eventually(
    async () => Number((await mine.clock()).at('fired')) > 20 || null,
    () => 'the first timers of the advance',
  );
  const stopped = (await mine.api.must('POST', '/v1/test/clock/stop')).body;
  expect(stopped.at('status')).toBe('ready');
  const reached = Date.parse(stopped.text('now')) - begun;
  expect(reached).toBeGreaterThan(86_400_000);
  expect(reached).toBeLessThan(yearMs);
  const answered = (await advance).body;
  expect([answered.at('status'), answered.at('fired')]).toEqual(['ready', stopped.at('fired')]);
  // no subscription was billed for a day that has not come
  for (const one of (await mine.api.must('GET', '/v1/billing/subscriptions')).body.list('data'))
    expect(Number(one.at('cyclesBilled'))).toBeLessThanOrEqual(reached / 86_400_000 + 2);

  const again = (await mine.api.must('POST', '/v1/test/clock/stop')).body;
  expect([again.at('status'), again.at('fired')]).toEqual(['ready', stopped.at('fired')]);
  const next = (await mine.api.must('POST', '/v1/test/clock/advance', { bySeconds: 60 })).body;
  expect(Date.parse(next.text('now'))).toBeGreaterThan(Date.parse(stopped.text('now')));
}, 60_000);

describe('the end of the test clock', () => {
  const advance = (mine: Merchant, body: object): Promise<Answer> =>
    mine.api.post('/v1/test/clock/advance', body);

  test('is the year 2100: neither way passes it, and it can be reached', async () => {
    const mine = await galla.merchant();
    const end = '2100-01-01T00:00:00.000Z';
    for (const to of ['2100-01-01T00:00:00.001Z', '2100-01-01T00:00:00-00:15', '9999-12-31T23:59:59Z']) {
      const answer = await advance(mine, { to });
      expectRefusal(answer, 'validation_failed', ['to too_large']);
      expect(answer.body.at('error.message')).toBe(`to must be at most ${end}.`);
    }
    expect((await mine.clock()).at('offsetSeconds')).toBe(0);
    expect((await advance(mine, { to: '2099-12-31T23:00:00Z' })).status).toBe(200);
    const answer = await advance(mine, { bySeconds: 31_622_400 });
    expectRefusal(answer, 'validation_failed', ['bySeconds too_large']);
    const left = Number(/at most (\d+)\./.exec(answer.body.text('error.message'))?.[1]);
    expect(left).toBeGreaterThan(3000);
    expect(left).toBeLessThanOrEqual(3600);
    expectRefusal(await advance(mine, { to: end, bySeconds: 'x' }), 'validation_failed', [
      'to mutually_exclusive',
      'bySeconds wrong_type',
    ]);
    expectRefusal(await advance(mine, { to: 5, bySeconds: 1 }), 'validation_failed', ['to wrong_type']);
    expect((await advance(mine, { to: end })).status).toBe(200);
    expect((await mine.checkout()).text('createdAt')).toMatch(/^2100-01-01T00:/);
  });
});

test('simulate lists the outcomes, and those that this provider supports', async () => {
  const mine = await galla.merchant();
  const id = (await mine.checkout()).text('id');
  const simulate = (outcome: string): Promise<Answer> =>
    mine.api.post(`/v1/test/checkout/${id}/simulate`, { outcome, provider: 'wallet_b' });
  const unknown = await simulate('sucess');
  expectRefusal(unknown, 'validation_failed', ['outcome not_in_enum']);
  expect(unknown.body.text('error.message')).toMatch(
    /^outcome must be one of: success, declined, .*bad_signature/,
  );
  const unshowable = await simulate('bad_signature');
  expectRefusal(unshowable, 'validation_failed', ['outcome not_in_enum']);
  expect(unshowable.body.text('error.message')).toMatch(/^outcome must be one of: success, declined, /);
  expect(unshowable.body.text('error.message')).not.toContain('bad_signature');
});

describe('simulate, where the provider fails the start', () => {
  test("answers the session's current state, and the same again for the same key", async () => {
    const mine = await galla.merchant();
    const id = (await mine.checkout()).text('id');
    await mine.faults([{ call: 'start', kind: 'http_502' }]);
    const simulate = (session: string, key: string): Promise<Answer> =>
      mine.api.send('POST', `/v1/test/checkout/${session}/simulate`, {
        body: { outcome: 'success', provider: 'wallet_b' },
        headers: { 'idempotency-key': key },
      });
    const [one, again] = [await simulate(id, 'k1'), await simulate(id, 'k1')];
    expect([one.status, again.status, again.text]).toEqual([200, 200, one.text]);
    expect(one.body.at('status')).toBe('pending');
    expect(
      (await mine.api.must('GET', '/v1/payments')).body.list('data').map((each) => each.at('status')),
    ).toEqual(['failed']);
    for (const key of ['k2', 'k3', 'k4']) expect((await simulate(id, key)).status).toBe(200);
    expect((await simulate(id, 'k5')).body.at('status')).toBe('failed');
    const next = (await mine.checkout()).text('id');
    expectRefusal(await simulate(next, 'k6'), 'provider_unavailable');
    expect((await mine.session(next)).at('status')).toBe('pending');
    expect((await mine.api.must('GET', '/v1/payments')).body.at('total')).toBe(5);
  });
});
