import { describe, expect, test } from 'vitest';
import { idempotencyKey } from '../../../actors/idempotency-key/idempotency-key.ts';
import { idempotencyKeyAt, type IdempotencyCommands } from '../../../actors/idempotency-key/messages.ts';
import { hours, seconds } from '../../../src/kernel/time.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import { given } from '../../support/simulated/test-runner.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' as const;
const { id } = idempotencyKeyAt(scope, 'POST', '/v1/checkout', 'key-1');
const record = () => given(idempotencyKey, { id, scope });
type Story = ReturnType<typeof record>;
/** The time of the first request. */
const firstGeneration = record().now;

const beginOf = (story: Story): IdempotencyCommands['begin'] => ({
  key: 'key-1',
  method: 'POST',
  path: '/v1/checkout',
  bodyHash: 'hash-1',
  ids: { session: 'cs_first', request: 'req_first' },
  incarnation: 'n:a',
  incarnationsAlive: ['n:a', 'n:b'],
  realNow: story.now,
});
const begin = (story: Story, more: Partial<IdempotencyCommands['begin']> = {}): Story =>
  story.when('begin', { ...beginOf(story), ...more });
const complete = (story: Story, generation = firstGeneration, body = '{"id":"cs_first"}'): Story =>
  story.when('complete', { generation, status: 201, body, sealed: false, objectId: 'cs_first' });
const detail = (story: Story): unknown => {
  const { outcome } = story.last;
  return outcome.is === 'ok' ? outcome.detail : outcome;
};
const first = { is: 'run', generation: firstGeneration, ids: { session: 'cs_first', request: 'req_first' } };

test('records differ by scope, method, path and key, however these are spelt', () => {
  const ids = [
    idempotencyKeyAt(scope, 'POST', '/v1/checkout', 'a'),
    idempotencyKeyAt('prj_x:live', 'POST', '/v1/checkout', 'a'),
    idempotencyKeyAt(scope, 'POST', '/v1/refunds', 'a'),
    idempotencyKeyAt(scope, 'POST', '/v1/checkouta', ''),
  ].map((address) => address.id);
  expect(new Set(ids).size).toBe(4);
});

test('a record that was removed and is created anew goes on with a later generation', () => {
  const early = detail(begin(record())) as { readonly generation: number };
  const later = record();
  later.now += hours(25);
  expect(detail(begin(later))).toMatchObject({ is: 'run', generation: early.generation + hours(25) });
});

test('a record that was begun for longer lives as long as it was told, to the millisecond', () => {
  const lasting = (story: Story): Story => story.when('beginFor', { ...beginOf(story), lifeMs: hours(25) });
  const story = complete(lasting(record()));
  expect(detail(lasting(story.wait(hours(25) - 1)))).toMatchObject({ is: 'replay' });
  expect(detail(lasting(story.wait(1)))).toMatchObject({ is: 'run', generation: firstGeneration + 1 });
});

