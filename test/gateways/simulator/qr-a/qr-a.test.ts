/** qr_a's whole wire between our adapter and its simulator: over real HTTP and real sockets of a running service. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Api, type Body } from '../../../../src/cli/demo/api.ts';
import { openWebSockets } from '../../../../src/outbound/web-socket.ts';
import { socketsEachMax } from '../../../../gateways/simulator/qr-a/socket.ts';
import { eventually } from '../../../support/eventually.ts';
import { gallaOfFile } from '../../../support/of-file.ts';
import { Merchant, type Fault } from '../../../support/merchant.ts';

// whoever moves the clock moves it for every code that was shown before, too: all of them ask the provider
vi.setConfig({ testTimeout: 30_000 });

const galla = gallaOfFile();
let shop: Merchant;
const sockets = openWebSockets();

beforeAll(async () => {
  const made = { name: 'Qr Pasal', email: 'wire@example.com', plan: 'premium' };
  const projectId = (await galla.admin.must('POST', '/admin/v1/merchants', made)).body.text('project.id');
  const key = await galla.key(projectId, { kind: 'secret', mode: 'sandbox' });
  const other = await galla.key(projectId, { kind: 'publishable', mode: 'sandbox' });
  shop = new Merchant(projectId, new Api(galla.url, key), new Api(galla.url, other));
}, 20_000);
afterAll(async () => {
  await sockets.close();
});

const customer = { name: 'Asha Rai', email: 'asha@example.com' };
const ask = (fields: object = {}) => shop.api.post('/v1/qr/qr_a', { amount: 125_050, customer, ...fields });

/** A code shown, and its payment. */
async function code(
  fields: object = {},
): Promise<{ id: string; qr: string; payment: string; reference: string }> {
  const made = await ask(fields);
  expect(made.status, made.text).toBe(201);
  const payment = (await shop.session(made.body.text('id'))).text('paymentId');
  return {
    id: made.body.text('id'),
    qr: made.body.text('qr_message'),
    payment,
    reference: payment.replace('_', '-'),
  };
}
const faults = (...all: readonly Fault[]): Promise<void> =>
  shop.faults(all.map((fault) => ({ provider: 'qr_a', ...fault })));
const presses = (qr: string, button: string) =>
  fetch(`${galla.url}/sim/qr_a/`, {
    method: 'POST',
    body: new URLSearchParams({ prn: qr, do: button }),
    redirect: 'manual',
  });
async function logOf(reference: string, call: string): Promise<readonly Body[]> {
  const path = `/sim/control/payments?provider=qr_a&reference=${reference}`;
  const { body } = await shop.api.must('GET', path);
  return (body.list('data')[0]?.list('log') ?? []).filter((entry) => entry.at('call') === call);
}
/** The next poll of this session is due now, on its clock. */
const nextPoll = (): Promise<Body> => shop.advance(3);

describe('a start', () => {
  test.each([
    ['http_500_html', null],
    ['http_502', null],
    ['http_429', null],
    ['not_json', null],
    ['huge_body', null],
    ['outage_200', null],
    ['reset', null],
    ['bad_crc', null],
    ['wrong_amount', null],
  ] as const)('under %s is 502 and nothing is kept', async (kind, value) => {
    await faults({ call: 'start', kind, times: 1, value });
    const before = (await shop.api.must('GET', '/v1/checkout')).body.at('total');
    const refused = await ask();
    expect([refused.status, refused.body.at('error.code')]).toEqual([502, 'provider_unavailable']);
    expect((await shop.api.must('GET', '/v1/checkout')).body.at('total')).toBe(before);
    // a call that works between two that do not keeps the circuit closed
    await faults();
    await code();
  });

  test.each([200, 201])('that answers %i with a code shows it', async (value) => {
    await faults({ call: 'start', kind: 'create_status', value });
    const { qr } = await code();
    expect(qr).toContain('54071250.50');
  });

  test('a little late is a start like any other', async () => {
    await faults({ call: 'start', kind: 'delay', delayMs: 300, times: 1 });
    await code();
  });
});

describe('a look-up of a paid code', () => {
  test.each([
    ['no_amount', null, 'success', false],
    ['wrong_amount', null, 'initiated', true],
    ['wrong_reference', null, 'initiated', true],
    ['ambiguous', null, 'initiated', true],
    ['status_text', 'DONE', 'initiated', true],
    ['http_500_html', null, 'initiated', false],
    ['not_json', null, 'initiated', false],
    ['huge_body', null, 'initiated', false],
    ['outage_200', null, 'initiated', false],
    ['reset', null, 'initiated', false],
  ] as const)('under %s (%s) leaves the session %s, review %s', async (kind, value, status, needsReview) => {
    const { id, payment, reference } = await code();
    await faults(
      { call: 'lookup', kind, value, reference },
      { call: 'socket', kind: 'socket_silent', reference },
    );
    await shop.control(payment, 'pay');
    await nextPoll();
    expect((await shop.session(id)).value).toMatchObject({ status, needsReview });
    await faults();
    await nextPoll();
    await shop.untilStatus(id, 'success');
  });

  test('paid once and failed afterwards stays paid', async () => {
    const { id, payment, reference } = await code();
    await faults({ call: 'lookup', kind: 'success_then_failed', reference });
    await shop.control(payment, 'pay');
    await shop.untilStatus(id, 'success');
    await shop.advance(60);
    expect((await shop.session(id)).at('status')).toBe('success');
  });
});

