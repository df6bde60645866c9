/** The cells of docs/reference/session-states.md that a merchant and a buyer bring about themselves, at the running service.
 *  All others are driven at the actor: test/actors/checkout-session/session-table.test.ts. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import { buttonFor, buttonOf, open, press, type Page } from '../../src/cli/demo/buyer.ts';
import { eventually } from '../support/eventually.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { Merchant } from '../support/merchant.ts';
import { code, premium } from '../support/qr-shop.ts';
import { isOfThePages, statesPage } from '../support/session-states.ts';
import { tableIn } from '../support/tables.ts';

const galla = gallaOfFile();
let shop: Merchant;
beforeAll(async () => {
  shop = await galla.merchant();
});

/** A session, and the page that its buyer opened before anything happened. */
interface Opened {
  readonly id: string;
  readonly page: Page;
}

async function opened(of: Merchant, fields: object = {}): Promise<Opened> {
  const session = await of.checkout(fields);
  return { id: session.text('id'), page: await open(session.text('checkout_url')) };
}

async function running(of: Merchant): Promise<Opened> {
  const one = await opened(of);
  await of.simulate(one.id, 'never');
  return one;
}

async function ended(of: Merchant, fields: object, outcome: string, status: string): Promise<Opened> {
  const one = await opened(of, fields);
  await of.simulate(one.id, outcome);
  await of.untilStatus(one.id, status);
  return one;
}

const starts = ({ page }: Opened): Promise<Page> => press(buttonFor(page, 'provider', 'wallet_a'));
const cancels = ({ page }: Opened): Promise<Page> => press(buttonOf(page, /cancel/i));
const expires = ({ id }: Opened): Promise<Answer> => shop.api.must('POST', `/v1/checkout/${id}/expire`);

const sessions: { readonly [status: string]: (of: Merchant) => Promise<Opened> } = {
  pending: opened,
  initiated: running,
  success: (of) => ended(of, {}, 'success', 'success'),
  failed: (of) => ended(of, { flow: 'redirect', provider: 'wallet_a' }, 'declined', 'failed'),
  async cancelled(of) {
    const one = await running(of);
    await cancels(one);
    return one;
  },
  async expired(of) {
    const one = await running(of);
    await of.api.must('POST', `/v1/checkout/${one.id}/expire`);
    return one;
  },
};

function sessionIn(status: string, of: Merchant): Promise<Opened> {
  const made = sessions[status];
  if (made === undefined) throw new Error(`no session is ${status}`);
  return made(of);
}

/** All that a client can read of a session and its payments. */
async function shownOf({ api }: Merchant, id: string): Promise<readonly [Body, readonly Body[]]> {
  const [session, payments] = await Promise.all([
    api.must('GET', `/v1/checkout/${id}`),
    api.must('GET', `/v1/payments?sessionId=${id}`),
  ]);
  return [session.body, payments.body.list('data')];
}

type Shown = Awaited<ReturnType<typeof shownOf>>;

/** What changed, in the words of the page. */
function changeOf([before, paidBefore]: Shown, [after, payments]: Shown): string {
  const status = after.text('status');
  const [now, old] = [payments[0], paidBefore[0]];
  const isNew = payments.length > paidBefore.length;
  const moved = !isNew && now?.at('status') !== old?.at('status') && now?.at('status') !== 'success';
  return [
    status === before.at('status') ? 'unchanged' : `\`${status}\``,
    ...(moved ? [`payment \`${String(now?.at('status'))}\` (\`${String(now?.at('failureCode'))}\`)`] : []),
    ...(now?.at('late') === true && old?.at('late') !== true ? ['late'] : []),
    ...(isNew ? ['new payment'] : []),
  ].join(', ');
}

