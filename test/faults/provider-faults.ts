/** Providers that hang, charge without a word, speak too often, too early, too late, or nonsense (F18 to F21). All of it
 *  through the simulator's own wire and book. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Body } from '../../src/cli/demo/api.ts';
import { eventually } from '../support/eventually.ts';
import type { Merchant } from '../support/merchant.ts';
import { journey } from './journey.ts';
import {
  calmly,
  hurried,
  measured,
  patientOf,
  type Outside,
  type OutsideFault,
  type Patient,
  type Suffered,
} from './outside.ts';
import {
  atWallet,
  earlyReturn,
  foundMsMax,
  paidThere,
  paysInVain,
  returned,
  startedTwice,
  times,
  untilPaid,
  type AtWallet,
} from './wallet-buyers.ts';

const callMsMax = 10_000;
const sliceMs = 100;

/** Some of the calls hang for a while, in slices drawn from the seed; of one slice a few at most: buyers come in crowds,
 *  and not all of a crowd meet the same. Then all is well, and whoever was unlucky every time is found. */
async function partlyHanging(
  { random, long }: Outside,
  merchant: Merchant,
  work: () => Promise<unknown>,
): Promise<void> {
  const hang = ['start', 'lookup'].map((call) => ({ call, kind: 'timeout', times: long ? 3 : 1 }));
  const state = { over: false };
  const until = Date.now() + (long ? 90_000 : 8000);
  const setting = async (): Promise<void> => {
    while (!state.over && Date.now() < until) {
      await calmly(() => merchant.faults(random() < 0.4 ? hang : []));
      await pause(sliceMs);
    }
    await calmly(() => merchant.faults([]));
  };
  await Promise.all([work().finally(() => (state.over = true)), setting()]);
}

/** How many calls the provider never answered, of how many. */
async function unanswered({ api }: Merchant): Promise<string> {
  const { body } = await api.must('GET', '/sim/control/payments?provider=wallet_b');
  const calls = body
    .list('data')
    .flatMap((one) => one.list('log'))
    .filter((entry) => ['start', 'lookup'].includes(entry.text('call')));
  const silent = calls.filter((entry) => entry.text('response') === 'no answer').length;
  return `${silent} of ${calls.length} calls hung (${((100 * silent) / Math.max(1, calls.length)).toFixed(0)} %)`;
}

async function hanging(outside: Outside): Promise<Suffered> {
  const patient = await patientOf(outside, 18);
  const [count, buyers] = outside.long ? [80, 20] : [8, 8];
  const tookMs: number[] = [];
  let made = 0;
  const buyer = async (): Promise<void> => {
    while (made < count) {
      const from = Date.now();
      await journey(patient.stage, ++made);
      tookMs.push(Date.now() - from);
    }
  };
  const { figures, failed } = await measured(outside, () =>
    partlyHanging(outside, patient.merchant, () => Promise.all(Array.from({ length: buyers }, buyer))),
  );
  const { problems, paid, charges } = await patient.verdict(tookMs.length);
  const gaveUp = problems.filter((one) => one.endsWith(' ended as failed')).length;
  const sorted = tookMs.toSorted((a, b) => a - b);
  const seconds = (ms = 0): string => (ms / 1000).toFixed(1);
  const told = await unanswered(patient.merchant);
  await patient.close();
  return {
    figures: [
      told,
      `${count} checkouts: ${paid} paid, ${charges} charges, ${gaveUp} ended by five failed starts`,
      `from the order to paid: median ${seconds(sorted[sorted.length >> 1])} s, worst ${seconds(sorted.at(-1))} s`,
      ...figures,
    ],
    problems: [
      ...problems.filter((one) => !/(?:the session )?ended as failed$/.test(one)),
      ...failedCreates(failed),
    ],
  };
}

/** Creations of an undisturbed merchant. */
export const failedCreates = (failed: number): readonly string[] =>
  failed === 0 ? [] : [`${failed} creates of a merchant nobody hurts failed`];

