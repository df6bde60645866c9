/** Every cell of docs/reference/session-states.md, driven once. The cells that only the pages and the API decide are driven
 *  in test/journeys/session-table.test.ts, those of a payment in the app in app-session-table.test.ts. */
import { describe } from 'vitest';
import type { SessionState } from '../../../actors/checkout-session/state.ts';
import type { LookupAnswer, LookupOutcome } from '../../../src/providers/answers.ts';
import {
  comesBack,
  created,
  declines,
  expiresAt,
  lookupsInFlight,
  minutes,
  opened,
  opens,
  order,
  pay,
  picks,
  redirect,
  refusesStart,
  running,
  says,
  seconds,
  staysSilent,
  type SessionStory,
} from './buyer.ts';
import { asked, deadline, shown } from './qr-code.ts';
import { endsReview, otherAmount } from './reviewing.ts';
import { declined, drives, latestOf, looked, type Drive } from './session-drives.ts';

/** Answers `pending` to every look-up until `until`. */
function waits(story: SessionStory, until: number): SessionStory {
  const n = latestOf(story);
  while (story.now < until) {
    if (lookupsInFlight(story).length > 0) says(story, 'pending');
    else story.wait(Math.min(until, story.timer(`poll/${pay(n)}`) ?? until) - story.now);
  }
  return story;
}

/** The latest attempt is opened while the start of an earlier one is still on its way. */
function opensLatest(story: SessionStory): SessionStory {
  const isStart = ({ kind }: (typeof story.pending)[number]): boolean => kind === 'provider.start';
  const latest = story.pending.findLast(isStart);
  if (latest !== undefined) story.pending = [latest, ...story.pending.filter((row) => row !== latest)];
  return opens(story);
}

/** Only the look-up that the session waits for is on its way. */
function fresh(story: SessionStory): SessionStory {
  if (lookupsInFlight(story)[0]?.cause === 'poll') says(story, 'pending');
  return story;
}

describe('row 4: session and trigger', () => {
  type Status = SessionState['status'];
  /** Two attempts at least, all of them known to the provider. */
  const sessions: { readonly [S in Status]: () => SessionStory } = {
    pending: () => declined(created(), 2),
    initiated: () => running(declined(created(), 1), 2),
    success: () => says(looked(running(declined(created(), 1), 2), 2), 'paid', {}, 2),
    failed: () => declined(created(), 5),
    cancelled: () => running(declined(created(), 1), 2).when('cancel', {}),
    expired: () => running(declined(created(), 1), 2).when('expire', {}),
  };
  /** The same with the start of the first attempt still on its way. */
  const starting: { readonly [S in Status]: () => SessionStory } = {
    pending: () => declines(opensLatest(picks(picks(created(), 1), 2, 'wallet_a')), 2),
    initiated: () => picks(created(), 1),
    success: () => says(looked(opensLatest(picks(picks(created(), 1), 2, 'wallet_a')), 2), 'paid', {}, 2),
    failed: () => {
      const story = declines(opensLatest(picks(picks(created(), 1), 2, 'wallet_a')), 2);
      for (let n = 3; n <= 5; n++) declines(opensLatest(picks(story, n)), n);
      return story;
    },
    cancelled: () => picks(created(), 1).when('cancel', {}),
    expired: () => picks(created(), 1).when('expire', {}),
  };

  const look =
    (
      which: 'latest' | 'earlier',
      outcome: LookupOutcome,
      change: Partial<LookupAnswer> = {},
    ): Drive<Status> =>
    (status) => {
      const story = sessions[status]();
      const about = which === 'latest' ? latestOf(story) : 1;
      looked(story, about);
      return { story, about, trigger: () => says(story, outcome, change, about) };
    };
  const plain =
    (trigger: (story: SessionStory) => unknown): Drive<Status> =>
    (status) => {
      const story = sessions[status]();
      return { story, about: latestOf(story), trigger };
    };

  /** A person decides, and the look-up says the same again. */
  const ending =
    (how: 'keep' | 'refund'): Drive<Status> =>
    (status) => {
      const less = { amountPaisa: otherAmount };
      const story = says(looked(sessions[status](), 1), 'paid', less, 1).wait(seconds(2));
      return { story, about: 1, trigger: () => says(endsReview(story, 1, how), 'paid', less, 1) };
    };

  drives<Status>('Session and trigger', {
    'the buyer starts an attempt with another provider': plain((story) =>
      picks(story, latestOf(story) + 1, 'wallet_a'),
    ),
    'our start call fails': (status) => ({ story: starting[status](), about: 1, trigger: refusesStart }),
    'a return, callback or message of the provider': (status) => {
      const story = sessions[status]();
      return {
        story: story.wait(seconds(2)),
        about: latestOf(story),
        trigger: () => comesBack(story, latestOf(story)),
      };
    },
    'look-up of the latest attempt: paid': look('latest', 'paid'),
    'look-up of an earlier attempt: paid': look('earlier', 'paid'),
    'look-up: paid, with another amount': look('latest', 'paid', { amountPaisa: order.amount - 100 }),
    'look-up: paid, with a reference that is not ours': look('latest', 'paid', { reference: 'another' }),
    'look-up: ambiguous, or a word that we do not know': look('latest', 'ambiguous', { word: 'Perhaps' }),
    'look-up: refunded': look('latest', 'refunded'),
    'look-up: refunded in part': look('latest', 'partially_refunded'),
    'look-up of the latest attempt: declined': look('latest', 'failed'),
    'look-up of the latest attempt: cancelled by the buyer': look('latest', 'cancelled'),
    'look-up of the latest attempt: ended by the provider': look('latest', 'expired'),
    'look-up of an earlier attempt: declined': look('earlier', 'failed'),
    'look-up of an earlier attempt: cancelled by the buyer': look('earlier', 'cancelled'),
    'look-up of an earlier attempt: ended by the provider': look('earlier', 'expired'),
    'look-up: pending': look('latest', 'pending'),
    'look-up: the provider does not know the attempt': look('latest', 'not_found'),
    'look-up: 5xx, timeout, unreadable': (status) => {
      const story = looked(sessions[status](), latestOf(sessions[status]()));
      return { story, about: latestOf(story), trigger: staysSilent };
    },
    '`expires_at` is reached': (status) => {
      const story = sessions[status]();
      const ends = expiresAt - story.now;
      if (status === 'initiated') waits(story, expiresAt - 1);
      else story.wait(ends - 1);
      return {
        story,
        about: latestOf(story),
        // nothing is armed any more once it has ended: the timer of another node may still fire
        trigger: () =>
          story.timer('expiry') === null ? story.when('expiryReached', { key: '' }) : story.wait(1),
      };
    },
    '`POST /v1/checkout/{id}/expire`': plain((story) => story.when('expire', {})),
    'the buyer cancels on our page': plain((story) => story.when('cancel', {})),
    'another amount that an earlier attempt has brought is kept': ending('keep'),
    'another amount that an earlier attempt has brought is refunded': ending('refund'),
  });
});

