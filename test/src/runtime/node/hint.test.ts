import { describe, expect, test } from 'vitest';
import { createLocalBus } from '../../../support/simulated/bus-local.ts';
import { realScheduler } from '../../../../src/kernel/time.ts';
import { carryHint } from '../../../../src/runtime/node/hint.ts';
import type { AskResult, Envelope } from '../../../../src/runtime/model/envelope.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { embedded } from '../../../support/embedded.ts';
import { counter, counterAt } from '../counter.ts';

const envelope: Envelope = {
  to: counterAt('cnt_ab1'),
  command: 'add',
  data: { by: 1 },
  by: 'system',
  scope: null,
  deadline: Infinity,
};

/** What becomes of a hint its owner answers so, and what the mailbox was given. */
async function fate(result: AskResult, open = true): Promise<readonly [string, readonly Envelope[]]> {
  const posted: Envelope[] = [];
  const bus = { post: async (one: Envelope) => (posted.push(one), open) };
  return [await carryHint(() => Promise.resolve(result), bus, envelope), posted];
}

describe('a hint', () => {
  test('that its actor received, whatever the result, is not stored', async () => {
    expect(await fate({ is: 'ok', v: 1, detail: {} })).toEqual(['arrived', []]);
    expect(await fate({ is: 'refused', code: 'not_found', detail: {} })).toEqual(['arrived', []]);
  });

  test('without an answer, or rejected by a busy owner, is stored in the mailbox', async () => {
    expect(await fate({ is: 'unknown' })).toEqual(['stored', [envelope]]);
    const full: AskResult = { is: 'not_executed', why: 'overloaded', retryAfterMs: 100 };
    expect(await fate(full)).toEqual(['stored', [envelope]]);
  });

  test('is lost without a mailbox, and reported as such', async () => {
    expect(await fate({ is: 'unknown' }, false)).toEqual(['lost', [envelope]]);
  });

  test('that makes its actor throw is lost: another copy would throw, too', async () => {
    expect(await fate({ is: 'internal' })).toEqual(['lost', []]);
  });
});

test('a node whose store is away stores a hint in the mailbox after the given time', async () => {
  const store = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: false });
  const posted: Envelope[] = [];
  const bus = createLocalBus().connect('n:1');
  bus.post = async (one) => (posted.push(one), true);
  const node = new Node({
    actors: [counter],
    store: store.connect(),
    scheduler: realScheduler,
    ...embedded('n:1'),
    bus,
    envelopeText: () => '',
    effects: { fetch: { atOnce: 1, run: async () => ({}) } },
    dispatch: async () => [],
    log: { warn: () => undefined, error: () => undefined },
  });
  await node.start();
  store.weather.awayUntil = Date.now() + 60_000;
  const asking = { by: 'system', scope: null, waitMs: 20 } as const;
  expect(await node.client.hint(counterAt('cnt_ab1'), 'add', { by: 1 }, asking)).toBe('stored');
  expect(posted).toEqual([envelope]);
  node.kill();
  expect(await node.client.hint(counterAt('cnt_ab1'), 'add', { by: 1 }, asking)).toBe('lost');
});
