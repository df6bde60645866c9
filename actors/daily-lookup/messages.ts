/** The commands and the state of the daily look-up of one project and mode. Its id is its scope. */
import { days, minutes, type Instant } from '../../src/kernel/time.ts';
import { address, type ActorTypes, type Address, type Scope } from '../../src/runtime/model/actor.ts';

export const dailyLookupAt = (scope: Scope): Address<DailyLookupCommands> => address('daily_lookup', scope);

/** 06:00 in Asia/Kathmandu, as time after midnight UTC. */
const runsAtMs = minutes(15);

/** The day of the runs to which an instant belongs: it ends with a run. */
export const runDayOf = (at: Instant): number => Math.floor((at - runsAtMs) / days(1));

/** The first run after this instant. */
export const nextRunAfter = (at: Instant): Instant => (runDayOf(at) + 1) * days(1) + runsAtMs;

/** A place in the lists of a run. */
export interface RunPlace {
  readonly list: number;
  /** Payments created before this instant. */
  readonly to: Instant;
  readonly page: number;
}

export interface DailyLookupCommands {
  /** There may be something to look up at the next run. */
  wake: Record<string, never>;
  // Sent by timers.
  runDue: { readonly key: string };
  pageDue: { readonly key: string };
  // The result of the effect `daily_lookup.page`.
  pageEnded: {
    readonly run: Instant;
    readonly page: number;
    /** Payments of this page; null: nothing is known, and it is made once more. */
    readonly found: number | null;
    /** null: that was the last page. */
    readonly next: RunPlace | null;
  };
}

export interface DailyLookupEffects {
  /** Has the payments of one page looked up. */
  'daily_lookup.page': { readonly run: Instant; readonly page: number; readonly place: RunPlace };
}

export type DailyLookupState =
  /** Nothing of the last run's days is left to look up. */
  | { readonly status: 'idle' }
  | { readonly status: 'waiting' }
  | {
      readonly status: 'running';
      readonly run: Instant;
      /** Pages begun, the repeated ones too. */
      readonly page: number;
      readonly place: RunPlace;
      /** Whether anything was found, or may be found by the next run. */
      readonly goesOn: boolean;
      /** Pages without a result, one after the other. */
      readonly unanswered: number;
    };

export interface DailyLookupTypes extends ActorTypes {
  state: DailyLookupState;
  terminal: never;
  commands: DailyLookupCommands;
  effects: DailyLookupEffects;
}
