/** The cells of the table of faults, and how the tests beside this file send a call of ours under one. */
import { callsOf, faultKindsOf, isFaultKind } from '../../../actors/simulated-payment/fault-kinds.ts';
import type { Fault, FaultKind } from '../../../actors/simulated-payment/messages.ts';
import type { Provider } from '../../../src/providers/catalog.ts';
import type { WireRequest } from '../../../src/providers/provider.ts';
import type { HttpAnswer, World } from './world.ts';

/** How long an answer may take: the one that never comes is not waited for. */
export const patienceFor = (kind: FaultKind | null): number => (kind === 'timeout' ? 150 : 5000);

/** What came back; null: no whole answer. */
export async function sent(
  world: World,
  { url, method, headers, body }: WireRequest,
  waitMs: number,
): Promise<HttpAnswer | null> {
  const { pathname, search } = new URL(url);
  try {
    const more = { headers: { ...headers }, ...(body === null ? {} : { body }), waitMs };
    return await world.http(method, `${pathname}${search}`, more);
  } catch {
    return null;
  }
}

type Values = readonly (string | number | null)[];
/** Faults that need a `value`. */
export const valuesOf = (kind: FaultKind, provider: Provider): Values => {
  if (kind === 'status_text') return ['WHATEVER'];
  if (kind === 'amount_text') return ['1000.0', '1000', '1,000.0', '1000.00'];
  if (kind === 'field_style') return [provider === 'wallet_a' ? 'camel' : 'live'];
  return kind === 'create_status' ? [200, 201] : [null];
};

/** Faults that wait for their moment have tests of their own below. */
export const momentary: readonly FaultKind[] = ['late_success', 'success_then_failed'];

/** Of the app alone, which has no part in a start on the web: it has tests of its own below. */
const ofTheApp: readonly FaultKind[] = ['booking_short', 'deeplink_dead'];

export const kindsIn = (provider: Provider, call: Fault['call']): readonly FaultKind[] =>
  faultKindsOf(provider)
    .filter(isFaultKind)
    .filter((kind) => !ofTheApp.includes(kind))
    .filter((kind) => callsOf(kind, provider).some((each) => each === call));
