/** What a provider knows of one payment: the neutral state that each protocol shows in its own terms.
 *  1. Money, once paid, leaves only by refund.
 *  2. Its lifetime is measured on the project's clock; money after the end comes only from sandbox control.
 *  3. A repeated start for a known reference changes nothing.
 *  4. An accepted plan is played until its outcome is reached or no longer possible (plays.ts).
 *  5. The end of an attempt is announced to our server, where the protocol does so (callbacks.ts). */
import { actor, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { announcing, callAgain, calledBack } from './callbacks.ts';
import { begin, fieldsOf, plan, planDue, playAgain, played } from './plays.ts';
import type {
  LogEntry,
  SimulatedPaymentCommands,
  SimulatedPaymentState,
  SimulatedPaymentTypes,
  SimulatedStatus,
} from './messages.ts';
import type { Kind } from '../kind.ts';

export const logEntriesMax = 100;
/** Characters kept of one request or answer. */
export const logTextMax = 4000;

type X = Turn<SimulatedPaymentTypes>;
type Cell = (state: SimulatedPaymentState, command: unknown, x: X) => Verdict;

export const simulatedPayment = actor<SimulatedPaymentTypes>('simulated_payment', 'pay', {
  schema: 1,
  on: {
    register: { by: 'system', creates: register, _any: (_s, _c, x) => x.ok() },
    open: {
      by: ['buyer', 'merchant', 'system'],
      created: to('opened'),
      opened: to('opened'),
      declined: refused,
      cancelled: refused,
      ended: refused,
      paid: refused,
      partly_refunded: refused,
      refunded: refused,
    },
    pay: {
      by: ['buyer', 'merchant', 'system'],
      created: to('paid'),
      opened: to('paid'),
      declined: lateMoney,
      cancelled: lateMoney,
      ended: lateMoney,
      paid: refused,
      partly_refunded: refused,
      refunded: refused,
    },
    decline: {
      by: ['buyer', 'merchant', 'system'],
      created: decline,
      opened: decline,
      declined: refused,
      cancelled: refused,
      ended: refused,
      paid: refused,
      partly_refunded: refused,
      refunded: refused,
    },
    cancel: {
      by: ['buyer', 'merchant', 'system'],
      created: to('cancelled'),
      opened: to('cancelled'),
      declined: refused,
      cancelled: refused,
      ended: refused,
      paid: refused,
      partly_refunded: refused,
      refunded: refused,
    },
    refundCalled: { by: 'system', _any: refundCalled },
    refund: {
      by: ['merchant', 'system'],
      created: refused,
      opened: refused,
      declined: refused,
      cancelled: refused,
      ended: refused,
      paid: refund,
      partly_refunded: refund,
      refunded: refused,
    },
    lifeEnds: {
      by: 'system',
      created: to('ended'),
      opened: to('ended'),
      declined: nothing,
      cancelled: nothing,
      ended: nothing,
      paid: nothing,
      partly_refunded: nothing,
      refunded: nothing,
    },
    record: { by: 'system', _any: record },
    plan: { by: 'system', _any: plan },
    planDue: { by: 'system', _any: planDue },
    played: { by: 'system', _any: played },
    playAgain: { by: 'system', _any: playAgain },
    calledBack: { by: 'system', _any: calledBack },
    callAgain: { by: 'system', _any: callAgain },
    forget: { by: ['merchant', 'system'], _any: (_s, _c, x) => x.delete() },
  },
  effects: {
    'buyer.play': {
      result: 'played',
      mode: 'atLeastOnce',
      unknown: ({ play }) => ({ how: 'interrupted', play }),
    },
    'callback.send': {
      result: 'calledBack',
      mode: 'atLeastOnce',
      unknown: ({ call }) => ({ call, how: 'refused' }),
    },
  },
  timers: { lifeEnds: 'lifeEnds', planDue: 'planDue', playAgain: 'playAgain', callAgain: 'callAgain' },
  indexes: ['sessionId', 'provider'],
  view: (state, { id }) => ({ id, provider: state.provider, state: state.status, amount: state.amount }),
});

export const simulatedPaymentKind = { actor: simulatedPayment } as const satisfies Kind;

function register(command: SimulatedPaymentCommands['register'], x: X): Verdict {
  const { outcome, ...known } = command;
  const fields = { ...known, refunded: 0, lookupsShown: 0, planned: null, log: [] };
  const change = outcome === undefined ? x.become('created', fields) : begin('created', fields, outcome, x);
  return command.lifeEndsAt === null ? change : change.timer('lifeEnds', command.lifeEndsAt);
}

/** A cell that moves to another status; after a decision the lifetime no longer applies. */
function to(status: SimulatedStatus): Cell {
  return (state, _command, x) => {
    if (state.status === status) return x.ok();
    const lifeEndsAt = status === 'opened' ? lifeOnceOpen(state, x.now) : null;
    const fields = { ...fieldsOf(state), lookupsShown: 0 };
    if (lifeEndsAt !== null) return x.become(status, { ...fields, lifeEndsAt }).timer('lifeEnds', lifeEndsAt);
    const change = announcing(status, fields, x);
    return status === 'opened' ? change : change.noTimer('lifeEnds');
  };
}

/** The end of a lifetime that starts when the buyer opens the payment; null for any other. */
const lifeOnceOpen = ({ lifeOnceOpenMs }: SimulatedPaymentState, now: Instant): Instant | null =>
  lifeOnceOpenMs === undefined ? null : now + lifeOnceOpenMs;

function decline(state: SimulatedPaymentState, command: unknown, x: X): Verdict {
  const { reason } = command as SimulatedPaymentCommands['decline'];
  return to('declined')(reason === undefined ? state : { ...state, declinedFor: reason }, command, x);
}

function lateMoney(state: SimulatedPaymentState, command: unknown, x: X): Verdict {
  return x.by === 'buyer' ? x.refuse('invalid_state') : to('paid')(state, command, x);
}

function refundCalled(state: SimulatedPaymentState, _command: unknown, x: X): Verdict {
  return x.become(state.status, { ...fieldsOf(state), refundCalls: (state.refundCalls ?? 0) + 1 });
}

function refund(state: SimulatedPaymentState, { amount }: SimulatedPaymentCommands['refund'], x: X): Verdict {
  const left = state.amount - state.refunded;
  const given = amount ?? left;
  if (given < 1 || given > left) return x.refuse('invalid_state', { left });
  return x
    .become(given === left ? 'refunded' : 'partly_refunded', {
      ...fieldsOf(state),
      refunded: state.refunded + given,
      lookupsShown: 0,
    })
    .answer({ amount: given });
}

function refused(_state: SimulatedPaymentState, _command: unknown, x: X): Verdict {
  return x.refuse('invalid_state');
}

function nothing(_state: SimulatedPaymentState, _command: unknown, x: X): Verdict {
  return x.ok();
}

function record(state: SimulatedPaymentState, entry: SimulatedPaymentCommands['record'], x: X): Verdict {
  const [request, response] = [entry.request.slice(0, logTextMax), entry.response.slice(0, logTextMax)];
  const kept: LogEntry = { at: x.now, call: entry.call, request, response };
  return x.become(state.status, {
    ...fieldsOf(state),
    lookupsShown: state.lookupsShown + (entry.shows === true ? 1 : 0),
    log: [...state.log, kept].slice(-logEntriesMax),
  });
}
