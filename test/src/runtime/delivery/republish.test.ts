/** EVENTS was lost: the journal has it all, and publishes it again. */
import { describe, expect, test } from 'vitest';
import { envelopeText } from '../../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../../actors/event-log/event-log.ts';
import { realScheduler } from '../../../../src/kernel/time.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import type { AskResult } from '../../../../src/runtime/model/envelope.ts';
import { Node } from '../../../../src/runtime/node/node.ts';
import { Republishing, type RepublishHost } from '../../../../src/runtime/delivery/republish.ts';
import { createSimStore } from '../../../support/simulated/store-sim.ts';
import { until } from '../../../contract/bus.contract.ts';
import { docOf } from '../../../contract/store-samples.ts';
import { embedded } from '../../../support/embedded.ts';
import { counter, counterAt } from '../counter.ts';

const scopes: readonly Scope[] = ['prj_abcd:sandbox', 'prj_abce:live'];

test('every log is published again, in its order, also logs not loaded since the start', async () => {
  const store = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: false });
  Object.assign(store.weather, { latencyMsMin: 0, latencyMsMax: 1 });
  const published: string[] = [];
  const boot = async (name: string): Promise<Node> => {
    const node = new Node({
      actors: [counter, eventLog],
      store: store.connect(),
      scheduler: realScheduler,
      ...embedded(name),
      publish: async (events) => void published.push(...events.map(({ scope, key }) => `${scope} ${key}`)),
      envelopeText,
      effects: { fetch: { atOnce: 1, run: async () => ({}) } },
      dispatch: async (_scope, entries) => entries.map(() => []),
      log: { warn: () => undefined, error: () => undefined },
    });
    await node.start();
    node.open();
    return node;
  };
  const saved = async (node: Node): Promise<readonly unknown[]> =>
    (await node.store.listDocs({ kind: 'event_log', scope: null, page: 1, limit: 10 })).items.map(
      ({ body }) => body?.['published'],
    );

  const first = await boot('n:1');
  for (const [n, scope] of scopes.entries()) {
    const [at, asking] = [counterAt(`cnt_ab${n}`), { by: 'merchant', scope } as const];
    await first.client.ask(at, 'open', {}, asking);
    for (let times = 0; times < 3; times++) await first.client.ask(at, 'announce', {}, asking);
  }
  await until(() => published.length === 6, 'six events');
  const all = published.splice(0);
  let cursors: readonly unknown[] = [];
  for (let tries = 0; tries < 300 && String(cursors) !== '3,3'; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    cursors = await saved(first);
  }
  expect(cursors).toEqual([3, 3]);
  first.kill();

  const second = await boot('n:2');
  await second.republishing.all('once');
  await until(() => published.length === 6, 'all six once more');
  for (const scope of scopes) {
    const of = (texts: readonly string[]): readonly string[] =>
      texts.filter((text) => text.startsWith(scope));
    expect(of(published)).toEqual(of(all));
  }
  await second.client.ask(counterAt('cnt_ab0'), 'announce', {}, { by: 'merchant', scope: scopes[0] ?? null });
  await until(() => published.length === 7, 'the next, once');
  second.kill();
});

describe('logs that do not accept it', () => {
  const internal: AskResult = { is: 'internal' };
  const unknown: AskResult = { is: 'unknown' };

  /** Two logs that answer as the test sets, by default correctly; records asks, parked rows and log lines. */
  const bench = () => {
    const answers = new Map<string, AskResult>();
    const [asked, parked, said]: [string[], unknown[][], string[]] = [[], [], []];
    const parts: RepublishHost = {
      store: {
        listDocs: async () => ({
          items: scopes.map((id) => docOf({ kind: 'event_log', id, scope: id })),
          total: 2,
        }),
      },
      ask: async ({ id }) => {
        asked.push(id);
        return answers.get(id) ?? { is: 'ok', v: 1, detail: {} };
      },
      eventLogKind: 'event_log',
      scheduler: {
        after: (_delay, work) => {
          queueMicrotask(work);
          return () => undefined;
        },
      },
      park: async (...row) => void parked.push(row),
      log: {
        warn: (_fields, line) => void said.push(line),
        error: (_fields, line) => void said.push(line),
      },
    };
    const timesAsked = (): readonly number[] => {
      const all = asked.splice(0);
      return scopes.map((scope) => all.filter((id) => id === scope).length);
    };
    return { republishing: new Republishing(parts), answers, parked, said, timesAsked };
  };
  const [silent, other] = scopes;
  if (silent === undefined || other === undefined) throw new Error('two logs');

  test('one that does not answer is asked again, the others only after the next loss of the stream', async () => {
    const { republishing, answers, said, timesAsked } = bench();
    answers.set(silent, unknown);
    expect(await republishing.all('first')).toBe(false);
    expect(timesAsked()).toEqual([10, 1]);
    expect(await republishing.all('first')).toBe(false);
    expect(timesAsked()).toEqual([10, 0]);
    answers.clear();
    expect(await republishing.all('first')).toBe(true);
    expect(timesAsked()).toEqual([1, 0]);
    expect(said.filter((line) => line.startsWith('EVENTS was created again'))).toHaveLength(1);
    // nobody could say so of the stream yet
    expect(await republishing.all('first')).toBe(true);
    expect(timesAsked()).toEqual([0, 0]);
    expect(await republishing.all('second')).toBe(true);
    expect(timesAsked()).toEqual([1, 1]);
  });

  test('one that fails becomes a dead letter, and the rest is complete', async () => {
    const { republishing, answers, parked, timesAsked } = bench();
    answers.set(silent, internal);
    expect(await republishing.all('first')).toBe(true);
    expect(timesAsked()).toEqual([5, 1]);
    const tell = `event_log/${silent}`;
    const letter = { tell, command: 'republish', data: {}, reason: 'internal' };
    expect(parked).toEqual([[{ kind: 'event_log', id: silent }, silent, `${tell}:republish:first`, letter]]);
    expect(await republishing.all('first')).toBe(true);
    expect(timesAsked()).toEqual([0, 0]);
  });
});
