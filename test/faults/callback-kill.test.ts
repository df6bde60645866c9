/** F20 with kill -9: the owner of a session dies, and the calls of its provider's server reach another node. They wait in the
 *  mailbox, and the next owner looks the payment up because of them. `CALLBACK_KILLS=10` kills that often. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from 'nats';
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import { callbackBody } from '../../src/providers/wallet-a/app/simulator.ts';
import { callbackOf } from '../../src/providers/wallet-c/simulator.ts';
import { mailboxStream } from '../../src/bus/nats-streams.ts';
import type { Galla } from '../../src/main.ts';
import { mintId } from '../../src/kernel/id.ts';
import { minutes } from '../../src/kernel/time.ts';
import { scopeOf } from '../../src/runtime/model/address.ts';
import type { Body } from '../../src/cli/demo/api.ts';
import { buttonFor, buttonOf, open, press } from '../../src/cli/demo/buyer.ts';
import { clusterMsMax, missingClusterToHurt, type ClusterOfTest } from '../support/cluster.ts';
import { startWithGateway, type ClusterWithGateway } from '../support/gateway-node.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { ownedBy } from '../support/owners.ts';
import { plainOrder } from '../support/order.ts';

const kills = Number(process.env['CALLBACK_KILLS'] ?? 1);
const [victim, survivor] = [0, 1] as const;
const amount = 125_050;
const times = 10;
const providers = ['wallet_a', 'wallet_c'] as const;
/** Past every wait but the longest: a running attempt is then looked up every 30 s. */
const toTheLongestWaitS = 56;
/** Past the look-up 2 minutes after the session's end: the next one is minutes away. */
const betweenLateLookupsS = 180;
const paidMsMax = 60_000;
const killMsMax = 120_000;

type Provider = (typeof providers)[number];
type Phase = 'running' | 'expired';
interface Sale {
  readonly provider: Provider;
  readonly phase: Phase;
  readonly id: string;
  readonly paymentId: string;
}

const reference = ({ provider, paymentId }: Sale): string =>
  `${paymentId.replace('_', '-')}${provider === 'wallet_a' ? '-i' : ''}`;

