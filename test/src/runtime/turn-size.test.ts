/** How many commands one turn takes: a project's log is as fast as its turns are full. */
import { expect, test } from 'vitest';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import type { Scope } from '../../../src/runtime/address.ts';
import type { Envelope } from '../../../src/runtime/envelope.ts';
import { outBytesMax, outRowsMax, runTurn, turnCommandsMax } from '../../../src/runtime/turn.ts';
import type { Doc } from '../../../src/store/store.ts';

const scope: Scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';

const append = (n: number, bytes: number): Envelope => ({
  to: { kind: 'event_log', id: scope },
  command: 'append',
  data: {
    events: [
      {
        key: `checkout_session/cs_${n}:1`,
        eventId: `evt_${n}`,
        event: 'checkout.session.created',
        objectId: `cs_${n}`,
        envelope: 'x'.repeat(bytes),
        at: 0,
      },
    ],
  },
  by: 'system',
  scope,
  deadline: Infinity,
});

/** One turn of the log over as many appends as may come, on a store that keeps rows in the document until they stand. */
function turn(before: Doc | null, bytes: number, from = 0) {
  const batch = Array.from({ length: 2 * turnCommandsMax }, (_, n) => append(from + n, bytes));
  const { next, answers } = runTurn(eventLog, scope, before, batch, {
    realNow: 0,
    clockNow: () => 0,
    epoch: 1,
    readByAll: Infinity,
    stamp: false,
    tok: 't',
    rowsInCommit: false,
    envelopeText: () => '',
    // what the turn before wrote stands by now
    settled: new Set(before?.out.map(({ q }) => q) ?? []),
    throws: () => 1,
    onThrow: (_envelope, thrown) => {
      throw thrown;
    },
  });
  return { next, taken: answers.length };
}

test('each turn takes 64 commands, also after one whose rows stand but still ride in the document', () => {
  const first = turn(null, 1000);
  expect(first.taken).toBe(turnCommandsMax);
  expect(first.next?.out).toHaveLength(outRowsMax);
  const second = turn(first.next, 1000, turnCommandsMax);
  expect(second.taken).toBe(turnCommandsMax);
  expect(second.next?.out).toHaveLength(outRowsMax);
  expect(second.next?.body).toMatchObject({ pos: 2 * turnCommandsMax });
});

test('a turn ends when a mebibyte rides in its document, and then has room for the rest', () => {
  const bytes = outBytesMax / 4;
  const first = turn(null, bytes);
  expect(first.taken).toBe(4);
  expect(turn(first.next, bytes, 4).taken).toBe(4);
});