describe('the socket our server opens', () => {
  test('reports the scan and triggers the look-up: no poll is needed', async () => {
    await faults();
    const { id, qr, reference } = await code();
    expect((await presses(qr, 'scan')).status).toBe(303);
    await eventually(
      async () => ((await logOf(reference, 'socket')).length === 1 ? true : null),
      () => 'the scan to be told',
    );
    expect((await presses(qr, 'pay')).status).toBe(303);
    await shop.untilStatus(id, 'success');
    expect(
      (await logOf(reference, 'socket')).map((entry) => entry.text('response').includes('QRVerified')),
    ).toEqual([true, false]);
  });

  test.each(['socket_silent', 'socket_drop', 'no_scan'])('under %s it is paid all the same', async (kind) => {
    await faults({ call: 'socket', kind });
    const { id, qr } = await code();
    await presses(qr, 'pay');
    await nextPoll();
    await shop.untilStatus(id, 'success');
  });

  test('a socket that falsely reports money has no effect: the look-up decides', async () => {
    // not once: sockets of earlier codes are open still, and one of them could spend the only lie
    await faults({ call: 'socket', kind: 'socket_lies' });
    const { id, payment, reference } = await code();
    const lies = await eventually(
      async () => {
        const told = (await logOf(reference, 'socket')).map((entry) => entry.text('response'));
        return told.some((one) => one.includes('paymentSuccess')) ? told : null;
      },
      () => 'the lie to be told',
    );
    expect(lies[0]).toBe('paid: a lie');
    await eventually(
      async () => ((await logOf(reference, 'lookup')).length > 0 ? true : null),
      () => 'the look-up it leads to',
    );
    expect((await shop.session(id)).value).toMatchObject({ status: 'initiated', needsReview: false });
    expect(await shop.events('payment.succeeded', payment)).toEqual([]);
    await shop.control(payment, 'pay');
    await shop.untilStatus(id, 'success');
  });

  test('socket_late sends when the test clock is due', async () => {
    await faults({ call: 'socket', kind: 'socket_late', delayMs: 60_000 });
    const { qr, reference } = await code();
    await presses(qr, 'scan');
    expect((await logOf(reference, 'socket')).length).toBe(0);
    await shop.advance(61);
    await eventually(
      async () =>
        (await logOf(reference, 'socket')).some((entry) => entry.text('response').includes('QRVerified'))
          ? true
          : null,
      () => 'the late scan to be told',
    );
  });

  test('double_callback reports money twice, and it is one payment', async () => {
    await faults({ call: 'socket', kind: 'double_callback', times: 1 });
    const { id, qr } = await code();
    await presses(qr, 'pay');
    await shop.untilStatus(id, 'success');
    const ofSession = async (): Promise<readonly Body[]> =>
      (await shop.events('payment.succeeded,payment.duplicate')).filter(
        (event) => event.at('data.sessionId') === id,
      );
    await eventually(
      async () => ((await ofSession()).length > 0 ? true : null),
      () => 'the event',
    );
    expect(await ofSession()).toHaveLength(1);
  });
});

describe('sockets opened by anyone', () => {
  const heard = (path: string): { said: string[]; ended: Promise<void>; close: () => void } => {
    const said: string[] = [];
    let close = (): void => {};
    const ended = new Promise<void>((done) => {
      close = sockets.open(`${galla.url.replace('http', 'ws')}${path}`, {
        message: (text) => void said.push(text),
        closed: done,
      });
    });
    return { said, ended, close };
  };

  const isOpen = ({ ended }: { readonly ended: Promise<void> }): Promise<boolean> =>
    Promise.race([ended.then(() => false), new Promise<boolean>((go) => setTimeout(go, 500, true))]);

  test('a merchant receives messages about every code of its project', async () => {
    await faults();
    const [first, second] = [await code(), await code()];
    const line = heard(`/sim/qr_a/ws/m/NBQM?of=${first.reference}`);
    await shop.control(second.payment, 'pay');
    await eventually(
      async () => (line.said.some((text) => text.includes(second.reference)) ? true : null),
      () => 'the merchant to be told',
    );
    expect(line.said.some((text) => text.includes(first.reference))).toBe(false);
    line.close();
  });

  test('one more than a code or a merchant may have is closed, and there is room again when one leaves', async () => {
    const { reference } = await code();
    for (const path of [`/sim/qr_a/ws/${reference}`, `/sim/qr_a/ws/m/NBQM?of=${reference}`]) {
      let closed = 0;
      const lines = Array.from({ length: socketsEachMax + 5 }, () => heard(path));
      const ends = lines.map(({ ended }) => ended.then(() => closed++));
      await eventually(
        async () => (closed >= 5 ? true : null),
        () => `five to be closed, not ${closed}`,
      );
      await new Promise((go) => setTimeout(go, 300));
      // the service itself may listen to the code, too
      expect(closed).toBeLessThanOrEqual(6);
      for (const line of lines) line.close();
      await Promise.all(ends);
      // the service hears a moment later that they have left
      await eventually(
        async () => {
          const late = heard(path);
          const stays = await isOpen(late);
          late.close();
          return stays ? true : null;
        },
        () => 'room for one more',
      );
    }
  });

  test.each(['/sim/qr_a/ws/nonsense', '/sim/qr_a/ws/pay-0000000000000000', '/sim/qr_a/ws/m/NBQM'])(
    '%s is closed without a message',
    async (path) => {
      const line = heard(path);
      await line.ended;
      expect(line.said).toEqual([]);
    },
  );
});