async function chargesThenSilent(outside: Outside): Promise<Suffered> {
  const patient = await patientOf(outside, 19);
  const { merchant, stage } = patient;
  // of the short form so few that the circuit stays closed
  const [count, anew] = outside.long ? [30, 3] : [3, 1];
  const { result, figures, failed } = await measured(outside, async () => {
    const all = await Promise.all(Array.from({ length: count }, (_, at) => atWallet(stage, at + 1)));
    await merchant.faults([
      { call: 'start', kind: 'timeout', times: anew },
      ...all.flatMap(({ paymentId }) => {
        const reference = paymentId.replace('_', '-');
        return [
          { call: 'return', kind: 'timeout', times: 1, reference },
          { call: 'lookup', kind: 'timeout', times: 1, reference },
        ];
      }),
    ]);
    await Promise.all(all.map(paysInVain));
    const again = Promise.all(Array.from({ length: anew }, (_, at) => startedTwice(patient, count + 1 + at)));
    await untilAllHung(patient, all);
    const paid = hurried(outside, merchant, () => Promise.all(all.map((one) => untilPaid(patient, one))));
    return { waits: await paid, again: await again };
  });
  const { problems, paid, charges } = await patient.verdict(count + anew);
  await patient.close();
  const sorted = result.waits.toSorted((a, b) => a - b);
  const seconds = (ms = 0): string => (ms / 1000).toFixed(1);
  return {
    figures: [
      `${count} charged, the buyer never sent back, one look-up of each hung: ${paid - anew} paid, ${charges - anew} charges`,
      `from the last hung look-up to paid: first ${seconds(sorted[0])} s, last ${seconds(sorted.at(-1))} s`,
      `${anew} starts done and never answered: told after ${result.again.map(seconds).join(', ')} s, begun anew, paid once`,
      ...figures,
    ],
    problems: [...problems, ...failedCreates(failed)],
  };
}

/** Until a look-up of each has hung, and was given up. */
async function untilAllHung({ merchant }: Patient, all: readonly AtWallet[]): Promise<void> {
  await Promise.all(
    all.map(({ paymentId }) =>
      eventually(
        async () => {
          const log = (await merchant.ledger(paymentId))?.list('log') ?? [];
          const isHung = (entry: Body): boolean =>
            entry.at('call') === 'lookup' && entry.at('response') === 'no answer';
          return log.some(isHung) || null;
        },
        () => `a look-up of ${paymentId} to hang`,
        foundMsMax,
      ),
    ),
  );
  await pause(callMsMax);
}

async function tenfold(outside: Outside): Promise<Suffered> {
  const patient = await patientOf(outside, 20);
  const { merchant, stage } = patient;
  const each = outside.long ? 10 : 3;
  const problems: string[] = [];
  const begin = (from: number): Promise<readonly AtWallet[]> =>
    Promise.all(Array.from({ length: each }, (_, at) => atWallet(stage, from + at)));
  const { figures, failed } = await measured(outside, async () => {
    // while nobody has paid, and with words that say otherwise
    const early = await begin(1);
    for (const one of early) problems.push(...(await returned(outside, earlyReturn(outside, one), true)));
    for (const one of early) {
      const status = (await merchant.session(one.id)).at('status');
      if (status !== 'initiated') problems.push(`a return before the money made ${one.id} ${String(status)}`);
    }
    for (const one of early) problems.push(...(await returned(outside, await paidThere(one), true)));
    const late = await begin(1 + each);
    for (const one of late) await merchant.api.must('POST', `/v1/checkout/${one.id}/expire`);
    for (const one of late) await merchant.control(one.paymentId, 'pay');
    for (const one of late) problems.push(...(await returned(outside, earlyReturn(outside, one), true)));
    for (const { paymentId } of [...early, ...late]) problems.push(...(await calledBack(outside, paymentId)));
    for (const one of [...early, ...late]) await untilPaid(patient, one);
    for (const { id } of late)
      if ((await merchant.session(id)).at('late') !== true)
        problems.push(`${id} was paid late and does not say so`);
  });
  const verdict = await patient.verdict(2 * each);
  await patient.close();
  return {
    figures: [
      `${2 * each} payments, ${times * 1.5} returns each in parallel and out of order, half of them before the money and ` +
        `half after the expiry: ${verdict.paid} paid once, ${verdict.outwardDuplicates} duplicates`,
      `${20 * each} callbacks nobody signed: 400 each`,
      ...figures,
    ],
    problems: [...problems, ...verdict.problems, ...failedCreates(failed)],
  };
}

/** Unsigned messages of a provider's server: refused, and nothing changes. */
async function calledBack({ house }: Outside, paymentId: string): Promise<readonly string[]> {
  const answers = await Promise.all(
    Array.from({ length: times }, () =>
      fetch(`${house.url}/callback/wallet_b/${paymentId}`, {
        method: 'POST',
        body: '{"status":"Completed"}',
      }),
    ),
  );
  return answers
    .filter(({ status }) => status !== 400)
    .map(({ status }) => `a callback was answered ${status}`);
}

