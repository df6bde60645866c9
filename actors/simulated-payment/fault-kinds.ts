/** In which calls each fault of the simulator appears and when it is used up (docs/guides/sandbox.md).
 *  Boundary: tables; the simulator's routes apply them. Faults that only one provider's protocol can show
 *  are in that provider's traits. */
import {
  catalog,
  hasTrait,
  providerNames,
  traitsOf,
  type OwnFaultKind,
  type Provider,
} from '../../src/providers/catalog.ts';
import type { FaultRule, SimulatedCall, WireTrait } from '../../src/providers/traits.ts';

/** The maximum number of faults set per project. */
export const faultsMax = 100;

interface SharedRule extends FaultRule {
  /** What a provider's protocol must support to show it: one of these; absent: any protocol can. */
  readonly needs?: readonly WireTrait[];
  /** Further calls in which a protocol with this trait shows it. */
  readonly also?: { readonly where: WireTrait; readonly calls: readonly SimulatedCall[] };
}

/** Calls that not every protocol has. */
const callNeeds: { readonly [C in SimulatedCall]?: WireTrait } = {
  socket: 'socket',
  callback: 'callbacks',
  cancel: 'app_intent',
};

const exchanges: readonly SimulatedCall[] = ['start', 'lookup', 'refund', 'cancel', 'return'];
const answers: readonly SimulatedCall[] = ['start', 'lookup', 'refund', 'cancel'];
const reportingCalls: readonly SimulatedCall[] = ['lookup', 'return', 'callback'];

const rule = (calls: readonly SimulatedCall[], counts: FaultRule['counts'] = 'taken'): SharedRule => ({
  calls,
  counts,
  replaces: false,
});
const instead = (calls: readonly SimulatedCall[]): SharedRule => ({ calls, counts: 'taken', replaces: true });
const where = (needs: WireTrait, of: FaultRule): SharedRule => ({ ...of, needs: [needs] });

/** The faults that more than one protocol can show. */
const sharedRules = {
  delay: rule(exchanges),
  timeout: instead(exchanges),
  reset: instead(exchanges),
  http_500_html: instead(answers),
  http_502: instead(answers),
  http_429: instead(answers),
  not_json: instead(answers),
  outage_200: instead(answers),
  huge_body: instead(answers),
  // the code that is scanned names the amount
  wrong_amount: { ...rule(reportingCalls), also: { where: 'scanned_code', calls: ['start'] } },
  wrong_reference: rule(reportingCalls),
  status_text: rule(reportingCalls),
  ambiguous: rule(reportingCalls),
  lost_redirect: where('returns', rule(['return'])),
  double_return: where('returns', rule(['return'])),
  double_payment: where('returns', rule(['return'])),
  amount_text: where('spellings', rule(reportingCalls)),
  field_style: where('spellings', rule(['lookup'])),
  late_success: rule(['lookup'], 'moment'),
  success_then_failed: rule(['lookup'], 'moment'),
  bad_signature: { ...rule(['return', 'callback']), needs: ['signed_returns', 'callbacks'] },
  missing_signed_field: where('signed_returns', rule(['return', 'callback'])),
  double_callback: { ...rule(['socket', 'callback'], 'moment'), needs: ['socket', 'callbacks'] },
  callback_delay: where('callbacks', rule(['callback'])),
  callback_never: where('callbacks', rule(['callback'])),
  socket_silent: where('socket', rule(['socket'], 'moment')),
  socket_late: where('socket', rule(['socket'], 'moment')),
  socket_drop: where('socket', rule(['socket'], 'moment')),
  socket_lies: where('socket', rule(['socket'], 'moment')),
  no_scan: where('socket', rule(['socket'], 'moment')),
  refund_reject: where('refund_call', instead(['refund'])),
  refund_timeout_done: where('refund_call', instead(['refund'])),
  refund_timeout_lost: where('refund_call', instead(['refund'])),
  refund_needs_mobile: where('refund_call', rule(['refund'])),
} as const satisfies { readonly [kind: string]: SharedRule };

export type FaultKind = keyof typeof sharedRules | OwnFaultKind;

const ownRules = providerNames.map((provider) => catalog[provider].faults);

/** All faults. Every kind of the type is a key of one of these tables. */
export const faultRules = Object.assign({}, sharedRules, ...ownRules) as {
  readonly [K in FaultKind]: FaultRule;
};

/** The calls of this provider in which a fault appears. */
export function callsOf(kind: FaultKind, provider: Provider): readonly SimulatedCall[] {
  const { also, calls }: SharedRule = faultRules[kind];
  const all = also !== undefined && hasTrait(provider, also.where) ? [...also.calls, ...calls] : calls;
  return all.filter((call) => {
    const trait = callNeeds[call];
    return trait === undefined || hasTrait(provider, trait);
  });
}

/** The kinds of fault this provider can show. */
export const faultKindsOf = (provider: Provider): readonly string[] => [
  ...Object.entries<SharedRule>(sharedRules).flatMap(([kind, { needs }]) =>
    needs === undefined || needs.some((trait) => hasTrait(provider, trait)) ? [kind] : [],
  ),
  ...Object.keys(traitsOf(provider).faults),
];

export const isFaultKind = (kind: string): kind is FaultKind => Object.hasOwn(faultRules, kind);
