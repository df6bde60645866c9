/** What is stored of a timeline, beside what it shows. */
import { expect, test } from 'vitest';
import { scopeOf } from '../../src/runtime/model/address.ts';
import type { Row } from '../../src/store/store.ts';
import { gallaOfFile } from '../support/of-file.ts';

const galla = gallaOfFile();

test('row 15: a timeline shows each note, and beside them those that a build before this one has stored', async () => {
  const shop = await galla.merchant();
  const session = await shop.checkout();
  await shop.simulate(session.text('id'), 'success');
  const paid = await shop.untilStatus(session.text('id'), 'success');
  const id = paid.text('paymentId');
  const scope = scopeOf(shop.projectId, 'sandbox');
  const stored = async (): Promise<readonly Row[]> =>
    (
      await galla.node.client.listRows({
        kind: 'timeline',
        scope,
        equals: { about: id },
        page: 1,
        limit: 100,
      })
    ).items;
  const shown = async () => (await shop.api.must('GET', `/v1/payments/${id}/timeline?limit=100`)).body;

  const rows = await stored();
  const entries = (await shown()).list('data');
  // the start, its answer, the return with what it changed, the look-up, what that changed
  expect(rows).toHaveLength(5);
  expect(entries).toHaveLength(6);
  expect((await shown()).at('total')).toBe(6);
  // what happened to the session is no entry of its payment
  expect(JSON.stringify(entries.map(({ value }) => value))).not.toContain('Session ');

  const [some] = rows;
  if (some === undefined) throw new Error('a payment has a timeline');
  const { more: _more, ...head } = some.body;
  const body = { ...head, about: id, eseq: 1000, summary: 'as it was stored before' };
  await galla.node.store.putRows([{ ...some, id: `${some.id}-before`, body }]);
  const after = await shown();
  expect(after.at('total')).toBe(7);
  expect(after.list('data').map((entry) => entry.at('summary'))).toContain('as it was stored before');
});
