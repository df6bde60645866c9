/** A merchant sells by a link: buyers open its page, pay in sessions of their own, and the link counts. */
import { expect, test } from 'vitest';
import type { Answer, Body } from '../../src/cli/demo/api.ts';
import { open } from '../../src/cli/demo/buyer.ts';
import { buys, cancels, pageOf, sessionOn, submit } from '../support/link-buyer.ts';
import { eventually } from '../support/eventually.ts';
import { describeModes } from '../support/modes.ts';
import type { Merchant } from '../support/merchant.ts';
import { forgetScreens, Screen } from '../support/screen.ts';
import { expectRefusal } from '../support/refusal.ts';

const day = 86_400;
const titles = {
  inactive: 'This link is not available',
  expired: 'This link has expired',
  completed: 'This link is no longer available',
  reserved: 'Others are paying right now',
};

describeModes('payment links', (galla) => {
  const made = async (shop: Merchant, fields: object = {}): Promise<Body> =>
    (await shop.api.must('POST', '/v1/payment-links', { name: 'Workshop seat', amount: 50_000, ...fields }))
      .body;
  const now = async (shop: Merchant, link: Body): Promise<Body> =>
    (await shop.api.must('GET', `/v1/payment-links/${link.text('id')}`)).body;
  const change = (shop: Merchant, link: Body, body: object) =>
    shop.api.send('PATCH', `/v1/payment-links/${link.text('id')}`, { body });
  const isRefused = async (changing: Promise<Answer>, currentStatus: string): Promise<void> => {
    const answer = await changing;
    expectRefusal(answer, 'invalid_state');
    expect(answer.body.at('error.currentStatus')).toBe(currentStatus);
  };
  const untilUsed = (shop: Merchant, link: Body, count: number): Promise<Body> =>
    eventually(
      async () => {
        const found = await now(shop, link);
        return found.at('usedCount') === count ? found : null;
      },
      () => `the link to count ${count}`,
    );
  /** A buyer at this node, up to the session. */
  const begun = async (link: Body, node = 0): Promise<string> =>
    sessionOn(await buys(link, galla().urls[node] ?? galla().url)) ?? expect.unreachable('no session');
  const pays = async (shop: Merchant, link: Body, node = 0): Promise<string> => {
    const id = await begun(link, node);
    await shop.simulate(id, 'success');
    await shop.untilStatus(id, 'success');
    return id;
  };
  const titleOf = async (link: Body): Promise<string> => (await pageOf(link, galla().url)).title;

  test('row 26: a link with maxUses 1 is completed after one payment and fires payment_link.paid', async () => {
    const [shop, server] = [await galla().merchant(), await galla().shop()];
    await shop.endpoint(server, ['payment_link.paid']);
    const link = await made(shop, { maxUses: 1, metadata: { course: 'pottery' } });
    expect(link.value).toMatchObject({
      livemode: false,
      status: 'active',
      active: true,
      usedCount: 0,
      sequence: 1,
    });
    expect(link.text('referenceId')).toMatch(/^PL-[0-9A-HJKMNP-TV-Z]{8}$/);

    const id = await pays(shop, link);
    const session = await shop.session(id);
    expect(session.value).toMatchObject({
      source: 'payment_link',
      flow: 'hosted',
      amount: 50_000,
      description: 'Workshop seat',
      metadata: { course: 'pottery' },
    });
    const payment = await shop.payment(session.text('paymentId'));
    expect(payment.at('linkReferenceId')).toBe(link.text('referenceId'));

    const completed = await untilUsed(shop, link, 1);
    expect(completed.value).toMatchObject({ status: 'completed', active: false, usedCount: 1, sequence: 2 });
    const [event] = await shop.untilEvents(1, 'payment_link.paid');
    expect(event?.at('data')).toEqual({ ...(completed.value as object), paymentId: payment.text('id') });
    const received = await server.webhook(({ type }) => type === 'payment_link.paid');
    expect([received.id, received.objectId]).toEqual([event?.text('id'), link.text('id')]);

    const page = await pageOf(link, galla().url);
    expect([page.status, page.title]).toEqual([200, expect.stringMatching(`^${titles.completed} · `)]);
    expect(page.buttons).toEqual([]);
  });

  test('row 26: each end of a link has its page, refuses a form that was open, and is left by raising its limit', async () => {
    const shop = await galla().merchant();
    const soon = new Date(Date.parse((await shop.clock()).text('now')) + 3_600_000).toISOString();
    const link = await made(shop, { maxUses: 1, expiresAt: soon });
    const form = await pageOf(link, galla().url);
    const ended = async (status: keyof typeof titles, currentStatus: string): Promise<void> => {
      expect(await titleOf(link)).toContain(titles[status]);
      const refused = await submit(form);
      expect([refused.status, refused.title.includes(titles[status])]).toEqual([409, true]);
      if (status !== 'inactive') await isRefused(change(shop, link, { active: true }), currentStatus);
    };
    const is = async (status: string, body: object): Promise<void> => {
      const answer = await change(shop, link, body);
      expect([answer.status, answer.body.at('status')]).toEqual([200, status]);
    };

    await is('inactive', { active: false });
    await ended('inactive', 'inactive');
    await is('inactive', { active: false });
    await is('inactive', { maxUses: 2 });
    await is('active', { active: true });
    await is('active', { active: true });
    await shop.advance(3600);
    expect((await now(shop, link)).at('status')).toBe('expired');
    await ended('expired', 'expired');
    await is('inactive', { active: false });
    await isRefused(change(shop, link, { active: true }), 'inactive');
    await is('active', { active: true, expiresAt: null, maxUses: 1 });
    await pays(shop, link);
    await untilUsed(shop, link, 1);
    await ended('completed', 'completed');
    await is('active', { maxUses: 2 });
    // nothing came of the forms that were refused
    const { body } = await shop.api.must('GET', '/v1/checkout?source=payment_link');
    expect(body.at('total')).toBe(1);
  });

  test('row 26: a link that is switched off or over still counts money, and money that is late passes the limit', async () => {
    const shop = await galla().merchant();
    const link = await made(shop, { maxUses: 1 });
    const late = await begun(link);
    await shop.simulate(late, 'late_success');
    await shop.advance(1801);
    await shop.untilStatus(late, 'expired');
    await eventually(
      async () => (await pageOf(link, galla().url)).buttons.length > 0 || null,
      () => 'the use to be free again',
    );
    await pays(shop, link);
    expect((await untilUsed(shop, link, 1)).at('status')).toBe('completed');
    await shop.advance(600);
    expect((await shop.untilStatus(late, 'success')).at('late')).toBe(true);
    expect((await untilUsed(shop, link, 2)).value).toMatchObject({ status: 'completed', maxUses: 1 });
    await shop.untilEvents(2, 'payment_link.paid');

    const off = await made(shop, { maxUses: 5 });
    const running = await begun(off);
    await change(shop, off, { active: false });
    await shop.simulate(running, 'success');
    expect((await untilUsed(shop, off, 1)).at('status')).toBe('inactive');
  });

  test('row 26: a running session reserves a use until it ends; a form submitted twice reserves one', async () => {
    const shop = await galla().merchant();
    const link = await made(shop, { maxUses: 2 });
    const urls = galla().urls;
    const form = await pageOf(link, urls[0] ?? '');
    const twice = await Promise.all([submit(form), submit(form), submit(form)]);
    expect(new Set(twice.map(sessionOn)).size).toBe(1);
    expect(twice.map(({ status }) => status)).toEqual([200, 200, 200]);
    const second = await buys(link, urls.at(-1) ?? '');
    expect(sessionOn(second)).not.toBeNull();

    expect(await titleOf(link)).toContain(titles.reserved);
    await cancels(second);
    await eventually(
      async () => (await pageOf(link, galla().url)).buttons.length > 0 || null,
      () => 'the use to be free again',
    );
    expect(sessionOn(await buys(link, galla().url))).not.toBeNull();
    // a form that was submitted before leads to its session
    expect(sessionOn(await submit(form))).toBe(sessionOn(twice[0] ?? expect.unreachable()));
  });

  test('the buyer enters an amount in rupees where the link has none', async () => {
    const shop = await galla().merchant();
    const link = await made(shop, { amount: null, minAmount: 10_000, maxAmount: 2_000_000 });
    expect(link.value).toMatchObject({ amount: null, minAmount: 10_000, maxAmount: 2_000_000 });
    const form = await pageOf(link, galla().url);
    expect(form.words).toContain('From NPR 100.00 to NPR 20,000.00');
    for (const [typed, problem] of [
      ['', 'Enter an amount.'],
      ['99.99', 'Enter one from NPR 100.00 to NPR 20,000.00.'],
      ['20000.01', 'Enter one from NPR 100.00 to NPR 20,000.00.'],
      ['12,50', 'Write it in figures'],
      ['1e4', 'Write it in figures'],
      ['-500', 'Write it in figures'],
      ['100.005', 'Write it in figures'],
    ] as const) {
      const refused = await submit(form, { amount: typed });
      expect([typed, refused.status, refused.words.includes(problem)]).toEqual([typed, 400, true]);
    }
    for (const [typed, amount] of [
      ['1250.50', 125_050],
      ['Rs. 1,250', 125_000],
      ['१,२५०.५', 125_050],
    ] as const) {
      const id = sessionOn(await buys(link, galla().url, { amount: typed })) ?? '';
      expect([typed, (await shop.session(id)).at('amount')]).toEqual([typed, amount]);
    }
  });

  test('without a returnUrl the buyer stays on our thank-you page; the address is asked for by the session', async () => {
    const shop = await galla().merchant();
    const link = await made(shop, { collectAddress: true });
    const page = await buys(link, galla().url);
    expect(page.words).toContain('Where should it be sent?');
    const id = sessionOn(page) ?? '';
    await shop.simulate(id, 'success');
    await shop.untilStatus(id, 'success');
    const thanks = await open(`${galla().url}/pay/${id}`);
    expect(thanks.title).toContain('Payment received');
    expect(thanks.buttons).toEqual([]);

    const cancelled = await cancels(await buys(link, galla().url));
    expect(cancelled.title).toContain('Payment cancelled');
    expect(cancelled.links.map(({ href }) => href)).toContain(
      `${galla().url}/link/${link.text('referenceId')}`,
    );
    const other = await made(shop, { returnUrl: 'https://shop.example/thanks' });
    const left = await cancels(await buys(other, galla().url));
    expect(left.hops.at(-1)?.to).toMatch(
      /^https:\/\/shop\.example\/thanks\?session_id=cs_.*&status=cancelled$/,
    );
  });

  test('row 28: the reference of a link is the fifth kind: a link for one payment shows it, any other only itself', async () => {
    const shop = await galla().merchant();
    const status = async (query: string): Promise<Body> =>
      (await galla().nobody.must('GET', `/v1/public/payment-status?query=${query}`)).body;
    const untilCode = (query: string, code: string): Promise<Body> =>
      eventually(
        async () => {
          const found = await status(query);
          return found.at('status.code') === code ? found : null;
        },
        () => `${query} to be ${code}`,
      );
    const one = await made(shop, { maxUses: 1 });
    const reference = one.text('referenceId');
    expect((await status(reference)).value).toMatchObject({
      lookup: { matchedBy: 'link_reference', type: 'payment_link', lookbackMonths: 6 },
      status: { code: 'awaiting_payment' },
      amount: { value: 50_000 },
      provider: null,
      payment: null,
      session: null,
      references: { orderId: null, linkReferenceId: reference, providerRef: null },
      mode: 'sandbox',
    });
    const id = await pays(shop, one);
    const paid = await untilCode(reference, 'paid');
    const paymentId = (await shop.session(id)).text('paymentId');
    expect(paid.value).toMatchObject({
      lookup: { matchedBy: 'link_reference', type: 'payment' },
      payment: { id: paymentId },
      session: { id },
      references: { linkReferenceId: reference },
    });
    // each of the other kinds finds the same payment
    for (const [query, matchedBy] of [
      [paymentId, 'payment_id'],
      [id, 'session_id'],
      [paid.text('payment.providerRef'), 'provider_ref'],
    ] as const)
      expect((await status(query)).value).toMatchObject({
        lookup: { matchedBy },
        payment: { id: paymentId },
        references: { linkReferenceId: reference },
      });

    const many = await made(shop, { maxUses: 2, amount: null });
    const own = many.text('referenceId');
    await shop.simulate(sessionOn(await buys(many, galla().url, { amount: '500' })) ?? '', 'success');
    await untilUsed(shop, many, 1);
    expect((await status(own.toLowerCase())).value).toMatchObject({
      lookup: { type: 'payment_link' },
      status: { code: 'awaiting_payment' },
      amount: null,
      payment: null,
      session: null,
    });
    await change(shop, many, { active: false });
    await untilCode(own, 'cancelled');
    await change(shop, many, { active: true, maxUses: 1 });
    const page = await galla().nobody.get(`/status?query=${own}`);
    expect([page.status, page.text.includes(own)]).toEqual([200, true]);
    await shop.advance(200 * day);
    expect((await galla().nobody.get(`/v1/public/payment-status?query=${own}`)).status).toBe(404);
  });

  test('row 89: a link says whether it is live, and neither mode sees the links of the other', async () => {
    const shop = await galla().merchant();
    const live = galla().with(await galla().key(shop.projectId, { kind: 'secret', mode: 'live' }));
    const body = { name: 'Seat', amount: 50_000 };
    const [mine, theirs] = [await made(shop), (await live.must('POST', '/v1/payment-links', body)).body];
    expect([mine.at('livemode'), theirs.at('livemode')]).toEqual([false, true]);
    expectRefusal(await live.get(`/v1/payment-links/${mine.text('id')}`), 'resource_not_found');
    expectRefusal(await change(shop, theirs, { active: false }), 'resource_not_found');
    expect((await live.must('GET', '/v1/payment-links')).body.at('total')).toBe(1);
    // its buyers are told that no provider is there yet
    const page = await pageOf(theirs, galla().url);
    expect([page.status, page.buttons.length, page.title]).toEqual([
      200,
      0,
      expect.stringContaining('No way to pay'),
    ]);
  });

  test('the payments of one link are found by it', async () => {
    const shop = await galla().merchant();
    const [mine, other] = [await made(shop), await made(shop)];
    const id = await pays(shop, mine);
    await pays(shop, other);
    const of = (linkId: string) => shop.api.must('GET', `/v1/payments?linkId=${linkId}`);
    const { body } = await of(mine.text('id'));
    expect(body.value).toMatchObject({
      total: 1,
      data: [{ sessionId: id, linkReferenceId: mine.text('referenceId'), status: 'success' }],
    });
    expect((await of('lnk_000000000000000000000000')).body.at('total')).toBe(0);
  });

  test('the uses of a link are seen as they happen, on the screen of another node', async () => {
    const shop = await galla().merchant();
    const { urls } = galla();
    const screen = await Screen.of(shop.api.key ?? '', urls.at(-1) ?? '', urls[0]);
    const link = await made(shop, { maxUses: 1 });
    const id = link.text('id');
    await screen.until('change', (change) => change.at('id') === id && change.at('sequence') === 1);
    await pays(shop, link);
    const used = await screen.until(
      'change',
      (change) => change.at('id') === id && change.at('sequence') === 2,
    );
    expect(used.value).toMatchObject({ object: 'payment_link', data: { usedCount: 1, status: 'completed' } });
    forgetScreens();
  });

  test('a repeated request makes one link, with one reference', async () => {
    const shop = await galla().merchant();
    const send = () =>
      shop.api.send('POST', '/v1/payment-links', { body: { name: 'Seat' }, idempotencyKey: 'one-link' });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.text]).toEqual([201, first.text]);
    expect(first.body.value).toMatchObject({ amount: null, minAmount: 1000, maxAmount: 100_000_000 });
    expect((await shop.api.must('GET', '/v1/payment-links')).body.at('total')).toBe(1);
  });
});
