/** `galla move`: from one machine to a cluster while payments run, killed on the way, and gone on with. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { runToEnd } from '../../src/cli/demo/service.ts';
import { entry, missingClusterToHurt } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { MoveRun, noteOf } from './move-run.ts';

const suite = 'the move from one machine to a cluster';
/** MOVE_KILLS=100 and MOVE_SHOPPERS=20 are for a run by hand, with MOVE_THINK_MS between two purchases of a shopper and
 *  MOVE_LEAD_MS of payments before the move. */
const kills = Number(process.env['MOVE_KILLS'] ?? 0);
const shoppers = Number(process.env['MOVE_SHOPPERS'] ?? 4);
const thinkMs = Number(process.env['MOVE_THINK_MS'] ?? 250);
const leadMs = Number(process.env['MOVE_LEAD_MS'] ?? 2000);
/** MOVE_STRAIGHT=1: nothing is killed once nodes wait, and it is printed for how long nobody was answered. */
const isStraight = process.env['MOVE_STRAIGHT'] === '1';
/** The command is killed there; the service goes on, or comes back. */
const points = isStraight ? ['marked'] : ['marked', 'step', 'asked', 'written'];
const testMsMax = 300_000 + kills * 30_000 + leadMs;
/** Where the kills of MOVE_KILLS are, again and again; null: at an instant by chance, which on a busy machine is early. */
const way = [
  'step',
  'asked',
  'step',
  'marked',
  null,
  'walked',
  'locked',
  'step',
  'written',
  'noted',
] as const;
/** The service comes back when the request to stop has run out, and starts again. */
const backMsMax = 60_000;

describe.skipIf(missingClusterToHurt(suite))(suite, { timeout: testMsMax }, () => {
  let run: MoveRun;
  beforeAll(async () => {
    run = await MoveRun.start();
  }, testMsMax);
  afterAll(() => run.stop());

  async function isServed(): Promise<void> {
    const before = run.orders.length;
    await eventually(
      async () => (run.orders.length >= before + 2 ? true : null),
      () => `a service that serves again: ${run.service.output}`,
      backMsMax,
    );
  }

  test('row 122: a dry run says what would be copied, and writes nothing', async () => {
    const { code, stdout } = await run.move(undefined, 1, ['--dry-run']).over;
    expect(code).toBe(0);
    const plan = JSON.parse(stdout) as { records: number; aboutMs: number; state: string };
    expect(plan.records).toBeGreaterThan(3);
    expect(plan.aboutMs).toBeGreaterThan(0);
    expect(plan.state).toBe('not begun');
    await expect(noteOf(run.dataDir)).rejects.toThrow('ENOENT');
  });

  test('row 122: killed on its way, the service goes on or comes back; once sealed, only the cluster serves', async () => {
    run.begin(shoppers, thinkMs);
    await pause(leadMs);
    for (const point of points) {
      const ended = await run.move(point).over;
      expect(ended, `${point}: ${ended.stderr}`).toMatchObject({ signal: 'SIGKILL' });
      await isServed();
    }
    for (let kill = 0; kill < kills; kill++) {
      const point = way[kill % way.length] ?? null;
      // each walk has at least two steps
      const command = run.move(point ?? undefined, point === 'step' ? 1 + (kill % 2) : 1);
      if (point === null) {
        await pause(Math.random() * 3000);
        command.kill();
      }
      const ended = await command.over;
      // it was faster
      if (point === null && (ended.code === 0 || (await noteOf(run.dataDir)) === 'moved')) break;
      expect(ended, `kill ${kill + 1}, ${point}: ${ended.stderr}`).toMatchObject({ signal: 'SIGKILL' });
      await isServed();
      process.stdout.write(`kill ${kill + 1}, ${point ?? 'by chance'}: ${run.orders.length} orders\n`);
    }
    run.forgetOutage();
    await run.startNodes(2);
    if (!isStraight) {
      if ((await noteOf(run.dataDir)) !== 'moved')
        expect(await run.move('sealed').over).toMatchObject({ signal: 'SIGKILL' });
      expect(await noteOf(run.dataDir)).toBe('moved');
    }
    const ended = await run.move().over;
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    await run.nodesReady();
    await isServed();
    await run.end();
    if (isStraight)
      process.stdout.write(`${ended.stdout}nobody was answered for ${Math.round(run.longestOutageMs)} ms\n`);
  });

  test('row 122: nothing is lost, nothing is twice: orders, answers to repeats, events, streams and webhooks', async () => {
    expect(run.orders.length).toBeGreaterThan(10);
    for (const { key, id, text } of run.orders.slice(-200)) {
      const again = await run.key.post(
        '/v1/checkout',
        { amount: 125_050, returnUrl: 'http://127.0.0.1/return' },
        { idempotencyKey: key },
      );
      expect([again.status, again.text], id).toEqual([201, text]);
    }
    const events = await run.events();
    const paid = events.filter(({ type }) => type === 'payment.succeeded').map(({ sessionId }) => sessionId);
    expect(new Set(paid).size).toBe(paid.length);
    const bought = run.orders.map(({ id }) => id);
    expect(new Set(bought).size).toBe(bought.length);
    expect(bought.filter((id) => !paid.includes(id))).toEqual([]);
    const all = events.map(({ id }) => id);
    expect(new Set(all).size).toBe(all.length);
    await eventually(
      async () => (run.streamed.length >= all.length ? true : null),
      () => `a stream with all of ${all.length} events: it has ${run.streamed.length}`,
      30_000,
    );
    await run.endStream();
    expect(run.streamed).toEqual(all);
    const due = events.filter(({ type }) => type === 'payment.succeeded').map(({ id }) => id);
    await eventually(
      async () => {
        const had = new Set(run.shop.webhooks.map(({ id }) => id));
        return due.every((id) => had.has(id)) ? true : null;
      },
      () => `a webhook for each of ${due.length} payments`,
      120_000,
    );
  });

  test('row 122: the folder that has moved is refused with one line that says where the service is', async () => {
    const { code, output } = await runToEnd({ dataDir: run.dataDir, entry, env: { LOG_LEVEL: 'silent' } });
    expect(code).toBe(1);
    expect(output).toMatch(/^galla: .* was moved to 127\.0\.0\.1:\d+\/galla_move_\S+: start nodes with that/);
    expect(output.trim().split('\n')).toHaveLength(1);
  });
});
