/** Subjects consist of our own ids and words, and everything that arrives is validated. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelopeFrom, envelopeText, hintFrom, hintText, resultFrom } from '../../../src/bus/codec.ts';
import {
  actorSubject,
  commandSubjectFrom,
  eventSubject,
  mailboxSubject,
  outcomeSubject,
} from '../../../src/bus/subjects.ts';
import { bodyOf } from '../../contract/bus.contract.ts';

const session = { kind: 'checkout_session', id: 'cs_0123456789abcdefghjkmnpq' };

describe('subjects', () => {
  test('an actor is reached by partition, kind and id', () => {
    expect(actorSubject(7, session)).toBe('actor.7.checkout_session.cs_0123456789abcdefghjkmnpq');
    expect(mailboxSubject({ kind: 'event_log', id: 'prj_x:live' })).toBe('mailbox.event_log.prj_x:live');
  });

  test('an event has a subject of its project, its mode and its name', () => {
    expect(eventSubject({ scope: 'prj_x:sandbox', event: 'payment.succeeded' })).toBe(
      'events.prj_x.sandbox.payment.succeeded',
    );
  });

  test('no NATS wildcard or separator becomes part of a subject', () => {
    for (const wrong of ['', '.', '*', '>', 'a.b', 'a b', 'a\tb', 'a\r\n', 'नाम', 'x'.repeat(129)]) {
      expect(() => actorSubject(1, { ...session, id: wrong }), wrong).toThrow('one part of a subject');
      expect(() => actorSubject(1, { ...session, kind: wrong }), wrong).toThrow('one part of a subject');
    }
    expect(() => eventSubject({ scope: 'prj_x:live', event: 'payment.>' })).toThrow('one part of a subject');
  });

  test('a command names project, mode, kind, id and sender, each in one part', () => {
    const of = commandSubjectFrom('command.prj_x.live.subscription.sub_1.billing-job');
    expect(of).toEqual({
      projectId: 'prj_x',
      mode: 'live',
      kind: 'subscription',
      id: 'sub_1',
      user: 'billing-job',
    });
    const wrong = [
      'command.prj_x.live.subscription.sub_1',
      'command.prj_x.live.subscription.sub_1.a.b',
      'command.prj_x.test.subscription.sub_1.a',
      'command.*.live.subscription.sub_1.a',
      'command.prj_x.live.subscription.sub_1.*',
      'command.prj_x.live.subscription.sub_1.',
      `command.prj_x.live.subscription.sub_1.${'x'.repeat(65)}`,
      'mailbox.prj_x.live.subscription.sub_1.a',
    ];
    expect(wrong.map(commandSubjectFrom)).toEqual(wrong.map(() => null));
  });

  test('an outcome goes to what its sender may hear, whatever is asked for', () => {
    const of = { projectId: 'prj_x', mode: 'live', kind: 'invoice', id: 'inv_1', user: 'billing' };
    expect(outcomeSubject(of, '')).toBe('outcome.prj_x.billing.default');
    expect(outcomeSubject(of, 'outcome.prj_x.billing.a.b-1')).toBe('outcome.prj_x.billing.a.b-1');
    const longest = `outcome.prj_x.billing.${'a'.repeat(255 - 'outcome.prj_x.billing.'.length)}`;
    expect(outcomeSubject(of, longest)).toBe(longest);
    const wrong = [
      'outcome.prj_x.billing',
      'outcome.prj_x.billings.a',
      'outcome.prj_y.billing.a',
      `${longest}a`,
    ];
    const more = [
      'outcome.prj_x.billing.>',
      'outcome.prj_x.billing.a..b',
      'outcome.prj_x.billing.a b',
      'actor.1.a.b',
    ];
    for (const asked of [...wrong, ...more]) expect(outcomeSubject(of, asked), asked).toBeNull();
  });
});

describe('the wire format', () => {
  test('an envelope is unchanged after encoding and decoding', () => {
    const sent = bodyOf({
      identity: { from: 'n:a', seq: 1, done: 0 },
      settles: 4,
      timer: { name: 'expiry', gen: 2 },
    });
    expect(envelopeFrom(envelopeText(sent))).toEqual(sent);
  });

  test('one without a deadline is not encoded: the deadline would be lost', () => {
    expect(() => envelopeText(bodyOf({ deadline: Infinity }))).toThrow('has an end');
  });

  test('a hint is stored without a deadline and gets one where it is received; it never has an identity', () => {
    const sent = bodyOf({ deadline: Infinity });
    expect(hintFrom(hintText(sent), 1234)).toEqual({ ...sent, deadline: 1234 });
    expect(() => hintText(bodyOf({ identity: { from: 'n:a', seq: 1, done: 0 } }))).toThrow('hints');
    expect(hintFrom(envelopeText(bodyOf({ identity: { from: 'n:a', seq: 1, done: 0 } })), 1)).toBeNull();
  });

  test.each([
    ['', 'no JSON'],
    ['[]', 'a list'],
    ['null', 'null'],
    [JSON.stringify({ ...bodyOf(), deadline: null }), 'no end'],
    [JSON.stringify({ ...bodyOf(), by: 'toString' }), 'an unknown sender'],
    [JSON.stringify({ ...bodyOf(), by: 'root' }), 'a made-up sender'],
    [JSON.stringify({ ...bodyOf(), scope: 4 }), 'a scope that is a number'],
    [JSON.stringify({ ...bodyOf(), to: { kind: 'a' } }), 'no id'],
    [
      JSON.stringify({ ...bodyOf(), identity: { from: 'n:a', seq: '1', done: 0 } }),
      'a sequence that is a text',
    ],
  ])('an invalid envelope is null: %# %s', (text) => {
    expect(envelopeFrom(text)).toBeNull();
  });

  test('no input makes decoding throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(envelopeFrom(text)).toBeNull();
        expect(hintFrom(text, 1)).toBeNull();
        resultFrom(text);
      }),
    );
    for (const text of [
      '{"is":"toString"}',
      '{"is":"ok"}',
      '{"is":"not_executed","why":"x","retryAfterMs":1}',
      '7',
    ])
      expect(resultFrom(text), text).toBeNull();
  });
});
