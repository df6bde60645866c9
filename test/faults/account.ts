/** After the last restart: everything stored, written into the history for the checker. */
import { createHash } from 'node:crypto';
import type { Body } from '../../src/cli/demo/api.ts';
import type { Shop } from '../../src/cli/demo/shop.ts';
import { orderOf, type Stage } from './journey.ts';
import { pause } from './line.ts';

const atOnce = 8;
const pageLimit = 100;
const pagesMax = 100;
const deliveriesMsMax = 60_000;

export async function account(stage: Stage, made: number, shop: Shop): Promise<void> {
  const { api, history } = stage;
  await each(
    Array.from({ length: made }, (_, at) => at + 1),
    async (n) => {
      const { key, body } = orderOf(stage, n);
      const answer = await api.post('/v1/checkout', body, { idempotencyKey: key });
      history.add({ is: 'asked_again', n, status: answer.status, text: answer.text });
    },
  );
  const sessions = await all(stage, '/v1/checkout?');
  for (const one of sessions) {
    history.add({
      is: 'session',
      id: one.text('id'),
      status: one.text('status'),
      paymentId: textOrNull(one, 'paymentId'),
      referenceId: textOrNull(one, 'referenceId'),
    });
  }
  const payments = await all(stage, '/v1/payments?');
  for (const one of payments) {
    history.add({
      is: 'payment',
      id: one.text('id'),
      sessionId: one.text('sessionId'),
      status: one.text('status'),
      why: textOrNull(one, 'failureReason'),
    });
  }
  await each(payments, async (one) => {
    const reference = one.text('id').replace('_', '-');
    const { body } = await api.must('GET', `/sim/control/payments?provider=wallet_b&reference=${reference}`);
    for (const charge of body.list('data')) {
      history.add({ is: 'charge', reference, sessionId: one.text('sessionId'), state: charge.text('state') });
    }
  });
  await events(stage, shop, sessions.filter((one) => one.at('status') === 'success').length);
}

/** Events are listed, and delivered, a moment after their commit: waits until each paid session has its event. */
async function events(stage: Stage, shop: Shop, paid: number): Promise<void> {
  const until = Date.now() + deliveriesMsMax;
  const heard = (): number =>
    new Set(shop.webhooks.filter(({ type }) => type === 'payment.succeeded').map(({ id }) => id)).size;
  while (heard() < paid && Date.now() < until) await pause(100);
  for (const event of await all(stage, '/v1/events?type=payment.succeeded&')) {
    const hash = createHash('sha256').update(JSON.stringify(event.value)).digest('hex');
    stage.history.add({
      is: 'event',
      id: event.text('id'),
      objectId: event.text('data.id'),
      sessionId: event.text('data.sessionId'),
      hash,
    });
  }
}

/** A whole list, oldest last. Pages end at 10,000 entries: what is older is asked for by its time. */
async function all({ api }: Stage, path: string): Promise<readonly Body[]> {
  const found = new Map<string, Body>();
  for (let createdTo = ''; ;) {
    const before = found.size;
    for (let page = 1; page <= pagesMax; page++) {
      const { body } = await api.must('GET', `${path}limit=${pageLimit}&page=${page}${createdTo}`);
      for (const one of body.list('data')) found.set(one.text('id'), one);
      if (body.list('data').length < pageLimit) return [...found.values()];
    }
    if (found.size === before) throw new Error(`more than ${pagesMax} pages of ${path} in one millisecond`);
    const oldest = [...found.values()].at(-1);
    // an event tells its time by another name
    const at = Date.parse(String(oldest?.at('createdAt') ?? oldest?.at('timestamp')));
    createdTo = `&createdTo=${new Date(at + 1).toISOString()}`;
  }
}

async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

const textOrNull = (body: Body, path: string): string | null => {
  const value = body.at(path);
  return typeof value === 'string' ? value : null;
};
