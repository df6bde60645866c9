import { describe, expect, test } from 'vitest';
import {
  inPageOrder,
  settingsOf,
  timersPerAdvanceMax,
  type ProjectCommands,
} from '../../../actors/project/messages.ts';
import { keysMax, project } from '../../../actors/project/project.ts';
import { keyRecord, keyTag, testClockView, type KeyRow } from '../../../actors/project/view.ts';
import { days, hours, minutes, seconds } from '../../../src/kernel/time.ts';
import { given } from '../../support/simulated/test-runner.ts';

const id = 'prj_pjc0e83mhrawse3s6h8bhrbw';
const opened = () =>
  given(project, { id, scope: 'system' }).when('open', { merchantId: 'mer_1', name: 'Shop', providers: [] });
type Story = ReturnType<typeof opened>;

const key: ProjectCommands['createKey']['key'] = {
  id: 'key_5ygvpyapv3ebya8syfqydnd1',
  name: 'Shop server',
  kind: 'secret',
  mode: 'sandbox',
  access: 'full',
  prefix: 'sk_test_',
  last4: '9fQa',
  sha256: 'a'.repeat(64),
  apiVersion: '2026-11-20',
  expiresAt: null,
};
const keyOf = (story: Story, at = 0): KeyRow => story.rows('api_key')[at] as unknown as KeyRow;

