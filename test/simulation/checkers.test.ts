/** Each law can be broken: a history that breaks it, given to it alone, must not pass. A law that cannot fail
 *  proves nothing. */
import { expect, test } from 'vitest';
import { Disk } from '../support/simulated/store-sim-disk.ts';
import { deliveryIdOf } from '../../actors/webhook-delivery/messages.ts';
import * as answers from './checkers/answers.ts';
import type { Facts, MakeChecker } from './checkers/checker.ts';
import { Checkers, laws } from './checkers/checkers.ts';
import * as clocks from './checkers/clocks.ts';
import * as deliveries from './checkers/deliveries.ts';
import * as journal from './checkers/journal.ts';
import * as linkLaws from './checkers/links.ts';
import * as keyedLaws from './checkers/keyed.ts';
import * as money from './checkers/money.ts';
import * as refundLaws from './checkers/refunds.ts';
import * as outbox from './checkers/outbox.ts';
import * as tallies from './checkers/tallies.ts';
import * as versions from './checkers/versions.ts';
import { brokenBilling } from './checkers-billing.ts';
import { Ledger } from './ledger.ts';
import {
  Scene,
  delivery,
  effectOut,
  entries,
  entry,
  eventOut,
  keyed,
  known,
  linkOf,
  linked,
  log,
  now,
  paid,
  part,
  refund,
  refunding,
  payment,
  rowOut,
  seen,
  session,
  tellOut,
} from './scene.ts';

