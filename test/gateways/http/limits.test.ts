import { expect, test } from 'vitest';
import { startGalla } from '../../support/galla.ts';
import { gallaOfFile } from '../../support/of-file.ts';
import { expectRefusal } from '../../support/refusal.ts';

const galla = gallaOfFile({ GALLA_RATE_LIMITS: 'on' });

test('a key above its limit is told when to retry, and each of its answers shows the limit', async () => {
  const { api } = await galla.merchant();
  const answers = await Promise.all(Array.from({ length: 400 }, () => api.get('/v1/payments')));
  const refused = answers.filter(({ status }) => status === 429);
  const served = answers.filter(({ status }) => status === 200);
  expect(served.length).toBeGreaterThanOrEqual(50);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of served) {
    expect(headers.get('ratelimit-limit')).toBe('50');
    expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
    expect(headers.get('ratelimit-reset')).toMatch(/^\d+$/);
    expect(headers.get('retry-after')).toBeNull();
  }
  for (const answer of refused) {
    expectRefusal(answer, 'rate_limit_exceeded');
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
    const seconds = Number(answer.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    const unit = seconds === 1 ? 'second' : 'seconds';
    expect(answer.body.at('error.message')).toBe(`Too many requests. Try again in ${seconds} ${unit}.`);
  }
});

test('guessing keys ends in 429 for that address, while a valid key still works from it', async () => {
  const { api } = await galla.merchant();
  const guesses = Array.from({ length: 200 }, (_, n) => galla.with(`sk_test_${String(n).padStart(32, 'g')}`));
  const statuses = (await Promise.all(guesses.map((guess) => guess.get('/v1/payments')))).map(
    ({ status }) => status,
  );
  expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(60);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(100);
  expect((await api.get('/v1/payments')).status).toBe(200);
});

test('an address with too many returns is told when to retry', async () => {
  const answers = await Promise.all(
    Array.from({ length: 180 }, () => galla.nobody.get('/return/wallet_b/pay_4t8z1m6q3x9k2v7b/x/success')),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(120);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

test("an address with too many buyer's forms gets a page that explains the limit", async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => galla.nobody.send('POST', '/pay/cs_unknown/start')),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(30);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused) {
    expect(headers.get('content-type')).toContain('text/html');
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['30', '0']);
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
});

test('an address with too many requests for code images gets a page that explains the limit', async () => {
  const statuses: number[] = [];
  for (let round = 0; round < 7; round++) {
    const asked = Array.from({ length: 100 }, () => galla.nobody.get('/pay/cs_unknown/code.png'));
    statuses.push(...(await Promise.all(asked)).map(({ status }) => status));
  }
  expect(statuses.filter((status) => status === 404).length).toBeGreaterThanOrEqual(600);
  expect(statuses.at(-1)).toBe(429);
});

test('behind a trusted proxy each client has limits of its own, whatever header it sends', async () => {
  const behind = await startGalla({ GALLA_RATE_LIMITS: 'on', GALLA_TRUSTED_PROXIES: '127.0.0.1' });
  try {
    const guess = (forwarded: string): Promise<number> =>
      behind.nobody
        .get('/v1/payments', {
          headers: { 'x-forwarded-for': forwarded, authorization: `Bearer ${wrongKey}` },
        })
        .then(({ status }) => status);
    const guesses = Array.from({ length: 80 }, (_, n) => guess(`198.51.100.${n}, 203.0.113.1`));
    const statuses = await Promise.all(guesses);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(await guess('203.0.113.2')).toBe(401);
  } finally {
    await behind.stop();
  }
});

const wrongKey = 'sk_test_0000000000000000';
