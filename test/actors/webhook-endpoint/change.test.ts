/** What a merchant does with an endpoint: change it, rotate its secret, recover what it missed. */
import { describe, expect, test } from 'vitest';
import { searchAgainMs } from '../../../actors/webhook-endpoint/recover.ts';
import { webhookEndpoint } from '../../../actors/webhook-endpoint/webhook-endpoint.ts';
import { hours } from '../../../src/kernel/time.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { lowered } from '../../../src/runtime/model/downcast.ts';
import { given } from '../../support/simulated/test-runner.ts';

const id = 'we_n9bpy9ep30dg728y8n6r6p5w';
const opened = () =>
  given(webhookEndpoint, { id, scope: 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox' }).when('open', {
    url: 'https://shop.example/hooks',
    events: ['payment.succeeded'],
    description: 'Orders',
    sealedSecret: 's1.first',
    apiVersion: '2026-11-20',
  });
type Endpoint = ReturnType<typeof opened>;
const failing = { health: 'failing', deliveryId: 'whd_f32ydxkr15tkrabjxt73h22c' } as const;
const disabled = () => opened().when('change', { enabled: false });
const effects = (story: Endpoint) => story.last.effects.map(({ kind, data }) => [kind, data]);

describe('a change', () => {
  test('disables it without an event or a mail, and ends what waits', () => {
    const story = disabled();
    expect(story.view).toMatchObject({ enabled: false, disabledReason: 'merchant', sequence: 2 });
    expect([story.events, story.tells]).toEqual([[], []]);
    expect(effects(story)).toEqual([['webhook.sweep', { endpointId: id, term: 0 }]]);
  });

  test('does not change why it was disabled', () => {
    const story = opened().when('healthChanged', { ...failing, health: 'gone' });
    const { v } = story.doc ?? { v: 0 };
    expect(story.when('change', { enabled: false }).doc?.v).toBe(v);
    expect(story.view['disabledReason']).toBe('gone');
  });

  test('enables it in a new term, with its failures forgotten', () => {
    const story = opened().when('healthChanged', failing).wait(hours(119));
    story.when('change', { enabled: false }).when('change', { enabled: true, url: 'https://new.example/' });
    expect(story.view).toMatchObject({
      enabled: true,
      disabledReason: null,
      url: 'https://new.example/',
      sequence: 3,
    });
    expect(story.timer('failing')).toBeNull();
    expect(story.wait(hours(2)).state).toMatchObject({ status: 'enabled', failingSince: null, term: 1 });
    expect(effects(story.when('change', { enabled: false }))).toEqual([
      ['webhook.sweep', { endpointId: id, term: 1 }],
    ]);
  });

  test('of nothing changes nothing', () => {
    const story = opened();
    story.when('change', {}).when('change', { enabled: true, description: 'Orders' });
    expect(story.doc?.v).toBe(1);
  });
});

describe('ending what waits', () => {
  test('goes on until all has ended, unless it is enabled meanwhile', () => {
    const story = disabled().settle('webhook.sweep', { term: 0, more: true });
    expect(effects(story)).toEqual([['webhook.sweep', { endpointId: id, term: 0 }]]);
    story.when('change', { enabled: true }).settle('webhook.sweep', { term: 0, more: true });
    expect(effects(story)).toEqual([]);
    const again = disabled().when('change', { enabled: true }).when('change', { enabled: false });
    again.settle('webhook.sweep', { term: 0, more: true });
    expect(effects(again)).toEqual([]);
  });

  test('happens at a deletion too', () => {
    expect(effects(opened().when('remove', {}))).toEqual([['webhook.sweep', { endpointId: id, term: 0 }]]);
  });
});

