/** What the merchant changes of an endpoint: its fields, and whether it receives anything.
 *  1. A change to what it already is changes nothing.
 *  2. A disabled endpoint keeps its reason, whoever disables it again. */
import type { Change, Turn, Verdict } from '../../src/runtime/model/actor.ts';
import { termOf, type EndpointCommands, type EndpointState, type EndpointTypes } from './messages.ts';

type X = Turn<EndpointTypes>;
type Enabled = Extract<EndpointState, { status: 'enabled' }>;
type Disabled = Extract<EndpointState, { status: 'disabled' }>;

export function change(s: EndpointState, { enabled, ...fields }: EndpointCommands['change'], x: X): Verdict {
  const changed: EndpointState = { ...s, ...fields };
  if (enabled === true && changed.status === 'disabled') return enable(changed, x);
  if (enabled === false && changed.status === 'enabled') return disabledNow(changed, 'merchant', x).changed;
  if (isSame(changed, s)) return x.ok();
  const next = { ...changed, sequence: s.sequence + 1, updatedAt: x.now };
  return next.status === 'enabled' ? x.become('enabled', next) : x.become('disabled', next);
}

const isSame = (a: EndpointState, b: EndpointState): boolean =>
  a.url === b.url && a.description === b.description && a.events.join() === b.events.join();

function enable({ disabledReason: _reason, ...kept }: Disabled, x: X): Verdict {
  const [term, sequence] = [termOf(kept) + 1, kept.sequence + 1];
  return x.become('enabled', { ...kept, term, sequence, updatedAt: x.now, failingSince: null });
}

/** The endpoint as it is from now on, and the change that ends its deliveries. */
export function disabledNow(
  s: Enabled,
  disabledReason: Disabled['disabledReason'],
  x: X,
): { readonly next: Disabled; readonly changed: Change<EndpointTypes> } {
  const { failingSince: _failing, recovery: _recovery, status: _status, ...kept } = s;
  const sequence = s.sequence + 1;
  const next = { ...kept, status: 'disabled', disabledReason, sequence, updatedAt: x.now } as const;
  const changed = x.become('disabled', next).noTimer('failing').noTimer('recovery');
  return { next, changed: swept(changed, s, x) };
}

/** Ends what waits for a later try. */
export const swept = (changed: Change<EndpointTypes>, s: EndpointState, x: X): Change<EndpointTypes> =>
  changed.effect('webhook.sweep', { endpointId: x.id, term: termOf(s) }, { lane: x.id });
