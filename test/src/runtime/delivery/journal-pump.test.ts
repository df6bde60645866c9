import { beforeEach, describe, expect, test } from 'vitest';
import { JournalPumps, pumpPagesMax, type Caused } from '../../../../src/runtime/delivery/journal-pump.ts';
import type { PartitionLease } from '../../../../src/runtime/cluster/partition-lease.ts';
import type { AskResult } from '../../../../src/runtime/model/envelope.ts';
import type { Doc, Row } from '../../../../src/store/store.ts';
import { docOf } from '../../../contract/store-samples.ts';

const scope = 'prj_abcd:sandbox';
const log: Doc = docOf({ kind: 'event_log', id: scope, scope });

const entry = (pos: number, object: string): Row => ({
  kind: 'journal',
  id: `${object}:${pos}`,
  owner: { kind: 'event_log', id: scope },
  scope,
  v: pos,
  once: true,
  gone: false,
  created: pos,
  tags: [],
  body: { pos, object, envelope: '{}' },
});

/** What was asked for and has no answer yet, by the id of the delivery. */
let asked: Map<string, (result: AskResult) => void>;
/** All that was asked for, in order. */
let order: string[];
/** The cursors that were saved. */
let saved: number[];
let savings: (() => void)[];
let pumps: JournalPumps;
const scheduler = {
  now: () => 0,
  steady: () => 0,
  after: (_ms: number, job: () => void) => {
    savings.push(job);
    return () => undefined;
  },
};
const lease = { over: false, scheduler, store: {} } as unknown as PartitionLease;

beforeEach(() => {
  [asked, order, saved, savings] = [new Map(), [], [], []];
  const causedBy = ({ id, body }: Row): readonly Caused[] => [
    { inOrder: body['object'] as string, to: { kind: 'delivery', id }, command: 'open', data: {} },
  ];
  pumps = new JournalPumps(
    {
      clocks: { walking: () => false },
      sharesClocks: false,
      scheduler,
      log: { warn: () => undefined, error: () => undefined },
      park: () => Promise.resolve(),
      work: { ended: () => undefined },
      positions: {
        writtenUpTo: (_scope, logged) => logged,
        logged: () => undefined,
        areUnderWay: () => false,
        begins: () => false,
        keepsSome: () => false,
        givesUp: () => true,
      },
      ask({ id }, command, data) {
        if (command === 'handledTo') saved.push((data as { dispatched: number }).dispatched);
        else order.push(id);
        return new Promise((resolve) => asked.set(id, resolve));
      },
    },
    (_scope, entries) => Promise.resolve(entries.map(causedBy)),
    null,
  );
  committed();
});

function committed(...rows: Row[]): void {
  pumps.observe(
    log,
    { pos: Number(rows.at(-1)?.body['pos'] ?? 0), dispatched: 0, published: 0, round: 0 },
    lease,
    rows,
  );
}
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
async function answered(id: string): Promise<void> {
  asked.get(id)?.({ is: 'ok' } as AskResult);
  await settled();
}
async function savedCursor(): Promise<number | undefined> {
  for (const save of savings.splice(0)) save();
  await settled();
  return saved.at(-1);
}

describe('what events cause', () => {
  test('is created though that of earlier events is not there yet', async () => {
    committed(entry(1, 'a'));
    await settled();
    committed(entry(2, 'b'));
    await settled();
    expect(order).toEqual(['a:1', 'b:2']);
  });

  test('is created after that of earlier events of the same object', async () => {
    committed(entry(1, 'a'));
    await settled();
    committed(entry(2, 'a'), entry(3, 'b'));
    await settled();
    expect(order).toEqual(['a:1', 'b:3']);
    await answered('a:1');
    expect(order).toEqual(['a:1', 'b:3', 'a:2']);
  });

  test('is noted when everything before it is there, too', async () => {
    committed(entry(1, 'a'));
    await settled();
    committed(entry(2, 'b'));
    await settled();
    await answered('b:2');
    expect(pumps.lag.toDispatch).toBe(2);
    expect(await savedCursor()).toBeUndefined();
    await answered('a:1');
    expect(pumps.lag.toDispatch).toBe(0);
    expect(await savedCursor()).toBe(2);
  });

  test('is noted also where there is never a moment without a page', async () => {
    committed(entry(1, 'a'));
    await settled();
    committed(entry(2, 'b'));
    await settled();
    await answered('a:1');
    expect(await savedCursor()).toBe(1);
  });

  test('is begun for a few pages at a time', async () => {
    for (let pos = 1; pos <= pumpPagesMax + 1; pos++) {
      committed(entry(pos, `o${pos}`));
      await settled();
    }
    expect(order).toHaveLength(pumpPagesMax);
    await answered('o2:2');
    expect(order).toHaveLength(pumpPagesMax);
    await answered('o1:1');
    expect(order).toHaveLength(pumpPagesMax + 1);
  });
});
