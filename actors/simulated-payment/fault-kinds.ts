/** Where each fault of providers 9 shows and when it is used up.
 *  Boundary: a table; the simulator's doors act on it. */
import type { Provider } from '../../src/providers/answers.ts';
import type { FaultKind, SimulatedCall } from './messages.ts';

/** The providers that have a simulator. */
export const simulatedProviders: readonly Provider[] = ['wallet_a', 'wallet_b', 'qr_a'];

/** Faults one project has set at once. */
export const faultsMax = 100;

export interface FaultRule {
  /** Calls it can show in; in any other it waits. */
  readonly calls: readonly SimulatedCall[];
  /** `taken`: each call it applies to counts. `moment`: it waits for its moment and counts then. */
  readonly counts: 'taken' | 'moment';
  /** Nothing else of the answer is left: what follows in the list waits for the next call. */
  readonly replaces: boolean;
  /** Those on whose wire it can be seen; all of them unless told. */
  readonly providers?: readonly Provider[];
}

const exchanges: readonly SimulatedCall[] = ['start', 'lookup', 'refund', 'return'];
const answers: readonly SimulatedCall[] = ['start', 'lookup', 'refund'];
const told: readonly SimulatedCall[] = ['lookup', 'return'];

const rule = (calls: readonly SimulatedCall[], counts: FaultRule['counts'] = 'taken'): FaultRule => ({
  calls,
  counts,
  replaces: false,
});
const instead = (calls: readonly SimulatedCall[]): FaultRule => ({ calls, counts: 'taken', replaces: true });
const only = (providers: readonly Provider[], of: FaultRule): FaultRule => ({ ...of, providers });
/** Who sends buyers back. */
const redirecters: readonly Provider[] = ['wallet_a', 'wallet_b'];
/** Who tells by a socket. */
const tellers: readonly Provider[] = ['qr_a'];
/** Whose refunds are a call. */
const refunders: readonly Provider[] = ['wallet_b'];
/** Whose returns are signed. */
const signers: readonly Provider[] = ['wallet_a'];

export const faultRules: { readonly [K in FaultKind]: FaultRule } = {
  delay: rule(exchanges),
  timeout: instead(exchanges),
  reset: instead(exchanges),
  http_500_html: instead(answers),
  http_502: instead(answers),
  http_429: instead(answers),
  not_json: instead(answers),
  outage_200: instead(answers),
  huge_body: instead(answers),
  wrong_amount: rule(told),
  wrong_reference: rule(told),
  status_text: rule(told),
  ambiguous: rule(told),
  lost_redirect: only(redirecters, rule(['return'])),
  double_return: only(redirecters, rule(['return'])),
  double_payment: only(redirecters, rule(['return'])),
  late_success: rule(['lookup'], 'moment'),
  success_then_failed: rule(['lookup'], 'moment'),
  bad_signature: only(signers, rule(['return'])),
  missing_signed_field: only(signers, rule(['return'])),
  amount_text: only(['wallet_a'], rule(told)),
  field_style: only(['wallet_a'], rule(['lookup'])),
  double_callback: only(tellers, rule(['socket'], 'moment')),
  socket_silent: only(tellers, rule(['socket'], 'moment')),
  socket_late: only(tellers, rule(['socket'], 'moment')),
  socket_drop: only(tellers, rule(['socket'], 'moment')),
  socket_lies: only(tellers, rule(['socket'], 'moment')),
  no_scan: only(tellers, rule(['socket'], 'moment')),
  create_status: only(['qr_a'], rule(['start'])),
  bad_crc: only(['qr_a'], rule(['start'])),
  no_amount: only(['qr_a'], rule(['lookup'])),
  refund_reject: only(refunders, instead(['refund'])),
  refund_timeout_done: only(refunders, instead(['refund'])),
  refund_timeout_lost: only(refunders, instead(['refund'])),
  refund_needs_mobile: only(refunders, rule(['refund'])),
};

/** The kinds of fault this provider can show. */
export const faultKindsOf = (provider: Provider): readonly string[] =>
  Object.entries(faultRules).flatMap(([kind, { providers }]) =>
    providers === undefined || providers.includes(provider) ? [kind] : [],
  );

export const isFaultKind = (kind: string): kind is FaultKind => Object.hasOwn(faultRules, kind);