describe('the bank app', () => {
  test('asks for the code, shows it, and refuses what the actor refuses', async () => {
    await faults();
    const { qr, reference } = await code();
    expect(await (await fetch(`${galla.url}/sim/qr_a/`)).text()).toContain('Which code?');
    expect((await fetch(`${galla.url}/sim/qr_a/?prn=nonsense`)).status).toBe(404);
    const shown = await (await fetch(`${galla.url}/sim/qr_a/?prn=${encodeURIComponent(qr)}`)).text();
    expect(shown).toContain('NPR 1,250.50');
    expect((await presses(qr, 'fly')).status).toBe(400);
    expect((await presses(reference, 'decline')).status).toBe(303);
    expect((await presses(reference, 'pay')).status).toBe(409);
    expect((await presses(reference, 'wrong_amount')).status).toBe(409);
  });

  test('has a portal, though no status of this wire shows a refund', async () => {
    await faults();
    const { reference } = await code();
    expect((await presses(reference, 'portal_refund')).status).toBe(409);
    await presses(reference, 'pay');
    const page = await (await presses(reference, 'portal_refund')).text();
    expect(page).toContain('NPR 1,250.50 of NPR 1,250.50');
    expect(page).toContain('does not show refunds');
    const path = `/sim/control/payments?provider=qr_a&reference=${reference}`;
    expect((await shop.api.must('GET', path)).body.at('data.0.ledger')).toEqual({
      amount: 125_050,
      refunded: 125_050,
      refundCalls: 0,
    });
  });
});

describe('outcomes of the sandbox', () => {
  const ended = async (outcome: string): Promise<Body> => {
    await faults();
    const { id } = await code({ metadata: { sandbox_outcome: outcome } });
    await shop.advance(4);
    return shop.session(id);
  };

  test.each(['success', 'lost_redirect', 'duplicate_callback'])('%s is paid', async (outcome) => {
    const { id } = await code({ metadata: { sandbox_outcome: outcome } });
    await eventually(
      async () => (await nextPoll(), (await shop.session(id)).at('status') === 'success' ? true : null),
      () => `${outcome} to be paid`,
    );
  });

  test.each(['wrong_amount', 'ambiguous'])('%s needs a review', async (outcome) => {
    const { id } = await code();
    expect((await shop.simulate(id, outcome)).status).toBe(200);
    await eventually(
      async () => (await nextPoll(), (await shop.session(id)).at('needsReview') === true ? true : null),
      () => `${outcome} to be seen`,
    );
  });

  test('never stays open', async () => {
    expect((await ended('never')).at('status')).toBe('initiated');
  });

  test('scanned makes it processing', async () => {
    const { id, payment } = await code();
    await shop.simulate(id, 'scanned');
    await eventually(
      async () => ((await shop.payment(payment)).at('status') === 'processing' ? true : null),
      () => 'the scan',
    );
  });

  test.each([
    ['declined', 'declined'],
    ['insufficient_funds', 'insufficient_funds'],
  ])('%s stays open until the deadline, then it failed for that', async (outcome, failureCode) => {
    const { id, payment, reference } = await code();
    await shop.simulate(id, outcome);
    await eventually(
      async () => {
        const path = `/sim/control/payments?provider=qr_a&reference=${reference}`;
        return (await shop.api.must('GET', path)).body.at('data.0.state') === 'declined' ? true : null;
      },
      () => 'the bank to decline',
    );
    await nextPoll();
    expect((await shop.session(id)).at('status')).toBe('initiated');
    await shop.advance(180);
    expect((await shop.session(id)).at('status')).toBe('expired');
    expect((await shop.payment(payment)).value).toMatchObject({ status: 'failed', failureCode });
  });

  test.each(['cancelled', 'bad_signature', 'double_payment', 'refund_rejected'])(
    '%s has no equivalent in this protocol',
    async (outcome) => {
      const { id } = await code();
      const refused = await shop.api.post(`/v1/test/checkout/${id}/simulate`, { outcome });
      expect([refused.status, refused.body.at('error.errors.0.code')]).toEqual([400, 'not_in_enum']);
    },
  );
});