describe('the first request', () => {
  test('runs with its own ids', () => {
    expect(detail(begin(record()))).toEqual(first);
  });

  test('blocks others while its node is alive and 30 s are not over, even those with another body', () => {
    const story = begin(record()).wait(seconds(30) - 1);
    expect(detail(begin(story, { incarnation: 'n:b' }))).toEqual({ is: 'conflict' });
    expect(detail(begin(story, { incarnation: 'n:b', bodyHash: 'other' }))).toEqual({ is: 'conflict' });
    expect(story.doc?.v).toBe(1);
  });

  test.each<[string, (story: Story) => Story, Partial<IdempotencyCommands['begin']>]>([
    ['its node has died', (story) => story, { incarnationsAlive: ['n:b'] }],
    ['30 s are over', (story) => story.wait(seconds(30)), {}],
    ['its answer was 503', (story) => story.when('yield', { generation: firstGeneration }), {}],
    ['its door was never told that it began', (story) => story.when('yield', { request: 'req_first' }), {}],
  ])('is taken over with its own generation and ids once %s', (_why, then, how) => {
    const story = then(begin(record()));
    expect(detail(begin(story, { incarnation: 'n:b', ids: { session: 'cs_other' }, ...how }))).toEqual(first);
    expect(detail(begin(story, { ids: { session: 'cs_third' } }))).toEqual({ is: 'conflict' });
  });

  test('is not yielded by a request that did not begin it', () => {
    const story = begin(record()).when('yield', { request: 'req_other' });
    expect(detail(begin(story, { incarnation: 'n:b' }))).toEqual({ is: 'conflict' });
  });

  describe('that was taken over', () => {
    const takenOver = (): Story =>
      begin(begin(record()).when('yield', { request: 'req_first' }), { ids: { request: 'req_second' } });
    const third = (story: Story): unknown => detail(begin(story, { ids: { request: 'req_third' } }));

    test('can no longer release the record, however late it tries', () => {
      for (const who of [{ request: 'req_first' }, { generation: firstGeneration, runner: 'req_first' }]) {
        expect(third(takenOver().when('yield', who))).toEqual({ is: 'conflict' });
      }
      expect(
        third(takenOver().when('release', { generation: firstGeneration, runner: 'req_first' })),
      ).toEqual({
        is: 'conflict',
      });
    });

    test('is released by the request that runs now, even if that never received its generation', () => {
      expect(third(takenOver().when('yield', { request: 'req_second' }))).toEqual(first);
      expect(third(takenOver().when('yield', { generation: firstGeneration, runner: 'req_second' }))).toEqual(
        first,
      );
      expect(
        third(takenOver().when('release', { generation: firstGeneration, runner: 'req_second' })),
      ).toMatchObject({
        is: 'run',
        generation: firstGeneration + 1,
      });
    });

    test('is released by a request of an older version, which names no runner', () => {
      expect(third(takenOver().when('yield', { generation: firstGeneration }))).toEqual(first);
    });

    test('still stores the answer, and the record drops the runner', () => {
      const story = complete(takenOver());
      expect(detail(story)).toEqual({ is: 'stored' });
      expect(story.state).not.toHaveProperty('runner');
    });
  });

  test('is not taken over with another body', () => {
    const story = begin(record()).wait(seconds(30));
    expect(detail(begin(story, { bodyHash: 'other' }))).toEqual({ is: 'reused' });
    expect(story.doc?.v).toBe(1);
  });
});

describe('a stored answer', () => {
  test('is replayed to the same body and refused to another', () => {
    const story = complete(begin(record()));
    expect(detail(story)).toEqual({ is: 'stored' });
    expect(detail(begin(story, { ids: { session: 'cs_other' } }))).toEqual({
      is: 'replay',
      generation: firstGeneration,
    });
    expect(detail(begin(story, { bodyHash: 'other' }))).toEqual({ is: 'reused' });
    expect(story.state).toMatchObject({
      status: 'completed',
      statusCode: 201,
      body: '{"id":"cs_first"}',
      ids: { session: 'cs_first' },
    });
  });

  test('is the first one, even if a second arrives', () => {
    const story = complete(complete(begin(record())), firstGeneration, '{"id":"cs_second"}');
    expect(detail(story)).toEqual({ is: 'stored' });
    expect(story.state).toMatchObject({ body: '{"id":"cs_first"}' });
  });

  test('stays when a late request releases or yields', () => {
    const story = complete(begin(record()))
      .when('release', { generation: firstGeneration })
      .when('yield', { generation: firstGeneration });
    expect(story.state.status).toBe('completed');
  });
});

describe('a released key', () => {
  const released = () => begin(record()).when('release', { generation: firstGeneration });

  test('starts again with any body, new ids and the next generation', () => {
    const story = begin(released(), { bodyHash: 'other', ids: { session: 'cs_other' } });
    expect(detail(story)).toEqual({
      is: 'run',
      generation: firstGeneration + 1,
      ids: { session: 'cs_other' },
    });
  });

  test('does not accept the answer of the previous generation', () => {
    expect(detail(complete(released()))).toEqual({ is: 'over' });
    const story = complete(begin(released()), 1);
    expect(detail(story)).toEqual({ is: 'over' });
    expect(story.state).toMatchObject({ status: 'running', generation: firstGeneration + 1 });
    story.when('release', { generation: firstGeneration }).when('yield', { generation: firstGeneration });
    expect(detail(begin(story, { incarnation: 'n:b' }))).toEqual({ is: 'conflict' });
  });
});

