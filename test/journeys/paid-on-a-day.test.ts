/** What was paid on a day: the list, its CSV and the dashboard's home count the same payments, to the paisa, also money
 *  that straddles midnight in Nepal and money that comes late. What was paid back on a day is found likewise. */
import { expect, test } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { describeModes } from '../support/modes.ts';
import { Api } from '../../src/testing/demo/api.ts';

const dayMs = 86_400_000;
const kathmanduMs = 20_700_000;
/** Midnight in Nepal after this instant. */
const nextMidnight = (text: string): number =>
  (Math.floor((Date.parse(text) + kathmanduMs) / dayMs) + 1) * dayMs - kathmanduMs;
const iso = (at: number): string => new Date(at).toISOString();

describeModes('paid on a day', (galla) => {
  test('list, CSV and home agree on two days, with money that straddles midnight, is late, or is refunded', async () => {
    const [url = ''] = galla().urls;
    const person = await merchantWithLogin(galla().admin, { email: `day${Date.now()}@example.com` });
    const fields = { mode: 'sandbox', kind: 'secret' };
    const made = await galla().admin.must('POST', `/admin/v1/projects/${person.projectId}/keys`, fields);
    const api = new Api(url, made.body.text('key'));
    const shop = new Merchant(person.projectId, api, api);
    const page = new Page(url);
    expect((await page.logIn(person)).status).toBe(200);
    const play = async (id: string, outcome: string): Promise<void> =>
      void (await shop.api.must('POST', `/v1/test/checkout/${id}/simulate`, {
        outcome,
        provider: 'wallet_b',
      }));
    const paid = async (id: string): Promise<string> =>
      (await shop.untilStatus(id, 'success')).text('paymentId');
    const opened = async (amount: number): Promise<string> => (await shop.checkout({ amount })).text('id');

    const midnight = nextMidnight((await shop.clock()).text('now'));
    await shop.advance(iso(midnight - 600_000));
    const before = await opened(125_051);
    await play(before, 'success');
    const paidBefore = await paid(before);
    const straddling = await opened(20_003);
    const late = await opened(30_007);
    // its money arrives a minute after its end
    await shop.advance(iso(midnight - 30_000));
    await play(late, 'late_success');
    await shop.untilStatus(late, 'initiated');
    await shop.api.must('POST', `/v1/checkout/${late}/expire`);
    await shop.advance(iso(midnight + 150_000));
    await play(straddling, 'success');
    const paidAfter = await paid(straddling);
    const paidLate = await paid(late);
    const refund = { paymentId: paidBefore, amount: 5001, reason: 'other' };
    const refundId = (await shop.api.must('POST', '/v1/refunds', refund)).body.text('id');

    const listed = async (from: number, to: number) => {
      const query = `paidFrom=${iso(from)}&paidTo=${iso(to)}`;
      const { body } = await shop.api.must('GET', `/v1/payments?${query}`);
      const csv = await shop.api.get(`/v1/payments?${query}`, { headers: { accept: 'text/csv' } });
      const [head = '', ...lines] = csv.text.trim().split(/\r?\n/);
      const at = head.split(',').indexOf('id');
      const rows = body.list('data');
      expect(lines.map((line) => line.split(',')[at])).toEqual(rows.map((row) => row.text('id')));
      expect(body.at('total')).toBe(rows.length);
      const times = rows.map((row) => row.text('paidAt'));
      expect(times).toEqual(times.toSorted().toReversed());
      const sum = rows.reduce((total, row) => total + Number(row.at('amount')), 0);
      return { ids: rows.map((row) => row.text('id')).toSorted(), sum };
    };
    const first = await listed(midnight - dayMs, midnight);
    expect(first).toEqual({ ids: [paidBefore], sum: 125_051 });
    const second = await listed(midnight, midnight + dayMs);
    expect(second).toEqual({ ids: [paidAfter, paidLate].toSorted(), sum: 50_010 });
    expect((await shop.payment(paidLate)).at('late')).toBe(true);
    const today = await page.get(`/dashboard/api/${person.projectId}/sandbox/today`);
    expect(today.body.value).toMatchObject({ paidCount: 2, paidAmount: second.sum });

    const day = `succeededFrom=${iso(midnight)}&succeededTo=${iso(midnight + dayMs)}`;
    const backIn = async (query: string) =>
      (await shop.api.must('GET', `/v1/refunds?${query}`)).body.list('data').map((one) => one.text('id'));
    expect(await backIn(day)).toEqual([refundId]);
    expect(await backIn(`succeededTo=${iso(midnight)}`)).toEqual([]);
    expect(await backIn(`${day}&status=failed`)).toEqual([]);
    const bad = await shop.api.get('/v1/payments?paidFrom=monday');
    expect(bad.body.at('error.errors.0.code')).toBe('invalid_format');
  });
});
