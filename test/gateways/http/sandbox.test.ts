import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/cli/demo/api.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import type { Merchant } from '../../support/merchant.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile();

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
