/** The cells of docs/reference/session-states.md about a payment in the app, driven once each. */
import { describe } from 'vitest';
import type { LookupAnswer, LookupOutcome } from '../../../src/providers/answers.ts';
import {
  books,
  callback,
  goesToTheWeb,
  learns,
  legIsAsked,
  legSays,
  legsWait,
  legTimer,
  webOpens,
  type Leg,
} from './in-app.ts';
import {
  comesBack,
  created,
  declines,
  lookupsInFlight,
  order,
  pay,
  picks,
  redirect,
  refusesStart,
  running,
  seconds,
  type SessionStory,
} from './buyer.ts';
import { drives, type Drive } from './session-drives.ts';

type Kind = 'hosted' | 'hosted, fifth attempt' | 'redirect' | 'redirect, fifth attempt';

/** The buyer picks wallet_a; our start call is on its way. */
const starting: { readonly [K in Kind]: () => SessionStory } = {
  hosted: () => picks(created(), 1, 'wallet_a'),
  'hosted, fifth attempt': () => {
    const story = created();
    for (let n = 1; n <= 4; n++) declines(running(story, n), n);
    return picks(story, 5, 'wallet_a');
  },
  redirect: () => picks(created({ ...redirect, preselected: 'wallet_a' }), 1, 'wallet_a'),
  'redirect, fifth attempt': () => {
    const story = created({ ...redirect, preselected: 'wallet_a' });
    for (let n = 1; n <= 4; n++) refusesStart(picks(story, n, 'wallet_a'));
    return picks(story, 5, 'wallet_a');
  },
};

const latestOf = ({ state }: SessionStory): number => state.payments.length;
const inTheApp = (kind: Kind): SessionStory => books(starting[kind](), latestOf(starting[kind]()));
const withBothLegs = (kind: Kind): SessionStory =>
  webOpens(goesToTheWeb(inTheApp(kind)), latestOf(inTheApp(kind)));

/** A look-up of this leg is on its way: by its timer, otherwise by a hint. */
function asked(story: SessionStory, leg: Leg): SessionStory {
  if (legIsAsked(story, leg)) return story;
  const n = latestOf(story);
  const at = legTimer(story, leg, n);
  if (at !== null) return story.wait(at - story.now);
  return leg === 'intent'
    ? callback(story.wait(seconds(2)), undefined, n)
    : comesBack(story.wait(seconds(2)), n);
}

interface Cells<Column extends string> {
  readonly plain: (trigger: (story: SessionStory) => unknown) => Drive<Column>;
  readonly look: (leg: Leg, outcome: LookupOutcome, change?: Partial<LookupAnswer>) => Drive<Column>;
  readonly silent: (leg: Leg) => Drive<Column>;
}

/** The triggers that every table below has, from the session of a column. */
function cellsFrom<Column extends string>(session: (column: Column) => SessionStory): Cells<Column> {
  const look: Cells<Column>['look'] =
    (leg, outcome, change = {}) =>
    (column) => {
      const story = asked(session(column), leg);
      return { story, about: latestOf(story), trigger: () => legSays(story, leg, outcome, change) };
    };
  return {
    look,
    plain: (trigger) => (column) => {
      const story = session(column);
      return { story, about: latestOf(story), trigger };
    },
    silent: (leg) => look(leg, 'pending', { answered: false, reference: null, httpStatus: 500 }),
  };
}

const reachesTheEnd =
  <Column extends string>(session: (column: Column) => SessionStory): Drive<Column> =>
  (column) => {
    const story = session(column);
    const n = latestOf(story);
    if (story.state.status === 'initiated') legsWait(story, story.state.expiresAt - 1, n);
    const isArmed = story.timer('expiry') !== null;
    if (isArmed) story.wait(story.state.expiresAt - 1 - story.now);
    return {
      story,
      about: n,
      trigger: () => (isArmed ? story.wait(1) : story.when('expiryReached', { key: '' })),
    };
  };

const asksForTheWeb = (story: SessionStory): unknown => goesToTheWeb(story);
const picksTheSame = (story: SessionStory): unknown => picks(story, latestOf(story) + 1, 'wallet_a');
const picksAnother = (story: SessionStory): unknown => picks(story, latestOf(story) + 1, 'wallet_b');
const calls = (story: SessionStory): unknown => callback(story, undefined, latestOf(story));

