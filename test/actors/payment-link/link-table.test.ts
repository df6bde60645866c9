/** Every cell of the table in docs/reference/api/payment-links.md, driven once. */
import { describe, expect, test } from 'vitest';
import type { LinkStatus } from '../../../actors/payment-link/messages.ts';
import { tableIn } from '../../support/tables.ts';
import { inStatus, later, paid, reserved, type LinkStory } from './selling.ts';

const triggers: { readonly [row: string]: (story: LinkStory) => unknown } = {
  'a buyer submits the form of its page': (story) => reserved(story, 9),
  'a session of it succeeds': (story) => paid(story, null),
  'a session of it succeeds, and with it `maxUses` is reached': (story) => paid(story, null),
  'a session of it ends without money': (story) => story.when('sessionOver', { held: 0 }),
  '`expiresAt` passes': (story) => story.when('expiryReached', { key: '' }),
  'PATCH `active: false`': (story) => story.when('change', { active: false }),
  'PATCH `active: true`': (story) => story.when('change', { active: true }),
  'PATCH `maxUses` up': (story) => story.when('change', { maxUses: 90 }),
  'PATCH `expiresAt` later': (story) => story.when('change', { expiresAt: later(story) }),
  'PATCH `active: true`, with the limit raised': (story) =>
    story.when('change', { active: true, maxUses: 90, expiresAt: later(story) }),
  'PATCH `active: false`, with the limit raised': (story) =>
    story.when('change', { active: false, maxUses: 90, expiresAt: later(story) }),
  'PATCH `maxUses` down to what is used': (story) => story.when('change', { maxUses: story.state.usedCount }),
};

/** A link in this status that can take `left` more payments, and whose own limit is the one that ended it. */
const usesLeft = (row: string): number => (row.includes('is reached') ? 1 : 5);

const { columns, rows } = tableIn('docs/reference/api/payment-links.md', 'Link and trigger');

test('every row of the page is driven, and no other', () => {
  expect(Object.keys(triggers)).toEqual(rows.map(({ name }) => name));
  expect(columns).toEqual(['active', 'inactive', 'expired', 'completed']);
});

describe.each(rows)('$name', ({ name, cells }) => {
  test.each(cells.map((cell, at) => [columns[at] as LinkStatus, cell] as const))('%s: %s', (status, cell) => {
    const story = inStatus(status, usesLeft(name));
    expect(story.state.status).toBe(status);
    expect(cellOf(story, triggers[name] ?? (() => {}))).toBe(cell);
  });
});

/** What the trigger did, in the words of the page. */
function cellOf(story: LinkStory, trigger: (story: LinkStory) => unknown): string {
  const before = story.state;
  trigger(story);
  const after = story.state;
  const { outcome, events, tells } = story.last;
  if (outcome.is === 'refused') {
    expect(outcome).toMatchObject({ code: 'invalid_state', detail: { currentStatus: before.status } });
    expect([after, events, tells]).toEqual([before, [], []]);
    return '409';
  }
  expect(outcome.is).toBe('ok');
  const isCounted = after.usedCount > before.usedCount;
  expect(events.map(({ type }) => type)).toEqual(isCounted ? ['payment_link.paid'] : []);
  const isChanged = after.maxUses !== before.maxUses || after.expiresAt !== before.expiresAt;
  return [
    after.status === before.status ? 'unchanged' : `\`${after.status}\``,
    ...(isCounted ? ['counted'] : []),
    ...(tells.some(({ command }) => command === 'openByLink') ? ['session opened'] : []),
    ...(isChanged ? ['changed'] : []),
  ].join(', ');
}