describe('after 24 hours', () => {
  test('the same answer until the last millisecond, then a new request with new ids', () => {
    const story = complete(begin(record())).wait(hours(24) - 1);
    expect(detail(begin(story))).toEqual({ is: 'replay', generation: firstGeneration });
    expect(detail(begin(story.wait(1), { ids: { session: 'cs_new' } }))).toEqual({
      is: 'run',
      generation: firstGeneration + 1,
      ids: { session: 'cs_new' },
    });
  });

  test('the lifetime counts from the first request, not from a repeat or the answer', () => {
    const story = begin(record()).wait(hours(23));
    complete(begin(story, { incarnation: 'n:b' }));
    expect(detail(begin(story.wait(hours(1))))).toMatchObject({ is: 'run', generation: firstGeneration + 1 });
  });

  test('a late timer does not lengthen it', () => {
    const story = complete(begin(record()));
    story.now += hours(24);
    expect(detail(begin(story))).toMatchObject({ is: 'run', generation: firstGeneration + 1 });
    expect(story.timer('expiry')).toBe(story.now + hours(24));
    story.wait(hours(24) - 1);
    expect(story.state.status).toBe('running');
  });

  test('nothing of the request is kept except its generation', () => {
    const story = complete(begin(record()));
    const { firstAt, expiresAt } = story.state;
    story.wait(hours(24));
    expect(story.state).toEqual({ status: 'released', generation: firstGeneration, firstAt, expiresAt });
    expect(story.doc?.timers).toEqual([]);
  });

  test('a request that never finished expires too', () => {
    const story = begin(record()).wait(hours(24));
    expect(detail(begin(story))).toMatchObject({ is: 'run', generation: firstGeneration + 1 });
  });
});

test('the inspector shows a running and a completed record', () => {
  const story = begin(record());
  const common = {
    key: 'key-1',
    method: 'POST',
    path: '/v1/checkout',
    createdAt: '2026-11-20T09:15:00.000Z',
    expiresAt: '2026-11-21T09:15:00.000Z',
    response: null,
  };
  expect(story.view).toEqual({ ...common, state: 'running', statusCode: null, objectId: null });
  expect(complete(story).view).toEqual({
    ...common,
    state: 'completed',
    statusCode: 201,
    objectId: 'cs_first',
  });
});

test('a request from another scope finds no record', () => {
  const story = begin(record()).when(
    'complete',
    { generation: firstGeneration, status: 201, body: '', sealed: false, objectId: null },
    { scope: 'prj_other:sandbox' },
  );
  expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
});

describe('closing', () => {
  const close = (story: Story, more: Partial<IdempotencyCommands['begin']> = {}): Story =>
    story.when('close', {
      key: 'key-1',
      method: 'POST',
      path: '/v1/checkout',
      bodyHash: 'hash-1',
      ids: { session: 'cs_other', request: 'req_other' },
      incarnation: 'n:b',
      incarnationsAlive: ['n:a', 'n:b'],
      realNow: story.now,
      ...more,
    });

  test('a key without a record is closed for good: no request begins one any more', () => {
    const story = close(record());
    expect(detail(story)).toEqual({ is: 'closed' });
    expect(detail(begin(story))).toEqual({ is: 'closed' });
    story.now += hours(25);
    expect(detail(begin(story))).toEqual({ is: 'closed' });
  });

  test('a living record goes on: it is taken over, conflicts, replays and refuses as ever', () => {
    const story = begin(record());
    expect(detail(close(story))).toEqual({ is: 'conflict' });
    expect(detail(close(story, { incarnationsAlive: ['n:b'] }))).toEqual(first);
    complete(story);
    expect(detail(close(story))).toEqual({ is: 'replay', generation: firstGeneration });
    expect(detail(close(story, { bodyHash: 'hash-2' }))).toEqual({ is: 'reused' });
  });

  test('a record whose life is over, or that was released, is closed', () => {
    const over = complete(begin(record()));
    over.now += hours(24);
    expect(detail(close(over))).toEqual({ is: 'closed' });
    const released = begin(record()).when('release', { generation: firstGeneration });
    expect(detail(close(released))).toEqual({ is: 'closed' });
    // the answer of the request that ran before stays its own
    expect(detail(complete(released))).toEqual({ is: 'over' });
  });

  test('a closed record is not written for nodes that do not know it', () => {
    const state = close(record()).state as unknown as Parameters<typeof lowered>[1];
    expect(lowered(idempotencyKey, state, 1)).toBeNull();
  });
});
