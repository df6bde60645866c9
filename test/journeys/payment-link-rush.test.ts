/** Many buyers want the last uses of one link at once, at every node. */
import { expect, test } from 'vitest';
import type { Body } from '../../src/cli/demo/api.ts';
import { open, type Page } from '../../src/cli/demo/buyer.ts';
import { cancels, pageOf, sessionOn, submit } from '../support/link-buyer.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import type { Merchant } from '../support/merchant.ts';

const [buyers, uses, leaving] = [200, 100, 5];
/** A payment there takes ten times as long, and the others prove nothing more. */
const paidInCluster = 12;
/** As many requests as the sandbox's provider has to play at once. */
const payingAtOnce = 10;

describeModes('a rush for one payment link', (galla, mode) => {
  const urlOf = (n: number): string => galla().urls[n % galla().urls.length] ?? galla().url;
  const rush = async (link: Body, count: number): Promise<readonly string[]> => {
    const came = Array.from({ length: count }, (_, n) => pageOf(link, urlOf(n)));
    const pages = await Promise.all(came);
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    const answers = await Promise.all(
      pages.filter(({ buttons }) => buttons.length > 0).map((page) => patient(page)),
    );
    // a buyer either has a session, or is told that others are paying
    const strange = answers.filter((page) => page.status !== (sessionOn(page) === null ? 409 : 200));
    expect(strange.map(({ status, title, url }) => [status, title, url])).toEqual([]);
    return answers.map(sessionOn).filter((id) => id !== null);
  };
  /** On a busy machine a form may be answered "busy": the buyer sends it again. */
  const patient = (form: Page): Promise<Page> =>
    eventually(
      async () => {
        const page = await submit(form);
        return page.status === 503 ? null : page;
      },
      () => 'a form to be answered',
      60_000,
    );
  /** Buyers come until that many more have a session. */
  const untilFree = async (link: Body, count: number): Promise<readonly string[]> => {
    const found: string[] = [];
    await eventually(
      async () => {
        found.push(...(found.length < count ? await rush(link, count - found.length) : []));
        return found.length === count || null;
      },
      () => `${count} uses to be free`,
    );
    return found;
  };
  const simulated = async (shop: Merchant, ids: readonly string[]): Promise<void> => {
    const left = [...ids];
    const play = async (): Promise<void> => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) await shop.simulate(id, 'success');
    };
    await Promise.all(Array.from({ length: payingAtOnce }, play));
  };
  const untilUsed = (shop: Merchant, link: Body, count: number): Promise<Body> =>
    eventually(
      async () => {
        const { body } = await shop.api.must('GET', `/v1/payment-links/${link.text('id')}`);
        return body.at('usedCount') === count ? body : null;
      },
      () => `the link to count ${count}`,
      30_000,
    );

  test('row 26: of 200 buyers of 100 uses exactly 100 get a session; whoever leaves makes room for one more', async () => {
    const shop = await galla().merchant();
    const body = { name: 'Concert', amount: 50_000, maxUses: uses };
    const link = (await shop.api.must('POST', '/v1/payment-links', body)).body;
    const first = await rush(link, buyers);
    expect([first.length, new Set(first).size]).toEqual([uses, uses]);

    expect(await rush(link, uses / 10)).toEqual([]);

    // who leaves gives the use back: as many others get one, wherever they come
    const left = first.slice(0, leaving);
    await Promise.all(left.map(async (id, n) => cancels(await open(`${urlOf(n)}/pay/${id}`))));
    const others = await untilFree(link, leaving);
    expect(new Set([...first, ...others]).size).toBe(uses + leaving);
    expect(await rush(link, leaving)).toEqual([]);

    const paying = [...first.slice(leaving), ...others].slice(0, mode === 'embedded' ? uses : paidInCluster);
    await simulated(shop, paying);
    const paid = await untilUsed(shop, link, paying.length);
    expect(paid.at('status')).toBe(paying.length === uses ? 'completed' : 'active');
    expect(await rush(link, leaving)).toEqual([]);
    // an event is in the log a moment after its commit
    await eventually(
      async () => {
        const { body } = await shop.api.must('GET', '/v1/events?type=payment_link.paid&limit=1');
        return body.at('total') === paying.length || null;
      },
      () => `${paying.length} events`,
    );
    const { body: sessions } = await shop.api.must('GET', '/v1/checkout?source=payment_link&limit=1');
    expect(sessions.at('total')).toBe(uses + leaving);
  });
});
