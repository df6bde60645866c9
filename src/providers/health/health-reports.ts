/** Tells the health of a provider (actors/provider-health) what this node has seen of it: circuits that
 *  opened or closed, and refusals of our requests.
 *  Boundary: breaker.ts and the adapters decide; the actor makes incidents of it.
 *  1. Each report is a hint: it may arrive twice and late. Every node tells of a circuit that opened on any
 *     node, so an incident does not depend on the node that saw it.
 *  2. A provider that takes our requests costs one report a minute per call, and none that changes anything. */
import { providerHealthAt, type HealthCommands } from '../../../actors/provider-health/messages.ts';
import type { Bus } from '../../bus/bus.ts';
import { minutes, type DurationMs, type Instant, type Scheduler } from '../../kernel/time.ts';
import type { Scope } from '../../runtime/model/address.ts';
import type { Client } from '../../runtime/model/client.ts';
import type { Answered } from '../refusal.ts';
import { openMs, partsOf, type Breakers, type CircuitTurn } from '../breaker.ts';
import { providerNames, type Provider } from '../catalog.ts';
import type { CallName, FailedCalls, FailureWhy } from '../answers.ts';

const topic = 'circuits';
const circuitCharactersMax = 200;
/** How long a node takes it for known that a provider takes its requests. */
const acceptedKnownMs: DurationMs = minutes(1);
const acceptedMax = 10_000;

export interface ReportParts {
  readonly breakers: Breakers;
  readonly bus: Pick<Bus, 'broadcast' | 'onBroadcast'>;
  /** Called when the first report is made. */
  readonly client: () => Pick<Client, 'hint' | 'now'>;
  readonly scheduler: Pick<Scheduler, 'steady'>;
  readonly log: { warn(fields: object, message: string): void };
}

export interface HealthReports {
  answered(answered: Answered): void;
}

/** Starts to report the turns of circuits, here and on other nodes. */
export function reportHealth(parts: ReportParts): HealthReports {
  const { breakers, bus, scheduler } = parts;
  const tell = tellerOf(parts);
  const ofTurn = (circuit: string, turn: CircuitTurn): void => {
    const { provider, scope } = partsOf(circuit);
    if (!isProvider(provider)) return;
    if (turn.is === 'closed') tell(scope, provider, 'circuitClosed', { at: turn.at });
    else {
      const { at, until, failed } = turn;
      tell(scope, provider, 'circuitOpened', { provider, at, until, failed });
    }
  };
  breakers.onTurn((circuit, turn) => {
    bus.broadcast(topic, JSON.stringify([circuit, turn]));
    ofTurn(circuit, turn);
  });
  bus.onBroadcast(topic, (text) => {
    const heard = turnIn(text, (scope) => parts.client().now(scope));
    if (heard !== null) ofTurn(...heard);
  });

  const accepted = new Map<string, number>();
  return {
    answered({ provider, scope, call, at, refusal }) {
      const key = `${provider} ${scope} ${call}`;
      if (refusal !== null) {
        accepted.delete(key);
        tell(scope, provider, 'refused', { provider, at, call, says: refusal });
        return;
      }
      const now = scheduler.steady();
      if (now - (accepted.get(key) ?? -Infinity) < acceptedKnownMs) return;
      accepted.delete(key);
      accepted.set(key, now);
      if (accepted.size > acceptedMax) accepted.delete(accepted.keys().next().value ?? key);
      tell(scope, provider, 'accepted', { at, call });
    },
  };
}

const tellerOf =
  ({ client, log }: ReportParts) =>
  <K extends keyof HealthCommands>(
    scope: Scope,
    provider: Provider,
    command: K,
    data: HealthCommands[K],
  ): void => {
    void client()
      .hint(providerHealthAt(scope, provider), command, data, { by: 'system', scope })
      .then((outcome) => {
        if (outcome === 'lost')
          log.warn({ scope, provider, command }, 'a report of a provider’s health was lost');
      });
  };

const isProvider = (name: string): name is Provider => (providerNames as readonly string[]).includes(name);

type Heard = readonly [circuit: string, turn: CircuitTurn];

/** Any client of the same NATS can send anything: null for what is not a turn of a circuit about now. */
function turnIn(text: string, now: (scope: Scope) => Instant): Heard | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value) || value.length !== 2) return null;
    const [circuit, turn] = value as unknown[];
    if (typeof circuit !== 'string' || circuit.length > circuitCharactersMax) return null;
    if (!/^\w+ prj_\w+:(sandbox|live)$/.test(circuit) || !isTurn(turn)) return null;
    const isAhead = Math.abs(turn.at - now(partsOf(circuit).scope)) > 2 * openMs;
    return isAhead ? null : [circuit, turn];
  } catch {
    return null;
  }
}

const calls: readonly CallName[] = ['start', 'lookup', 'refund', 'cancel'];
const whys: readonly FailureWhy[] = ['timeout', 'connection', 'too_large', 'unreadable'];

function isTurn(value: unknown): value is CircuitTurn {
  if (typeof value !== 'object' || value === null) return false;
  const { is, at, until, failed } = value as { readonly [name: string]: unknown };
  if (typeof at !== 'number') return false;
  if (is === 'closed') return true;
  return is === 'opened' && until === at + openMs && Array.isArray(failed) && failed.every(isFailed);
}

function isFailed(value: unknown): value is FailedCalls {
  if (typeof value !== 'object' || value === null) return false;
  const { call, why, count } = value as { readonly [name: string]: unknown };
  return calls.includes(call as CallName) && whys.includes(why as FailureWhy) && Number.isSafeInteger(count);
}
