/** Queues again what an endpoint has missed.
 *  1. The log is searched part by part, by an effect that each part renews: a crash costs at most one part.
 *  2. A second request before the first has ended goes on from where the first is, or from its own beginning
 *     if that is earlier. What was queued already is not queued twice. */
import { seconds } from '../../src/kernel/time.ts';
import type { Change, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import {
  termOf,
  type EndpointCommands,
  type EndpointState,
  type EndpointTypes,
  type Recovery,
} from './messages.ts';

type X = Turn<EndpointTypes>;
type Enabled = Extract<EndpointState, { status: 'enabled' }>;

/** The delay before the log is searched again after it could not be. */
export const searchAgainMs = seconds(10);

export function recover(s: Enabled, { since, to }: EndpointCommands['recover'], x: X): Verdict {
  const round = (s.recoveries ?? 0) + 1;
  const running = s.recovery;
  const goesOn = running !== undefined && running.since <= since;
  const recovery: Recovery = {
    round,
    events: s.events,
    since: goesOn ? running.since : since,
    // kinds added since then are missing in the part that was searched
    after: goesOn && running.events.join() === s.events.join() ? running.after : null,
    to,
  };
  return searching({ ...s, recoveries: round, recovery }, recovery, x).noTimer('recovery');
}

export function recovered(s: Enabled, { round, after }: EndpointCommands['recovered'], x: X): Verdict {
  const { recovery, ...kept } = s;
  if (recovery === undefined || recovery.round !== round) return x.ok();
  if (after === null) return x.stay().timer('recovery', x.now + searchAgainMs);
  if (after >= recovery.to) return x.become('enabled', kept);
  const next = { ...recovery, after };
  return searching({ ...kept, recovery: next }, next, x);
}

export const recoverOn = (s: Enabled, _c: unknown, x: X): Verdict =>
  s.recovery === undefined ? x.ok() : searching(s, s.recovery, x);

const searching = (s: Enabled, recovery: Recovery, x: X): Change<EndpointTypes> =>
  x
    .become('enabled', s)
    .effect('webhook.recover', { endpointId: x.id, term: termOf(s), ...recovery }, { lane: x.id });
