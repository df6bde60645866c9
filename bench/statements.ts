/** What comparing a statement of 5 MiB costs those who create, and how long it takes. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Api } from '../src/cli/demo/api.ts';
import { collections, endedSession, fillSqlite, templateIn, type Sample } from './filling.ts';
import { creates } from './scripts.ts';
import { ours } from './service.ts';
import { wrk, type Bench, type Measured, type Row } from './support.ts';

/** BENCH_STORED names another number of payments, for a quick look. */
const payments = Number(process.env['BENCH_STORED'] ?? 60_000);
/** Just below what the body of an upload may have, with what JSON adds. */
const fileBytes = 4.9 * 1024 * 1024;
const connections = 8;
const seconds = 5;
const rounds = 4;
const askEveryMs = 100;
const doneMsMax = 300_000;
const path = '/v1/reconciliation/statements';

const setup =
  `${payments.toLocaleString('en')} paid payments of one project, and a statement of 4.9 MiB with a row for each, without ` +
  `dates and fees. wrk, ${connections} connections, in rounds of ${seconds} s: ${rounds} without a statement, then round after ` +
  `round while it is compared, then ${rounds} without. Medians of the rounds by their p99; the rounds after it count ` +
  'because the service keeps more and more sessions in memory as the bench goes on';

/** As many rows as there are references, in a file of this size. */
function fileOf(samples: readonly Sample[]): string {
  const lines = samples.map(({ providerRef }) => `${providerRef},"1,250.50",`);
  const bare = lines.reduce((sum, line) => sum + line.length + 1, 0);
  const note = 'x'.repeat(Math.max(0, Math.floor((fileBytes - bare) / lines.length) - 4));
  return `reference,amount,note\n${lines.map((line) => line + note).join('\n')}\n`;
}

export const statementsEmbedded: Bench = {
  title: 'A create while a statement of 5 MiB is compared, embedded',
  setup,
  bound:
    'the CPU of one event loop, of which the statement takes a fifth at most: it works for 2 ms and rests for 8. Reading ' +
    'the CSV, twice, is more than half of its work. Its longest block is the upload: JSON of 5 MiB takes 40 to 60 ms, once',
  async run(room) {
    const before = await ours(room, { name: 'statements' });
    const id = await endedSession(before.api, 'paid');
    await room.end(before);
    const dataDir = join(room.folder, 'statements');
    const onFatal = (line: string): void => void process.stderr.write(`${line}\n`);
    const store = await openSqliteStore({ dataDir, collections, onFatal });
    const template = await templateIn(store, id);
    await store.close();
    const { samples } = await fillSqlite(dataDir, template, { most: payments, samples: payments });
    const { pid, url, key, api } = await ours(room, { name: 'statements' });
    const script = room.file('statements.lua', creates(false));
    const headers = [`Authorization: Bearer ${key}`];
    const load = (): Promise<Measured> =>
      wrk(pid, { url: `${url}/v1/checkout`, seconds, connections, script, headers });
    await load();
    const alone: Measured[] = [];
    for (let round = 0; round < rounds; round++) alone.push(await load());
    const comparing = compared(api, fileOf(samples));
    const beside: Measured[] = [];
    for (let ended = false; !ended;) {
      beside.push(await load());
      ended = (await Promise.race([comparing, Promise.resolve(null)])) !== null;
    }
    for (let round = 0; round < rounds; round++) alone.push(await load());
    return rowsOf(await comparing, beside, alone, samples.length);
  },
};

function rowsOf(
  tookMs: number,
  beside: readonly Measured[],
  alone: readonly Measured[],
  rows: number,
): readonly Row[] {
  const arms = [`while ${rows.toLocaleString('en')} rows are compared`, 'no statement, before and after'];
  const [ours, theirs] = [byP99(beside), byP99(alone)];
  const row = (what: string, place: 'middle' | 'worst'): readonly Row[] =>
    [ours[place], theirs[place]].map(({ perSecond, ...rest }, at) => ({
      what,
      arm: arms[at] ?? '',
      value: perSecond,
      unit: '/s',
      ...rest,
      ...(at === 0
        ? {}
        : { ratio: ours[place].perSecond / perSecond, cpuRatio: rest.cpuUs / ours[place].cpuUs }),
    }));
  const p99 = { what: 'p99 of a create', arm: arms[1] ?? '', unit: 'ms', value: theirs.middle.p99Ms };
  return [
    ...row('create', 'middle'),
    { ...p99, ratio: ours.middle.p99Ms / theirs.middle.p99Ms },
    ...row('create, its worst round', 'worst'),
    { what: 'statement compared', arm: 'with creates beside it', value: tookMs / 1000, unit: 's' },
  ];
}

function byP99(rounds: readonly Measured[]): { readonly middle: Measured; readonly worst: Measured } {
  const sorted = rounds.toSorted((a, b) => a.p99Ms - b.p99Ms);
  const [middle, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  if (middle === undefined || worst === undefined) throw new Error('no round was measured');
  return { middle, worst };
}

/** How long it took. */
async function compared(api: Api, csv: string): Promise<number> {
  const from = performance.now();
  const { body } = await api.must('POST', path, { provider: 'wallet_b', csv });
  for (;;) {
    const { body: now } = await api.must('GET', `${path}/${body.text('id')}`);
    if (now.at('status') === 'done') return performance.now() - from;
    if (now.at('status') === 'failed' || performance.now() - from > doneMsMax)
      throw new Error(`the statement was not compared: ${JSON.stringify(now.value)}`);
    await pause(askEveryMs);
  }
}
