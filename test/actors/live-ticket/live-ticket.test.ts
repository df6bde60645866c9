import { expect, test } from 'vitest';
import { liveTicket } from '../../../actors/live-ticket/live-ticket.ts';
import { liveTicketAt } from '../../../actors/live-ticket/messages.ts';
import { seconds } from '../../../src/kernel/time.ts';
import { given } from '../../support/simulated/test-runner.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' as const;
const ticket = 'tkt_0123456789abcdefghjkmnpq';
const { id } = liveTicketAt(ticket);
const issued = () => given(liveTicket, { id, scope }).when('issue', { keyId: 'key_a' });
const notFound = { is: 'refused', code: 'not_found', detail: {} };

test('a ticket is valid for sixty seconds and returns its expiry', () => {
  const story = issued();
  expect(story.last.outcome).toMatchObject({ is: 'ok', detail: { expiresAt: story.now + seconds(60) } });
  expect(story.timer('expiry')).toBe(story.now + seconds(60));
});

test('issued twice with one text it is one ticket, with the first expiry', () => {
  const story = issued();
  const { outcome } = story.last;
  expect(story.wait(seconds(5)).when('issue', { keyId: 'key_a' }).last.outcome).toEqual(outcome);
});

test('its first use returns what it grants and deletes it: a second use is "not found"', () => {
  const story = issued()
    .wait(seconds(60) - 1)
    .when('use', {});
  expect(story.last.outcome).toMatchObject({ is: 'ok', detail: { scope, keyId: 'key_a' } });
  expect(story.doc).toMatchObject({ gone: true, body: null, timers: [] });
  expect(story.when('use', {}).last.outcome).toEqual(notFound);
});

test('after sixty seconds it is invalid, even before its timer has fired', () => {
  const story = issued();
  story.now += seconds(60);
  expect(story.when('use', {}).last.outcome).toEqual({ is: 'refused', code: 'ticket_invalid', detail: {} });
  expect(story.when('expire', { key: '' }).doc).toMatchObject({ gone: true, body: null });
  expect(story.when('use', {}).last.outcome).toEqual(notFound);
});

test('the text of a ticket is neither stored nor sent', () => {
  expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{24}$/);
  expect(JSON.stringify(issued().doc)).not.toContain(ticket.slice(4));
});
