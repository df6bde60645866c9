/** Where each fault of providers 9 shows and when it is used up.
 *  Boundary: a table; the simulator's doors act on it. */
import type { FaultKind, SimulatedCall } from './messages.ts';

/** Faults one project has set at once. */
export const faultsMax = 100;

export interface FaultRule {
  /** Calls it can show in; in any other it waits. */
  readonly calls: readonly SimulatedCall[];
  /** `taken`: each call it applies to counts. `moment`: it waits for its moment and counts then. */
  readonly counts: 'taken' | 'moment';
  /** Nothing else of the answer is left: what follows in the list waits for the next call. */
  readonly replaces: boolean;
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

export const faultRules: { readonly [K in FaultKind]: FaultRule } = {
  delay: rule(exchanges),
  timeout: instead(exchanges),
  reset: instead(exchanges),
  http_500_html: instead(answers),
  http_502: instead(answers),
  http_429: instead(answers),
  not_json: instead(answers),
  outage_200: instead(answers),
  wrong_amount: rule(told),
  wrong_reference: rule(told),
  status_text: rule(told),
  ambiguous: rule(told),
  lost_redirect: rule(['return']),
  double_return: rule(['return']),
  double_payment: rule(['return']),
  late_success: rule(['lookup'], 'moment'),
  success_then_failed: rule(['lookup'], 'moment'),
  refund_reject: instead(['refund']),
  refund_timeout_done: instead(['refund']),
  refund_timeout_lost: instead(['refund']),
  refund_needs_mobile: rule(['refund']),
};

export const isFaultKind = (kind: string): kind is FaultKind => Object.hasOwn(faultRules, kind);
