import { describe, expect, test } from 'vitest';
import {
  countEveryMs,
  providerHealth,
  watchEveryMs,
  sameIncidentMs,
} from '../../../actors/provider-health/provider-health.ts';
import { providerHealthAt, type HealthTypes } from '../../../actors/provider-health/messages.ts';
import { providerIncidentAt, type Incident } from '../../../actors/provider-incident/messages.ts';
import { providerIncident } from '../../../actors/provider-incident/provider-incident.ts';
import { hours, minutes, seconds } from '../../../src/kernel/time.ts';
import type { Scope } from '../../../src/runtime/model/address.ts';
import { given, type Story } from '../../support/simulated/test-runner.ts';

const scope: Scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';
const provider = 'wallet_b';
const { id } = providerHealthAt(scope, provider);
const fresh = (): Story<HealthTypes> => given(providerHealth, { id, scope });
const failed = [{ call: 'lookup', why: 'timeout', count: 5 }] as const;

const looked = (
  story: Story<HealthTypes>,
  attempts: number,
  paid: number,
  changesAt: number | null = null,
): Story<HealthTypes> =>
  story.settle('provider.count', { found: { at: story.now, attempts, paid, changesAt } });

/** The incidents it has told, each as it was told last. */
function told(story: Story<HealthTypes>): readonly Incident[] {
  const known = new Map<string, Incident>();
  for (const { data } of story.tells) {
    const { incident } = data as unknown as { readonly incident: Incident };
    known.set(incident.id, incident);
  }
  return [...known.values()];
}

const open = (story: Story<HealthTypes>): readonly unknown[] => story.view['incidents'] as readonly unknown[];

test('its id names project, mode and provider, in the slot of the project', () => {
  const ids = [
    providerHealthAt(scope, 'wallet_a').id,
    providerHealthAt('prj_pjc0e83mhrawse3s6h8bhrbw:live', 'wallet_b').id,
    providerHealthAt('prj_pjd0e83mhrawse3s6h8bhrbw:sandbox', 'wallet_b').id,
  ];
  expect(new Set([id, ...ids]).size).toBe(4);
  expect(id).toMatch(/^phl_pj/);
});

describe('degraded', () => {
  test('opens with the rate and the attempts when the rule holds, and closes when it no longer does', () => {
    const story = looked(fresh().when('look', { provider }), 19, 0);
    expect(open(story)).toEqual([]);
    story.wait(countEveryMs).when('look', { provider });
    const opened = story.now;
    looked(story, 20, 9);
    expect(open(story)).toMatchObject([{ kind: 'degraded', attempts: 20, paid: 9, closedAt: null }]);
    expect(told(story)).toMatchObject([{ openedAt: opened, closedAt: null, openings: 1, revision: 1 }]);
    // an attempt has ended
    story.wait(countEveryMs).when('look', { provider });
    const closes = story.now + minutes(3);
    looked(story, 21, 9, closes);
    expect(told(story)).toHaveLength(1);
    // none has: only attempts that leave the window can end it
    looked(story.wait(minutes(3)), 20, 10);
    expect(open(story)).toEqual([]);
    expect(told(story)).toMatchObject([{ openedAt: opened, closedAt: closes }]);
    expect(story.state.status).toBe('well');
  });

  test('is counted at most every ten seconds, and none of the looks is lost', () => {
    const story = fresh().when('look', { provider });
    story.when('look', { provider }).when('look', { provider });
    expect(story.pending).toHaveLength(1);
    looked(story, 3, 0);
    expect(story.pending).toEqual([]);
    expect(story.timer('count')).toBe(story.now + countEveryMs);
    // a look meanwhile changes nothing, so it is no commit
    const { doc } = story;
    story.wait(1000).when('look', { provider });
    expect(story.doc).toBe(doc);
    story.wait(countEveryMs);
    expect(story.pending).toHaveLength(1);
    looked(story, 5, 0);
    expect(story.timer('count')).toBeNull();
  });

  test('is counted again while attempts that leave the window could open it', () => {
    const story = fresh().when('look', { provider });
    looked(story, 41, 30, story.now + 5);
    expect(story.timer('count')).toBe(story.now + watchEveryMs);
    looked(story.wait(watchEveryMs), 21, 10);
    expect(open(story)).toHaveLength(1);
  });

  test('a count that failed changes nothing, and is made again', () => {
    const story = fresh().when('look', { provider }).settle('provider.count', { found: null });
    expect(story.timer('count')).toBe(story.now + countEveryMs);
    story.wait(countEveryMs);
    looked(story, 20, 0, story.now + minutes(1));
    story.wait(minutes(1)).settle('provider.count', { found: null });
    expect(open(story)).toHaveLength(1);
    expect(story.timer('count')).toBe(story.now + countEveryMs);
  });
});

