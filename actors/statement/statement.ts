/** A statement of one provider, compared with our payments step by step; docs/guides/reconcile.md has the rules.
 *  S1. It changes no payment but its `fee`.
 *  S2. Each step is bounded and may run twice: blocks are written once, and a result counts for its step alone.
 *  S3. A file that is no statement ends `failed` before anything is compared. */
import { minutes, seconds, days } from '../../src/kernel/time.ts';
import { actor, type Change, type Turn, type Verdict } from '../../src/runtime/model/actor.ts';
import {
  statementPartAt,
  type DatesSeen,
  type StatementCommands,
  type StatementFields,
  type StatementState,
  type StatementTypes,
  type StatementWork,
  type StepEnded,
  statementBlockKind,
  type StatementPartTypes,
} from './messages.ts';
import { firstScan } from './span.ts';
import { statementView } from './view.ts';
import type { Kind } from '../kind.ts';

type X = Turn<StatementTypes>;
type Working = Extract<StatementState, { readonly work: StatementWork | null }>;

/** The delay before a step without a result is made once more. */
const stepAgainMs = seconds(10);
/** Steps without a result, one after the other, before it fails. */
export const unansweredMax = 20;
/** The pause between two steps that store fees. */
const feesPauseMs = seconds(1);
/** A statement that is processed longer than this has failed: its text may be removed. */
const processedMsMax = minutes(60 * 24 * 6);

const texts = {
  unanswered: 'The statement could not be processed. Upload it again.',
  tooLate: 'The statement could not be processed in time. Upload it again.',
};

export const statement = actor<StatementTypes>('statement', 'rst', {
  schema: 1,
  on: {
    open: { by: 'merchant', creates: open, _any: ignored },
    stepEnded: { by: 'system', processing: stepEnded, done: stepEnded, failed: ignored },
    stepAgain: { by: 'system', processing: stepOn, done: stepOn, failed: ignored },
  },
  effects: {
    'statement.step': {
      result: 'stepEnded',
      mode: 'atLeastOnce',
      unknown: ({ step }) => ({ step, is: 'unanswered' }),
    },
  },
  timers: { step: 'stepAgain' },
  view: statementView,
  indexes: ['provider', 'status'],
});

export const statementKind = {
  actor: statement,
  rows: [{ kind: statementBlockKind, indexes: [] }],
  refusals: {
    statement_limit_reached: {
      status: 422,
      type: 'invalid_request_error',
      message: 'Too many statements are being processed. Wait until one of them is done.',
    },
  },
} as const satisfies Kind;

function ignored(_s: unknown, _c: unknown, x: X): Verdict {
  return x.ok();
}

function open({ provider, fileName, mapping, parts }: StatementCommands['open'], x: X): Verdict {
  const fields: StatementFields = {
    provider,
    fileName,
    mapping,
    parts,
    blocks: [],
    dates: null,
    failureReason: null,
    step: 0,
    unanswered: 0,
    createdAt: x.now,
    updatedAt: x.now,
  };
  return working({ ...fields, status: 'processing', work: { is: 'check' } }, x);
}

function stepEnded(s: Working, ended: StepEnded, x: X): Verdict {
  if (ended.step !== s.step || s.work === null) return x.ok();
  if (x.now - s.createdAt > processedMsMax && s.status === 'processing') return failed(s, texts.tooLate, x);
  const next: Working = { ...s, unanswered: 0, updatedAt: x.now };
  switch (ended.is) {
    case 'unanswered':
      return unanswered(s, x);
    case 'unreadable':
      return failed(s, ended.reason, x);
    case 'readable': {
      const { format, place, dates } = ended;
      if (place === null) return compared({ ...next, dates }, x);
      return working({ ...next, dates, work: { is: 'match', format, place } }, x);
    }
    case 'matched': {
      const blocks = [...s.blocks, ...ended.blocks];
      if (ended.place === null || s.work.is !== 'match') return scanning({ ...next, blocks }, x);
      return working({ ...next, blocks, work: { ...s.work, place: ended.place } }, x);
    }
    case 'scanned': {
      const blocks = [...s.blocks, ...ended.blocks];
      if (ended.place === null) return compared({ ...next, blocks }, x);
      return working({ ...next, blocks, work: { is: 'scan', place: ended.place } }, x);
    }
    case 'fees':
      return storingFees({ ...s, unanswered: 0 }, ended.block, x);
  }
}

function scanning(s: Working, x: X): Verdict {
  const place = firstScan(s.dates);
  return place === null ? compared(s, x) : working({ ...s, work: { is: 'scan', place } }, x);
}

/** Done; the fees follow. */
function compared(s: Working, x: X): Verdict {
  const hasMatched = s.blocks.some(([matched]) => matched > 0);
  const work: StatementWork | null = hasMatched ? { is: 'fees', block: 0 } : null;
  const next = { ...s, status: 'done', work, updatedAt: x.now } as const;
  return withoutText(work === null ? x.become('done', next) : working(next, x), s, x);
}

function storingFees(s: Working, block: number, x: X): Verdict {
  if (block >= s.blocks.length) return x.become('done', { ...s, work: null });
  return x.become('done', { ...s, work: { is: 'fees', block } }).timer('step', x.now + feesPauseMs);
}

function unanswered(s: Working, x: X): Verdict {
  const tries = s.unanswered + 1;
  if (tries < unansweredMax) return become({ ...s, unanswered: tries }, x).timer('step', x.now + stepAgainMs);
  // what was compared stands; only fees are missing
  if (s.status === 'done') return x.become('done', { ...s, work: null });
  return failed(s, texts.unanswered, x);
}

function stepOn(s: Working, _c: unknown, x: X): Verdict {
  return s.work === null ? x.ok() : working(s, x);
}

/** Its work goes on with the next step. */
function working(s: Working, x: X): Change<StatementTypes> {
  const { provider, mapping, parts, work, dates } = s;
  const step = s.step + 1;
  const change = become({ ...s, step }, x);
  if (work === null) return change;
  const blocks = s.blocks.length;
  const data = { statementId: x.id, step, provider, mapping, parts, work, blocks, dates };
  return change.effect('statement.step', data, { lane: x.scope });
}

function become(s: Working, x: X): Change<StatementTypes> {
  return s.status === 'processing' ? x.become('processing', s) : x.become('done', s);
}

function failed({ work: _work, ...s }: Working, failureReason: string, x: X): Verdict {
  const nothing: DatesSeen | null = null;
  const next = { ...s, blocks: [], dates: nothing, failureReason, updatedAt: x.now };
  return withoutText(x.become('failed', next), s, x);
}

function withoutText(change: Change<StatementTypes>, { parts }: StatementFields, x: X): Verdict {
  for (let part = 0; part < parts; part++) change.tell(statementPartAt(x.id, part), 'remove', {});
  return change;
}

/** A part of the text of a statement, kept until the statement has been compared. */
const statementPart = actor<StatementPartTypes>('statement_part', 'rsp', {
  schema: 1,
  on: {
    put: {
      by: 'merchant',
      creates: ({ text }, x) => x.become('kept', { text }),
      _any: (_s, _c, x) => x.ok(),
    },
    remove: { by: 'system', _any: (_s, _c, x) => x.delete() },
  },
  effects: {},
  timers: {},
  view: (_s, { id }) => ({ id }),
});

/** Longer than a statement may be processed: what an interrupted upload has left goes, too. */
export const statementPartKind = { actor: statementPart, keptMs: days(7) } as const satisfies Kind;
