/** How many commands one turn takes: a project's event log depends on full turns. */
import { expect, test } from 'vitest';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import type { Envelope } from '../../../src/runtime/model/envelope.ts';
import { outBytesMax, runTurn, turnCommandsMax } from '../../../src/runtime/turn/turn.ts';
import type { Doc } from '../../../src/store/store.ts';

const scope: Scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';

const append = (n: number, bytes: number, events = 1): Envelope => ({
  to: { kind: 'event_log', id: scope },
  command: 'append',
  data: {
    events: Array.from({ length: events }, (_, at) => ({
      key: `checkout_session/cs_${n}:${at + 1}`,
      eventId: `evt_${n}_${at}`,
      event: 'checkout.session.created',
      objectId: `cs_${n}`,
      envelope: 'x'.repeat(bytes),
      at: 0,
    })),
  },
  by: 'system',
  scope,
  deadline: Infinity,
});

interface Load {
  readonly bytes: number;
  /** Of each append. */
  readonly events?: number;
  /** Whether the store takes rows with the document; else they ride in it until they stand. */
  readonly rowsInCommit?: boolean;
}

/** One turn of the log over more appends than it takes. */
function turn(before: Doc | null, { bytes, events = 1, rowsInCommit = false }: Load) {
  const from = before?.oq ?? 0;
  const batch = Array.from({ length: 2 * turnCommandsMax }, (_, n) => append(from + n, bytes, events));
  const { next, answers } = runTurn(eventLog, scope, before, batch, {
    realNow: 0,
    clockNow: () => 0,
    epoch: 1,
    readByAll: Infinity,
    notesTogether: true,
    placesEvents: false,
    stamp: false,
    tok: 't',
    rowsInCommit,
    alone: true,
    envelopeText: () => '',
    // what the turn before wrote stands by now
    eras: [],
    settled: new Set(before?.out.map(({ q }) => q) ?? []),
    throws: () => 1,
    onThrow: (_envelope, thrown) => {
      throw thrown;
    },
  });
  return { next, taken: answers.length };
}

test.each([
  { events: 1, rowsInCommit: false },
  { events: 3, rowsInCommit: false },
  { events: 1, rowsInCommit: true },
  { events: 3, rowsInCommit: true },
])(
  'each turn takes 64 commands of $events events, also after one whose rows stand (rows in the commit: $rowsInCommit)',
  (load) => {
    let before: Doc | null = null;
    for (let turns = 1; turns <= 3; turns++) {
      const { next, taken } = turn(before, { bytes: 1000, ...load });
      expect(taken).toBe(turnCommandsMax);
      expect(next?.body).toMatchObject({ pos: turns * turnCommandsMax * load.events });
      before = next;
    }
  },
);

test('a turn ends when it adds a mebibyte to its document, and the rest runs in the next turn', () => {
  const bytes = outBytesMax / 4;
  const first = turn(null, { bytes });
  expect(first.taken).toBe(4);
  expect(turn(first.next, { bytes }).taken).toBe(4);
});
