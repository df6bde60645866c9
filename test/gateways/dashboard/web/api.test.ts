import { describe, expect, test } from 'vitest';
import { openApi, type Api } from '../../../../gateways/dashboard/web/wire/api.ts';
import { isUnclear } from '../../../../gateways/dashboard/web/wire/failure.ts';

const place = { projectId: 'prj_1', mode: 'sandbox' } as const;
const me = { email: 'a@example.com', csrf: 'token-1', projects: [] };
const json = (status: number, body: object): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const refused = (status: number, code: string): Response => json(status, { error: { message: 'No.', code } });

/** The page's side of an exchange: what it asked, and the answers it is given in turn. */
function exchange(...answers: readonly (Response | 'silent')[]): {
  api: Api;
  asked: string[];
  loggedOut: () => number;
} {
  const asked: string[] = [];
  const left = [...answers];
  let logouts = 0;
  const api = openApi({
    sendUpload: () => Promise.reject(new Error('nothing is uploaded here')),
    fetch: (address, init) => {
      const token = new Headers(init?.headers).get('x-csrf-token');
      asked.push(
        `${init?.method} ${typeof address === 'string' ? address : ''}${token === null ? '' : ` ${token}`}`,
      );
      const answer = left.shift() ?? 'silent';
      return answer === 'silent' ? Promise.reject(new TypeError('no network')) : Promise.resolve(answer);
    },
    onLoggedOut: () => void logouts++,
  });
  return { api, asked, loggedOut: () => logouts };
}

describe('the API of the page', () => {
  test('sends its session token with changes, and with nothing else', async () => {
    const { api, asked } = exchange(json(200, me), json(200, {}), json(200, { data: [] }));
    await api.me();
    await api.call('POST /v1/webhooks/deliveries/{id}/retry', place, { id: 'whd_1' });
    await api.call('GET /v1/webhooks', place);
    expect(asked).toEqual([
      'GET /dashboard/api/me',
      'POST /dashboard/api/prj_1/sandbox/webhooks/deliveries/whd_1/retry token-1',
      'GET /dashboard/api/prj_1/sandbox/webhooks',
    ]);
  });

  test.each([
    ['no answer', 'silent', true],
    ['503', refused(503, 'service_unavailable'), true],
    ['an answer of something in between', new Response('<html>', { status: 502 }), true],
    [
      'the first one still running',
      json(409, { error: 'Still running.', code: 'idempotency_conflict' }),
      true,
    ],
    ['a refusal', refused(422, 'amount_exceeds_refundable'), false],
    ['too many requests', refused(429, 'rate_limit_exceeded'), false],
  ] as const)('knows after %s whether a refund may have been opened', async (_what, answer, unclear) => {
    const { api } = exchange(json(200, me), answer);
    await api.me();
    const request = {
      paymentId: 'pay_1',
      amount: 1,
      reason: 'other',
      notes: null,
      mobileNumber: null,
    } as const;
    const result = await api.call('POST /v1/refunds', place, { body: request, key: 'key' });
    expect(result.ok ? null : isUnclear(result.failure)).toBe(unclear);
  });

  test('reads a refused token again, once, and continues', async () => {
    const { api, asked } = exchange(
      refused(403, 'csrf_token_invalid'),
      json(200, { ...me, csrf: 'token-2' }),
      json(200, { id: 'whd_1' }),
    );
    expect(await api.call('POST /v1/webhooks/deliveries/{id}/retry', place, { id: 'whd_1' })).toEqual({
      ok: true,
      value: { id: 'whd_1' },
    });
    expect(asked.at(-1)).toMatch(/token-2$/);
  });

  test('does not retry endlessly with a token that is always refused', async () => {
    const { api, asked } = exchange(
      refused(403, 'csrf_token_invalid'),
      json(200, me),
      refused(403, 'csrf_token_invalid'),
    );
    expect(await api.call('POST /v1/webhooks/deliveries/{id}/retry', place, { id: 'whd_1' })).toMatchObject({
      ok: false,
      failure: { status: 403 },
    });
    expect(asked).toHaveLength(3);
  });

  test('reports that the login has ended, but not for the check whether one is logged in', async () => {
    const { api, loggedOut } = exchange(refused(401, 'login_required'), refused(401, 'login_required'));
    await api.me();
    expect(loggedOut()).toBe(0);
    await api.call('GET payments/{id}', place, { id: 'pay_1' });
    expect(loggedOut()).toBe(1);
  });

  test('treats a missing or unreadable answer as "not logged in"', async () => {
    const { api } = exchange(new Response(null, { status: 204 }));
    expect(await api.me()).toMatchObject({ ok: false, failure: { status: 401 } });
  });

  test('reports that the browser did not store the login', async () => {
    const { api } = exchange(json(200, me), refused(401, 'login_required'));
    expect(await api.logIn('a@example.com', 'x')).toMatchObject({ failure: { code: 'cookie_not_kept' } });
  });

  test('never rejects: no network, no JSON and wrong JSON are values', async () => {
    const { api } = exchange(
      'silent',
      new Response('<html>', { status: 502 }),
      new Response('', { status: 200 }),
    );
    for (const code of ['unreachable', 'unreadable', 'unreadable']) {
      expect(await api.call('GET /v1/webhooks', place)).toMatchObject({ ok: false, failure: { code } });
    }
  });

  test('no id changes the path it is inserted into', async () => {
    const { api, asked } = exchange();
    await api.call('GET payments/{id}', place, { id: '../../../login?x' });
    expect(asked).toEqual(['GET /dashboard/api/prj_1/sandbox/payments/..%2F..%2F..%2Flogin%3Fx']);
  });
});
