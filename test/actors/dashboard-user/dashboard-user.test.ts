import { describe, expect, test } from 'vitest';
import {
  dashboardUserIdOf,
  loginNameOf,
  sessionIdleMsMax,
  sessionLifeMs,
  sessionLives,
  sessionSeenEveryMs,
  type DashboardUserTypes,
} from '../../../actors/dashboard-user/messages.ts';
import { dashboardUser, passwordsMax, sessionsMax } from '../../../actors/dashboard-user/dashboard-user.ts';
import { hours, minutes } from '../../../src/kernel/time.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';

const name = 'asha@example.com';
const id = dashboardUserIdOf(name);
const asha = { merchantId: 'mer_4t8z1m6q3x9k2v7b4t8z1m6q', hash: 'hash-of-asha' };
const books = { merchantId: 'mer_5t8z1m6q3x9k2v7b4t8z1m6q', hash: 'hash-of-books' };
type User = Story<DashboardUserTypes>;

const opened = (): User =>
  given(dashboardUser, { id, scope: 'system' }).when('open', { name }).when('setPassword', asha);
const signIn = (
  story: User,
  at: number,
  over: { hashes?: readonly string[]; ends?: string | null } = {},
): User =>
  story.when('signIn', {
    sessionId: `ses_${at}`,
    tokenHash: `token-${at}`,
    hashes: [asha.hash, 'the other way'],
    ends: null,
    ...over,
  });
const sessions = (story: User): readonly string[] => story.state.sessions.map((one) => one.id);

test('an e-mail has one user, however it is typed', () => {
  expect(loginNameOf('  Asha@Example.COM ')).toBe(name);
  expect(dashboardUserIdOf(name)).toMatch(/^usr_[0-9a-hjkmnp-tv-z]{24}$/);
  expect(dashboardUserIdOf('asha@example.org')).not.toBe(id);
});

describe('a password', () => {
  test('opens a session; another one does not', () => {
    expect(sessions(signIn(opened(), 1))).toEqual(['ses_1']);
    const refused = signIn(opened(), 1, { hashes: ['hash-of-another'] });
    expect(refused.last.outcome).toMatchObject({ is: 'refused', code: 'login_invalid' });
    expect(sessions(refused)).toEqual([]);
  });

  test('is one per merchant, even if another merchant has the same e-mail', () => {
    const story = opened().when('setPassword', books);
    expect(sessions(signIn(signIn(story, 1), 2, { hashes: [books.hash] }))).toEqual(['ses_1', 'ses_2']);
    expect(story.state.sessions.map(({ hashes }) => hashes)).toEqual([[asha.hash], [books.hash]]);
  });

  test('that is replaced ends the sessions it opened, and no other', () => {
    const story = signIn(signIn(opened().when('setPassword', books), 1), 2, { hashes: [books.hash] });
    story.when('setPassword', { ...asha, hash: 'another' });
    expect(sessions(story)).toEqual(['ses_2']);
    expect(signIn(story, 3).last.outcome).toMatchObject({ code: 'login_invalid' });
    expect(sessions(signIn(story, 4, { hashes: ['another'] }))).toEqual(['ses_2', 'ses_4']);
  });

  test('stored in two formats for two merchants opens one session for both, which ends with either', () => {
    const story = signIn(opened().when('setPassword', books), 1, { hashes: [asha.hash, books.hash] });
    expect(story.state.sessions.map(({ hashes }) => hashes)).toEqual([[asha.hash, books.hash]]);
    expect(sessions(story.when('setPassword', { ...books, hash: 'another' }))).toEqual([]);
  });

  test('that is set again unchanged changes nothing', () => {
    const story = signIn(opened(), 1);
    const { v } = story.doc ?? { v: 0 };
    expect(story.when('setPassword', asha).doc?.v).toBe(v);
    expect(sessions(story)).toEqual(['ses_1']);
  });

  test(`has a limit of ${passwordsMax} per e-mail; existing ones can still be replaced`, () => {
    const story = opened();
    for (let at = 1; at < passwordsMax; at++)
      story.when('setPassword', { merchantId: `mer_${at}`, hash: `hash-${at}` });
    expect(story.when('setPassword', books).last.outcome).toMatchObject({ code: 'login_limit_reached' });
    expect(story.when('setPassword', { ...asha, hash: 'another' }).last.outcome.is).toBe('ok');
    expect(story.state.passwords).toHaveLength(passwordsMax);
  });
});