/** What a look-up may bring that says nothing: the next one decides. */
const nonsense = [
  'not_json',
  'http_500_html',
  'http_502',
  'http_429',
  'outage_200',
  'reset',
  'huge_body',
  'timeout',
] as const;
/** What it may say that is not what we asked for: for review, until one is clear. */
const wrong = ['wrong_amount', 'wrong_reference', 'status_text', 'ambiguous'] as const;

/** Everybody pays, every look-up brings this; then the provider is well again. Milliseconds until the last was paid. */
async function badlyTold(
  outside: Outside,
  patient: Patient,
  kinds: readonly string[],
  review: boolean,
): Promise<{ readonly healedMs: number; readonly problems: readonly string[] }> {
  const { merchant, stage } = patient;
  const all = await Promise.all(kinds.map((_, at) => atWallet(stage, at + 1)));
  await merchant.faults(
    all.map(({ paymentId }, at) => ({
      call: 'lookup',
      kind: kinds[at] ?? '',
      reference: paymentId.replace('_', '-'),
      value: kinds[at] === 'status_text' ? 'Totally Paid' : null,
    })),
  );
  const backs = await Promise.all(all.map(paidThere));
  await Promise.all(backs.map((back) => fetch(back, { redirect: 'manual' })));
  const problems: string[] = [];
  for (const [at, { id }] of all.entries()) {
    const session = await merchant.session(id);
    const [status, needsReview] = [session.at('status'), session.at('needsReview')];
    if (status !== 'initiated' || needsReview !== review)
      problems.push(
        `${kinds[at] ?? ''} made a session ${String(status)}, needsReview ${String(needsReview)}`,
      );
  }
  await merchant.faults([]);
  const waits = await hurried(outside, merchant, () =>
    Promise.all(all.map((one) => untilPaid(patient, one))),
  );
  problems.push(...(await replayed(outside, patient, all, backs)));
  const verdict = await patient.verdict(kinds.length + 1);
  await patient.close();
  return { healedMs: Math.max(...waits), problems: [...problems, ...verdict.problems] };
}

async function garbage(outside: Outside): Promise<Suffered> {
  const patients = [await patientOf(outside, 21), await patientOf(outside, 22)] as const;
  const { result, figures, failed } = await measured(outside, () =>
    Promise.all([
      badlyTold(outside, patients[0], nonsense, false),
      badlyTold(outside, patients[1], wrong, true),
    ]),
  );
  const [unread, misread] = result;
  return {
    figures: [
      `paid, and every look-up brings ${nonsense.join(', ')}: nothing changes; well again, the last is paid after ` +
        `${(unread.healedMs / 1000).toFixed(1)} s`,
      `paid, and every look-up brings ${wrong.join(', ')}: review; well again, the last is paid after ` +
        `${(misread.healedMs / 1000).toFixed(1)} s`,
      'returns of one payment brought to another, and to itself again: nothing changed',
      ...figures,
    ],
    problems: [...unread.problems, ...misread.problems, ...failedCreates(failed)],
  };
}

/** Genuine returns used where they do not belong. */
async function replayed(
  outside: Outside,
  patient: Patient,
  all: readonly AtWallet[],
  [back = '']: readonly string[],
): Promise<readonly string[]> {
  const [paid] = all;
  if (paid === undefined) return ['nobody paid'];
  const n = all.length;
  const { merchant, stage } = patient;
  const before = (await merchant.session(paid.id)).at('sequence');
  const problems = [...(await returned(outside, back, true))];
  const after = await merchant.session(paid.id);
  if (after.at('sequence') !== before) problems.push('an old return changed a paid session');
  const victim = await atWallet(stage, n + 1);
  problems.push(...(await returned(outside, back.replace(paid.paymentId, victim.paymentId), false)));
  const status = (await merchant.session(victim.id)).at('status');
  if (status !== 'initiated')
    problems.push(`a return of another payment made ${victim.id} ${String(status)}`);
  await fetch(await paidThere(victim), { redirect: 'manual' });
  await untilPaid(patient, victim);
  return problems;
}

export const providerFaults: readonly OutsideFault[] = [
  { id: 'F18', title: 'a provider hangs for a quarter of its calls', inflict: hanging },
  { id: 'F19', title: 'a provider charges, then is silent', inflict: chargesThenSilent },
  { id: 'F20', title: 'returns and callbacks tenfold, reordered, too early and too late', inflict: tenfold },
  { id: 'F21', title: 'a provider answers garbage, too much, or something else', inflict: garbage },
];
