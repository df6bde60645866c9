/** Once a day, at 06:00 in Asia/Kathmandu on the project's clock, the payments of the last days are looked up once
 *  more, page by page; docs/guides/reconcile.md says which.
 *  D1. A page is named by its run and number, and a payment remembers the last run: what is done twice after a
 *      crash changes nothing.
 *  D2. Without payments there is no timer: a project costs nothing until something is looked up again.
 *  D3. A run that takes longer than a day continues; the next one begins when it has ended. */
import { seconds } from '../../src/kernel/time.ts';
import { actor, type Change, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import {
  nextRunAfter,
  type DailyLookupCommands,
  type DailyLookupState,
  type DailyLookupTypes,
  type RunPlace,
} from './messages.ts';
import type { Kind } from '../kind.ts';

type X = Turn<DailyLookupTypes>;
type Running = Extract<DailyLookupState, { status: 'running' }>;

/** The pause after a page: with `pagePayments` it keeps a run far below what a provider allows. */
export const pagePauseMs = seconds(2);
/** The pause after a page without a result. */
export const pageAgainMs = seconds(30);
/** Pages without a result, one after the other, after which a run ends early; the next day has another. */
export const unansweredMax = 10;

export const dailyLookup = actor<DailyLookupTypes>('daily_lookup', '', {
  schema: 1,
  on: {
    wake: {
      by: 'system',
      creates: (_c, x) => waiting(x),
      idle: (_s, _c, x) => waiting(x),
      waiting: (_s, _c, x) => x.ok(),
      running: (s, _c, x) => (s.goesOn ? x.ok() : x.become('running', { ...s, goesOn: true })),
    },
    runDue: { by: 'system', idle: ignored, waiting: begin, running: ignored },
    pageDue: { by: 'system', idle: ignored, waiting: ignored, running: (s, _c, x) => page(s, s.place, x) },
    pageEnded: { by: 'system', idle: ignored, waiting: ignored, running: pageEnded },
  },
  effects: {
    'daily_lookup.page': {
      result: 'pageEnded',
      mode: 'atLeastOnce',
      unknown: ({ run, page: number, place }) => ({ run, page: number, found: null, next: place }),
    },
  },
  timers: { run: 'runDue', page: 'pageDue' },
  view: ({ status }, { id }) => ({ id, status }),
});

export const dailyLookupKind = { actor: dailyLookup } as const satisfies Kind;

function ignored(_s: unknown, _c: unknown, x: X): Verdict {
  return x.ok();
}

function waiting(x: X): Change<DailyLookupTypes> {
  return x.become('waiting', {}).timer('run', nextRunAfter(x.now));
}

function begin(_s: unknown, _c: unknown, x: X): Verdict {
  const place: RunPlace = { list: 0, to: x.now, page: 1 };
  const running = { status: 'running', run: x.now, page: 0, place, goesOn: false, unanswered: 0 } as const;
  return page(running, place, x);
}

function page(s: Running, place: RunPlace, x: X): Change<DailyLookupTypes> {
  const number = s.page + 1;
  return x
    .become('running', { ...s, page: number, place })
    .effect('daily_lookup.page', { run: s.run, page: number, place });
}

function pageEnded(s: Running, ended: DailyLookupCommands['pageEnded'], x: X): Verdict {
  if (ended.run !== s.run || ended.page !== s.page) return x.ok();
  if (ended.found === null) {
    const unanswered = s.unanswered + 1;
    if (unanswered >= unansweredMax) return waiting(x);
    return x.become('running', { ...s, unanswered }).timer('page', x.now + pageAgainMs);
  }
  const goesOn = s.goesOn || ended.found > 0;
  if (ended.next === null) return goesOn ? waiting(x) : x.become('idle', {});
  return x
    .become('running', { ...s, goesOn, unanswered: 0, place: ended.next })
    .timer('page', x.now + pagePauseMs);
}