describe('keys', () => {
  test('a key is a row of its own: the public record, and hash and owner for our gateways', () => {
    const story = opened().when('createKey', { key });
    expect(keyRecord(keyOf(story))).toEqual({
      id: 'key_5ygvpyapv3ebya8syfqydnd1',
      name: 'Shop server',
      kind: 'secret',
      mode: 'sandbox',
      access: 'full',
      prefix: 'sk_test_',
      last4: '9fQa',
      apiVersion: '2026-11-20',
      createdAt: '2026-11-20T09:15:00.000Z',
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
    expect(keyOf(story)).toMatchObject({ sha256: key.sha256, projectId: id, merchantId: 'mer_1' });
    const [row] = project.rows?.(story.state, { id, scope: 'system', createdAt: 0 }) ?? [];
    expect(row).toMatchObject({
      kind: 'api_key',
      id: key.id,
      tags: [keyTag(key.sha256)],
      createdAt: story.now,
      sequence: 1,
    });
  });

  test('the same key is created once, and another one is added to it', () => {
    const story = opened()
      .when('createKey', { key })
      .when('createKey', { key: { ...key, name: 'again' } });
    story.when('createKey', { key: { ...key, id: 'key_2', expiresAt: story.now + days(1) } });
    expect(story.rows('api_key').map((row) => [row['id'], row['name'], row['expiresAt']])).toEqual([
      [key.id, 'Shop server', null],
      ['key_2', 'Shop server', '2026-11-21T09:15:00.000Z'],
    ]);
  });

  test('revoking is permanent and keeps its first time', () => {
    const story = opened().when('createKey', { key }).wait(hours(1)).when('revokeKey', { keyId: key.id });
    story.wait(hours(1)).when('revokeKey', { keyId: key.id }).when('createKey', { key });
    expect(keyOf(story).revokedAt).toBe('2026-11-20T10:15:00.000Z');
  });

  test('a key of another project is not found', () => {
    const story = opened().when('createKey', { key }).when('revokeKey', { keyId: 'key_other' });
    expect(story.last.outcome).toMatchObject({ is: 'refused', code: 'not_found' });
  });

  test('use is recorded at most once a minute', () => {
    const story = opened().when('createKey', { key }).when('keyUsed', { keyId: key.id });
    const { v } = story.doc ?? { v: 0 };
    story.wait(minutes(1) - 1).when('keyUsed', { keyId: key.id });
    expect(story.doc?.v).toBe(v);
    expect(story.wait(1).when('keyUsed', { keyId: key.id }).doc?.v).toBe(v + 1);
    expect(keyOf(story).lastUsedAt).toBe('2026-11-20T09:16:00.000Z');
  });

  test('each change of a key raises the sequence of its row, and of no other row', () => {
    const story = opened()
      .when('createKey', { key })
      .when('createKey', { key: { ...key, id: 'key_2' } });
    story.when('keyUsed', { keyId: key.id }).when('revokeKey', { keyId: key.id });
    expect(story.state.keys.map(({ sequence }) => sequence)).toEqual([3, 1]);
  });

  test('a project has a bounded number of keys', () => {
    const story = opened();
    for (let i = 0; i < keysMax; i++) story.when('createKey', { key: { ...key, id: `key_${i}` } });
    expect(story.when('createKey', { key: { ...key, id: 'key_more' } }).last.outcome).toMatchObject({
      code: 'key_limit_reached',
    });
    expect(story.when('createKey', { key: { ...key, id: 'key_0' } }).last.outcome.is).toBe('ok');
  });

  test.each(['merchant', 'buyer', 'provider'] as const)('a %s can neither create nor revoke one', (by) => {
    const story = opened();
    expect(story.when('createKey', { key }, { by }).last.outcome).toMatchObject({ code: 'not_found' });
    expect(story.when('revokeKey', { keyId: key.id }, { by }).last.outcome).toMatchObject({
      code: 'not_found',
    });
  });
});

describe('provider settings', () => {
  const live = { provider: 'wallet_b', mode: 'live' } as const;
  const usual = { ...live, enabled: true, order: 2, appIntent: false, refundsNeedMobile: false };

  test('a change keeps what it does not name, and touches neither the other mode nor another provider', () => {
    const story = opened()
      .when('setProvider', { ...live, sealedCredentials: 's1.x' })
      .when('setProvider', { ...live, mode: 'sandbox', refundsNeedMobile: true })
      .when('setProvider', { ...live, order: 9 });
    expect(story.state.providers).toEqual([
      { ...usual, mode: 'sandbox', sealedCredentials: null, refundsNeedMobile: true },
      { ...usual, order: 9, sealedCredentials: 's1.x' },
    ]);
    story.when('setProvider', { ...live, sealedCredentials: null });
    expect(settingsOf(story.state.providers, 'wallet_b', 'live').sealedCredentials).toBeNull();
  });

  test('the same again is no change', () => {
    const story = opened().when('setProvider', { ...live, enabled: false });
    const { v } = story.doc ?? { v: 0 };
    expect(story.when('setProvider', { ...live, enabled: false }).doc?.v).toBe(v);
  });

  test('the page lists by place, ties in the order of the catalog; a place is kept through an advance of the clock', () => {
    const story = opened().when('setProvider', { ...live, provider: 'qr_a', order: 1 });
    story
      .when('advanceClock', { to: story.now + days(1) })
      .when('setProvider', { ...live, provider: 'wallet_c', order: 0 });
    expect(story.state.status).toBe('advancing');
    expect(inPageOrder(story.state.providers, 'live').map(({ provider }) => provider)).toEqual([
      'wallet_c',
      'wallet_a',
      'qr_a',
      'wallet_b',
      'bank_a',
    ]);
  });

  test.each(['buyer', 'provider', 'system'] as const)('a %s cannot change them', (by) => {
    expect(opened().when('setProvider', { ...live, enabled: false }, { by }).last.outcome).toMatchObject({
      code: 'not_found',
    });
  });
});

describe('reservations of webhook endpoints', () => {
  const full = (): Story => {
    const story = opened();
    for (let i = 0; i < 10; i++) story.when('reserveEndpoint', { endpointId: `we_${i}`, mode: 'sandbox' });
    return story;
  };

  test('there are at most ten per mode; the other mode has its own ten', () => {
    const story = full();
    expect(story.last.outcome.is).toBe('ok');
    expect(
      story.when('reserveEndpoint', { endpointId: 'we_10', mode: 'sandbox' }).last.outcome,
    ).toMatchObject({
      is: 'refused',
      code: 'webhook_endpoint_limit_reached',
    });
    expect(story.when('reserveEndpoint', { endpointId: 'we_10', mode: 'live' }).last.outcome.is).toBe('ok');
  });

  test('reserving the same endpoint twice is one reservation, also at the limit', () => {
    const story = full().when('reserveEndpoint', { endpointId: 'we_3', mode: 'sandbox' });
    expect(story.last.outcome.is).toBe('ok');
    expect(story.state.seats.sandbox).toHaveLength(10);
  });

  test('a command that version 0.1 has sent or stored is still understood', () => {
    const story = opened()
      .when('takeSeat', { endpointId: 'we_1', mode: 'live' })
      .when('reserveEndpoint', { endpointId: 'we_2', mode: 'live' });
    expect(story.state.seats.live.map(({ endpointId }) => endpointId)).toEqual(['we_1', 'we_2']);
    const released = story.when('freeSeat', { endpointId: 'we_2', mode: 'live' }).state.seats;
    expect(released.live.map(({ endpointId }) => endpointId)).toEqual(['we_1']);
  });

  test('a released reservation is free, and releasing it twice frees one', () => {
    const story = full()
      .when('releaseEndpoint', { endpointId: 'we_3', mode: 'sandbox' })
      .when('releaseEndpoint', { endpointId: 'we_3', mode: 'sandbox' });
    expect(story.state.seats.sandbox).toHaveLength(9);
    expect(story.when('reserveEndpoint', { endpointId: 'we_10', mode: 'sandbox' }).last.outcome.is).toBe(
      'ok',
    );
    expect(story.when('reserveEndpoint', { endpointId: 'we_11', mode: 'sandbox' }).last.outcome.is).toBe(
      'refused',
    );
  });
});

describe('the test clock', () => {
  const clock = (story: Story) => project.clock?.(story.state);

  test('an advance walks to its target and the clock stays there', () => {
    const story = opened();
    const to = story.now + days(30);
    story.when('advanceClock', { to });
    expect(clock(story)).toEqual({ offsetMs: 0, walk: { standsAt: story.now, target: to } });
    story
      .when('walkStep', { standsAt: story.now + days(1), fired: 1 })
      .when('walkStep', { standsAt: story.now + days(2), fired: 2 });
    expect(clock(story)?.walk?.standsAt).toBe(story.now + days(2));
    story.wait(seconds(3)).when('walkEnded', { realNow: story.now });
    expect(clock(story)).toEqual({ offsetMs: days(30) - seconds(3), walk: null });
    expect(testClockView(id, story.state, to)).toEqual({
      projectId: id,
      livemode: false,
      now: '2026-12-20T09:15:00.000Z',
      offsetSeconds: 2591997,
      status: 'ready',
      fired: 2,
    });
  });

  test('a walk that took longer in real time than on the clock does not turn the clock back', () => {
    const story = opened()
      .when('advanceClock', { to: opened().now + seconds(5) })
      .wait(minutes(1));
    story.when('walkEnded', { realNow: story.now });
    expect(clock(story)).toEqual({ offsetMs: 0, walk: null });
  });

  test('a second advance starts from where the first one ended', () => {
    const story = opened();
    story
      .when('advanceClock', { to: story.now + days(1) })
      .when('walkStep', { standsAt: story.now + 1, fired: 4 })
      .when('walkEnded', { realNow: story.now });
    expect(story.when('advanceClock', { to: story.now + days(1) }).last.outcome).toMatchObject({
      code: 'must_be_later',
    });
    story.when('advanceClock', { to: story.now + days(2) });
    expect(clock(story)).toEqual({
      offsetMs: days(1),
      walk: { standsAt: story.now + days(1), target: story.now + days(2) },
    });
    expect(story.state.fired).toBe(0);
  });

  test('a second walk is refused while one is running', () => {
    const story = opened();
    story.when('advanceClock', { to: story.now + days(1) }).when('advanceClock', { to: story.now + days(2) });
    expect(story.last.outcome).toMatchObject({
      is: 'refused',
      code: 'invalid_state',
      detail: { currentStatus: 'advancing' },
    });
  });

  test('late copies of steps change nothing', () => {
    const story = opened();
    const begun = story.now;
    story
      .when('advanceClock', { to: begun + days(1) })
      .when('walkStep', { standsAt: begun + hours(5), fired: 5 });
    story.when('walkStep', { standsAt: begun + hours(4), fired: 4 });
    expect(clock(story)?.walk?.standsAt).toBe(begun + hours(5));
    story.when('walkStep', { standsAt: begun + days(9), fired: 6 });
    expect(clock(story)?.walk?.standsAt).toBe(begun + days(1));
    story.when('walkEnded', { realNow: story.now });
    const ended = clock(story);
    story
      .when('walkStep', { standsAt: begun + days(1), fired: 7 })
      .when('walkEnded', { realNow: story.now + days(3) });
    expect(clock(story)).toEqual(ended);
    expect(story.state.fired).toBe(6);
  });

  test('an advance that is stopped ends where it stands; without one there is nothing to stop', () => {
    const story = opened();
    const begun = story.now;
    expect(story.when('stopClock', {}).last.outcome).toMatchObject({ is: 'ok' });
    expect(clock(story)).toEqual({ offsetMs: 0, walk: null });
    story
      .when('advanceClock', { to: begun + days(30) })
      .when('walkStep', { standsAt: begun + days(1), fired: 1 })
      .when('stopClock', {})
      .when('stopClock', {});
    expect(story.state.status).toBe('advancing');
    // the timer that fires now is counted, and its instant has been reached
    story.when('walkStep', { standsAt: begun + days(2), fired: 2 }).when('walkEnded', { realNow: begun });
    expect(clock(story)).toEqual({ offsetMs: days(2), walk: null });
    expect(story.state).toMatchObject({ status: 'ready', fired: 2 });
    story.when('advanceClock', { to: begun + days(30) });
    expect(clock(story)).toEqual({
      offsetMs: days(2),
      walk: { standsAt: begun + days(2), target: begun + days(30) },
    });
  });

  test('an advance fires a bounded number of timers, and ends at the instant of the last one', () => {
    const story = opened();
    const begun = story.now;
    story
      .when('advanceClock', { to: begun + days(300) })
      .when('walkStep', { standsAt: begun + days(1), fired: timersPerAdvanceMax - 1 });
    expect(clock(story)?.walk).not.toHaveProperty('stops');
    story.when('walkStep', { standsAt: begun + days(2), fired: timersPerAdvanceMax });
    expect(clock(story)?.walk).toMatchObject({ standsAt: begun + days(2), stops: true });
    story.when('walkEnded', { realNow: begun });
    expect(clock(story)).toEqual({ offsetMs: days(2), walk: null });
  });

  test('keys and reservations can change during a walk, and the walk continues', () => {
    const story = opened();
    story
      .when('advanceClock', { to: story.now + days(1) })
      .when('createKey', { key })
      .when('reserveEndpoint', { endpointId: 'we_1', mode: 'live' });
    expect(story.state).toMatchObject({
      status: 'advancing',
      walk: { target: story.now + days(1) },
      seats: { live: [{ endpointId: 'we_1' }] },
    });
    expect(story.state.keys).toHaveLength(1);
    expect(story.when('walkEnded', { realNow: story.now }).state).not.toHaveProperty('walk');
  });
});

test('opening a project again changes nothing', () => {
  expect(opened().when('open', { merchantId: 'mer_2', name: 'Other', providers: [] }).state.name).toBe(
    'Shop',
  );
});