describe('row 4: the running attempt, by kind of session', () => {
  type Kind = 'hosted' | 'hosted, fifth attempt' | 'redirect' | 'redirect, fifth attempt' | 'Direct-QR';
  const hostedAt5 = (): SessionStory => declined(created(), 4);
  const redirectAt5 = (): SessionStory => {
    const story = created(redirect);
    for (let n = 1; n <= 4; n++) refusesStart(picks(story, n));
    return story;
  };
  const before: { readonly [K in Exclude<Kind, 'Direct-QR'>]: () => readonly [SessionStory, number] } = {
    hosted: () => [created(), 1],
    'hosted, fifth attempt': () => [hostedAt5(), 5],
    redirect: () => [created(redirect), 1],
    'redirect, fifth attempt': () => [redirectAt5(), 5],
  };
  const runs = (kind: Kind): SessionStory => (kind === 'Direct-QR' ? shown() : running(...before[kind]()));
  const look =
    (outcome: LookupOutcome): Drive<Kind> =>
    (kind) => {
      const story = looked(runs(kind), latestOf(runs(kind)));
      return { story, about: latestOf(story), trigger: () => says(story, outcome) };
    };
  const plain =
    (trigger: (story: SessionStory) => unknown): Drive<Kind> =>
    (kind) => {
      const story = runs(kind);
      return { story, about: latestOf(story), trigger };
    };

  drives<Kind>('When the running attempt ends', {
    'the buyer starts an attempt with the same provider, before returning': plain((story) =>
      picks(story, latestOf(story) + 1),
    ),
    'the buyer starts an attempt with the same provider, after a return without result': (kind) => {
      const story = says(comesBack(runs(kind), latestOf(runs(kind))), 'pending');
      return { story, about: latestOf(story), trigger: () => picks(story, latestOf(story) + 1) };
    },
    'the buyer starts an attempt with another provider': plain((story) =>
      picks(story, latestOf(story) + 1, 'wallet_a'),
    ),
    'our start call fails': (kind) => {
      const story = kind === 'Direct-QR' ? asked() : picks(...before[kind]());
      return { story, about: latestOf(story), trigger: refusesStart };
    },
    'look-up: declined': look('failed'),
    'look-up: cancelled by the buyer': look('cancelled'),
    'look-up: ended by the provider': look('expired'),
    '`expires_at` is reached': (kind) => {
      const story = waits(runs(kind), (kind === 'Direct-QR' ? deadline : expiresAt) - 1);
      if (lookupsInFlight(story).length > 0) says(story, 'pending');
      return { story, about: latestOf(story), trigger: () => story.wait(1) };
    },
    'the buyer cancels on our page': plain((story) => story.when('cancel', {})),
  });
});

describe('row 4: a session that waits for a look-up', () => {
  type Wait = 'before another attempt' | 'at expires_at' | 'at the end of a QR code';
  const msMax: { readonly [W in Wait]: number } = {
    'before another attempt': seconds(3),
    'at expires_at': seconds(10),
    'at the end of a QR code': seconds(10),
  };
  const waiting: { readonly [W in Wait]: () => SessionStory } = {
    'before another attempt': () => picks(running(created()), 2, 'wallet_a'),
    'at expires_at': () => waits(running(created()), expiresAt),
    'at the end of a QR code': () => waits(opens(picks(created(), 1, 'qr_a')), opened + minutes(3)),
  };
  const plain =
    (trigger: (story: SessionStory) => unknown): Drive<Wait> =>
    (wait) => ({ story: fresh(waiting[wait]()), about: 1, trigger });

  drives<Wait>('While a session waits for a look-up', {
    paid: plain((story) => says(story, 'paid')),
    declined: plain((story) => says(story, 'failed')),
    pending: plain((story) => says(story, 'pending')),
    'no answer in time (3 s before another attempt, otherwise 10 s)': (wait) => {
      const story = fresh(waiting[wait]());
      return { story: story.wait(msMax[wait] - 1), about: 1, trigger: () => story.wait(1) };
    },
    'the buyer starts an attempt': plain((story) => picks(story, 3, 'wallet_a')),
    '`POST /v1/checkout/{id}/expire`': plain((story) => story.when('expire', {})),
    'the buyer cancels on our page': plain((story) => story.when('cancel', {})),
  });
});
