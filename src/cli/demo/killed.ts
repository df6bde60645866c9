/** Third part of the demo: the process is killed at the worst moment, and nothing is lost. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Api, type Answer } from './api.ts';
import { buttonFor, open, press } from './buyer.ts';
import { advance } from './late.ts';
import { logIn } from './paid.ts';
import { Service } from './service.ts';
import { eventually, expect } from './printer.ts';
import type { LoneWorld, World } from './world.ts';

/** Within what a sandbox project may create at once. */
export const checkouts = 16;
const answeredBefore = 4;
/** The others have been sent by then: some are committed, hardly any is answered. */
const killAfterMs = 3;
const pollSeconds = 40;

export interface Asked {
  readonly idempotencyKey: string;
  readonly body: { readonly amount: number; readonly returnUrl: string; readonly referenceId: string };
  answer: Answer | null;
}

export async function showKilled(world: LoneWorld): Promise<void> {
  const { printer } = world;
  printer.chapter('kill -9');
  const paidId = await printer.step('A buyer pays, but is never sent back: we do not know yet', () =>
    payAndVanish(world),
  );
  const asked = await printer.step(`${checkouts} checkouts are under way when the process is killed`, () =>
    killUnderWay(world),
  );
  await printer.step('It starts again on the same folder', async () => {
    world.service = await Service.start({ ...world.options, port: world.service.port });
    world.api = new Api(world.service.url, (await world.service.keys(world.options.dataDir)).secretKey);
    return {
      value: null,
      facts: [['ready', `${Math.round(world.service.readyMs)} ms after the start, pid ${world.service.pid}`]],
    };
  });
  await printer.step('Every acknowledged checkout is there; the others are made once', () =>
    compare(world, asked),
  );
  await printer.step('The payment is found by asking the provider', () => findPayment(world, paidId));
}

export async function payAndVanish({ api, shop }: World) {
  const { body } = await api.must('POST', '/v1/checkout', {
    amount: 99_900,
    returnUrl: `${shop.url}/return`,
    description: 'Order 1003',
  });
  const wallet = await press(buttonFor(await open(body.text('checkout_url')), 'provider', 'wallet_b'));
  const { value: page } = await logIn(wallet);
  await press(buttonFor(page, 'do', 'lost_redirect'));
  const { body: now } = await api.must('GET', `/v1/checkout/${body.text('id')}`);
  return {
    value: body.text('id'),
    facts: [
      ['session', body.text('id')],
      ['status', `${now.text('status')}, paid at the provider`],
    ] as const,
  };
}

/** The shop's requests while a process dies. */
export const orders = (shopUrl: string): readonly Asked[] =>
  Array.from({ length: checkouts }, (_, at) => ({
    idempotencyKey: randomUUID(),
    answer: null,
    body: { amount: 10_000 + at, returnUrl: `${shopUrl}/return`, referenceId: `K-${at}` },
  }));

async function killUnderWay(world: LoneWorld) {
  const { api, shop, service } = world;
  const asked = orders(shop.url);
  const ask = async (one: Asked): Promise<void> => {
    try {
      one.answer = await api.must('POST', '/v1/checkout', one.body, { idempotencyKey: one.idempotencyKey });
    } catch (failure) {
      // requests cut off by the kill; an error answered by the service itself is a failure of the demo
      if (failure instanceof Error && failure.message.includes(' answered ')) throw failure;
    }
  };
  await Promise.all(asked.slice(0, answeredBefore).map(ask));
  const underWay = asked.slice(answeredBefore).map(ask);
  await pause(killAfterMs);
  const { signal } = await service.kill();
  await Promise.all(underWay);
  expect(signal === 'SIGKILL', 'the process was not killed');
  const answered = asked.filter(({ answer }) => answer !== null).length;
  return {
    value: asked,
    facts: [
      ['answered', `${answered} of ${checkouts}, the others were cut off`],
      ['process', `pid ${service.pid} ended by ${signal}`],
    ] as const,
  };
}

export async function compare({ api, shop }: World, asked: readonly Asked[]) {
  const replayed: Answer[] = [];
  for (const one of asked) {
    const again = await api.must('POST', '/v1/checkout', one.body, { idempotencyKey: one.idempotencyKey });
    expect(
      one.answer === null || one.answer.text === again.text,
      `${one.body.referenceId} was acknowledged and is another one now`,
    );
    replayed.push(again);
  }
  const ids = new Set(replayed.map(({ body }) => body.text('id')));
  const { body } = await api.must('GET', '/v1/checkout?limit=100&status=pending');
  const listed = body.list('data').filter((one) => String(one.at('referenceId')).startsWith('K-'));
  expect(ids.size === checkouts, `${ids.size} sessions for ${checkouts} keys`);
  expect(listed.length === checkouts, `${listed.length} sessions are listed for ${checkouts} keys`);
  const created = await eventually('checkout.created of each', 5000, async () => {
    const { body: events } = await api.must('GET', '/v1/events?type=checkout.created&limit=100');
    const ours = events.list('data').filter((event) => ids.has(event.text('data.id')));
    return ours.length >= checkouts ? ours.length : null;
  });
  expect(created === checkouts, `${created} checkout.created for ${checkouts} sessions`);
  for (const id of ids)
    await shop.webhook(({ type, objectId }) => type === 'checkout.created' && objectId === id);
  return {
    value: null,
    facts: [
      ['sessions', `${listed.length}, none lost, none twice`],
      ['events', `${created} checkout.created, each delivered`],
    ] as const,
  };
}

export async function findPayment(world: World, id: string) {
  const clock = await advance(world, pollSeconds);
  const paid = await eventually('success by polling', 10_000, async () => {
    const { body } = await world.api.must('GET', `/v1/checkout/${id}`);
    return body.at('status') === 'success' ? body : null;
  });
  const paymentId = paid.text('paymentId');
  const heard = await world.shop.webhook(
    ({ type, objectId }) => type === 'payment.succeeded' && objectId === paymentId,
  );
  const { body } = await world.api.must('GET', `/v1/events?type=payment.succeeded&objectId=${paymentId}`);
  expect(body.list('data').length === 1, `${body.list('data').length} payment.succeeded`);
  return {
    value: null,
    facts: [
      ['test clock', clock],
      ['payment', `${paymentId}, success`],
      ['event', `${heard.id}, once`],
    ] as const,
  };
}
