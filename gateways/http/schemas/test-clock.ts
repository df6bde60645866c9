/** The test clock of a sandbox project. */
import { flag, integer, object, oneOf, text, time, timeOrNull } from './parts.ts';
import { shown } from '../route/description.ts';

export const testClock = shown(
  object('TestClock', 'The clock of a sandbox project: what it shows, and what waits for it.', {
    projectId: text('The project.'),
    livemode: flag('false: only sandbox projects have a test clock.'),
    now: time('What it shows.'),
    offsetSeconds: integer('How far it is ahead of real time.'),
    status: oneOf(['ready', 'advancing'], '`advancing`: timers that became due are still firing.'),
    fired: integer('Timers that fired in the last advance.'),
    pendingTimers: integer('Timers that have not fired yet.'),
    nextTimerAt: timeOrNull('When the next one fires. null when there is none.'),
  }),
  {
    projectId: 'prj_29b29j90mr3gsswkmzy950vk',
    livemode: false,
    now: '2026-11-21T15:33:12.516Z',
    offsetSeconds: 0,
    status: 'ready',
    fired: 0,
    pendingTimers: 1,
    nextTimerAt: '2026-11-21T16:03:10.858Z',
  },
);

/** A day later. */
export const advancedClock = shown(testClock.schema, {
  ...testClock.example,
  now: '2026-11-22T15:33:12.516Z',
  offsetSeconds: 86_400,
  fired: 1,
  pendingTimers: 0,
  nextTimerAt: null,
});
