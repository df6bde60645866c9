/** Positions given out beside the log. The log is played by a counter of this test: what it answers, and when. */
import { beforeEach, expect, test } from 'vitest';
import {
  blockPositions,
  JournalPositions,
  leftToOutbox,
  type Placed,
} from '../../../../src/runtime/delivery/journal-positions.ts';
import { positionAt } from '../../../../src/runtime/delivery/journal-position.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';
import type { AskResult } from '../../../../src/runtime/model/envelope.ts';
import type { Doc, Row } from '../../../../src/store/store.ts';

const scope: Scope = 'prj_abcd:sandbox';

let logged: number;
let isSilent: boolean;
let written: { upTo: number; ids: readonly string[] | null }[];
let waiting: (() => void)[];
let now: number;
let positions: JournalPositions;

const reserved = async (): Promise<AskResult> => {
  if (isSilent) return new Promise(() => undefined);
  logged += blockPositions;
  return { is: 'ok', v: 1, detail: { end: logged } };
};

beforeEach(() => {
  [logged, isSilent, written, waiting, now] = [10, false, [], [], 0];
  positions = new JournalPositions(
    {
      scheduler: {
        now: () => now,
        steady: () => now,
        after: (_ms, work) => {
          waiting.push(work);
          return () => undefined;
        },
      },
      eventLogKind: 'event_log',
      ask: reserved,
      load: () => Promise.resolve(),
      faults: {},
    },
    (_scope, upTo, entries) => written.push({ upTo, ids: entries?.map(({ id }) => id) ?? null }),
  );
});

const entry = (id: string): Row => ({
  kind: 'journal',
  id,
  owner: { kind: 'counter', id: 'cnt_a' },
  scope,
  v: 1,
  once: true,
  gone: false,
  created: 5,
  tags: [],
  body: { pos: 0, eventId: `evt_${id}`, event: 'counted', objectId: 'cnt_a', envelope: '{}', at: 5 },
});
const view: Row = { ...entry('view'), kind: 'count', once: false };

const placed = async (...ids: readonly string[]): Promise<Placed> => {
  expect(await positions.hasRoom(scope, ids.length)).toBe(true);
  const found = positions.placed(scope, [view, ...ids.map(entry)]);
  if (found === null) throw new Error('there is room');
  return found;
};
const placesOf = ({ entries }: Placed): readonly unknown[] => entries.map(({ body }) => body['pos']);

test('the first event waits for a block behind all that the log has given away; its other rows stay as they are', async () => {
  const first = await placed('a:1', 'a:2');
  expect(placesOf(first)).toEqual([11, 12]);
  expect(first.rows[0]).toBe(view);
  expect(first.entries[0]?.owner).toEqual({ kind: 'event_log', id: scope });
  expect(logged).toBe(10 + blockPositions);
});

test('given two writes, when the later one ends first, then readers go on only when the earlier one has ended', async () => {
  const [a, b] = [await placed('a:1'), await placed('b:1')];
  written = [];
  b.ended(b.entries);
  expect(written).toEqual([]);
  expect(positions.writtenUpTo(scope, logged, 10)).toBe(10);
  a.ended(a.entries);
  expect(written.slice(0, 2)).toEqual([
    { upTo: 11, ids: ['a:1'] },
    { upTo: 12, ids: ['b:1'] },
  ]);
  expect(positions.writtenUpTo(scope, logged, 10)).toBe(12);
});

test('a write that was refused leaves a gap that readers pass, and no position is used twice', async () => {
  const [a, b] = [await placed('a:1'), await placed('b:1')];
  written = [];
  a.ended(null);
  a.ended(a.entries);
  b.ended(b.entries);
  expect(written.slice(0, 2)).toEqual([
    { upTo: 11, ids: null },
    { upTo: 12, ids: ['b:1'] },
  ]);
  expect(placesOf(await placed('c:1'))).toEqual([13]);
});

test('given a block that is nearly used up, the next one is reserved before anybody waits for it', async () => {
  const many = Array.from({ length: blockPositions - 100 }, (_, at) => `a:${at}`);
  (await placed(...many)).ended(null);
  await placed('b:1');
  await Promise.resolve();
  await Promise.resolve();
  expect(logged).toBe(10 + 2 * blockPositions);
});

test('an event that the log appends itself closes the block: the next event is behind it', async () => {
  (await placed('a:1')).ended(null);
  logged += 1;
  positions.logged(scope, logged);
  expect(placesOf(await placed('b:1'))).toEqual([logged - blockPositions + 1]);
});

test('a block that nobody uses is given up, but not while a write is under way', async () => {
  const a = await placed('a:1');
  expect(positions.givesUp(scope)).toBe(false);
  expect(positions.givesUp(scope)).toBe(false);
  a.ended(a.entries);
  expect(positions.givesUp(scope)).toBe(true);
  expect(positions.keepsSome(scope)).toBe(false);
  expect(positions.writtenUpTo(scope, logged, 11)).toBe(logged);
});

test('a log that does not answer holds up a commit for a second, and the next ones not at all', async () => {
  isSilent = true;
  const first = positions.hasRoom(scope, 1);
  await Promise.resolve();
  for (const work of waiting) work();
  expect(await first).toBe(false);
  expect(await positions.hasRoom(scope, 1)).toBe(false);
});

test('events left to the outbox are rows of the document, as a turn without positions would have written them', () => {
  const doc = { out: [], oq: 7, busy: false } as unknown as Doc;
  expect(leftToOutbox(doc, [entry('counter/cnt_a:3')])).toEqual({
    oq: 8,
    busy: true,
    out: [
      {
        q: 8,
        type: 'event',
        eseq: 3,
        eventId: 'evt_counter/cnt_a:3',
        event: 'counted',
        objectId: 'cnt_a',
        envelope: '{}',
        at: 5,
      },
    ],
  });
});

test('given a write under way, an event that the log has appended behind it is passed when the write has ended', async () => {
  const a = await placed('a:1');
  logged += 1;
  positions.logged(scope, logged);
  expect(positions.writtenUpTo(scope, logged, 10)).toBe(10);
  a.ended(a.entries);
  expect(positions.writtenUpTo(scope, logged, 11)).toBe(logged);
});

test('a search for an instant stays at or below the position up to which it may read', async () => {
  const rows = [7, 11].map((pos) => ({ ...entry(`a:${pos}`), created: pos, body: { pos } }));
  const after = async (_scope: Scope, from: number, limit: number): Promise<readonly Row[]> =>
    rows.filter(({ body }) => body.pos > from).slice(0, limit);
  expect(await positionAt(after, scope, 9, 100)).toBeLessThanOrEqual(9);
});