describe.skipIf(missingClusterToHurt('callbacks through the death of an owner'))('an owner dies', () => {
  let parts: ClusterWithGateway;
  let cluster: ClusterOfTest;
  let merchant: Merchant;
  /** Opens the sessions of invoices, for which there is no request; it has no actors. */
  let gateway: Galla;

  beforeAll(async () => {
    parts = await startWithGateway(2, (line) => expect.unreachable(line));
    ({ cluster, gateway } = parts);
  }, clusterMsMax);
  afterAll(() => parts?.stop(), clusterMsMax);
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stdout.write(cluster.output());
  });

  const asking = (by: 'system' | 'merchant') =>
    ({ by, scope: scopeOf(merchant.projectId, 'sandbox') }) as const;

  /** How many hints have ever been put into the mailbox. */
  async function posted(): Promise<number> {
    const connection = await connect({ servers: cluster.nats?.url ?? '' });
    try {
      return (await (await jetstreamManager(connection)).streams.info(mailboxStream)).state.last_seq;
    } finally {
      await connection.close();
    }
  }

  /** A session of the victim's, whose buyer is at the provider. */
  async function atTheProvider(provider: Provider, isVictims: (id: string) => boolean): Promise<string> {
    if (provider === 'wallet_a') {
      const session = await eventually(
        async () => {
          const made = await merchant.checkout({ expiresInMinutes: 30 });
          return isVictims(made.text('id')) ? made : null;
        },
        () => 'a session of the node that will die',
      );
      await press(buttonFor(await open(session.text('checkout_url')), 'provider', provider));
      return session.text('id');
    }
    let id = mintId('cs');
    while (!isVictims(id)) id = mintId('cs');
    const order = {
      ...plainOrder,
      amount,
      source: 'invoice',
      invoiceId: `inv_${id}`,
      checkoutUrl: `${cluster.url}/pay/${id}`,
    } as const;
    const opening = { order, lifeMs: minutes(30) };
    expect(
      await gateway.node.client.ask(checkoutSessionAt(id), 'open', opening, asking('system')),
    ).toMatchObject({
      is: 'ok',
    });
    const handover = await press(buttonFor(await open(order.checkoutUrl), 'provider', provider));
    await press(buttonOf(handover, /^Continue to/));
    return id;
  }

  const begun = (phase: Phase, isVictims: (id: string) => boolean): Promise<readonly Sale[]> =>
    Promise.all(
      providers.map(async (provider) => {
        const id = await atTheProvider(provider, isVictims);
        const { body } = await merchant.api.must('GET', `/v1/payments?sessionId=${id}`);
        const paymentId = body.list('data')[0]?.text('id') ?? expect.unreachable();
        return { provider, phase, id, paymentId };
      }),
    );

  /** One call of the provider's server, to the node that stays. */
  async function call(sale: Sale, says: 'paid' | 'declined'): Promise<number> {
    const { provider, paymentId } = sale;
    const from = performance.now();
    const shown = { status: says, amount, trackingId: 'TRK1', remarks: '', reference: reference(sale) };
    const signed = callbackOf(shown, false);
    const { body, headers, path } =
      provider === 'wallet_c'
        ? { body: signed.body, headers: { signature: signed.signature }, path: provider }
        : {
            body: callbackBody(
              { legId: `${paymentId}_i`, amount, status: says },
              { badSignature: false, statusUnsigned: false },
            ),
            headers: {},
            path: `${provider}/${paymentId}`,
          };
    const answer = await fetch(`${cluster.node(survivor).url}/callback/${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    expect([answer.status, await answer.text()], provider).toEqual([200, '{"received":true}']);
    return performance.now() - from;
  }

  const timeline = async ({ paymentId }: Sale): Promise<readonly Body[]> =>
    (await merchant.api.must('GET', `/v1/payments/${paymentId}/timeline`)).body.list('data');

  test.each(Array.from({ length: kills }, (_, n) => n + 1))(
    'row 108: kill %i: ten calls of its provider at another node are kept, and each session is paid once because of them',
    async (at) => {
      const from = Date.now();
      merchant = await cluster.merchant();
      await cluster.admin.must('PUT', `/admin/v1/projects/${merchant.projectId}/providers/wallet_a`, {
        mode: 'sandbox',
        appIntent: true,
      });
      await merchant.faults(
        providers.map((provider) => ({ provider, call: 'callback', kind: 'callback_never' })),
      );
      const isVictims = await ownedBy(cluster, victim);
      const expired = await begun('expired', isVictims);
      for (const { id } of expired)
        await gateway.node.client.ask(checkoutSessionAt(id), 'expire', {}, asking('merchant'));
      await merchant.advance(betweenLateLookupsS);
      const sales = [...expired, ...(await begun('running', isVictims))];
      await merchant.advance(toTheLongestWaitS);
      // a call before the money moves nothing
      await Promise.all(sales.map((sale) => call(sale, 'paid')));
      for (const { paymentId } of sales)
        expect((await merchant.payment(paymentId)).at('status')).not.toBe('success');
      const before = await posted();
      for (const sale of sales)
        await merchant.api.must('POST', `/sim/control/payments/${reference(sale)}/pay`, {});

      const preparedMs = Date.now() - from;
      const dead = cluster.node(victim);
      await dead.kill();
      const killedAt = Date.now();
      const tookMs = await Promise.all(
        sales.flatMap((sale) =>
          Array.from({ length: times }, (_, n) => call(sale, n % 3 === 0 ? 'declined' : 'paid')),
        ),
      );
      const kept = (await posted()) - before;
      // so many that each session has at least one of them
      expect(kept).toBeGreaterThan((sales.length - 1) * times);
      const paidAfterMs = await Promise.all(
        sales.map(async ({ paymentId }) => {
          await eventually(
            async () => ((await merchant.payment(paymentId)).at('status') === 'success' ? true : null),
            () => `${paymentId} to be paid`,
            paidMsMax,
          );
          return Date.now() - killedAt;
        }),
      );
      const causes: string[] = [];
      for (const sale of sales) {
        const entries = await timeline(sale);
        const paid = entries.find((entry) => entry.at('to') === 'success');
        const cause = paid?.text('cause') ?? 'none';
        causes.push(`${sale.provider} ${sale.phase} ${cause}`);
        // no poll of an expired session is due for minutes
        if (sale.phase === 'expired') expect(cause, JSON.stringify(entries)).toBe('provider_callback');
        expect(entries.map((entry) => entry.at('kind'))).toContain('provider_callback');
        expect((await merchant.payment(sale.paymentId)).at('late')).toBe(sale.phase === 'expired');
      }
      if (at < kills) await dead.restart();
      // the buyer comes last, and the next polls find nothing new
      for (const { provider, paymentId } of sales.filter(({ provider: of }) => of === 'wallet_c'))
        await fetch(`${cluster.url}/return/${provider}/${paymentId}/web/success`, { redirect: 'manual' });
      await merchant.advance(40);
      const told = await merchant.events('payment.succeeded,payment.duplicate');
      expect(told.map((event) => `${event.text('type')} ${event.text('data.id')}`).toSorted()).toEqual(
        sales.map(({ paymentId }) => `payment.succeeded ${paymentId}`).toSorted(),
      );
      process.stdout.write(
        `  prepared in ${preparedMs} ms; ${tookMs.length} calls answered 200 within ${Math.round(Math.max(...tookMs))} ms, ${kept} by the mailbox; ` +
          `paid ${paidAfterMs.join(', ')} ms after the kill; ${causes.join('; ')}\n`,
      );
    },
    killMsMax,
  );
});
