/** Every law, always on. The first one broken is kept; what follows it is noise. */
import type { Landed } from '../../support/simulated/store-sim-disk.ts';
import {
  durableBeforeTold,
  keyedRefusalsAreStored,
  readsNeverGoBack,
  repeatsMeetTheirOutcome,
} from './answers.ts';
import type {
  Answered,
  Began,
  Checker,
  Facts,
  Listing,
  MakeChecker,
  Posted,
  Replied,
  Shown,
  Told,
} from './checker.ts';
import {
  eachPeriodIsBilledOnce,
  invoiceNumbersHaveNoGaps,
  invoicesKeepOnePayment,
  nothingOpensInAPauseOrAfterTheEnd,
} from './billing.ts';
import { testClocksNeverGoBack } from './clocks.ts';
import {
  bytesStayTheSame,
  deliveriesAreMadeInOrder,
  deliveriesLeaveInOrder,
  dispatchMovesLast,
  everyoneHears,
} from './deliveries.ts';
import {
  dispatchFollowsTheJournal,
  everyEventIsLogged,
  everyEventIsPublished,
  journalHasNoHoles,
  journalKeepsOrderOfEvents,
  noHintStaysOnItsWay,
  readersPassNoHole,
} from './journal.ts';
import { linksCountTheirSessions, linksKeepTheirLimit } from './links.ts';
import { oneObjectPerKey, repliesAreByteEqual } from './keyed.ts';
import {
  endsAreFinal,
  moneyIsConserved,
  moneyMakesSuccess,
  oneSuccessIsAnnounced,
  sequencesHaveNoGaps,
  successNeedsMoney,
} from './money.ts';
import {
  doneIsCommitted,
  effectsAreDurableFirst,
  eventsAreClearedLast,
  eventsAreDurableFirst,
  nothingStaysBehind,
  onceMeansOnce,
  onlyPoisonIsParked,
  rowsBeforeAnythingLeaves,
  settledIsDone,
  tellsAreDurableFirst,
} from './outbox.ts';
import {
  refundsAreCalledOnce,
  refundsEnd,
  refundsStayWithinThePayment,
  succeededRefundsAreMoney,
} from './refunds.ts';
import {
  alarmsAreNeverEarly,
  deadlinesHold,
  everythingComesHome,
  nothingAcknowledgedIsLost,
  nothingRefusedIsApplied,
  nothingTwice,
  orderIsReal,
  refusedTellsReturn,
  tellsKeepTheirOrder,
} from './tallies.ts';
import {
  documentsKeepTheirBounds,
  settledOnlyGrows,
  timeNeverGoesBack,
  tombstonesStay,
  versionsRise,
  whatIsDeletedIsNeverSeen,
} from './versions.ts';

export const laws: readonly MakeChecker[] = [
  durableBeforeTold,
  keyedRefusalsAreStored,
  repeatsMeetTheirOutcome,
  readsNeverGoBack,
  versionsRise,
  tombstonesStay,
  whatIsDeletedIsNeverSeen,
  timeNeverGoesBack,
  testClocksNeverGoBack,
  settledOnlyGrows,
  documentsKeepTheirBounds,
  rowsBeforeAnythingLeaves,
  effectsAreDurableFirst,
  onceMeansOnce,
  tellsAreDurableFirst,
  doneIsCommitted,
  eventsAreDurableFirst,
  eventsAreClearedLast,
  settledIsDone,
  onlyPoisonIsParked,
  nothingStaysBehind,
  journalHasNoHoles,
  readersPassNoHole,
  journalKeepsOrderOfEvents,
  everyEventIsLogged,
  everyEventIsPublished,
  noHintStaysOnItsWay,
  dispatchFollowsTheJournal,
  nothingTwice,
  nothingAcknowledgedIsLost,
  nothingRefusedIsApplied,
  orderIsReal,
  everythingComesHome,
  refusedTellsReturn,
  deadlinesHold,
  alarmsAreNeverEarly,
  tellsKeepTheirOrder,
  successNeedsMoney,
  moneyMakesSuccess,
  endsAreFinal,
  sequencesHaveNoGaps,
  oneSuccessIsAnnounced,
  moneyIsConserved,
  refundsStayWithinThePayment,
  refundsAreCalledOnce,
  succeededRefundsAreMoney,
  refundsEnd,
  linksKeepTheirLimit,
  linksCountTheirSessions,
  eachPeriodIsBilledOnce,
  nothingOpensInAPauseOrAfterTheEnd,
  invoiceNumbersHaveNoGaps,
  invoicesKeepOnePayment,
  deliveriesAreMadeInOrder,
  deliveriesLeaveInOrder,
  bytesStayTheSame,
  dispatchMovesLast,
  everyoneHears,
  repliesAreByteEqual,
  oneObjectPerKey,
];

/** The laws an outsider could check: what was answered, shown and in the end there; not how it came about. */
export const outsiderLaws: readonly MakeChecker[] = [
  repeatsMeetTheirOutcome,
  readsNeverGoBack,
  whatIsDeletedIsNeverSeen,
  nothingRefusedIsApplied,
  orderIsReal,
  everythingComesHome,
  moneyIsConserved,
  refundsAreCalledOnce,
  refundsEnd,
  everyoneHears,
  repliesAreByteEqual,
];

/** A broken law and how it showed. */
export interface Wrong {
  readonly rule: string;
  readonly what: string;
}

type Watch = Exclude<keyof Checker, 'rule'>;

export class Checkers {
  wrong: Wrong | null = null;
  readonly #watching: ReadonlyMap<Watch, readonly Checker[]>;

  constructor(facts: Facts, makers: readonly MakeChecker[]) {
    const all = makers.map((make) => make(facts));
    this.#watching = new Map(watches.map((watch) => [watch, all.filter((one) => one[watch] !== undefined)]));
  }

  landed(landed: Landed): void {
    this.#each('landed', (checker) => checker.landed?.(landed));
  }

  answered(answered: Answered): void {
    this.#each('answered', (checker) => checker.answered?.(answered));
  }

  shown(shown: Shown): void {
    this.#each('shown', (checker) => checker.shown?.(shown));
  }

  listed(listing: Listing): void {
    this.#each('listed', (checker) => checker.listed?.(listing));
  }

  told(told: Told): void {
    this.#each('told', (checker) => checker.told?.(told));
  }

  began(began: Began): void {
    this.#each('began', (checker) => checker.began?.(began));
  }

  posted(posted: Posted): void {
    this.#each('posted', (checker) => checker.posted?.(posted));
  }

  replied(replied: Replied): void {
    this.#each('replied', (checker) => checker.replied?.(replied));
  }

  ended(): void {
    this.#each('ended', (checker) => checker.ended?.());
  }

  fail(rule: string, what: string): void {
    this.wrong ??= { rule, what };
  }

  #each(watch: Watch, look: (checker: Checker) => string | null | undefined): void {
    if (this.wrong !== null) return;
    for (const checker of this.#watching.get(watch) ?? []) {
      const what = look(checker);
      if (what !== null && what !== undefined) this.fail(checker.rule, what);
    }
  }
}

const watches: readonly Watch[] = [
  'landed',
  'answered',
  'shown',
  'listed',
  'told',
  'began',
  'posted',
  'replied',
  'ended',
];