describe('row 4: an attempt that starts in the app', () => {
  const { plain } = cellsFrom<Kind>((kind) => starting[kind]());
  drives<Kind>('Start in the app', {
    'the provider accepts the booking': plain((story) => books(story, latestOf(story))),
    'the booking is refused, or not answered in 5 s: the web form': plain((story) =>
      webOpens(story, latestOf(story)),
    ),
    'neither the booking nor the web form is to be had': plain(refusesStart),
  });
});

describe('row 4: a payment in the app', () => {
  const { plain, look, silent } = cellsFrom<Kind>(inTheApp);
  drives<Kind>('A payment in the app', {
    'the buyer asks for the web (`variant=web`)': plain(asksForTheWeb),
    'the buyer starts an attempt with `wallet_a` again': plain(picksTheSame),
    'the buyer starts an attempt with another provider': plain(picksAnother),
    'a callback of the app': plain(calls),
    'look-up: paid': look('intent', 'paid'),
    'look-up: paid, with another amount': look('intent', 'paid', { amountPaisa: order.amount - 100 }),
    'look-up: paid, with a reference that is not ours': look('intent', 'paid', { reference: 'BK-1 CR-2' }),
    'look-up: ambiguous, or a word that we do not know': look('intent', 'ambiguous', { word: 'Perhaps' }),
    'look-up: declined': look('intent', 'failed'),
    'look-up: cancelled by the buyer': look('intent', 'cancelled'),
    'look-up: the life of the booking has ended': look('intent', 'expired'),
    'look-up: pending': look('intent', 'pending'),
    'look-up: the provider does not know the booking': look('intent', 'not_found'),
    'look-up: 5xx, timeout, unreadable': silent('intent'),
    '`expires_at` is reached': reachesTheEnd(inTheApp),
    '`POST /v1/checkout/{id}/expire`': plain((story) => story.when('expire', {})),
    'the buyer cancels on our page': plain((story) => story.when('cancel', {})),
  });
});

describe('row 4: a payment in the app and on the web', () => {
  const { plain, look, silent } = cellsFrom<Kind>(withBothLegs);
  drives<Kind>('A payment in the app and on the web', {
    'the web form is not to be had': (kind) => {
      const story = goesToTheWeb(inTheApp(kind));
      return { story, about: latestOf(story), trigger: refusesStart };
    },
    'the buyer asks for the web (`variant=web`)': plain(asksForTheWeb),
    'the buyer starts an attempt with another provider': plain(picksAnother),
    'a callback of the app': plain(calls),
    'a return from the web': plain((story) => comesBack(story, latestOf(story))),
    'look-up of the app: paid': look('intent', 'paid'),
    'look-up of the app: paid, with another amount': look('intent', 'paid', {
      amountPaisa: order.amount - 100,
    }),
    'look-up of the app: ambiguous, or a word that we do not know': look('intent', 'ambiguous', {
      word: 'Perhaps',
    }),
    'look-up of the app: declined': look('intent', 'failed'),
    'look-up of the app: cancelled by the buyer': look('intent', 'cancelled'),
    'look-up of the app: the life of the booking has ended': look('intent', 'expired'),
    'look-up of the app: 5xx, timeout, unreadable': silent('intent'),
    'look-up of the web: paid': look('web', 'paid'),
    'look-up of the web: paid, with another amount': look('web', 'paid', { amountPaisa: order.amount - 100 }),
    'look-up of the web: ambiguous, or a word that we do not know': look('web', 'ambiguous', {
      word: 'Perhaps',
    }),
    'look-up of the web: declined': look('web', 'failed'),
    'look-up of the web: cancelled by the buyer': look('web', 'cancelled'),
    'look-up of the web: ended by the provider': look('web', 'expired'),
    'look-up of the web: 5xx, timeout, unreadable': silent('web'),
    '`expires_at` is reached': reachesTheEnd(withBothLegs),
    '`POST /v1/checkout/{id}/expire`': plain((story) => story.when('expire', {})),
    'the buyer cancels on our page': plain((story) => story.when('cancel', {})),
  });
});