/** Drives one cell and waits until the session is what the page says. */
async function drive(
  of: Merchant,
  { id, page }: Opened,
  cell: string,
  trigger: (one: Opened) => Promise<{ readonly status: number }>,
): Promise<void> {
  const before = await shownOf(of, id);
  const { status } = await trigger({ id, page });
  if (['403', '404', '409'].includes(cell)) expect(status).toBe(Number(cell));
  if (cell === 'unchanged' || /^\d/.test(cell)) {
    expect(await shownOf(of, id)).toEqual(before);
    return;
  }
  await eventually(
    async () => changeOf(before, await shownOf(of, id)) === cell || null,
    () => `${id} to be ${cell}`,
  );
}

const { columns, rows } = tableIn(statesPage, 'Session and trigger');
const suspended = 'the buyer starts an attempt while the merchant is suspended';
const triggers: { readonly [row: string]: (one: Opened) => Promise<{ readonly status: number }> } = {
  'the buyer starts an attempt with another provider': starts,
  '`POST /v1/checkout/{id}/expire`': expires,
  'the buyer cancels on our page': cancels,
  'simulate, outcome `success` (sandbox)': ({ id }) => shop.simulate(id, 'success'),
};

describe('row 4: what merchant and buyer do themselves', () => {
  test('every cell that only the service decides is driven here', () => {
    const decided = rows.filter(({ name, cells }) => cells.some((cell) => isOfThePages(name, cell)));
    expect([suspended, ...Object.keys(triggers)]).toEqual(
      expect.arrayContaining(decided.map(({ name }) => name)),
    );
  });

  for (const [name, trigger] of Object.entries(triggers)) {
    const { cells = [] } = rows.find((row) => row.name === name) ?? {};
    test(`row 4: ${name}, in every status`, async () => {
      const drives = columns.map(async (status, at) => {
        const cell = cells[at] ?? '';
        // the look-up that this asks for is answered at once: the new attempt starts
        await drive(
          shop,
          await sessionIn(status, shop),
          cell === 'unchanged, look-up' ? 'unchanged, new payment' : cell,
          trigger,
        );
      });
      await Promise.all(drives);
    });
  }
});

test('row 4: nobody starts an attempt while the merchant is suspended, in any status', async () => {
  const made = { name: 'Closed Books', email: 'closed@example.com' };
  const { body: merchant } = await galla.admin.must('POST', '/admin/v1/merchants', made);
  const projectId = merchant.text('project.id');
  const api = galla.with(await galla.key(projectId, { kind: 'secret', mode: 'sandbox' }));
  const closed = new Merchant(projectId, api, api);
  const { cells = [] } = rows.find(({ name }) => name === suspended) ?? {};
  const all = await Promise.all(columns.map((status) => sessionIn(status, closed)));
  const before = await Promise.all(all.map((one) => shownOf(closed, one.id)));
  const set = (what: string): Promise<Answer> =>
    galla.admin.must('POST', `/admin/v1/merchants/${merchant.text('merchant.id')}/${what}`, {
      reason: 'Review.',
    });
  await set('suspend');
  const answers = await Promise.all(all.map(starts));
  expect(answers.map(({ status }) => String(status))).toEqual(cells);
  await set('unsuspend');
  expect(await Promise.all(all.map((one) => shownOf(closed, one.id)))).toEqual(before);
});

test('row 4: a Direct-QR session has no page to start an attempt or to cancel', async () => {
  const of = await premium(galla);
  const id = (await code(of)).text('id');
  const { columns: kinds, rows: ends } = tableIn(statesPage, 'When the running attempt ends');
  const cells = ends.filter(({ cells: row }) => row[kinds.indexOf('Direct-QR')] === '404');
  expect(cells).toHaveLength(4);
  const { page } = await opened(shop);
  for (const { name } of cells) {
    const does = name.startsWith('the buyer cancels') ? 'cancel' : 'start';
    await drive(of, { id, page }, '404', () => open(`${galla.url}/pay/${id}/${does}`, { method: 'POST' }));
  }
});
