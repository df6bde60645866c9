/** Runs the effect `statement.step`: one bounded part of the comparison of a statement.
 *  1. A step reads what its actor says and nothing that an earlier one has left in memory, unless it is a cache.
 *  2. Making a step twice is harmless. */
import { checkoutSessionAt } from '../../actors/checkout-session/commands.ts';
import { paidOnTag } from '../../actors/checkout-session/view.ts';
import {
  countsOf,
  statementPartAt,
  type DatesSeen,
  type ScanPlace,
  type StatementEffects,
  type StatementItem,
  type StatementPartTypes,
  type StatementPlace,
  type StatementWork,
  type StepEnded,
} from '../../actors/statement/messages.ts';
import { nextDay } from '../../actors/statement/span.ts';
import { assert } from '../kernel/assert.ts';
import { realScheduler } from '../kernel/time.ts';
import type { EffectContext } from '../runtime/delivery/effect-job.ts';
import type { EffectRunners } from '../runtime/delivery/effects.ts';
import type { Client } from '../runtime/model/client.ts';
import type { Store } from '../store/store.ts';
import { feeIn } from './cells.ts';
import { rowsFrom, type ReadPart, type Rest } from './csv.ts';
import { BackgroundWork } from './background-work.ts';
import { pageOf, placeAfter } from './payment-walk.ts';
import { readBlocks, storedBlocks, take, TakenSoFar, type BlockStore } from './statement-blocks.ts';
import { checkStatement, rowOf } from './statement-check.ts';
import { compared, onTopOf, type RowAtLine, type Taken } from './statement-matching.ts';
import { ourReference, paymentOfRow, paymentsByReference, refundsOfPayments } from './statement-payments.ts';

export interface StatementParts {
  readonly store: BlockStore & Pick<Store, 'listRows'>;
  /** Called when the first effect runs. */
  readonly client: () => Pick<Client, 'ask' | 'read'>;
}

type Step = StatementEffects['statement.step'];
type StepContext = EffectContext & { readonly rest: Rest };
type Work<Is extends StatementWork['is']> = Extract<StatementWork, { is: Is }>;
type Ended = StepEnded extends infer One ? (One extends StepEnded ? Omit<One, 'step'> : never) : never;

/** Steps of all projects that one node makes at once; of one project it is one. */
const stepsAtOnce = 1;
const blockRows = 100;
const rowsPerStep = 300;
/** Work of one step that is rested for after it. */
const restedMsMax = 500;
/** Pages of our own payments in one step. */
const pagesPerStep = 3;
/** Successful payments of the days of a statement that are looked through. */
const scannedMax = 200_000;
/** Fees stored in one step, and at once; blocks that are looked through for them. */
const feesPerStep = 100;
const feesAtOnce = 10;
const feeBlocksPerStep = 50;

export function statementEffects(parts: StatementParts): EffectRunners {
  const taken = new TakenSoFar(parts.store);
  const run = async (step: Step, context: EffectContext): Promise<StepEnded> => {
    const background = new BackgroundWork(realScheduler);
    const made = await stepOf(parts, taken, step, { ...context, rest: () => background.next() });
    await background.end(restedMsMax);
    return { ...made, step: step.step } as StepEnded;
  };
  // a lane for each project and mode, which take turns: one with many statements keeps no other waiting
  return { 'statement.step': { run, atOnce: 1, inAllMax: stepsAtOnce } };
}

function stepOf(parts: StatementParts, taken: TakenSoFar, step: Step, context: StepContext): Promise<Ended> {
  const { work } = step;
  switch (work.is) {
    case 'check':
      return check(parts, step, context);
    case 'match':
      return match(parts, taken, step, work, context);
    case 'scan':
      return scan(parts, taken, step, work, context);
    case 'fees':
      return storeFees(parts, step, work, context);
  }
}

/** Its text was never complete, or was removed because its project's clock has moved on. */
class TextMissing extends Error {
  override readonly name = 'TextMissing';
}

async function check(parts: StatementParts, step: Step, context: StepContext): Promise<Ended> {
  try {
    return await checkStatement(partReader(parts, step, context), step.mapping, context.rest);
  } catch (thrown) {
    if (!(thrown instanceof TextMissing)) throw thrown;
    return { is: 'unreadable', reason: 'The text of the file is missing. Upload it again.' };
  }
}

function partReader(
  { client }: StatementParts,
  { statementId, parts }: Step,
  { scope }: EffectContext,
): ReadPart {
  return async (part) => {
    if (part >= parts) return null;
    const found = await client().read<StatementPartTypes['state']>(statementPartAt(statementId, part), scope);
    if (found === null) throw new TextMissing();
    return Buffer.from(found.state.text);
  };
}

async function match(
  parts: StatementParts,
  taken: TakenSoFar,
  step: Step,
  { format, place }: Work<'match'>,
  context: StepContext,
): Promise<Ended> {
  const { statementId, blocks: done } = step;
  const rows: RowAtLine[] = [];
  let next: StatementPlace | null = null;
  const readPart = partReader(parts, step, context);
  for await (const read of rowsFrom(readPart, place, format.delimiter, context.rest)) {
    const row = rowOf(read.cells, format);
    if (row === null) continue;
    if (rows.length === rowsPerStep) {
      next = read.place;
      break;
    }
    rows.push({ ...row, line: read.line, fee: feeIn(read.cells[format.columns.fee] ?? '', row.unit) });
  }
  const already = await taken.after(statementId, done);
  const items = await itemsOf(parts, step, rows, already, context);
  const of = { statementId, scope: context.scope, now: context.now() };
  const stored = await storedBlocks(parts.store, of, done, inBlocks(items));
  for (const block of stored) take(block, already);
  taken.keep(statementId, done + stored.length, already);
  return { is: 'matched', blocks: stored.map(countsOf), place: next };
}