describe('a rotation', () => {
  const rotated = (story: Endpoint, sealedSecret: string, graceMs = hours(24)) =>
    story.when('rotate', { sealedSecret, graceMs });

  test('keeps the secret before it for the grace period', () => {
    const story = rotated(opened(), 's1.second');
    const expiresAt = story.now + hours(24);
    expect(story.last.outcome).toMatchObject({ detail: { previousSecretExpiresAt: expiresAt } });
    expect(story.state).toMatchObject({
      sealedSecret: 's1.second',
      previousSecret: { sealed: 's1.first', expiresAt },
      sequence: 2,
    });
    expect(JSON.stringify(story.view)).not.toContain('s1.');
    story.wait(hours(24));
    expect(JSON.stringify(story.doc)).not.toContain('s1.first');
    expect(story.view['sequence']).toBe(2);
  });

  test('twice within it drops the oldest, and its own period counts', () => {
    const story = rotated(rotated(opened(), 's1.second').wait(hours(12)), 's1.third', hours(1));
    expect(JSON.stringify(story.doc)).not.toContain('s1.first');
    expect(story.state.previousSecret?.sealed).toBe('s1.second');
    expect(story.wait(hours(1)).state.previousSecret).toBeUndefined();
  });

  test('without a grace period, also after one with it, leaves one secret', () => {
    const story = rotated(rotated(opened(), 's1.second'), 's1.third', 0);
    expect(story.state.previousSecret).toBeUndefined();
    expect(story.timer('previousSecret')).toBeNull();
    expect(rotated(disabled(), 's1.second').state).toMatchObject({ status: 'disabled' });
  });
});

describe('a recovery', () => {
  const since = Date.parse('2026-11-19T00:00:00.000Z');
  const recovered = () => opened().when('recover', { since, to: 250 });
  const search = (more: object) => [
    'webhook.recover',
    {
      endpointId: id,
      term: 0,
      round: 1,
      events: ['payment.succeeded'],
      since,
      after: null,
      to: 250,
      ...more,
    },
  ];

  test('searches the log part by part', () => {
    const story = recovered();
    expect(effects(story)).toEqual([search({})]);
    expect(effects(story.settle('webhook.recover', { round: 1, after: 120 }))).toEqual([
      search({ after: 120 }),
    ]);
    story.settle('webhook.recover', { round: 1, after: 250 });
    expect([effects(story), story.state]).toMatchObject([[], { status: 'enabled', recoveries: 1 }]);
    expect(JSON.stringify(story.state)).not.toContain('"recovery"');
    expect(story.view['sequence']).toBe(1);
  });

  test('that could not read the log goes on where it was', () => {
    const story = recovered().settle('webhook.recover', { round: 1, after: 120 });
    story.settle('webhook.recover', { round: 1, after: null });
    expect(effects(story)).toEqual([]);
    expect(effects(story.wait(searchAgainMs))).toEqual([search({ after: 120 })]);
  });

  test('requested again goes on from where it is, from its own beginning if that is earlier, and from there for other kinds', () => {
    const under = () => recovered().settle('webhook.recover', { round: 1, after: 120 });
    const later = under().when('recover', { since: since + 1, to: 300 });
    expect(effects(later)).toEqual([search({ round: 2, after: 120, to: 300 })]);
    // the run of the first request is over
    expect(effects(later.settle('webhook.recover', { round: 1, after: 250 }))).toEqual([]);
    const earlier = under().when('recover', { since: since - 1, to: 300 });
    expect(effects(earlier)).toEqual([search({ round: 2, since: since - 1, to: 300 })]);
    const other = under()
      .when('change', { events: ['*'] })
      .when('recover', { since: since + 1, to: 300 });
    expect(effects(other)).toEqual([search({ round: 2, events: ['*'], to: 300 })]);
  });

  test('ends when it is disabled, and is refused then', () => {
    const story = recovered().when('change', { enabled: false });
    expect(effects(story.settle('webhook.recover', { round: 1, after: 120 }))).toEqual([]);
    expect(story.when('recover', { since, to: 250 }).last.outcome).toMatchObject({
      is: 'refused',
      code: 'invalid_state',
      detail: { currentStatus: 'disabled' },
    });
  });
});

test('what an older version would not honour is not written in its schema', () => {
  const actor: AnyActor = webhookEndpoint;
  const rotated = opened().when('rotate', { sealedSecret: 's1.second', graceMs: hours(1) });
  const again = disabled().when('change', { enabled: true });
  const recovering = opened().when('recover', { since: 0, to: 1 });
  const isWritten = ({ state }: Endpoint): boolean => lowered(actor, state as never, 1) !== null;
  expect([opened(), disabled(), rotated, again, recovering].map(isWritten)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(isWritten(rotated.wait(hours(1)))).toBe(true);
});
