/** A link that many buyers pay by: the table is in docs/reference/api/payment-links.md.
 *  L1. A running session reserves one use. So without late money, never more sessions succeed than
 *      the highest `maxUses` while they ran.
 *  L2. Each successful session is counted once, in whatever status the link is: money is never dropped.
 *  L3. The reservation and the command that opens its session are one commit: a crash leaves neither
 *      alone. */
import { minutes, type DurationMs, type Instant } from '../../src/kernel/time.ts';
import { actor, raised, type Change, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import { checkoutSessionAt } from '../checkout-session/commands.ts';
import { metadataKeysMax } from '../checkout-session/order.ts';
import { changedFields, isChanged, limitOf, statusAfter } from './change.ts';
import { hasFreeUse, holdsAt, holdsOverAt, recentMax, spanOf, withHold, withoutHold } from './holds.ts';
import type {
  LinkedOrder,
  LinkFields,
  LinkState,
  LinkStatus,
  PaymentLinkCommands,
  PaymentLinkTypes,
} from './messages.ts';
import { linkView, paidLinkData } from './view.ts';
import type { Kind, MakeSample } from '../kind.ts';

type X = Turn<PaymentLinkTypes>;
type Commands = PaymentLinkCommands;

/** How long a buyer has to pay, from the form on. */
export const sessionLifeMs: DurationMs = minutes(30);

const unchanged = (_link: unknown, _command: unknown, x: X): Verdict => x.ok();
const notNow = ({ status }: LinkState, _command: unknown, x: X): Verdict =>
  x.refuse('invalid_state', { currentStatus: status });

/** A repeat of a form finds its session whatever has become of the link. */
const repeatedOr =
  (otherwise: (link: LinkState, command: Commands['reserve'], x: X) => Verdict) =>
  (link: LinkState, command: Commands['reserve'], x: X): Verdict =>
    link.recent.includes(command.sessionId) ? x.ok() : otherwise(link, command, x);

export const paymentLink = actor<PaymentLinkTypes>('payment_link', 'lnk', {
  schema: 1,
  on: {
    open: { by: 'merchant', creates: open, _any: unchanged },
    change: { by: 'merchant', active: change, inactive: change, expired: change, completed: change },
    reserve: {
      by: 'buyer',
      active: repeatedOr(reserve),
      inactive: repeatedOr(notNow),
      expired: repeatedOr(notNow),
      completed: repeatedOr(notNow),
    },
    sessionPaid: { by: 'system', _any: sessionPaid },
    sessionOver: {
      by: 'system',
      _any: (link, { held }, x) => withHeld(link, withoutHold(link.held, held), x),
    },
    sessionRefused: {
      by: 'system',
      // `data` is that of our own tell
      _any: (link, { data }, x) =>
        withHeld(
          link,
          withoutHold(link.held, (data as unknown as { order: LinkedOrder }).order.link.held),
          x,
        ),
    },
    expiryReached: {
      by: 'system',
      active: expire,
      inactive: expire,
      expired: unchanged,
      completed: unchanged,
    },
    holdsOver: { by: 'system', _any: (link, _c, x) => withHeld(link, holdsAt(link.held, x.now), x) },
  },
  effects: {},
  timers: { expiry: 'expiryReached', holds: 'holdsOver' },
  restored: raised,
  view: linkView,
  indexes: ['status'],
});

function open(command: Commands['open'], x: X): Verdict {
  const link: LinkFields = {
    ...command,
    usedCount: 0,
    held: [],
    recent: [],
    sequence: 1,
    createdAt: x.now,
    updatedAt: x.now,
  };
  return become(null, 'active', link, x);
}

function change(link: LinkState, command: Commands['change'], x: X): Verdict {
  const next = changedFields(link, command);
  // merged keys count too
  if (Object.keys(next.metadata).length > metadataKeysMax) return x.refuse('metadata_too_many_keys');
  const status = statusAfter(link, next, command.active, x.now);
  if (status === null) return x.refuse('invalid_state', { currentStatus: link.status });
  if (!isChanged(link, next, status)) return x.ok();
  return become(link, status, { ...next, sequence: link.sequence + 1, updatedAt: x.now }, x);
}

function reserve(link: LinkState, { sessionId, amount, checkoutUrl }: Commands['reserve'], x: X): Verdict {
  // the timer of this instant has not fired yet
  if (limitOf(link, x.now) === 'expired') return x.refuse('invalid_state', { currentStatus: 'expired' });
  if (!hasFreeUse(link)) return x.refuse('all_uses_reserved');
  const paid = link.amount ?? amount;
  const [least, most] = [link.minAmount ?? 0, link.maxAmount ?? Infinity];
  if (paid === null || paid < least || paid > most) return x.refuse('amount_out_of_range');

  const held = withHold(link.held, x.now);
  const recent = [...link.recent, sessionId].slice(-recentMax);
  const order: LinkedOrder = {
    amount: paid,
    currency: 'NPR',
    description: link.name,
    returnUrl: link.returnUrl,
    cancelUrl: null,
    collectAddress: link.collectAddress,
    customer: null,
    metadata: link.metadata,
    flow: 'hosted',
    preselected: null,
    referenceId: null,
    source: 'payment_link',
    checkoutUrl,
    link: { id: x.id, referenceId: link.referenceId, held: spanOf(x.now) },
  };
  return become(link, link.status, { ...link, held, recent }, x).tell(
    checkoutSessionAt(sessionId),
    'openByLink',
    { order, lifeMs: sessionLifeMs },
    { refused: 'sessionRefused' },
  );
}

function sessionPaid(link: LinkState, { paymentId, held }: Commands['sessionPaid'], x: X): Verdict {
  const paid: LinkFields = {
    ...link,
    usedCount: link.usedCount + 1,
    held: held === null ? link.held : withoutHold(link.held, held),
    sequence: link.sequence + 1,
    updatedAt: x.now,
  };
  const reached = limitOf(link, x.now) !== 'completed' && limitOf(paid, x.now) === 'completed';
  const open = link.status === 'active' || link.status === 'inactive';
  const status = open && reached ? 'completed' : link.status;
  const next = { ...paid, status };
  return become(link, status, paid, x).event('payment_link.paid', paidLinkData(next, x, paymentId));
}

function expire(link: LinkState, _command: unknown, x: X): Verdict {
  return become(link, 'expired', { ...link, sequence: link.sequence + 1, updatedAt: x.now }, x);
}

/** Only the reservations change: the view does not show them. */
function withHeld(link: LinkState, held: LinkFields['held'], x: X): Verdict {
  return become(link, link.status, { ...link, held }, x);
}

/** Every change of a link: it arms and moves the timers that the new state requires. */
function become(
  before: LinkState | null,
  status: LinkStatus,
  after: LinkFields,
  x: X,
): Change<PaymentLinkTypes> {
  const step = x.become(status, after);
  const old = before === null ? noTimers : timersOf(before.status, before, x.now);
  const now = timersOf(status, after, x.now);
  for (const name of ['expiry', 'holds'] as const) {
    if (now[name] === old[name]) continue;
    if (now[name] === null) step.noTimer(name);
    else step.timer(name, now[name]);
  }
  return step;
}

interface Timers {
  readonly expiry: Instant | null;
  readonly holds: Instant | null;
}
const noTimers: Timers = { expiry: null, holds: null };

/** An instant that has passed is not waited for: a link that was switched off after its end stays so. */
const timersOf = (status: LinkStatus, { expiresAt, held }: LinkFields, now: Instant): Timers => ({
  expiry: (status === 'active' || status === 'inactive') && (expiresAt ?? 0) > now ? expiresAt : null,
  holds: holdsOverAt(held),
});

const sampleId = 'lnk_00000000000000000000samp';

const paid: MakeSample = ({ scope, now }) => {
  const link: LinkState = {
    status: 'active',
    referenceId: 'PL-0000SAMP',
    name: 'Workshop seat',
    description: null,
    amount: 125_050,
    minAmount: null,
    maxAmount: null,
    url: 'https://pay.example/link/PL-0000SAMP',
    maxUses: 20,
    usedCount: 1,
    expiresAt: null,
    returnUrl: null,
    collectAddress: false,
    metadata: {},
    held: [],
    recent: [],
    sequence: 2,
    createdAt: now - minutes(2),
    updatedAt: now,
  };
  return paidLinkData(link, { id: sampleId, scope }, 'pay_000000000000samp');
};

export const paymentLinkKind = {
  actor: paymentLink,
  events: { 'payment_link.paid': paid },
} as const satisfies Kind;