function inBlocks<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / blockRows) }, (_, block) =>
    items.slice(block * blockRows, (block + 1) * blockRows),
  );
}

async function itemsOf(
  { store }: StatementParts,
  { provider }: Step,
  rows: readonly RowAtLine[],
  already: Taken,
  { scope }: EffectContext,
): Promise<readonly StatementItem[]> {
  const named = (some: readonly RowAtLine[]): readonly string[] => [
    ...new Set(some.map(({ reference }) => reference).filter(isReference)),
  ];
  const found = await Promise.all(
    inBlocks(named(rows)).map((references) => paymentsByReference(store, scope, provider, references)),
  );
  const payments = new Map(found.flatMap((some) => [...some]));
  const paidBack = named(rows.filter(({ amount }) => (amount ?? 0) < 0));
  const ids = paidBack.flatMap((reference) => (payments.get(reference) ?? []).map(({ id }) => id));
  const refunds = await Promise.all(inBlocks(ids).map((some) => refundsOfPayments(store, scope, some)));
  // only what is stored counts as taken
  const trial = onTopOf(already);
  return rows.map((row) => compared(row, { payments, refunds: refunds.flat() }, trial));
}

/** No provider's reference, and none of ours, is longer. */
const isReference = (text: string): boolean => text !== '' && text.length <= 120;

/** Our successful payments of these days that no row has taken. Each step fills one block. */
async function scan(
  { store }: StatementParts,
  taken: TakenSoFar,
  { statementId, provider, blocks: done, dates }: Step,
  { place }: Work<'scan'>,
  context: StepContext,
): Promise<Ended> {
  assert(dates !== null, 'only a statement with dates looks for payments it does not have');
  const { scope } = context;
  const already = await taken.after(statementId, done);
  const missing: StatementItem[] = [];
  let at: ScanPlace | null = place;
  for (let pages = 0; pages < pagesPerStep && at !== null; pages++) {
    if (at.read > scannedMax) return { is: 'unreadable', reason: tooManyPayments };
    const rows = await pageOf(store, { scope, tags: [paidOnTag(at.day)] }, at);
    const read = rows.map(paymentOfRow);
    missing.push(
      ...read
        .filter(
          (one) => one.provider === provider && one.status === 'success' && !already.payments.has(one.id),
        )
        .map(missingItem),
    );
    at = after(at, dates, rows);
  }
  const of = { statementId, scope, now: context.now() };
  const stored = await storedBlocks(store, of, done, [missing]);
  taken.keep(statementId, done + stored.length, already);
  return { is: 'scanned', blocks: stored.map(countsOf), place: at };
}

const tooManyPayments = `You have more than ${scannedMax} payments in these days: upload several files.`;

function after(at: ScanPlace, dates: DatesSeen, rows: Parameters<typeof placeAfter>[1]): ScanPlace | null {
  const next = placeAfter(at, rows);
  const read = at.read + rows.length;
  return next === null ? nextDay(dates, { ...at, read }) : { ...at, ...next, read };
}

const missingItem = (payment: ReturnType<typeof paymentOfRow>): StatementItem => ({
  line: null,
  result: 'unmatched_payment',
  reference: payment.providerRef ?? ourReference(payment.id),
  statementAmount: null,
  fee: null,
  paymentId: payment.id,
  paymentAmount: payment.amount,
  date: payment.paidAt === null ? null : Date.parse(payment.paidAt),
});

/** The fees of matched rows, on their payments. */
async function storeFees(
  { store, client }: StatementParts,
  { statementId, blocks }: Step,
  { block: first }: Work<'fees'>,
  { scope }: EffectContext,
): Promise<Ended> {
  let [block, fees] = [first, 0];
  for (; block < blocks && block < first + feeBlocksPerStep && fees < feesPerStep; block++) {
    const [items = []] = await readBlocks(store, statementId, block, block + 1);
    const wanted = items.filter(hasFee);
    fees += wanted.length;
    for (let from = 0; from < wanted.length; from += feesAtOnce)
      await Promise.all(wanted.slice(from, from + feesAtOnce).map((item) => storeFee(client(), item, scope)));
  }
  return { is: 'fees', block };
}

const hasFee = ({ result, fee, refundId }: StatementItem): boolean =>
  result === 'matched' && fee !== null && refundId === undefined;

async function storeFee(
  client: Pick<Client, 'ask'>,
  { paymentId, sessionId, fee }: StatementItem,
  scope: EffectContext['scope'],
): Promise<void> {
  if (paymentId === null || sessionId === undefined || fee === null) return;
  const asking = { by: 'system', scope, idempotent: true } as const;
  const result = await client.ask(checkoutSessionAt(sessionId), 'recordFee', { paymentId, fee }, asking);
  if (result.is === 'not_executed' || result.is === 'unknown') throw new Error('a session was not reached');
}
