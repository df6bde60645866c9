/** The test clock of a sandbox project: its time, and advancing it. */
import { Type, type Static } from 'typebox';
import { projectAt, timersPerAdvanceMax, type ProjectState } from '../../../actors/project/messages.ts';
import { testClockView } from '../../../actors/project/view.ts';
import { fieldError, type FieldError } from '../../../src/errors.ts';
import { assert } from '../../../src/kernel/assert.ts';
import { iso, isoOrNull, seconds, type DurationMs, type Instant } from '../../../src/kernel/time.ts';
import { watchUntil } from '../../live/watch-until.ts';
import { done, refusalOf, refused, unavailable, type Answer } from '../route/answer.ts';
import type { Caller } from '../access/auth.ts';
import { instantFrom, latestStart } from '../route/instant.ts';
import { invalid } from '../route/route.ts';
import type { ApiParts } from '../api-parts.ts';
import { about, instant } from '../route/schemas.ts';
import type { Resource } from '../route/description.ts';
import { route } from '../route/spec.ts';
import { advancedClock, testClock } from '../schemas/test-clock.ts';

export const sandbox: Resource = {
  name: 'Sandbox',
  description: 'Helpers for tests, for sandbox keys only: the test clock, and what buyers and providers do.',
};

/** How long to wait for the end of an advance; after that the answer is `advancing`. */
const advanceWaitMsMax: DurationMs = seconds(25);
const advanceSecondsMax = 31_622_400;

const advanceBody = Type.Object({
  to: Type.Optional(
    about('The instant it is to show: later than now, no later than 2100. Or `bySeconds`.', instant),
  ),
  bySeconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: advanceSecondsMax, description: 'How far it moves. Or `to`.' }),
  ),
});
type AdvanceBody = Static<typeof advanceBody>;

type Parts = Pick<ApiParts, 'client' | 'scheduler' | 'timersOf'>;

export const testClockRoutes = (parts: Parts) => [
  route({
    method: 'GET',
    at: { api: '/v1/test/clock', dashboard: true },
    resource: sandbox,
    operation: 'readTestClock',
    summary: 'Read the test clock',
    answer: testClock,
    key: 'sandbox',
    reply: 200,
    handle: ({ caller }) => shown(parts, caller),
  }),
  route({
    method: 'POST',
    at: { api: '/v1/test/clock/advance', dashboard: true },
    resource: sandbox,
    operation: 'advanceTestClock',
    summary: 'Advance the test clock',
    description:
      'Send exactly one of `to` and `bySeconds`. The answer comes when all timers that ' +
      'became due have fired, or after 25 seconds with `advancing`. After ' +
      `${timersPerAdvanceMax.toLocaleString('en')} timers it ends where it is: \`now\` shows how far it came.`,
    answer: advancedClock,
    exampleBody: { bySeconds: 86_400 },
    errors: ['invalid_state'],
    key: 'sandbox',
    reply: 200,
    outlivedBy: ({ projectId }) => [projectAt(projectId)],
    body: advanceBody,
    rules: (_body, sent) => (sent('to') === sent('bySeconds') ? [exactlyOne] : []),
    async handle({ caller, body, identity }) {
      const now = parts.client.now(caller.scope);
      const to = targetOf(body, now);
      if (to > latestStart) return invalid([tooFar(body, now)]);
      const asking = { by: 'system', scope: 'system', ...identity } as const;
      const result = await parts.client.ask(projectAt(caller.projectId), 'advanceClock', { to }, asking);
      if (result.is === 'refused' && result.code === 'must_be_later') {
        return invalid([fieldError('to', 'must_be_later', 'what the clock shows')]);
      }
      if (result.is === 'refused') {
        return refused('invalid_state', {
          message: 'The clock is still advancing.',
          currentStatus: 'advancing',
        });
      }
      if (result.is !== 'ok') return refusalOf(result);
      return shownAtRest(parts, caller);
    },
  }),
  route({
    method: 'POST',
    at: { api: '/v1/test/clock/stop', dashboard: true },
    resource: sandbox,
    operation: 'stopTestClock',
    summary: 'Stop an advance of the test clock',
    description:
      'The advance ends at the instant it has reached; what became due later has not happened. ' +
      'A clock that does not advance stays as it is.',
    answer: testClock,
    key: 'sandbox',
    reply: 200,
    outlivedBy: ({ projectId }) => [projectAt(projectId)],
    async handle({ caller, identity }) {
      const asking = { by: 'system', scope: 'system', ...identity } as const;
      const result = await parts.client.ask(projectAt(caller.projectId), 'stopClock', {}, asking);
      return result.is === 'ok' ? shownAtRest(parts, caller) : refusalOf(result);
    },
  }),
];

const exactlyOne = fieldError('to', 'mutually_exclusive', 'to, bySeconds');

function targetOf({ to, bySeconds }: AdvanceBody, now: Instant): Instant {
  if (bySeconds !== undefined) return now + seconds(bySeconds);
  const at = to === undefined ? null : instantFrom(to);
  assert(at !== null, 'exactly one of two fields, checked');
  return at;
}

/** The bound in the wording of the field. */
const tooFar = ({ bySeconds }: AdvanceBody, now: Instant): FieldError =>
  bySeconds === undefined
    ? fieldError('to', 'too_large', iso(latestStart))
    : fieldError('bySeconds', 'too_large', String(Math.max(0, Math.floor((latestStart - now) / 1000))));

const projectOf = ({ client }: Pick<Parts, 'client'>, { projectId }: Caller) =>
  client.read<ProjectState>(projectAt(projectId), 'system');

/** Once the clock is at rest, or after 25 s. */
async function shownAtRest(parts: Parts, caller: Caller): Promise<Answer> {
  const ready = async (): Promise<true | null> => ((await isReady(parts, caller)) ? true : null);
  await watchUntil(parts, caller.projectId, ready, advanceWaitMsMax);
  return shown(parts, caller);
}

async function isReady(parts: Parts, caller: Caller): Promise<boolean> {
  return (await projectOf(parts, caller))?.state.status === 'ready';
}

async function shown(parts: Parts, caller: Caller): Promise<Answer> {
  const project = await projectOf(parts, caller);
  if (project === null) return unavailable;
  const timers = await parts.timersOf(caller.projectId);
  return done({
    ...testClockView(caller.projectId, project.state, parts.client.now(caller.scope)),
    pendingTimers: timers.pending,
    nextTimerAt: isoOrNull(timers.nextAt),
  });
}
