/** The daily look-up of a project: when its runs begin, go on and end. */
import { expect, test } from 'vitest';
import {
  dailyLookup,
  pageAgainMs,
  pagePauseMs,
  unansweredMax,
} from '../../../actors/daily-lookup/daily-lookup.ts';
import { nextRunAfter, type DailyLookupEffects } from '../../../actors/daily-lookup/messages.ts';
import { days } from '../../../src/kernel/time.ts';
import { given } from '../../support/simulated/test-runner.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';
const now = Date.parse('2026-11-20T09:15:00.000Z');
const firstRun = Date.parse('2026-11-21T00:15:00.000Z');

const awake = () => given(dailyLookup, { id: scope, scope, now }).when('wake', {});
type Story = ReturnType<typeof awake>;
type Page = DailyLookupEffects['daily_lookup.page'];

const pending = (story: Story): Page => story.pending[0]?.data as unknown as Page;

/** The page that is under way has found `found` payments; `isLast`: the run ends with it. */
function ends(story: Story, found: number | null, isLast: boolean): Story {
  const { run, page, place } = pending(story);
  const next = isLast ? null : { ...place, page: place.page + 1 };
  return story.settle('daily_lookup.page', { run, page, found, next });
}

test('a run begins at 06:00 in Kathmandu on the clock of the project', () => {
  const story = awake();
  expect(story.timer('run')).toBe(firstRun);
  story.when('wake', {}).wait(firstRun - now);
  expect(pending(story)).toEqual({ run: firstRun, page: 1, place: { list: 0, to: firstRun, page: 1 } });
  expect([firstRun - 1, firstRun, firstRun + 1].map(nextRunAfter)).toEqual([
    firstRun,
    firstRun + days(1),
    firstRun + days(1),
  ]);
});

test('pages follow one another after a pause, and what was found calls for the next day', () => {
  const story = ends(awake().wait(firstRun - now), 20, false);
  expect(story.pending).toEqual([]);
  expect(story.timer('page')).toBe(firstRun + pagePauseMs);
  ends(story.wait(pagePauseMs), 0, true);
  expect(story.state).toEqual({ status: 'waiting' });
  expect(story.timer('run')).toBe(firstRun + days(1));
});

test('a run that finds nothing is the last one, until something is looked up again', () => {
  const story = ends(awake().wait(firstRun - now), 0, true);
  expect(story.state).toEqual({ status: 'idle' });
  expect(story.timer('run')).toBeNull();
  expect(story.when('wake', {}).timer('run')).toBe(firstRun + days(1));
});

test('what wakes it during a run is not forgotten', () => {
  const story = awake()
    .wait(firstRun - now)
    .when('wake', {});
  expect(ends(story, 0, true).state).toEqual({ status: 'waiting' });
});

test('a page without a result is made again, and its late result is ignored', () => {
  const story = ends(awake().wait(firstRun - now), null, false);
  const again = story.wait(pageAgainMs);
  expect(pending(again)).toMatchObject({ page: 2, place: { list: 0, page: 1 } });
  const late = { run: firstRun, page: 1, found: 0, next: null };
  expect(again.when('pageEnded', late).state.status).toBe('running');
  for (let tries = 2; tries < unansweredMax; tries++) ends(again, null, false).wait(pageAgainMs);
  expect(ends(again, null, false).state).toEqual({ status: 'waiting' });
});

test('a run longer than a day goes on, and the next begins after it', () => {
  const story = awake().wait(firstRun - now);
  for (let page = 0; page < 3; page++) ends(story, 20, false).wait(days(0.5));
  expect(pending(story)).toMatchObject({ run: firstRun, page: 4 });
  ends(story, 1, true);
  expect(story.timer('run')).toBe(nextRunAfter(story.now));
});
