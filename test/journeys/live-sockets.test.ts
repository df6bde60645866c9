/** Merchants' screens, followed as a merchant follows them: bought tickets, real sockets, whole payments. */
import { afterEach, expect, test } from 'vitest';
import { Api, type Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import type { ClusterOfTest } from '../support/cluster.ts';
import { merchantWithLogin, Page } from '../support/dashboard.ts';
import { startGalla } from '../support/galla.ts';
import type { Merchant } from '../support/merchant.ts';
import { paidPayment } from '../support/refunds.ts';
import { describeModesAlone } from '../support/modes.ts';
import { forgetScreens, Screen, ticketOf } from '../support/screen.ts';

afterEach(forgetScreens);

/** Many payments in a process that does everything else as well. */
const manyAtOnce = { timeout: 90_000 };
/** What revocation, suspension and logout may take. */
const feltWithinMs = 5000;

const sequences = (changes: readonly Body[], id: string): readonly number[] =>
  changes.filter((change) => change.at('id') === id).map((change) => Number(change.at('sequence')));

const rises = (numbers: readonly number[]): boolean =>
  numbers.every((one, at) => at === 0 || one > (numbers[at - 1] ?? 0));

const keyOf = ({ api }: Merchant): string => api.key ?? '';

describeModesAlone('merchants over live sockets', (house, mode) => {
  test('row 110: a ticket from one node connects to another, which sends changes made on a third', async () => {
    const [first = '', second = first, third = second] = house().urls;
    const merchant = await house().merchant();
    const before = await merchant.checkout();
    const screen = await Screen.of(keyOf(merchant), second, first);
    const [snapshot] = screen.heard;
    expect(snapshot?.event).toBe('snapshot');
    expect(snapshot?.body.value).toMatchObject({
      at: expect.stringMatching(/^20\d\d-.*Z$/),
      payments: [],
      checkouts: [before.value],
      today: { paidCount: 0, paidAmount: 0, failedCount: 0, openCount: 1 },
    });
    const api = new Api(third, merchant.api.key);
    const made = (
      await api.must('POST', '/v1/checkout', { amount: 90_000, returnUrl: 'http://127.0.0.1:9/r' })
    ).body;
    await api.must('POST', `/v1/test/checkout/${made.text('id')}/simulate`, {
      outcome: 'success',
      provider: 'wallet_b',
    });
    const paid = await screen.until('change', (change) => change.at('data.status') === 'success');
    const payment = screen.changes('payment').findLast((change) => change.at('data.status') === 'success');
    const id = payment?.text('id') ?? '';
    expect(payment?.at('data')).toEqual((await merchant.payment(id)).value);
    const session = await eventually(
      async () => screen.changes('checkout').find((change) => change.at('data.status') === 'success') ?? null,
      () => 'the checkout to be paid',
    );
    expect(session.at('data')).toEqual((await merchant.session(made.text('id'))).value);
    expect(paid.at('sequence')).toBe(paid.at('data.sequence'));
    const all = screen.all('change');
    for (const one of [id, made.text('id')]) expect(rises(sequences(all, one))).toBe(true);
    const today = await screen.until('today', (body) => body.at('paidCount') === 1);
    expect(today.value).toEqual({ paidCount: 1, paidAmount: 90_000, failedCount: 0, openCount: 1 });
    expect(screen.all('snapshot')).toHaveLength(1);
    expect(await api.get(`/v1/checkout/${made.text('id')}`)).toMatchObject({ status: 200 });
  });

  test('row 110: a screen receives nothing of another merchant and nothing of the other mode', async () => {
    const [first = '', second = first] = house().urls;
    const [own, other] = [await house().merchant(), await house().merchant()];
    const liveKey = await house().key(own.projectId, { kind: 'secret', mode: 'live', access: 'read' });
    const [sandbox, live, foreign] = [
      await Screen.of(keyOf(own), first, second),
      await Screen.of(liveKey, second, first),
      await Screen.of(keyOf(other), first, second),
    ];
    const made = await own.checkout();
    await sandbox.until('change', (change) => change.at('id') === made.at('id'));
    const elsewhere = await other.checkout();
    await foreign.until('change', (change) => change.at('id') === elsewhere.at('id'));
    await own.simulate(made.text('id'), 'success');
    await sandbox.until('today', (body) => body.at('paidCount') === 1);
    const told = [...sandbox.all('change'), ...sandbox.all('snapshot')].map(({ value }) =>
      JSON.stringify(value),
    );
    expect(told.some((text) => text.includes(elsewhere.text('id')))).toBe(false);
    expect(foreign.all('change').map((change) => change.at('id'))).toEqual([elsewhere.at('id')]);
    expect(live.heard.map(({ event }) => event)).toEqual(['snapshot']);
    expect(live.heard[0]?.body.value).toMatchObject({ payments: [], checkouts: [] });
  });

  test('row 110: webhook deliveries are sent as they change, in the form of their own route', async () => {
    const merchant = await house().merchant();
    const shop = await house().shop();
    const { id: endpoint } = await merchant.endpoint(shop, ['payment.succeeded']);
    const screen = await Screen.of(keyOf(merchant), house().url);
    await merchant.simulate((await merchant.checkout()).text('id'), 'success');
    const done = await screen.until(
      'change',
      (change) => change.at('data.webhookEndpointId') === endpoint && change.at('data.status') === 'success',
    );
    expect(done.at('object')).toBe('delivery');
    const { body } = await merchant.api.must('GET', `/v1/webhooks/deliveries/${done.text('id')}`);
    expect(done.at('data')).toEqual(body.value);
    expect(rises(sequences(screen.changes('delivery'), done.text('id')))).toBe(true);
  });

  test('row 110: refunds are sent as they change, with the payment they belong to', async () => {
    const merchant = await house().merchant();
    const payment = await paidPayment(merchant);
    const screen = await Screen.of(keyOf(merchant), house().url);
    const body = { paymentId: payment.text('id'), amount: 1000, reason: 'other' };
    const made = (await merchant.api.must('POST', '/v1/refunds', body)).body;
    const told = await screen.until('change', (change) => change.at('data.status') === 'succeeded');
    expect(told.value).toMatchObject({ object: 'refund', id: made.at('id'), sequence: 2, data: made.value });
    const paid = await screen.until('change', (change) => change.at('data.refundedAmount') === 1000);
    expect(paid.at('object')).toBe('payment');
    expect(rises(sequences(screen.changes('refund'), made.text('id')))).toBe(true);
  });

  test('row 110: a ticket is issued for any secret key, once per Idempotency-Key, and for no publishable one', async () => {
    const merchant = await house().merchant();
    const reader = await house().key(merchant.projectId, { kind: 'secret', mode: 'live', access: 'read' });
    const sold = await house().with(reader).post('/v1/live/tickets');
    expect(sold).toMatchObject({ status: 201, body: { value: { namespace: '/merchant' } } });
    expect(sold.body.text('ticket')).toMatch(/^tkt_[0-9a-hjkmnp-tv-z]{24}$/);
    expect(Object.keys(Object(sold.body.value))).toEqual(['ticket', 'namespace', 'expiresAt']);
    const lifeMs = Date.parse(sold.body.text('expiresAt')) - Date.now();
    expect(lifeMs).toBeGreaterThan(50_000);
    expect(lifeMs).toBeLessThanOrEqual(61_000);
    expect(await merchant.publishable.post('/v1/live/tickets')).toMatchObject({ status: 403 });
    expect(await house().with(reader).post('/v1/checkout', {})).toMatchObject({ status: 403 });
    const once = { idempotencyKey: 'one-screen' };
    const [first, again] = [
      await merchant.api.post('/v1/live/tickets', undefined, once),
      await merchant.api.post('/v1/live/tickets', undefined, once),
    ];
    expect(again.text).toBe(first.text);
    await new Screen(house().url, { ticket: first.body.text('ticket') }).begun();
    const second = new Screen(house().url, { ticket: again.body.text('ticket') });
    expect((await second.untilRefused()).at('code')).toBe('ticket_invalid');
  });

  test('row 110: a ticket opens one socket, also when used at the same time on several nodes', async () => {
    const nodes = house().urls;
    const merchant = await house().merchant();
    const ticket = await ticketOf(keyOf(merchant), house().url);
    const screens = Array.from(
      { length: 6 },
      (_, at) => new Screen(nodes[at % nodes.length] ?? '', { ticket }),
    );
    await eventually(
      async () =>
        screens.every(({ heard, refused }) => heard.length + Number(refused !== null) > 0) ? true : null,
      () => 'an answer for all six',
    );
    expect(screens.filter(({ heard }) => heard.length > 0)).toHaveLength(1);
    for (const { refused } of screens.filter(({ heard }) => heard.length === 0))
      expect(refused).toMatchObject({ code: 'ticket_invalid' });
  });

  test('row 112: revoking the key of a ticket ends its sockets, and no others', async () => {
    const nodes = house().urls;
    const merchant = await house().merchant();
    const bought = await house().key(merchant.projectId, { kind: 'secret', mode: 'sandbox' });
    const { body } = await house().admin.must('GET', `/admin/v1/projects/${merchant.projectId}/keys`);
    const keyId =
      body
        .list('data')
        .find((key) => bought.endsWith(key.text('last4')))
        ?.text('id') ?? '';
    const unused = await ticketOf(bought, house().url);
    const screens = await Promise.all(nodes.map((node) => Screen.of(bought, node)));
    const another = await Screen.of(keyOf(merchant), house().url);
    const at = Date.now();
    await house().admin.must('POST', `/admin/v1/keys/${keyId}/revoke`);
    for (const screen of screens) {
      await screen.untilEnded();
      expect(screen.heard.at(-1)).toMatchObject({
        event: 'bye',
        body: { value: { code: 'api_key_revoked' } },
      });
    }
    expect(Date.now() - at).toBeLessThan(feltWithinMs + 1000);
    const late = new Screen(house().url, { ticket: unused });
    expect((await late.untilRefused()).value).toMatchObject({ code: 'ticket_invalid' });
    expect(another.ended).toBeNull();
  });

  test('row 112: suspending the merchant ends all its sockets, and admits none until it is lifted', async () => {
    const nodes = house().urls;
    const merchant = await house().merchant();
    const found = await house().admin.must('GET', '/admin/v1/merchants?limit=100');
    const id = found.body
      .list('data')
      .find((one) => one.at('projectId') === merchant.projectId)
      ?.text('id');
    const ticket = await ticketOf(keyOf(merchant), house().url);
    const screens = await Promise.all(nodes.map((node) => Screen.of(keyOf(merchant), node)));
    const at = Date.now();
    await house().admin.must('POST', `/admin/v1/merchants/${id}/suspend`, { reason: 'a look at the books' });
    for (const screen of screens) {
      await screen.untilEnded();
      expect(screen.heard.at(-1)).toMatchObject({
        event: 'bye',
        body: { value: { code: 'account_suspended' } },
      });
    }
    expect(Date.now() - at).toBeLessThan(feltWithinMs + 1000);
    const kept = new Screen(house().url, { ticket });
    expect((await kept.untilRefused()).value).toEqual({
      code: 'account_suspended',
      message: 'This merchant account is suspended.',
    });
    await house().admin.must('POST', `/admin/v1/merchants/${id}/unsuspend`);
    await eventually(
      async () => ((await merchant.api.post('/v1/live/tickets')).status === 201 ? true : null),
      () => 'tickets to be sold again',
    );
    await Screen.of(keyOf(merchant), house().url);
  });

  test('row 112: logging out ends the sockets of that login on every node', async () => {
    const nodes = house().urls;
    const email = `owner${Date.now().toString(36)}@example.com`;
    const { projectId, ...person } = await merchantWithLogin(house().admin, { email });
    const [page, other] = [new Page(nodes[0] ?? ''), new Page(nodes[0] ?? '')];
    for (const each of [page, other]) expect((await each.logIn(person)).status).toBe(200);
    const auth = { projectId, mode: 'sandbox' };
    const begin = ({ cookie }: Page, node: string): Promise<Screen> =>
      new Screen(node, auth, { cookie, origin: node }).begun();
    const screens = await Promise.all(nodes.map((node) => begin(page, node)));
    const kept = await begin(other, nodes[0] ?? '');
    const { cookie } = page;
    const at = Date.now();
    expect((await page.logOut()).status).toBe(204);
    for (const screen of screens) {
      await screen.untilEnded();
      expect(screen.heard.at(-1)).toMatchObject({
        event: 'bye',
        body: { value: { code: 'login_required' } },
      });
    }
    expect(Date.now() - at).toBeLessThan(feltWithinMs + 1000);
    const late = new Screen(nodes[0] ?? '', auth, { cookie, origin: nodes[0] ?? '' });
    expect((await late.untilRefused()).at('code')).toBe('login_required');
    expect(kept.ended).toBeNull();
  });

  test('row 112: a node that is stopped sends bye; its clients receive what they missed on another node', async () => {
    // one that is alone is one of its own, to be stopped
    const own = mode === 'embedded' ? await startGalla() : null;
    const shop = own ?? house();
    const merchant = await shop.merchant();
    const leaving = mode === 'embedded' ? null : (house() as ClusterOfTest).node(2);
    const screen = await Screen.of(keyOf(merchant), leaving?.url ?? shop.url);
    const before = await merchant.checkout();
    await screen.until('change', (change) => change.at('id') === before.at('id'));
    await (leaving === null ? shop.stop() : leaving.stop());
    await screen.untilEnded();
    expect(screen.heard.at(-1)).toMatchObject({ event: 'bye', body: { value: { code: 'restarting' } } });
    if (leaving === null) return;
    const made = await merchant.checkout();
    const again = await Screen.of(keyOf(merchant), house().url);
    expect(again.heard[0]?.body.list('checkouts').map((each) => each.at('id'))).toEqual([
      made.at('id'),
      before.at('id'),
    ]);
    await leaving.restart();
  });

  test(
    'row 110: under many concurrent changes each screen receives every object, in order, to its end',
    manyAtOnce,
    async () => {
      const nodes = house().urls;
      const merchant = await house().merchant();
      const screens = await Promise.all(nodes.map((node) => Screen.of(keyOf(merchant), node)));
      const ids = await Promise.all(
        Array.from({ length: 16 }, async (_, at) => {
          const api = new Api(nodes[at % nodes.length] ?? '', merchant.api.key);
          const order = { amount: 10_000 + at, returnUrl: 'http://127.0.0.1:9/r' };
          const id = (await api.must('POST', '/v1/checkout', order)).body.text('id');
          const outcome = at % 2 === 0 ? 'success' : 'cancelled';
          await api.must('POST', `/v1/test/checkout/${id}/simulate`, { outcome, provider: 'wallet_b' });
          return id;
        }),
      );
      // however long a busy machine takes for the payments themselves
      for (const [at, id] of ids.entries())
        if (at % 2 === 0) await merchant.untilStatus(id, 'success', manyAtOnce.timeout);
      for (const screen of screens) {
        const paid = (): ReadonlySet<unknown> =>
          new Set(
            screen
              .changes('payment')
              .filter((change) => change.at('data.status') === 'success')
              .map((change) => change.at('id')),
          );
        await eventually(
          async () => (paid().size === ids.length / 2 ? true : null),
          () => `${ids.length / 2} paid payments; ${paid().size} were told`,
        );
        await screen.until('today', (body) => body.at('paidCount') === ids.length / 2);
        const told = new Set(screen.changes('checkout').map((change) => change.at('id')));
        expect(ids.filter((id) => !told.has(id))).toEqual([]);
        const all = screen.all('change');
        for (const id of new Set(all.map((change) => change.text('id'))))
          expect(rises(sequences(all, id)), id).toBe(true);
      }
    },
  );
});
