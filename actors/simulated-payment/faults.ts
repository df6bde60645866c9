/** The faults a project has set for its simulator, and how often they still apply. Its id is the scope.
 *  1. A fault is counted down only in a call that shows it; a fault that waits for its moment is counted
 *     when the moment comes.
 *  2. At most `faultsMax` are kept: the oldest are removed first. */
import { actor, type Json, type Turn } from '../../src/runtime/model/actor.ts';
import { callsOf, faultRules, faultsMax } from './fault-kinds.ts';
import type { Fault, SimulatorCommands, SimulatorState, SimulatorTypes } from './messages.ts';
import type { Kind } from '../kind.ts';

export const simulator = actor<SimulatorTypes>('simulator', '', {
  schema: 1,
  on: {
    setFaults: {
      by: ['merchant', 'system'],
      creates: (c, x) => x.become('ready', { faults: newest(c.faults) }),
      ready: (_s, c, x) => x.become('ready', { faults: newest(c.faults) }),
    },
    addFaults: {
      by: 'system',
      creates: (c, x) => x.become('ready', { faults: newest(c.faults) }),
      ready: (s, c, x) => {
        const isAboutRefunds = c.faults.some(ofRefund);
        const kept = s.faults.filter(
          (fault) =>
            fault.reference === null || fault.reference !== c.instead || ofRefund(fault) !== isAboutRefunds,
        );
        return x.become('ready', { faults: newest([...kept, ...c.faults]) });
      },
    },
    takeFaults: {
      by: 'system',
      creates: (_c, x) => x.become('ready', { faults: [] }).answer({ faults: [] }),
      ready: take,
    },
    spendFault: {
      by: 'system',
      creates: (_c, x) => x.become('ready', { faults: [] }),
      ready: spend,
    },
  },
  effects: {},
  timers: {},
  view: (state) => ({ faults: state.faults }),
});

export const simulatorKind = { actor: simulator } as const satisfies Kind;

const ofRefund = ({ call }: Fault): boolean => call === 'refund';

const newest = (faults: readonly Fault[]): readonly Fault[] => faults.slice(-faultsMax);

function take(state: SimulatorState, call: SimulatorCommands['takeFaults'], x: Turn<SimulatorTypes>) {
  const taken: Fault[] = [];
  const left: Fault[] = [];
  let replaced = false;
  for (const fault of state.faults) {
    if (over(fault, x.now)) continue;
    if (replaced || !applies(fault, call)) {
      left.push(fault);
      continue;
    }
    taken.push(fault);
    replaced = faultRules[fault.kind].replaces;
    left.push(...(faultRules[fault.kind].counts === 'taken' ? countedDown(fault) : [fault]));
  }
  const detail = { faults: taken as unknown as Json };
  const same = left.length === state.faults.length && left.every((fault, at) => fault === state.faults[at]);
  return same ? x.ok(detail) : x.become('ready', { faults: left }).answer(detail);
}

function spend(state: SimulatorState, spent: SimulatorCommands['spendFault'], x: Turn<SimulatorTypes>) {
  const at = state.faults.findIndex((fault) => fault.kind === spent.kind && concerns(fault, spent));
  const fault = state.faults[at];
  if (fault === undefined) return x.ok();
  const faults = [...state.faults.slice(0, at), ...countedDown(fault), ...state.faults.slice(at + 1)];
  return x.become('ready', { faults });
}

const over = (fault: Fault, now: number): boolean => fault.until !== undefined && now >= fault.until;

const concerns = (fault: Fault, of: { readonly provider: string; readonly reference: string }): boolean =>
  fault.provider === of.provider && (fault.reference === null || fault.reference === of.reference);

const applies = (fault: Fault, call: SimulatorCommands['takeFaults']): boolean =>
  concerns(fault, call) &&
  (fault.call === 'any' || fault.call === call.call) &&
  callsOf(fault.kind, fault.provider).includes(call.call);

/** The fault with its count reduced by one; nothing when that was the last. A fault without a count does
 *  not change. */
function countedDown(fault: Fault): readonly Fault[] {
  if (fault.times === null) return [fault];
  return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
}
