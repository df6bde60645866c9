/** Lists are cut by the instant clients are shown. The clock moves with every reading here, so code that reads it twice for
 *  one object shows it. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Api, Body } from '../../src/cli/demo/api.ts';
import { merchantWithLogin } from '../support/dashboard.ts';
import { startGalla, type Galla } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';

const made = 9;
const limit = 2;

describe('paging by instants', () => {
  let galla: Galla;
  let shop: Merchant;

  beforeAll(async () => {
    const { now } = Date;
    let read = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + ++read);
    galla = await startGalla();
    shop = await galla.merchant();
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await galla.stop();
  });

  const listed = async (api: Api, path: string, cut: string): Promise<readonly Body[]> => {
    const { body } = await api.must('GET', `${path}?limit=${limit}${cut}`);
    return body.list('data');
  };

  /** Goes back page by page, from the last entry of each. */
  async function backwards(api: Api, path: string): Promise<readonly Body[]> {
    const seen: Body[] = [];
    for (let cut = ''; seen.length <= 2 * made; cut = `&createdTo=${seen.at(-1)?.text('createdAt')}`) {
      const page = await listed(api, path, cut);
      if (page.length === 0) break;
      seen.push(...page);
    }
    return seen;
  }

  /** Every object once, and each is the last of those from its own instant on. */
  async function expectCut(api: Api, path: string, ids: readonly string[]): Promise<void> {
    const seen = await backwards(api, path);
    expect(seen.map((one) => one.text('id')).toSorted()).toEqual(ids.toSorted());
    const times = seen.map((one) => one.text('createdAt'));
    expect(times).toEqual(times.toSorted().toReversed());
    for (const one of seen) {
      const { body } = await api.must('GET', `${path}?limit=100&createdFrom=${one.text('createdAt')}`);
      expect(body.list('data').at(-1)?.text('id')).toBe(one.text('id'));
    }
  }

  const times = <Made>(make: (at: number) => Promise<Made>): Promise<readonly Made[]> =>
    Promise.all(Array.from({ length: made }, (_, at) => make(at)));

  test('of sessions skips and repeats nothing', async () => {
    const sessions = await times(() => shop.checkout());
    await expectCut(
      shop.api,
      '/v1/checkout',
      sessions.map((one) => one.text('id')),
    );
  });

  test('of payments skips and repeats nothing', async () => {
    const payments = await times(async () => {
      const session = await shop.checkout();
      await shop.start(session);
      return (await shop.session(session.text('id'))).text('paymentId');
    });
    await expectCut(shop.api, '/v1/payments', payments);
  });

  test('of deliveries skips and repeats nothing', async () => {
    const { id } = await shop.endpoint(await galla.shop(), ['payment.failed']);
    const sent = await times(() => shop.api.must('POST', `/v1/webhooks/${id}/test`));
    await expectCut(
      shop.api,
      `/v1/webhooks/${id}/deliveries`,
      sent.map(({ body }) => body.text('id')),
    );
  });

  test('of merchants skips and repeats nothing, the first of all included', async () => {
    const merchants = await times((at) =>
      merchantWithLogin(galla.admin, { email: `paging${at}@example.com`, password: 'a chosen password' }),
    );
    const all = (await galla.admin.must('GET', '/admin/v1/merchants?limit=100')).body.list('data');
    expect(all.length).toBe(merchants.length + 2);
    await expectCut(
      galla.admin,
      '/admin/v1/merchants',
      all.map((one) => one.text('id')),
    );
  });

  test('on a test clock that was moved skips and repeats nothing', async () => {
    const other = await galla.merchant();
    await other.advance(86_400);
    const sessions = await times(() => other.checkout());
    await expectCut(
      other.api,
      '/v1/checkout',
      sessions.map((one) => one.text('id')),
    );
  });
});
