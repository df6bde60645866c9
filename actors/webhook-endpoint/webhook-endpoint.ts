/** One address at which a merchant receives events, and its health.
 *  W1. Only deliveries report its health, and only changes; one successful answer ends a run of failures.
 *  W2. Disabling by the service is announced once, to the other endpoints, in the commit that disables it.
 *  W3. The commit that removes it also holds the message that releases its reservation at the project.
 *  W4. Enabling it begins a new term without failures: what waited before is not sent unless it is recovered.
 *  W5. At most two secrets sign: the newest, and the one before it until it expires.
 *  Schema 2: changes, a previous secret, recovery. */
import {
  actor,
  isLive,
  projectOf,
  raised,
  type Json,
  type Turn,
  type Verdict,
  type ViewMeta,
} from '../../src/runtime/model/actor.ts';
import { hours, iso } from '../../src/kernel/time.ts';
import { messageAt, messageIdOf } from '../message/messages.ts';
import { projectAt } from '../project/messages.ts';
import { change, disabledNow, swept } from './change.ts';
import { termOf, type EndpointCommands, type EndpointState, type EndpointTypes } from './messages.ts';
import { recover, recovered, recoverOn } from './recover.ts';
import type { Kind } from '../kind.ts';

type X = Turn<EndpointTypes>;
type Enabled = Extract<EndpointState, { status: 'enabled' }>;

/** After this long without one successful answer it is disabled. */
const failingMsMax = hours(120);

export const webhookEndpoint = actor<EndpointTypes>('webhook_endpoint', 'we', {
  schema: 2,
  upcast: (body) => body as unknown as EndpointState,
  // a build that knows no term would send what waited before, and one without a previous secret sign too little
  downcast: (s) => (isOfSchemaOne(s) ? (s as unknown as Json) : null),
  on: {
    open: {
      by: 'merchant',
      creates: (c, x) =>
        x.become('enabled', { ...c, sequence: 1, createdAt: x.now, updatedAt: x.now, failingSince: null }),
      _any: ignored,
    },
    change: { by: 'merchant', _any: change },
    rotate: { by: 'merchant', _any: rotate },
    previousSecretOver: { by: 'system', _any: forgetPrevious },
    recover: {
      by: 'merchant',
      enabled: recover,
      disabled: (s, _c, x) => x.refuse('invalid_state', { currentStatus: s.status }),
    },
    recovered: { by: 'system', enabled: recovered, disabled: ignored },
    recoverOn: { by: 'system', enabled: recoverOn, disabled: ignored },
    remove: { by: 'merchant', _any: leave },
    swept: { by: 'system', enabled: ignored, disabled: sweepOn },
    healthChanged: { by: 'system', enabled: observe, disabled: ignored },
    failedLong: {
      by: 'system',
      enabled: (s, _c, x) => (s.failingSince === null ? x.ok() : disable(s, 'failing', x)),
      disabled: ignored,
    },
  },
  effects: {
    // what is not ended now is not sent either: it ends when its next try is due
    'webhook.sweep': {
      result: 'swept',
      mode: 'atLeastOnce',
      unknown: ({ term }) => ({ term, more: false }),
    },
    'webhook.recover': {
      result: 'recovered',
      mode: 'atLeastOnce',
      unknown: ({ round }) => ({ round, after: null }),
    },
  },
  timers: { failing: 'failedLong', previousSecret: 'previousSecretOver', recovery: 'recoverOn' },
  restored: raised,
  view: endpointView,
});

export const webhookEndpointKind = {
  actor: webhookEndpoint,
  events: {
    'webhook_endpoint.disabled': ({ endpoint: { id, state }, scope, now }) =>
      endpointView(
        { ...state, status: 'disabled', disabledReason: 'failing', updatedAt: now },
        { id, scope },
      ),
  },
} as const satisfies Kind;

function ignored(_s: unknown, _c: unknown, x: X): Verdict {
  return x.ok();
}

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

function disable(s: Enabled, reason: 'failing' | 'gone', x: X): Verdict {
  const { next, changed } = disabledNow(s, reason, x);
  const notice = {
    is: 'endpoint_disabled',
    channel: 'email',
    endpointId: x.id,
    url: s.url,
    reason,
  } as const;
  return changed
    .event('webhook_endpoint.disabled', endpointView(next, { id: x.id, scope: x.scope }))
    .tell(messageAt(messageIdOf(x.id, ['disabled', String(next.sequence)])), 'open', { notice });
}

function rotate(s: EndpointState, { sealedSecret, graceMs }: EndpointCommands['rotate'], x: X): Verdict {
  const expiresAt = x.now + graceMs;
  const { previousSecret: _dropped, ...kept } = s;
  const next = { ...kept, sealedSecret, sequence: s.sequence + 1, updatedAt: x.now };
  const overlaps = graceMs > 0;
  const both = overlaps ? { ...next, previousSecret: { sealed: s.sealedSecret, expiresAt } } : next;
  const changed = become(both, x).answer({ previousSecretExpiresAt: expiresAt });
  return overlaps ? changed.timer('previousSecret', expiresAt) : changed.noTimer('previousSecret');
}

function forgetPrevious({ previousSecret, ...kept }: EndpointState, _c: unknown, x: X): Verdict {
  return previousSecret === undefined ? x.ok() : become(kept, x);
}

const become = (s: EndpointState, x: X) =>
  s.status === 'enabled' ? x.become('enabled', s) : x.become('disabled', s);

function sweepOn(s: EndpointState, { term, more }: EndpointCommands['swept'], x: X): Verdict {
  return more && term === termOf(s) ? swept(x.stay(), s, x) : x.ok();
}

function leave(s: EndpointState, _c: unknown, x: X): Verdict {
  const mode = isLive(x.scope) ? 'live' : 'sandbox';
  const gone = x.delete().tell(projectAt(projectOf(x.scope)), 'releaseEndpoint', { endpointId: x.id, mode });
  return swept(gone, s, x);
}

const isOfSchemaOne = (s: EndpointState): boolean =>
  s.previousSecret === undefined && s.term === undefined && s.recoveries === undefined;

/** The API object as of this state. */
export function endpointView(s: EndpointState, { id, scope }: Pick<ViewMeta, 'id' | 'scope'>) {
  return {
    id,
    livemode: isLive(scope),
    url: s.url,
    events: s.events,
    enabled: s.status === 'enabled',
    description: s.description,
    disabledReason: s.status === 'disabled' ? s.disabledReason : null,
    apiVersion: s.apiVersion,
    sequence: s.sequence,
    createdAt: iso(s.createdAt),
    updatedAt: iso(s.updatedAt),
  };
}
