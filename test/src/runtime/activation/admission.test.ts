/** How much may wait, and what is rejected. */
import { expect, test } from 'vitest';
import {
  Admission,
  loopBehindMsMax,
  mailboxOfPartitionMax,
} from '../../../../src/runtime/activation/admission.ts';
import type { Envelope } from '../../../../src/runtime/model/envelope.ts';
import { LoopDelay, sampleEveryMs } from '../../../../src/runtime/activation/loop-delay.ts';
import {
  Mailbox,
  mailboxMax,
  mailboxOfSystemMax,
  soleMsMax,
  type MailboxHost,
} from '../../../../src/runtime/activation/mailbox.ts';
import { neverOpens } from '../../../../src/runtime/activation/store-breaker.ts';
import { seconds } from '../../../../src/kernel/time.ts';
import { VirtualScheduler } from '../../../simulation/scheduler.ts';

const envelope = (by: Envelope['by'], more: Partial<Envelope> = {}): Envelope => ({
  to: { kind: 'counter', id: 'cnt_ab1' },
  command: 'add',
  data: {},
  by,
  scope: null,
  deadline: Infinity,
  ...more,
});
const hostOf = (admission: Admission, scheduler = new VirtualScheduler(0)): MailboxHost => ({
  admission,
  scheduler,
  incarnationsAlive: ['n:a', 'n:b'],
});
const door = envelope('merchant');
const pending = { envelope: door, resolve: () => undefined };

function fill(mailbox: Mailbox, count: number): void {
  for (let n = 0; n < count; n++) mailbox.push(pending);
}

test('one mailbox accepts 128 gateway commands, more of actors, and always results and timers', () => {
  const mailbox = new Mailbox(hostOf(new Admission(new VirtualScheduler(0), neverOpens)), 'cnt_ab1');
  fill(mailbox, mailboxMax - 1);
  expect(mailbox.refuses(door, false)).toBe(false);
  expect(mailbox.refuses(door, true)).toBe(true);
  fill(mailbox, 1);
  expect(mailbox.refuses(door, false)).toBe(true);
  expect(mailbox.refuses(envelope('system'), true)).toBe(false);
  fill(mailbox, mailboxOfSystemMax - mailboxMax);
  expect(mailbox.refuses(envelope('system'), false)).toBe(true);
  expect(mailbox.refuses(envelope('system', { settles: 1 }), true)).toBe(false);
  expect(mailbox.refuses(envelope('system', { timer: { name: 'a', gen: 1 } }), true)).toBe(false);
});

test('a partition accepts 4,096 commands over all its actors; another one is not affected', () => {
  const admission = new Admission(new VirtualScheduler(0), neverOpens);
  const crowd = Array.from(
    { length: mailboxOfPartitionMax / 64 },
    (_, n) => new Mailbox(hostOf(admission), `cnt_ab${n}`),
  );
  for (const mailbox of crowd) fill(mailbox, 64);
  // slots of four neighbouring pairs of letters are one partition
  const [late, other] = [
    new Mailbox(hostOf(admission), 'cnt_a8x'),
    new Mailbox(hostOf(admission), 'cnt_zzx'),
  ];
  expect(admission.partitionOf('cnt_a8x')).toBe(admission.partitionOf('cnt_ab1'));
  expect(late.refuses(door, false)).toBe(true);
  expect(other.refuses(door, false)).toBe(false);
  expect(late.refuses(envelope('system'), false)).toBe(false);
  crowd[0]?.take(1);
  expect(late.refuses(door, false)).toBe(false);
  crowd[0]?.putBack([pending]);
  expect(late.refuses(door, false)).toBe(true);
  crowd[0]?.takeForeign();
  expect(late.refuses(door, false)).toBe(false);
});

test('commands between actors do not count for a partition: a busy log rejects no gateway', () => {
  const admission = new Admission(new VirtualScheduler(0), neverOpens);
  const [log, near] = [new Mailbox(hostOf(admission), 'cnt_ab1'), new Mailbox(hostOf(admission), 'cnt_a8x')];
  const told = { envelope: envelope('system'), resolve: () => undefined };
  for (let n = 0; n < mailboxOfSystemMax; n++) log.push(told);
  expect(near.refuses(door, false)).toBe(false);
  expect(log.take(mailboxOfSystemMax)).toHaveLength(mailboxOfSystemMax);
  fill(near, mailboxMax - 1);
  expect(near.refuses(door, false)).toBe(false);
});

