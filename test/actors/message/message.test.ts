import { describe, expect, test } from 'vitest';
import { message } from '../../../actors/message/message.ts';
import {
  keptMs,
  messageIdOf,
  retryDelays,
  type InvoiceNotice,
  type Outcome,
  type ReceiptNotice,
} from '../../../actors/message/messages.ts';
import { hours } from '../../../src/kernel/time.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import { given } from '../../support/simulated/test-runner.ts';

const paymentId = 'pay_4t8z1m6q3x9k2v7b';
const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:live' as const;
const id = messageIdOf(paymentId, ['receipt', 'email']);
const notice: ReceiptNotice = {
  is: 'receipt',
  channel: 'email',
  to: 'asha@example.com',
  language: 'en',
  paymentId,
  amount: 125_050,
  description: 'Order 1001',
  provider: 'wallet_b',
  providerRef: 'TX1',
  paidAt: Date.parse('2026-11-20T09:16:40.000Z'),
};
const opened = () => given(message, { id, scope }).when('open', { notice });
type Story = ReturnType<typeof opened>;
const tried = (story: Story, outcome: Outcome): Story => story.settle('message.send', { outcome });
const failed = { is: 'failed', reason: 'no connection to the mail server' } as const;

test('one cause has one message: told twice it is sent once', () => {
  const story = opened().when('open', { notice });
  expect(story.pending.map(({ kind, data }) => [kind, data])).toEqual([
    ['message.send', { messageId: id, notice }],
  ]);
  expect(messageIdOf(paymentId, ['receipt', 'email'])).toBe(id);
  expect(messageIdOf(paymentId, ['receipt', 'sms'])).not.toBe(id);
});

test('a mail server that hangs holds up neither SMS nor the sandbox: each has a lane', () => {
  const laneOf = (mode: 'live' | 'sandbox', channel: 'email' | 'sms') =>
    given(message, { id, scope: `prj_pjc0e83mhrawse3s6h8bhrbw:${mode}` }).when('open', {
      notice: { ...notice, channel },
    }).pending[0]?.lane;
  expect([laneOf('live', 'email'), laneOf('live', 'sms')]).toEqual(['email', 'sms']);
  expect([laneOf('sandbox', 'email'), laneOf('sandbox', 'sms')]).toEqual(['sandbox', 'sandbox']);
});

describe('in live', () => {
  test('accepted by the server it has ended, and the timeline of the payment says so', () => {
    const story = tried(opened(), { is: 'accepted', reply: '250 kept' });
    expect(story.state).toMatchObject({ status: 'sent', reason: '250 kept', tries: 1 });
    expect(story.notes).toEqual([
      expect.objectContaining({
        about: paymentId,
        kind: 'note',
        summary: 'Receipt by e-mail: the server has accepted it',
      }),
    ]);
    // a late copy of the try, or of its timer, sends nothing
    story.when('tried', { outcome: failed }).when('retryDue', { key: '' });
    expect([story.state.status, story.pending]).toEqual(['sent', []]);
    // nothing of the buyer's but the notice is kept
    expect(story.view).toMatchObject({ to: null, text: null, html: null });
  });

  test('it is tried again after a while, and a bounded number of times', () => {
    const story = tried(opened(), failed);
    for (const [at, delay] of retryDelays.entries()) {
      expect([story.state.status, story.timer('retry')]).toEqual(['sending', story.now + delay]);
      expect(story.wait(delay - 1).pending).toEqual([]);
      tried(story.wait(1), failed);
      expect(story.state.tries).toBe(at + 2);
    }
    expect(story.state).toMatchObject({ status: 'failed', tries: retryDelays.length + 1 });
    expect(story.timer('retry')).toBe(null);
    expect(story.wait(hours(24)).pending).toEqual([]);
  });

  test.each([
    ['refused', 'failed', 'Receipt by e-mail: could not be sent'],
    ['not_sent', 'not_sent', 'Receipt by e-mail: not sent'],
  ] as const)('%s, it ends at once', (is, status, summary) => {
    const story = tried(opened(), { is, reason: 'why' });
    expect(story.state).toMatchObject({ status, reason: 'why' });
    expect(story.notes.map((note) => note.summary)).toEqual([summary]);
    expect(story.timer('retry')).toBe(null);
  });
});

test('captured, it is kept as written for thirty days, then it is gone', () => {
  const written = { to: 'asha@example.com', subject: 'Receipt', text: 'Paid.', html: '<p>Paid.</p>' };
  const story = tried(opened(), { is: 'captured', written });
  expect(story.view).toEqual({
    id,
    channel: 'email',
    ...written,
    paymentId,
    invoiceId: null,
    createdAt: '2026-11-20T09:15:00.000Z',
  });
  expect(story.notes).toEqual([]);
  expect(story.wait(keptMs - 1).doc?.gone).toBe(false);
  expect(story.wait(1).doc).toMatchObject({ gone: true, body: null });
});

describe('of an invoice', () => {
  const invoice: InvoiceNotice = {
    is: 'invoice',
    channel: 'email',
    cause: 'opened',
    subscriptionId: 'sub_11tp7r3ewecer10mt5bwmx93',
    customerId: 'bc_4hb3anpsq6g635dy35q0jc0h',
    invoiceId: 'inv_bkwv5cfvxf62gttfxm6dzpp7',
    number: 'INV-000001',
    planName: 'Pro monthly',
    amount: 150_000,
    dueAt: 0,
    periodStart: 0,
    periodEnd: 1,
  };
  const story = () =>
    given(message, { id: messageIdOf(invoice.invoiceId, ['mail', 'opened']), scope }).when('open', {
      notice: invoice,
    });

  test('it names the invoice, and no payment has a note of it', () => {
    const sent = tried(story(), { is: 'accepted', reply: '250 kept' });
    expect(sent.view).toMatchObject({ invoiceId: invoice.invoiceId, paymentId: null });
    expect(sent.notes).toEqual([]);
  });

  test('a build that would write it as a receipt does not get to see it', () => {
    expect(lowered(message as AnyActor, story().state as never, 1)).toBeNull();
    expect(lowered(message as AnyActor, opened().state as never, 1)).toMatchObject({ status: 'sending' });
  });
});
