/** What comparing a statement of 5 MiB costs those who create, and how long it takes. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Api } from '../src/testing/demo/api.ts';
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
const rounds = 3;
const askEveryMs = 100;
const doneMsMax = 300_000;
const path = '/v1/reconciliation/statements';

const setup =
  `${payments.toLocaleString('en')} paid payments of one project, and a statement of 4.9 MiB with a row for each, without ` +
  `dates and fees. wrk, ${connections} connections: ${rounds} rounds of ${seconds} s alone (medians), then round after round ` +
  'while the statement is compared; the worst p99 of these';

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
    'one event loop: the rows of a step (300) are read from the text, looked up and stored in ' +
    'pieces of a few milliseconds, and a pause of twice the time of the step follows it',
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
    const usual = alone.toSorted((a, b) => a.p99Ms - b.p99Ms)[Math.floor(rounds / 2)] ?? (await load());
    const comparing = compared(api, fileOf(samples));
    const beside: Measured[] = [];
    for (let ended = false; !ended;) {
      beside.push(await load());
      ended = (await Promise.race([comparing, Promise.resolve(null)])) !== null;
    }
    const worst = beside.toSorted((a, b) => b.p99Ms - a.p99Ms)[0] ?? usual;
    return rowsOf(await comparing, usual, worst, samples.length);
  },
};

function rowsOf(tookMs: number, usual: Measured, worst: Measured, rows: number): readonly Row[] {
  const row = (arm: string, { perSecond, ...rest }: Measured, more: Partial<Row> = {}): Row => ({
    what: 'create',
    arm,
    value: perSecond,
    unit: '/s',
    ...rest,
    ...more,
  });
  return [
    row(`while ${rows.toLocaleString('en')} rows are compared`, worst),
    row('no statement', usual, { ratio: worst.perSecond / usual.perSecond }),
    { what: 'statement compared', arm: 'with creates beside it', value: tookMs / 1000, unit: 's' },
  ];
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