describe('down', () => {
  const opens = (story: Story<HealthTypes>, at = story.now): Story<HealthTypes> =>
    story.when('circuitOpened', { provider, at, until: at + seconds(30), failed });

  test('opens with the calls that failed, and closes when the circuit is no longer open', () => {
    const story = opens(fresh());
    const opened = story.now;
    expect(open(story)).toMatchObject([{ kind: 'down', failed, closedAt: null }]);
    story.wait(seconds(30) - 1);
    expect(open(story)).toHaveLength(1);
    story.wait(1);
    expect(told(story)).toMatchObject([{ openedAt: opened, closedAt: opened + seconds(30), openings: 1 }]);
  });

  test('closes when a probe was answered', () => {
    const story = opens(fresh());
    const opened = story.now;
    story.wait(seconds(20)).when('circuitClosed', { at: story.now });
    expect(told(story)).toMatchObject([{ openedAt: opened, closedAt: opened + seconds(20) }]);
    expect(story.timer('circuit')).toBeNull();
    // another node tells of the opening, and of the end, once more
    opens(story, opened).when('circuitClosed', { at: opened + seconds(20) });
    expect(told(story)).toHaveLength(1);
    expect(open(story)).toEqual([]);
  });

  test('told by every node it is one incident', () => {
    const story = opens(opens(fresh()));
    expect(told(story)).toMatchObject([{ openings: 1, revision: 1 }]);
  });

  test('a report that comes when it is over is an incident, too', () => {
    const story = fresh();
    const at = story.now;
    opens(story.wait(hours(1)), at);
    expect(told(story)).toMatchObject([{ openedAt: at, closedAt: at + seconds(30) }]);
  });

  test('a report of an end that is older than the opening closes nothing', () => {
    const story = opens(fresh()).when('circuitClosed', { at: Date.parse('2026-11-20T09:14:00.000Z') });
    expect(open(story)).toHaveLength(1);
  });

  test('an outage of an hour is one incident, however often the circuit opens', () => {
    const story = fresh();
    const began = story.now;
    for (let minute = 0; minute < 60; minute++) opens(story).wait(minutes(1));
    expect(told(story)).toMatchObject([
      { openedAt: began, closedAt: began + minutes(59) + seconds(30), openings: 60 },
    ]);
    story.wait(sameIncidentMs);
    opens(story);
    expect(told(story)).toHaveLength(2);
  });
});

describe('refused', () => {
  const refused = (story: Story<HealthTypes>, call: 'start' | 'lookup' = 'start'): Story<HealthTypes> =>
    story.when('refused', { provider, at: story.now, call, says: 'start: Invalid token.' });

  test('lasts until the provider takes such a request', () => {
    const story = refused(fresh());
    const began = story.now;
    expect(open(story)).toMatchObject([{ kind: 'refused', call: 'start', says: 'start: Invalid token.' }]);
    story.wait(hours(5)).when('accepted', { at: story.now, call: 'lookup' });
    expect(open(story)).toHaveLength(1);
    story.when('accepted', { at: story.now, call: 'start' });
    expect(told(story)).toMatchObject([{ openedAt: began, closedAt: began + hours(5) }]);
  });

  test('of two calls that are refused both must be taken', () => {
    const story = refused(refused(fresh()).wait(1000), 'lookup').wait(1000);
    story.when('accepted', { at: story.now, call: 'start' });
    expect(open(story)).toHaveLength(1);
    story.when('accepted', { at: story.now, call: 'lookup' });
    expect(open(story)).toEqual([]);
    expect(told(story)).toHaveLength(1);
  });

  test('further refusals, and a request that was taken before them, change nothing', () => {
    const story = refused(fresh());
    const { doc } = story;
    refused(story.wait(1000)).when('accepted', { at: story.now - 5000, call: 'start' });
    expect(story.doc).toBe(doc);
  });
});

test('an incident keeps the newest record, whatever comes late', () => {
  const health = fresh().when('circuitOpened', { provider, at: 5, until: seconds(30) + 5, failed });
  const [incident] = told(health);
  if (incident === undefined) throw new Error('no incident was told');
  const newer = { ...incident, revision: 3, closedAt: 99 };
  const story = given(providerIncident, { id: providerIncidentAt(incident.id).id, scope });
  story.when('record', { incident: newer }).when('record', { incident });
  expect(story.state).toMatchObject({ status: 'closed', revision: 3 });
  expect(story.view).toMatchObject({ provider, kind: 'down', closedAt: '1970-01-01T00:00:00.099Z' });
});