describe('row 4: both legs of an attempt that has ended', () => {
  type Ended = 'pending' | 'success, in the app' | 'success, on the web' | 'failed' | 'cancelled' | 'expired';
  const ended: { readonly [E in Ended]: () => SessionStory } = {
    pending: () => learns(withBothLegs('hosted'), 'web', 'failed'),
    'success, in the app': () => learns(withBothLegs('hosted'), 'intent', 'paid'),
    'success, on the web': () => learns(withBothLegs('hosted'), 'web', 'paid'),
    failed: () => learns(withBothLegs('redirect'), 'web', 'failed'),
    cancelled: () => withBothLegs('hosted').when('cancel', {}),
    expired: () => withBothLegs('hosted').when('expire', {}),
  };
  const session = (column: Ended): SessionStory => legsWait(ended[column](), 0);
  const { plain, look, silent } = cellsFrom<Ended>(session);
  drives<Ended>('Both legs after the end of the attempt', {
    'the buyer asks for the web (`variant=web`)': plain((story) =>
      story.when('start', { paymentId: pay(2), provider: 'wallet_a', variant: 'web' }),
    ),
    'a callback of the app': plain((story) => calls(story.wait(seconds(2)))),
    'look-up of the app: paid': look('intent', 'paid'),
    'look-up of the app: ambiguous, or a word that we do not know': look('intent', 'ambiguous', {
      word: 'Perhaps',
    }),
    'look-up of the app: declined': look('intent', 'failed'),
    'look-up of the app: cancelled by the buyer': look('intent', 'cancelled'),
    'look-up of the app: the life of the booking has ended': look('intent', 'expired'),
    'look-up of the app: 5xx, timeout, unreadable': silent('intent'),
    'look-up of the web: paid': look('web', 'paid'),
    'look-up of the web: ambiguous, or a word that we do not know': look('web', 'ambiguous', {
      word: 'Perhaps',
    }),
    'look-up of the web: declined': look('web', 'failed'),
    'look-up of the web: cancelled by the buyer': look('web', 'cancelled'),
    'look-up of the web: 5xx, timeout, unreadable': silent('web'),
    '`expires_at` is reached': reachesTheEnd(session),
    '`POST /v1/checkout/{id}/expire`': plain((story) => story.when('expire', {})),
    'the buyer cancels on our page': plain((story) => story.when('cancel', {})),
  });
});

describe('row 4: the last look-up of a payment in the app', () => {
  type Waits = 'in the app' | 'both, none answered' | 'both, the web answered';
  const atTheEnd = (story: SessionStory): SessionStory => {
    const one = legsWait(story, story.state.expiresAt - 1).wait(1);
    for (const { leg = 'web', cause } of lookupsInFlight(one))
      if (cause !== 'lastLook') legSays(one, leg, 'pending');
    return one;
  };
  const waits: { readonly [W in Waits]: () => SessionStory } = {
    'in the app': () => atTheEnd(inTheApp('hosted')),
    'both, none answered': () => atTheEnd(withBothLegs('hosted')),
    'both, the web answered': () => legSays(atTheEnd(withBothLegs('hosted')), 'web', 'not_found'),
  };
  const { plain } = cellsFrom<Waits>((column) => waits[column]());
  const app = (outcome: LookupOutcome): Drive<Waits> => plain((story) => legSays(story, 'intent', outcome));
  drives<Waits>('At `expires_at`, in the app', {
    'look-up of the app: paid': app('paid'),
    'look-up of the app: pending': app('pending'),
    'look-up of the app: the life of the booking has ended': app('expired'),
    'no answer in 10 s': (column) => {
      const story = waits[column]();
      return { story: story.wait(seconds(10) - 1), about: 1, trigger: () => story.wait(1) };
    },
    'the buyer asks for the web (`variant=web`)': plain(asksForTheWeb),
    '`POST /v1/checkout/{id}/expire`': plain((story) => story.when('expire', {})),
    'the buyer cancels on our page': plain((story) => story.when('cancel', {})),
  });
});
