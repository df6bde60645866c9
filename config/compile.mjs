/** Makes what `npm start` runs: the service without a look at its types, and the dashboard, side by side. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const bin = join('node_modules', '.bin');
const isWindows = process.platform === 'win32';

const run = (name, ...args) =>
  new Promise((resolve) => {
    const child = spawn(join(bin, isWindows ? `${name}.cmd` : name), args, { stdio: 'inherit', shell: isWindows });
    child.once('error', (error) => {
      process.stderr.write(`${name} cannot be run (${error.message}): install the packages with npm ci\n`);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });

const codes = await Promise.all([
  run('tsc', '-p', 'tsconfig.json', '--noCheck'),
  run('vite', 'build', '--config', 'config/vite.config.ts', '--logLevel', 'warn'),
]);
process.exitCode = Math.max(...codes);
