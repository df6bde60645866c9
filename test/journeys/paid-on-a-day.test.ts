/** What was paid on a day: the list, its CSV and the dashboard's home count the same payments, to the paisa, also money
 *  that straddles midnight in Nepal and money that comes late. What was paid back on a day is found likewise. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { Merchant } from '../support/merchant.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { describeModes } from '../support/modes.ts';
import { Api } from '../../src/cli/demo/api.ts';

const dayMs = 86_400_000;
const kathmanduMs = 20_700_000;
/** Midnight in Nepal after this instant. */
const nextMidnight = (text: string): number =>
  (Math.floor((Date.parse(text) + kathmanduMs) / dayMs) + 1) * dayMs - kathmanduMs;
const iso = (at: number): string => new Date(at).toISOString();

interface Line {
  readonly id: string;
  readonly amount: string;
}

interface Listed {
  readonly ids: readonly string[];
  /** Of the amounts in the file. */
  readonly sum: number;
}

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

    const refunded = async (paymentId: string, amount: number): Promise<string> => {
      const body = { paymentId, amount, reason: 'other' };
      const id = (await shop.api.must('POST', '/v1/refunds', body)).body.text('id');
      await shop.untilEvents(1, 'refund.succeeded', id);
      return id;
    };
    const today = async (): Promise<unknown> =>
      (await page.get(`/dashboard/api/${person.projectId}/sandbox/today`)).body.value;

    const midnight = nextMidnight((await shop.clock()).text('now'));
    await shop.advance(iso(midnight - 600_000));
    const before = await opened(125_051);
    await play(before, 'success');
    const paidBefore = await paid(before);
    const straddling = await opened(20_003);
    const late = await opened(30_007);
    expect(await today()).toMatchObject({ paidCount: 1, paidAmount: 125_051 });
    await shop.advance(iso(midnight - 120_000));
    const refundBefore = await refunded(paidBefore, 3001);
    // its money arrives a minute after its end
    await shop.advance(iso(midnight - 30_000));
    await play(late, 'late_success');
    await shop.untilStatus(late, 'initiated');
    await shop.api.must('POST', `/v1/checkout/${late}/expire`);
    await shop.advance(iso(midnight + 150_000));
    await play(straddling, 'success');
    const paidAfter = await paid(straddling);
    const paidLate = await paid(late);
    const refundAfter = await refunded(paidBefore, 5002);

    /** The list and its file of one query hold the same, to the paisa. */
    const listed = async (path: string, at: string | null): Promise<Listed> => {
      const { body } = await shop.api.must('GET', path);
      const rows = body.list('data');
      expect(body.at('total')).toBe(rows.length);
      const file = await shop.api.get(path, { headers: { accept: 'text/csv' } });
      const lines: readonly Line[] = parse(file.text, { columns: true });
      const cells = rows.map((row) => ({ id: row.text('id'), amount: String(row.at('amount')) }));
      expect(lines.map(({ id, amount }) => ({ id, amount }))).toEqual(cells);
      if (at !== null) {
        const times = rows.map((row) => row.text(at));
        expect(times).toEqual(times.toSorted().toReversed());
      }
      const sum = lines.reduce((total, { amount }) => total + Number(amount), 0);
      return { ids: lines.map(({ id }) => id).toSorted(), sum };
    };
    const paidIn = (from: number, to: number) =>
      listed(`/v1/payments?paidFrom=${iso(from)}&paidTo=${iso(to)}`, 'paidAt');
    expect(await paidIn(midnight - dayMs, midnight)).toEqual({ ids: [paidBefore], sum: 125_051 });
    const second = { ids: [paidAfter, paidLate].toSorted(), sum: 50_010 };
    expect(await paidIn(midnight, midnight + dayMs)).toEqual(second);
    expect((await shop.payment(paidLate)).at('late')).toBe(true);
    expect(await today()).toMatchObject({ paidCount: 2, paidAmount: second.sum });

    const backIn = (from: number, to: number, more = '') =>
      listed(`/v1/refunds?succeededFrom=${iso(from)}&succeededTo=${iso(to)}${more}`, null);
    expect(await backIn(midnight - dayMs, midnight)).toEqual({ ids: [refundBefore], sum: 3001 });
    expect(await backIn(midnight, midnight + dayMs)).toEqual({ ids: [refundAfter], sum: 5002 });
    const both = { ids: [refundAfter, refundBefore].toSorted(), sum: 8003 };
    expect(await backIn(midnight - dayMs, midnight + dayMs)).toEqual(both);
    expect(await backIn(midnight - dayMs, midnight + dayMs, '&status=failed')).toEqual({ ids: [], sum: 0 });
    expect((await shop.payment(paidBefore)).at('refundedAmount')).toBe(both.sum);
    const bad = await shop.api.get('/v1/payments?paidFrom=monday');
    expect(bad.body.at('error.errors.0.code')).toBe('invalid_format');
  });
});