/** Each law with a story that breaks it. */
const broken: readonly (readonly [MakeChecker, (scene: Scene) => unknown])[] = [
  [answers.durableBeforeTold, (s) => s.doc({ v: 1 }).answered({ result: { is: 'ok', v: 2, detail: {} } })],
  [answers.durableBeforeTold, (s) => s.doc({ v: 1 }).shown({ v: 2 })],
  [
    answers.keyedRefusalsAreStored,
    (s) => s.doc({}).answered({ ...keyed, result: { is: 'refused', code: 'even', detail: {} } }),
  ],
  [
    answers.repeatsMeetTheirOutcome,
    (s) => s.answered(keyed).answered({ ...keyed, result: { is: 'ok', v: 2, detail: {} } }),
  ],
  [answers.readsNeverGoBack, (s) => s.shown({ v: 2 }).shown({ v: 1, askedAt: 5, answeredAt: 6 })],
  [answers.readsNeverGoBack, (s) => s.answered({ result: { is: 'ok', v: 2, detail: {} } }).shown({ v: 1 })],
  [versions.versionsRise, (s) => s.doc({ v: 1 }).doc({ v: 3 })],
  [versions.tombstonesStay, (s) => s.doc({ gone: true, body: null }).doc({ v: 2 })],
  [
    versions.whatIsDeletedIsNeverSeen,
    (s) => s.doc({ gone: true, body: null }).answered({ command: 'remove' }).shown({ askedAt: 3 }),
  ],
  [versions.whatIsDeletedIsNeverSeen, (s) => s.doc({}).answered({ command: 'remove' }).ended()],
  [versions.timeNeverGoesBack, (s) => s.doc({}).doc({ v: 2, at: now - 1 })],
  [
    versions.timeNeverGoesBack,
    (s) => {
      s.doc({ kind: 'project', id: 'prj_aa', body: { offsetMs: 3_600_000 } });
      s.now += 120_000;
      s.doc({ clock: 'prj_aa' });
    },
  ],
  [
    clocks.testClocksNeverGoBack,
    (s) => {
      s.doc({ id: 'tly_b', clock: 'prj_aa', at: now + 61_000 });
      s.ticks = 3;
      s.doc({ clock: 'prj_aa', at: now + 999 })
        .answered({ askedAt: 2 })
        .ended();
    },
  ],
  [versions.settledOnlyGrows, (s) => s.doc(seen('tally/b', 5)).doc({ v: 2, ...seen('tally/b', 4) })],
  [versions.documentsKeepTheirBounds, (s) => s.doc({ out: [effectOut(1)], busy: false })],
  [versions.documentsKeepTheirBounds, (s) => s.doc({ timers: [{ name: 'a', gen: 1, at: 5 }], wake: 6 })],
  [outbox.rowsBeforeAnythingLeaves, (s) => s.doc({ out: [rowOut(1)] }).answered({})],
  [outbox.rowsBeforeAnythingLeaves, (s) => s.doc({ out: [rowOut(1)] }).shown({})],
  [
    outbox.rowsBeforeAnythingLeaves,
    (s) => {
      s.doc({ out: [rowOut(1)] });
      s.heard.push(s.checker.listed?.({ kind: 'tally', id: 'tly_a', v: 1 }));
    },
  ],
  [outbox.rowsBeforeAnythingLeaves, (s) => s.doc({ out: [rowOut(1), effectOut(2)] }).began('tally/tly_a:2')],
  [
    outbox.rowsBeforeAnythingLeaves,
    (s) => s.doc({ out: [rowOut(1), tellOut(2, 'tally/b')] }).doc({ id: 'b', ...seen('tally/tly_a', 0, 2) }),
  ],
  [
    outbox.rowsBeforeAnythingLeaves,
    (s) => s.doc({ out: [rowOut(1), eventOut(2, 1)] }).row(entry(1, 'tally/tly_a:1')),
  ],
  [outbox.effectsAreDurableFirst, (s) => s.doc({}).began('tally/tly_a:1')],
  [
    outbox.onceMeansOnce,
    (s) => s.doc({ out: [effectOut(1, 0, 'bell.once')] }).began('tally/tly_a:1', 'bell.once'),
  ],
  [
    outbox.onceMeansOnce,
    (s) => {
      s.ledger.ring('op', 'once');
      s.ledger.ring('op', 'once');
      s.ended();
    },
  ],
  [outbox.tellsAreDurableFirst, (s) => s.doc({ id: 'b' }).doc(seen('tally/b', 0, 7))],
  [
    outbox.doneIsCommitted,
    (s) => s.doc({ id: 'b', oq: 3, out: [tellOut(3, 'tally/tly_a')] }).doc(seen('tally/b', 3)),
  ],
  [outbox.eventsAreDurableFirst, (s) => s.doc({ eseq: 1 }).row(entry(1, 'tally/tly_a:2'))],
  [outbox.eventsAreClearedLast, (s) => s.doc({ out: [eventOut(1, 1)] }).doc({ v: 2 })],
  [outbox.settledIsDone, (s) => s.doc({ out: [eventOut(1, 1)] }).settled('tly_a', 1)],
  [outbox.settledIsDone, (s) => s.doc({ out: [effectOut(1)] }).settled('tly_a', 1)],
  [outbox.onlyPoisonIsParked, (s) => s.row({ kind: 'dead', body: { command: 'receive' } })],
  [outbox.nothingStaysBehind, (s) => s.doc({ out: [effectOut(1)] }).ended()],
  [outbox.nothingStaysBehind, (s) => s.doc({ wake: now - 100_000 }).ended()],
  [outbox.nothingStaysBehind, (s) => s.doc({ body: { status: 'advancing' } }).ended()],
  [journal.journalHasNoHoles, (s) => s.row(entry(2, 'a:1')).row(entry(1, 'b:1'))],
  [journal.readersPassNoHole, (s) => s.told(2).row(entry(2, 'a:1'))],
  [journal.readersPassNoHole, (s) => s.row(entry(2, 'a:1')).row(entry(2, 'b:1'))],
  [journal.journalKeepsOrderOfEvents, (s) => s.row(entry(1, 'a:2')).row(entry(2, 'a:1'))],
  [journal.everyEventIsLogged, (s) => s.doc({ out: [eventOut(1, 1)] }).ended()],
  [
    journal.everyEventIsLogged,
    (s) =>
      s
        .doc({ out: [eventOut(1, 1)] })
        .row(entry(1, 'tally/tly_a:1', { envelope: 'x' }))
        .ended(),
  ],
  [journal.everyEventIsPublished, (s) => s.row(entry(1, 'a:1')).ended()],
  [journal.everyEventIsPublished, (s) => s.row(entry(1, 'a:1')).published('a:1', 'x').ended()],
  [
    journal.noHintStaysOnItsWay,
    (s) => {
      s.streams.mail = 1;
      s.ended();
    },
  ],
  [journal.dispatchFollowsTheJournal, (s) => s.doc(log(1, 2))],
  [
    journal.dispatchFollowsTheJournal,
    (s) => s.doc(log(1, 1, [{ q: 1, type: 'row', row: { ...part, ...entry(1, 'a:1') } }])),
  ],
  [tallies.nothingTwice, (s) => s.doc(entries('x', 'x'))],
  [tallies.nothingAcknowledgedIsLost, (s) => s.doc(entries()).answered({})],
  [
    tallies.nothingAcknowledgedIsLost,
    (s) =>
      s
        .doc(entries('x'))
        .answered({})
        .doc({ v: 2, ...entries('y') })
        .ended(),
  ],
  [
    tallies.nothingRefusedIsApplied,
    (s) =>
      s
        .doc(entries('x'))
        .answered({ ...keyed, result: { is: 'refused', code: 'even', detail: {} } })
        .ended(),
  ],
  [
    tallies.nothingRefusedIsApplied,
    (s) =>
      s
        .doc(entries('x'))
        .answered({ result: { is: 'internal' } })
        .ended(),
  ],
  [
    tallies.orderIsReal,
    (s) =>
      s
        .answered({ result: { is: 'ok', v: 1, detail: { place: 5 } } })
        .answered({
          data: { op: 'y' },
          askedAt: 3,
          answeredAt: 4,
          result: { is: 'ok', v: 2, detail: { place: 2 } },
        })
        .ended(),
  ],
  [tallies.everythingComesHome, (s) => s.doc(entries('x')).answered({ command: 'ring' }).ended()],
  [
    tallies.everythingComesHome,
    (s) =>
      s
        .doc(entries('x', 'woke:x', 'woke:x'))
        .answered({ command: 'wait' })
        .ended(),
  ],
  [
    tallies.everythingComesHome,
    (s) =>
      s
        .doc({ id: 'b' })
        .answered({ to: { kind: 'tally', id: 'b' }, command: 'open', data: {}, askedAt: 1, answeredAt: 2 })
        .answered({ command: 'pass', data: { op: 'x', to: 'b' }, askedAt: 3, answeredAt: 4 })
        .ended(),
  ],
  [
    tallies.refusedTellsReturn,
    (s) =>
      s
        .doc({ id: 'b', ...entries('received:x:tally/tly_a') })
        .doc(entries('x', 'returned:x:even'))
        .answered({ command: 'passIfOdd', data: { op: 'x', to: 'b' } })
        .ended(),
  ],
  [
    tallies.refusedTellsReturn,
    (s) =>
      s
        .doc({ id: 'b' })
        .doc(entries('x'))
        .answered({ command: 'passIfOdd', data: { op: 'x', to: 'b' } })
        .ended(),
  ],
  [
    tallies.deadlinesHold,
    (s) =>
      s
        .doc({ at: now + 1, ...entries('x') })
        .answered({ result: { is: 'unknown' } })
        .ended(),
  ],
  [tallies.alarmsAreNeverEarly, (s) => s.doc({ body: { entries: ['woke:x'], alarms: { x: now + 1 } } })],
  [
    tallies.tellsKeepTheirOrder,
    (s) =>
      s
        .doc({ id: 'b', ...entries('one', 'two') })
        .doc(entries('received:two:tally/b'))
        .doc({ v: 2, ...entries('received:two:tally/b', 'received:one:tally/b') }),
  ],
  [
    money.successNeedsMoney,
    (s) => s.doc(session('success', [payment('pay_1', 'success')], { paidBy: 'pay_1' })),
  ],
  [
    money.successNeedsMoney,
    (s) => paid(s, 'pay_1').doc(session('success', [payment('pay_2', 'failed')], { paidBy: 'pay_2' })),
  ],
  [money.moneyMakesSuccess, (s) => s.doc(session('expired', [payment('pay_1', 'success')]))],
  [
    money.endsAreFinal,
    (s) => s.doc(session('expired', [], { endedAt: 1 })).doc({ v: 2, ...session('pending', []) }),
  ],
  [
    money.sequencesHaveNoGaps,
    (s) => s.doc(session('pending', [])).doc({ v: 2, ...session('pending', [], { sequence: 0 }) }),
  ],
  [
    money.oneSuccessIsAnnounced,
    (s) =>
      s
        .doc({ ...session('success', []), out: [eventOut(1, 1, 'payment.succeeded')] })
        .doc({ v: 2, ...session('success', []), out: [eventOut(2, 2, 'payment.succeeded')] }),
  ],
  [
    money.moneyIsConserved,
    (s) =>
      paid(s, 'pay_1')
        .doc(session('expired', [payment('pay_1', 'cancelled')]))
        .ended(),
  ],
  [
    money.moneyIsConserved,
    (s) =>
      paid(s, 'pay_1', 'pay_2')
        .doc(session('success', [payment('pay_1', 'success'), payment('pay_2', 'success')]))
        .ended(),
  ],
  [
    refundLaws.refundsStayWithinThePayment,
    (s) => s.doc(refunding([refund('ref_1', 600, 'processing'), refund('ref_2', 500, 'succeeded')])),
  ],
  [
    refundLaws.refundsAreCalledOnce,
    (s) => {
      s.ledger.refund('ref_1', 'pay_1', 1);
      s.ledger.refund('ref_1', 'pay_1', 1);
      return s.ended();
    },
  ],
  [refundLaws.succeededRefundsAreMoney, (s) => s.doc(refunding([], 500))],
  [refundLaws.refundsEnd, (s) => s.doc(refunding([refund('ref_1', 600, 'processing')])).ended()],
  [
    refundLaws.refundsEnd,
    (s) => {
      paid(s, 'pay_1').ledger.refund('ref_1', 'pay_1', 600);
      return s.doc(refunding([refund('ref_1', 600, 'failed')])).ended();
    },
  ],
  [deliveries.deliveriesAreMadeInOrder, (s) => s.doc(delivery(2, 'pending')).doc(delivery(1, 'pending'))],
  [
    deliveries.deliveriesLeaveInOrder,
    (s) => s.doc(delivery(1, 'retrying')).doc(delivery(2, 'pending')).posted('whd_2'),
  ],
  [
    deliveries.bytesStayTheSame,
    (s) =>
      s
        .doc(delivery(1, 'pending', deliveryIdOf('we_b1', 'evt_1')))
        .row(entry(1, 'cs/1:1'))
        .posted('whd_1', 'other'),
  ],
  [deliveries.dispatchMovesLast, (s) => known(s).row(entry(1, 'cs/1:1')).doc(log(1, 1))],
  [deliveries.everyoneHears, (s) => known(s).row(entry(1, 'cs/1:1')).ended()],
  [keyedLaws.repliesAreByteEqual, (s) => s.replied('ref', 'one').replied('ref', 'two')],
  [
    keyedLaws.oneObjectPerKey,
    (s) =>
      s
        .doc(session('pending', []))
        .doc({ ...session('pending', []), id: 'cs_2' })
        .replied('ref', 'one'),
  ],
  [
    linkLaws.linksKeepTheirLimit,
    (s) =>
      s
        .doc(linkOf({ maxUses: 1 }))
        .doc(linked('cs_1', 'pending'))
        .doc(linked('cs_2', 'pending')),
  ],
  [linkLaws.linksCountTheirSessions, (s) => s.doc(linkOf({})).doc(linked('cs_1', 'success')).ended()],
  [linkLaws.linksCountTheirSessions, (s) => s.doc(linkOf({})).doc(linked('cs_1', 'pending')).ended()],
  ...brokenBilling,
];

/** Of a world where nothing has happened. */
const facts: Facts = {
  disk: new Disk(false),
  ledger: new Ledger(),
  endpoints: new Set(),
  streams: null,
  now: () => now,
  ticks: () => 0,
};

const cases = broken.map(([make, story]) => ({ rule: ruleOf(make), make, story }));

test.each(cases)('a history that violates this is caught: $rule', ({ make, story }) => {
  const scene = new Scene(make);
  story(scene);
  expect(scene.heard.filter((what) => typeof what === 'string')).not.toEqual([]);
});

test('each law has a history that violates it', () => {
  const told = new Set(broken.map(([make]) => make));
  expect(laws.filter((make) => !told.has(make)).map(ruleOf)).toEqual([]);
});

test('laws are told apart by their sentences', () => {
  const rules = laws.map(ruleOf);
  expect(new Set(rules).size).toBe(rules.length);
});

test('the first violated law is reported, later violations are ignored', () => {
  const checkers = new Checkers(facts, []);
  checkers.fail('first', 'a');
  checkers.fail('second', 'b');
  expect(checkers.wrong).toEqual({ rule: 'first', what: 'a' });
});

function ruleOf(make: MakeChecker): string {
  return make(facts).rule;
}
