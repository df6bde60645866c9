import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { missingCluster } from '../support/cluster.ts';

const galla = fileURLToPath(new URL('../../dist/src/cli/galla.js', import.meta.url));

/** Both at once: each mostly waits, for pages and for processes. */
const demoMsMax = 180_000;

interface Told {
  readonly code: unknown;
  readonly said: string;
}

async function told(args: readonly string[], path = process.env['PATH'] ?? ''): Promise<Told> {
  const env = { ...process.env, PATH: path };
  const child = spawn(process.execPath, [galla, 'demo', ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, said };
}

function expectWhole({ code, said }: Told, steps: number): void {
  expect(code, said).toBe(0);
  expect(said.match(/^ {2}✓ +\d+ /gm)?.length).toBe(steps);
  expect(said).toContain('Everything held.');
  for (const line of said.split('\n').filter((one) => one.includes('✓'))) expect(line.length).toBe(80);
}

test.concurrent(
  'the demo runs its whole scenario, and every step passes',
  async () => {
    expectWhole(await told([]), 37);
  },
  demoMsMax,
);

test.skipIf(missingCluster('the demo of a cluster'))(
  'the demo of a cluster kills a node in the middle, and every step passes',
  { concurrent: true, timeout: demoMsMax },
  async () => expectWhole(await told(['--cluster']), 30),
);

test.concurrent('the demo of a cluster says in one line which servers it misses', async () => {
  const { code, said } = await told(['--cluster'], '/nowhere');
  expect(code).toBe(1);
  expect(said.split('\n').filter((line) => line.startsWith('galla: '))).toEqual([
    expect.stringMatching(/^galla: nats-server and mongod not found on PATH: install NATS/),
  ]);
}, 30_000);

test.concurrent('the demo refuses an unknown option', async () => {
  const { code, said } = await told(['--nonsense']);
  expect(code).toBe(2);
  expect(said).toContain("error: unknown option '--nonsense'\n");
});
