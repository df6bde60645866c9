import { expect, test } from 'vitest';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import type { LoggedEvent } from '../../../actors/event-log/messages.ts';
import { given } from '../../support/simulated/test-runner.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' as const;
const event = (name: string): LoggedEvent => ({
  key: `checkout_session/cs_${name}:1`,
  eventId: `evt_${name}`,
  event: 'checkout.created',
  objectId: `cs_${name}`,
  envelope: `{"id":"evt_${name}","note":"आ"}`,
  at: 1795166200000,
});
const log = () => given(eventLog, { id: scope, scope });
const places = (story: ReturnType<typeof log>) => story.journal.map(({ id, body }) => [id, body['pos']]);

test('events get positions in the order in which they are appended, also in the first append', () => {
  const story = log()
    .when('append', { events: [event('a'), event('b')] })
    .when('append', { events: [event('c')] });
  expect(places(story)).toEqual([
    ['checkout_session/cs_a:1', 1],
    ['checkout_session/cs_b:1', 2],
    ['checkout_session/cs_c:1', 3],
  ]);
  expect(story.state).toEqual({ status: 'open', pos: 3, dispatched: 0, published: 0 });
});

test('an entry keeps the envelope byte for byte, and the time and object of its event', () => {
  const [row] = log().when('append', { events: [event('a')] }).journal;
  expect(row).toMatchObject({
    kind: 'journal',
    once: true,
    created: 1795166200000,
    scope,
    body: {
      event: 'checkout.created',
      objectId: 'cs_a',
      envelope: '{"id":"evt_a","note":"आ"}',
      at: 1795166200000,
    },
  });
});

test('an event appended twice leaves a gap; its row is written once, so its first position stays', () => {
  const story = log()
    .when('append', { events: [event('a')] })
    .when('append', { events: [event('a'), event('b')] });
  expect(places(story)).toEqual([
    ['checkout_session/cs_a:1', 1],
    ['checkout_session/cs_a:1', 2],
    ['checkout_session/cs_b:1', 3],
  ]);
  expect(story.journal.every(({ once }) => once)).toBe(true);
});

test('the dispatch cursor only rises and never passes the log', () => {
  const story = log().when('append', { events: [event('a'), event('b'), event('c')] });
  story.when('handledTo', { dispatched: 2, published: 0 }).when('handledTo', { dispatched: 1, published: 0 });
  expect(story.state).toEqual({ status: 'open', pos: 3, dispatched: 2, published: 0 });
  expect(story.when('handledTo', { dispatched: 9, published: 0 }).state).toMatchObject({ dispatched: 3 });
});

test.each(['merchant', 'buyer', 'provider', 'operator'] as const)('a %s cannot append events', (by) => {
  expect(log().when('append', { events: [event('a')] }, { by }).last.outcome).toMatchObject({
    is: 'refused',
    code: 'not_found',
  });
});

test('after republish, publishing starts again from the beginning, and dispatching does not', () => {
  const story = log()
    .when('append', { events: [event('a'), event('b')] })
    .when('handledTo', { dispatched: 2, published: 2 })
    .when('republish', {});
  expect(story.state).toMatchObject({ pos: 2, dispatched: 2, published: 0 });
  // what was under way when it began again is lost too
  const late = story.when('handledTo', { dispatched: 2, published: 2 });
  expect(late.state).toMatchObject({ published: 0 });
  expect(late.when('handledTo', { dispatched: 2, published: 1, round: 1 }).state).toMatchObject({
    published: 1,
  });
});

test('republish also works before the first cursor was saved, because events may already be published', () => {
  const story = log()
    .when('append', { events: [event('a')] })
    .when('republish', {});
  expect(story.last.outcome).toMatchObject({ is: 'ok' });
  expect(story.when('handledTo', { dispatched: 1, published: 1, round: 0 }).state).toMatchObject({
    published: 0,
  });
});