describe('a session', () => {
  test('replaces the session that its browser had before', () => {
    expect(sessions(signIn(signIn(opened(), 1), 2, { ends: 'token-1' }))).toEqual(['ses_2']);
  });

  test(`has a limit of ${sessionsMax} per e-mail: above that the oldest ends`, () => {
    const story = opened();
    for (let at = 0; at <= sessionsMax; at++) signIn(story, at);
    expect(sessions(story)).toHaveLength(sessionsMax);
    expect(sessions(story)[0]).toBe('ses_1');
  });

  test('ends by logging out, and a second log-out changes nothing', () => {
    const story = signIn(signIn(opened(), 1), 2).when('signOut', { tokenHash: 'token-1' });
    expect(sessions(story)).toEqual(['ses_2']);
    const { v } = story.doc ?? { v: 0 };
    expect(story.when('signOut', { tokenHash: 'token-1' }).doc?.v).toBe(v);
  });

  test('lasts while it is used, up to a maximum age', () => {
    const story = signIn(opened(), 1);
    const lives = (): boolean => story.state.sessions.some((one) => sessionLives(one, story.now));
    expect(story.wait(sessionIdleMsMax - 1).when('seen', { tokenHash: 'token-1' }).last.outcome.is).toBe(
      'ok',
    );
    expect(lives()).toBe(true);
    while (story.now - (story.state.sessions[0]?.openedAt ?? NaN) < sessionLifeMs - hours(1))
      story.wait(hours(1)).when('seen', { tokenHash: 'token-1' });
    expect(lives()).toBe(true);
    expect(story.wait(hours(1)).when('seen', { tokenHash: 'token-1' }).last.outcome).toMatchObject({
      code: 'not_found',
    });
    expect(lives()).toBe(false);
  });

  test('that was not used has ended; a later login removes it', () => {
    const story = signIn(opened(), 1).wait(sessionIdleMsMax);
    expect(story.when('seen', { tokenHash: 'token-1' }).last.outcome).toMatchObject({ code: 'not_found' });
    expect(sessions(signIn(story, 2))).toEqual(['ses_2']);
  });

  test('in use is recorded at intervals, not at each request', () => {
    const story = signIn(opened(), 1);
    const { v } = story.doc ?? { v: 0 };
    expect(story.wait(sessionSeenEveryMs - 1).when('seen', { tokenHash: 'token-1' }).doc?.v).toBe(v);
    expect(story.wait(minutes(1)).when('seen', { tokenHash: 'token-1' }).doc?.v).toBe(v + 1);
  });

  test('that does not exist cannot be used', () => {
    expect(opened().when('seen', { tokenHash: 'token-9' }).last.outcome).toMatchObject({ code: 'not_found' });
  });
});

test('the view of a user contains no hash', () => {
  const { view } = signIn(opened(), 1);
  expect(view).toEqual({ id, name, merchants: [asha.merchantId], sessions: 1 });
});

test.each(['merchant', 'buyer', 'provider'] as const)('a %s may send none of these commands', (by) => {
  const story = opened();
  for (const told of [
    story.when('setPassword', books, { by }),
    story.when('signIn', { sessionId: 's', tokenHash: 't', hashes: [asha.hash], ends: null }, { by }),
    story.when('signOut', { tokenHash: 'token-1' }, { by }),
  ])
    expect(told.last.outcome).toMatchObject({ code: 'not_found' });
});
