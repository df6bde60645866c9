/** A session that is the record of its Idempotency-Key. */
import { describe, expect, test } from 'vitest';
import type { KeyedAnswer } from '../../../actors/checkout-session/commands.ts';
import { lifeMs } from '../../../actors/idempotency-key/messages.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { hours, minutes } from '../../../src/kernel/time.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import { given } from '../../support/simulated/test-runner.ts';
import { plainOrder } from '../../support/order.ts';
import { keyedRequest } from './keyed-request.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' as const;
const session = (id = 'cs_f1rst0000000000000000000') => given(checkoutSession, { id, scope });
type Story = ReturnType<typeof session>;

const open = (story: Story, more: Parameters<typeof keyedRequest>[0] = {}): Story =>
  story.when('openKeyed', { order: plainOrder, lifeMs: minutes(30), key: keyedRequest(more) });
/** What the last command was told. */
function told(story: Story): KeyedAnswer {
  const { outcome } = story.last;
  if (outcome.is !== 'ok') throw new Error(`it was ${outcome.is}`);
  return outcome.detail as unknown as KeyedAnswer;
}
const repeated = (story: Story, more: Parameters<typeof keyedRequest>[0] = {}): KeyedAnswer =>
  told(open(story, { request: 'req_second', ...more }));
const version = (story: Story): number => story.doc?.v ?? 0;
const pass = (story: Story, ms: number): void => {
  story.now += ms;
};

test('the commit that creates the session holds the body, the end of the life on its clock and the answer', () => {
  const story = open(session());
  expect(told(story)).toEqual({ is: 'created' });
  expect(story.state.keyed).toMatchObject({ hash: 'hash-1', generation: 1, endsAt: story.now + hours(24) });
  expect(story.doc?.tags).toContain('idempotencyKey=tag-1');
  expect(story.rows('keyed_answer')).toEqual([
    {
      id: story.given.id,
      text: JSON.stringify(story.view),
      written: '2026-11-20',
      version: '2026-11-20',
    },
  ]);
  expect(story.events.map(({ type }) => type)).toEqual(['checkout.created']);
  expect(story.view).not.toHaveProperty('keyed');
});

describe('while the key lives', () => {
  test('the same body is answered the same, another one is refused, and nothing changes', () => {
    const story = open(session());
    const before = version(story);
    expect(repeated(story)).toEqual({ is: 'replay' });
    expect(repeated(story, { hash: 'hash-2' })).toEqual({ is: 'reused' });
    // a copy of the first request
    expect(repeated(story, { request: 'req_first' })).toEqual({ is: 'created' });
    pass(story, lifeMs - 1);
    expect(repeated(story)).toEqual({ is: 'replay' });
    expect(version(story)).toBe(before);
  });

  test('the stored answer stays as it was when the session goes on', () => {
    const story = open(session());
    const { keyed } = story.state;
    story.when('expire', {});
    expect(story.state.keyed).toEqual(keyed);
    // the row is written once, with the session: later turns neither replace it nor remove it
    expect(story.rows('keyed_answer')).toEqual([]);
    expect(repeated(story)).toEqual({ is: 'replay' });
  });
});

describe('after the life', () => {
  test('the first session commits the next number before anybody creates that session', () => {
    const story = open(session());
    pass(story, lifeMs);
    expect(repeated(story)).toEqual({ is: 'next', generation: 2 });
    const before = version(story);
    // whoever asks again, with whatever body, gets the same number, and nothing is committed
    expect(repeated(story, { hash: 'hash-2' })).toEqual({ is: 'next', generation: 2 });
    expect(version(story)).toBe(before);
    // the session of that number is over, too
    expect(repeated(story, { ended: 2 })).toEqual({ is: 'next', generation: 3 });
    expect(repeated(story, { ended: 2 })).toEqual({ is: 'next', generation: 3 });
  });

  test('a number that was given stays given, also for a node whose clock is behind', () => {
    const story = open(session());
    pass(story, lifeMs);
    repeated(story);
    pass(story, -minutes(1));
    expect(repeated(story)).toEqual({ is: 'next', generation: 2 });
  });

  test('a later session says that its life is over; only the first one knows the next number', () => {
    const story = open(session('cs_sec0nd000000000000000000'), { generation: 2 });
    expect(repeated(story, { generation: 2 })).toEqual({ is: 'replay' });
    pass(story, lifeMs);
    const before = version(story);
    expect(repeated(story, { generation: 2 })).toEqual({ is: 'over' });
    expect(version(story)).toBe(before);
  });
});

test('a session of a key is not written for nodes that would not answer a repeat', () => {
  const story = open(session());
  const state = story.state as unknown as Parameters<typeof lowered>[1];
  expect(lowered(checkoutSession, state, 7)).toBeNull();
  const plain = session().when('open', { order: plainOrder, lifeMs: minutes(30) });
  expect(lowered(checkoutSession, plain.state as unknown as Parameters<typeof lowered>[1], 7)).toEqual(
    plain.state,
  );
});
