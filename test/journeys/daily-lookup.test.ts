/** Every morning the payments of the last days are looked up once more, and differences are reported. */
import { expect, test } from 'vitest';
import { days, minutes } from '../../src/kernel/time.ts';
import { describeModes } from '../support/modes.ts';
import type { Merchant } from '../support/merchant.ts';
import { paidPayment } from '../support/statements.ts';

const storyMsMax = 90_000;
const dayMs = days(1);

/** The instants at which daily runs looked up this payment. */
async function dailyLooks(shop: Merchant, id: string): Promise<readonly number[]> {
  const { body } = await shop.api.must('GET', `/v1/payments/${id}/timeline?limit=100`);
  return body
    .list('data')
    .flatMap((one) =>
      one.at('kind') === 'poll' && one.at('cause') === 'daily_lookup' ? [Date.parse(one.text('at'))] : [],
    );
}

const runAfter = (at: number): number => Math.floor((at - minutes(15)) / dayMs + 1) * dayMs + minutes(15);

describeModes('the daily look-up', (galla) => {
  test(
    'row 106: a provider that changes its mind raises reconciliation.mismatch, once, and a review',
    async () => {
      const shop = await galla().merchant();
      const [kept, lost] = [await paidPayment(shop), await paidPayment(shop)];
      const reference = lost.text('id').replace('_', '-');
      await shop.faults([{ call: 'lookup', kind: 'status_text', reference, value: 'User canceled' }]);
      const paidAt = Date.parse(lost.text('paidAt'));
      const clock = await shop.advance(5 * 86_400, 60_000);

      // looked up at 06:00 of each of three days, and no more
      const runs = [0, 1, 2].map((day) => runAfter(paidAt) + day * dayMs);
      const looks = await dailyLooks(shop, kept.text('id'));
      expect(looks.map((at) => Math.floor(at / minutes(1)) * minutes(1))).toEqual(runs);
      expect(clock.at('pendingTimers')).toBe(1);

      const [event, ...others] = await shop.untilEvents(1, 'reconciliation.mismatch');
      expect(others).toEqual([]);
      expect(event?.at('data')).toMatchObject({
        paymentId: lost.text('id'),
        provider: 'wallet_b',
        field: 'status',
        ours: 'success',
        theirs: 'cancelled',
        amountOurs: 125_050,
        source: 'daily_lookup',
      });
      expect(Date.parse(event?.text('data.detectedAt') ?? '') - (runs[0] ?? 0)).toBeLessThan(minutes(1));
      expect((await shop.payment(lost.text('id'))).value).toMatchObject({
        status: 'success',
        needsReview: true,
      });
      expect((await shop.payment(kept.text('id'))).value).toEqual(kept.value);

      // the provider comes round: the next run ends the review, and after it nothing is left to look up
      await shop.faults([]);
      await shop.advance(30 * 86_400, 60_000);
      expect((await shop.payment(lost.text('id'))).value).toMatchObject({
        status: 'success',
        needsReview: false,
      });
      expect(await dailyLooks(shop, kept.text('id'))).toEqual(looks);
      expect(await shop.events('reconciliation.mismatch')).toHaveLength(1);
      expect((await shop.clock()).at('pendingTimers')).toBe(0);
    },
    storyMsMax,
  );
});
