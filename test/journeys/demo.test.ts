import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const demo = fileURLToPath(new URL('../../dist/src/cli/demo.js', import.meta.url));

test('the demo tells its whole story, and every step passes', async () => {
  const child = spawn(process.execPath, [demo], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString('utf8')));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, said).toBe(0);
  expect(said.match(/^ {2}✓ +\d+ /gm)?.length).toBe(17);
  expect(said).toContain('Everything held.');
  for (const line of said.split('\n').filter((one) => one.includes('✓'))) expect(line.length).toBe(80);
}, 90_000);
