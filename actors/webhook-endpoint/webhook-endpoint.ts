/** One address at which a merchant receives events, and its health.
 *  W1. Only deliveries report its health, and only changes; one successful answer ends a run of failures.
 *  W2. Disabling is announced once, to the other endpoints, in the commit that disables it.
 *  W3. The commit that removes it also holds the message that releases its reservation at the project. */
import { actor, isLive, projectOf, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { hours } from '../../src/kernel/time.ts';
import { messageAt, messageIdOf } from '../message/messages.ts';
import { projectAt } from '../project/messages.ts';
import type { EndpointCommands, EndpointState, EndpointTypes } from './messages.ts';
import { endpointView } from './view.ts';

type X = Turn<EndpointTypes>;
type Enabled = Extract<EndpointState, { status: 'enabled' }>;

/** After this long without one successful answer it is disabled. */
export const failingMsMax = hours(120);

export const webhookEndpoint = actor<EndpointTypes>('webhook_endpoint', 'we', {
  schema: 1,
  on: {
    open: {
      by: 'merchant',
      creates: (c, x) =>
        x.become('enabled', { ...c, sequence: 1, createdAt: x.now, updatedAt: x.now, failingSince: null }),
      _any: (_s, _c, x) => x.ok(),
    },
    remove: { by: 'merchant', _any: (_s, _c, x) => leave(x) },
    healthChanged: { by: 'system', enabled: observe, disabled: (_s, _c, x) => x.ok() },
    failedLong: {
      by: 'system',
      enabled: (s, _c, x) => (s.failingSince === null ? x.ok() : disable(s, 'failing', x)),
      disabled: (_s, _c, x) => x.ok(),
    },
  },
  effects: {},
  timers: { failing: 'failedLong' },
  view: endpointView,
});

function observe(s: Enabled, { health }: EndpointCommands['healthChanged'], x: X): Verdict {
  switch (health) {
    case 'ok':
      return s.failingSince === null
        ? x.ok()
        : x.become('enabled', { ...s, failingSince: null }).noTimer('failing');
    case 'failing':
      return s.failingSince !== null
        ? x.ok()
        : x.become('enabled', { ...s, failingSince: x.now }).timer('failing', x.now + failingMsMax);
    case 'gone':
      return disable(s, 'gone', x);
  }
}

function disable(s: Enabled, disabledReason: 'failing' | 'gone', x: X): Verdict {
  const { failingSince: _over, ...kept } = s;
  const sequence = s.sequence + 1;
  const next = { ...kept, status: 'disabled' as const, disabledReason, sequence, updatedAt: x.now };
  const { url } = s;
  const notice = {
    is: 'endpoint_disabled',
    channel: 'email',
    endpointId: x.id,
    url,
    reason: disabledReason,
  } as const;
  return x
    .become('disabled', next)
    .noTimer('failing')
    .event('webhook_endpoint.disabled', endpointView(next, { id: x.id, scope: x.scope }))
    .tell(messageAt(messageIdOf(x.id, ['disabled', String(sequence)])), 'open', { notice });
}

function leave(x: X): Verdict {
  const mode = isLive(x.scope) ? 'live' : 'sandbox';
  return x.delete().tell(projectAt(projectOf(x.scope)), 'releaseEndpoint', { endpointId: x.id, mode });
}