/** A loop whose timers are late by what `late` says, asked every 10 ms for a while. */
async function behindAfter(late: (sample: number) => number): Promise<boolean> {
  const world = new VirtualScheduler(0);
  let samples = 0;
  const admission = new Admission(
    world.process(() => late(samples++)),
    neverOpens,
  );
  for (let at = 0; at < 20; at++) {
    admission.overloaded(0);
    await world.pass(sampleEveryMs);
  }
  return admission.overloaded(0);
}

test('gateway commands are rejected while timers are later than the limit, not at it', async () => {
  expect(await behindAfter(() => loopBehindMsMax)).toBe(false);
  expect(await behindAfter(() => loopBehindMsMax + 1)).toBe(true);
});

test('one long pause rejects nothing', async () => {
  expect(await behindAfter((sample) => (sample % 2 === 0 ? seconds(5) : 0))).toBe(false);
});

test('while the loop is delayed, actors and results are still admitted', async () => {
  const world = new VirtualScheduler(0);
  const admission = new Admission(
    world.process(() => seconds(2)),
    neverOpens,
  );
  const mailbox = new Mailbox(hostOf(admission), 'cnt_ab1');
  for (let at = 0; at < 5; at++) {
    mailbox.refuses(door, false);
    await world.pass(seconds(2));
  }
  expect(mailbox.refuses(door, false)).toBe(true);
  expect(mailbox.refuses(envelope('system'), false)).toBe(false);
  expect(mailbox.refuses(envelope('system', { settles: 1 }), false)).toBe(false);
});

test('without queries nothing is measured: an idle node has no timer for it', async () => {
  const world = new VirtualScheduler(0);
  const delay = new LoopDelay(world);
  expect(delay.behindMs).toBe(0);
  await world.drain();
  expect(world.ran).toBe(1);
});

const soleOf = (request: string, node = 'n:a'): Envelope => envelope('merchant', { sole: { request, node } });

test('a command of another request is under way until it is answered, its node dies, or 30 s are over', () => {
  const scheduler = new VirtualScheduler(0);
  const admission = new Admission(scheduler, neverOpens);
  const mailbox = new Mailbox(hostOf(admission, scheduler), 'cnt_ab1');
  const answered: string[] = [];
  mailbox.push({ envelope: soleOf('req_1'), resolve: ({ is }) => void answered.push(is) });
  expect(mailbox.isUnderWay(soleOf('req_2'), false)).toBe(true);
  // a copy of the same request, and a command that may wait
  expect(mailbox.isUnderWay(soleOf('req_1'), false)).toBe(false);
  expect(mailbox.isUnderWay(door, false)).toBe(false);
  // it runs
  const [running] = mailbox.take(1);
  expect(mailbox.isUnderWay(soleOf('req_2'), false)).toBe(true);
  running?.resolve({ is: 'ok', v: 1, detail: {} });
  expect([mailbox.isUnderWay(soleOf('req_2'), false), answered]).toEqual([false, ['ok']]);

  const dead = new Mailbox(hostOf(admission, scheduler), 'cnt_ab1');
  dead.push({ envelope: soleOf('req_1', 'n:dead'), resolve: () => undefined });
  expect(dead.isUnderWay(soleOf('req_2'), false)).toBe(false);
});

test('where the actor exists, another request is under way only once it is sent to the store', () => {
  const scheduler = new VirtualScheduler(0);
  const mailbox = new Mailbox(hostOf(new Admission(scheduler, neverOpens), scheduler), 'cnt_ab1');
  const sent = ['req_1', 'req_2', 'req_1'].map((request) => soleOf(request));
  for (const one of [...sent, door]) mailbox.push({ envelope: one, resolve: () => undefined });
  expect(mailbox.isUnderWay(soleOf('req_3'), true)).toBe(false);
  const refused = mailbox.storing(mailbox.take(1));
  expect(refused.map(({ envelope: { sole } }) => sole?.request)).toEqual(['req_2']);
  expect(mailbox.isUnderWay(soleOf('req_3'), true)).toBe(true);
  expect(mailbox.size).toBe(2);
});

test('a command that stays unanswered for 30 s holds back no other one', async () => {
  const scheduler = new VirtualScheduler(0);
  const mailbox = new Mailbox(hostOf(new Admission(scheduler, neverOpens), scheduler), 'cnt_ab1');
  mailbox.push({ envelope: soleOf('req_1'), resolve: () => undefined });
  await scheduler.run(() => false, soleMsMax - 1);
  expect(mailbox.isUnderWay(soleOf('req_2'), false)).toBe(true);
  await scheduler.run(() => false, soleMsMax);
  expect(mailbox.isUnderWay(soleOf('req_2'), false)).toBe(false);
});
