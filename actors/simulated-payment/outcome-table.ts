/** The faults and the button that make up each sandbox outcome.
 *  Boundary: a table, pure. */
import { hasTrait, type Provider } from '../../src/providers/catalog.ts';
import type { WireTrait } from '../../src/providers/traits.ts';
import type { Fault, FaultKind, SandboxOutcome, SimulatedStatus } from './messages.ts';
import { callsOf, faultKindsOf } from './fault-kinds.ts';
import { minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';

export type Press = 'open' | 'pay' | 'decline' | 'cancel' | 'nothing';

interface Seed {
  readonly kind: FaultKind;
  readonly call: Fault['call'];
  readonly times: number | null;
  readonly delayMs?: DurationMs;
  readonly lastsMs?: DurationMs;
}

export interface Play {
  readonly press: Press;
  readonly faults: readonly Seed[];
}

const play = (press: Press, ...faults: readonly Seed[]): Play => ({ press, faults });
const once = (kind: FaultKind, call: Fault['call'] = 'any', delayMs: DurationMs = 0): Seed => ({
  kind,
  call,
  times: 1,
  delayMs,
});
const always = (kind: FaultKind, call: Fault['call'] = 'any'): Seed => ({ kind, call, times: null });
/** Duration of a provider's outage. */
const troubleMs: DurationMs = minutes(1);
const forAWhile = (kind: FaultKind): Seed => ({ kind, call: 'lookup', times: null, lastsMs: troubleMs });
const lateByMs: DurationMs = minutes(1);

/** Whether a button has already had its effect. */
export function isPressed(press: Press, status: SimulatedStatus): boolean {
  const becomes: { readonly [P in Press]: readonly SimulatedStatus[] } = {
    open: ['opened', 'paid', 'declined', 'partly_refunded', 'refunded'],
    pay: ['paid', 'partly_refunded', 'refunded'],
    decline: ['declined'],
    cancel: ['cancelled'],
    nothing: [],
  };
  return becomes[press].includes(status);
}

/** Actions of simulated buyers and providers; `isShownBy` tells which provider supports them. */
export const outcomeTable: { readonly [O in SandboxOutcome]: Play } = {
  success: play('pay'),
  declined: play('decline'),
  insufficient_funds: play('decline'),
  cancelled: play('cancel'),
  scanned: play('open'),
  lost_redirect: play('pay', once('lost_redirect'), always('socket_silent'), always('callback_never')),
  late_success: play('nothing', once('late_success', 'lookup', lateByMs)),
  duplicate_callback: play('pay', once('double_return'), once('double_callback')),
  double_payment: play('pay', once('double_payment')),
  wrong_amount: play(
    'pay',
    always('wrong_amount', 'lookup'),
    always('wrong_amount', 'return'),
    always('wrong_amount', 'callback'),
  ),
  bad_signature: play('pay', once('bad_signature', 'return'), always('bad_signature', 'callback')),
  ambiguous: play('pay', always('ambiguous')),
  timeout: play('pay', forAWhile('timeout')),
  server_error: play('pay', forAWhile('http_500_html')),
  outage: play('pay', forAWhile('outage_200')),
  never: play('nothing'),
  refund_rejected: play('nothing', once('refund_reject', 'refund')),
  refund_timeout: play('nothing', once('refund_timeout_done', 'refund')),
};

/** Outcomes that not every provider's API can express, and what the API must have for them. */
const needs: { readonly [O in SandboxOutcome]?: readonly WireTrait[] } = {
  cancelled: ['returns'],
  scanned: ['scanned_code'],
  double_payment: ['returns'],
  bad_signature: ['signed_returns', 'callbacks'],
  refund_rejected: ['refund_call'],
  refund_timeout: ['refund_call'],
};

export function isShownBy(provider: Provider, outcome: SandboxOutcome): boolean {
  const traits = needs[outcome];
  return traits === undefined || traits.some((trait) => hasTrait(provider, trait));
}

/** It waits for the next refund call; the buyer does nothing. */
export const isAboutRefunds = (outcome: SandboxOutcome): boolean =>
  outcomeTable[outcome].faults.some(({ call }) => call === 'refund');

/** Every outcome that at least one provider here supports. */
export const outcomesShown = Object.keys(outcomeTable) as readonly SandboxOutcome[];

export const isSandboxOutcome = (text: string): text is SandboxOutcome => Object.hasOwn(outcomeTable, text);

/** The faults of an outcome, set for one reference from now on. */
export const faultsOf = (
  outcome: SandboxOutcome,
  provider: Provider,
  reference: string,
  now: Instant,
): readonly Fault[] =>
  outcomeTable[outcome].faults
    .filter(({ kind, call }) => isShownIn(kind, call, provider))
    .map(({ kind, call, times, delayMs = 0, lastsMs }) => ({
      provider,
      call,
      kind,
      reference,
      times,
      delayMs,
      value: null,
      ...(lastsMs === undefined ? {} : { until: now + lastsMs }),
    }));

/** A fault that this provider cannot show would only take the place of another: the list is bounded. */
const isShownIn = (kind: FaultKind, call: Fault['call'], provider: Provider): boolean =>
  faultKindsOf(provider).includes(kind) && (call === 'any' || exchangesOf(kind, provider).includes(call));

const exchangesOf = (kind: FaultKind, provider: Provider): readonly string[] =>
  callsOf(kind, provider).filter((call) => call !== 'return' || hasTrait(provider, 'returns'));

/** `metadata.sandbox_outcome` of a session; null when there is none, or none that its provider supports:
 *  then it is plain metadata. */
export function outcomeIn(metadata: unknown, provider: Provider): SandboxOutcome | null {
  if (typeof metadata !== 'object' || metadata === null || !('sandbox_outcome' in metadata)) return null;
  const text = metadata.sandbox_outcome;
  return typeof text === 'string' && isSandboxOutcome(text) && isShownBy(provider, text) ? text : null;
}
