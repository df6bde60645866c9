/** Second part of the demo: the session has ended, and then the money arrives. */
import { eventually, expect } from './printer.ts';
import type { World } from './world.ts';

const sessionSeconds = 30 * 60;
/** The simulated provider books it 60 s after the end; we look two minutes after it. */
const lateSeconds = 2 * 60 + 15;

export async function showLate(world: World): Promise<void> {
  const { printer, api, shop } = world;
  printer.chapter('Late money');
  const id = await printer.step('A buyer starts, then nothing happens for half an hour', async () => {
    const { body } = await api.must('POST', '/v1/checkout', {
      amount: 50_000,
      returnUrl: `${shop.url}/return`,
      description: 'Order 1002',
    });
    await api.must('POST', `/v1/test/checkout/${body.text('id')}/simulate`, {
      outcome: 'late_success',
      provider: 'wallet_b',
    });
    const clock = await advance(world, sessionSeconds + 5);
    const { body: expired } = await api.must('GET', `/v1/checkout/${body.text('id')}`);
    expect(expired.at('status') === 'expired', `the session is ${expired.text('status')}, not expired`);
    return {
      value: body.text('id'),
      facts: [
        ['session', body.text('id')],
        ['test clock', clock],
        ['status', 'expired'],
      ],
    };
  });
  await printer.step('The provider books it a minute later; it is found and told', async () => {
    const clock = await advance(world, lateSeconds);
    const paid = await eventually('late success', 5000, async () => {
      const { body } = await api.must('GET', `/v1/checkout/${id}`);
      return body.at('status') === 'success' ? body : null;
    });
    expect(paid.at('late') === true, 'the session does not say that its money came late');
    const heard = await shop.webhook(
      ({ type, objectId }) => type === 'payment.succeeded' && objectId === paid.text('paymentId'),
    );
    return {
      value: null,
      facts: [
        ['test clock', clock],
        ['status', 'success, late: true'],
        ['payment', paid.text('paymentId')],
        ['event', `${heard.id}, ${heard.type}`],
      ],
    };
  });
}

/** Moves the project's test clock and prints it. */
export async function advance({ api }: World, bySeconds: number): Promise<string> {
  const { body } = await api.must('POST', '/v1/test/clock/advance', { bySeconds });
  const ready =
    body.at('status') === 'ready'
      ? body
      : await eventually('the clock to be ready', 15_000, async () => {
          const now = await api.must('GET', '/v1/test/clock');
          return now.body.at('status') === 'ready' ? now.body : null;
        });
  return `${ready.text('now')} (moved ${bySeconds} s, ${String(body.at('fired'))} timers fired)`;
}
