/** One address a merchant wants to hear events at, and whether it still can.
 *  W1. Only deliveries tell of its health, and only what is news; one good answer ends a failing stretch.
 *  W2. Disabling is said once, to the other endpoints, in the commit that does it.
 *  W3. Leaving gives the seat back in the commit that removes it. */
import { actor, isLive, projectOf, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { hours } from '../../src/kernel/time.ts';
import { projectAt } from '../project/messages.ts';
import type { EndpointCommands, EndpointState, EndpointTypes } from './messages.ts';
import { endpointView } from './view.ts';

type X = Turn<EndpointTypes>;
type Enabled = Extract<EndpointState, { status: 'enabled' }>;

/** This long without one good answer, and it is disabled. */
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
  return x
    .become('disabled', next)
    .noTimer('failing')
    .event('webhook_endpoint.disabled', endpointView(next, { id: x.id, scope: x.scope }));
}

function leave(x: X): Verdict {
  const mode = isLive(x.scope) ? 'live' : 'sandbox';
  return x.bury().tell(projectAt(projectOf(x.scope)), 'freeSeat', { endpointId: x.id, mode });
}
