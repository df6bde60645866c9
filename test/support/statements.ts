/** Statements as tests upload and read them. */
import type { Body } from '../../src/cli/demo/api.ts';
import { eventually } from './eventually.ts';
import type { Merchant } from './merchant.ts';

export const statementsPath = '/v1/reconciliation/statements';

export async function uploaded(shop: Merchant, csv: string, fields: object = {}): Promise<Body> {
  return (await shop.api.must('POST', statementsPath, { provider: 'wallet_b', csv, ...fields })).body;
}

export const statementNow = async (shop: Merchant, id: string): Promise<Body> =>
  (await shop.api.must('GET', `${statementsPath}/${id}`)).body;

/** Once it is no longer processed. */
export const untilCompared = (shop: Merchant, id: string, waitMs?: number): Promise<Body> =>
  eventually(
    async () => {
      const statement = await statementNow(shop, id);
      return statement.at('status') === 'processing' ? null : statement;
    },
    () => `statement ${id} to be compared`,
    waitMs,
  );

export async function comparedFrom(shop: Merchant, csv: string, fields: object = {}): Promise<Body> {
  return untilCompared(shop, (await uploaded(shop, csv, fields)).text('id'));
}

export const itemsOf = async (shop: Merchant, statement: Body, query = ''): Promise<readonly Body[]> =>
  (await shop.api.must('GET', `${statementsPath}/${statement.text('id')}/items?limit=100${query}`)).body.list(
    'data',
  );

/** A payment that has succeeded with wallet_b. */
export async function paidPayment(shop: Merchant, amount = 125_050): Promise<Body> {
  const session = await shop.checkout({ amount });
  await shop.simulate(session.text('id'), 'success');
  const paid = await shop.untilStatus(session.text('id'), 'success');
  return shop.payment(paid.text('paymentId'));
}
