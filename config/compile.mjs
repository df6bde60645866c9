/** Makes what `npm start` runs: the service without a look at its types, and the dashboard, side by side.
 *  1. What is newer than all it is made of is not made again.
 *  2. Nodes that start at once in one folder wait for the first of them: nobody runs what is half written. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const sources = ['src', 'actors', 'gateways', 'config', 'package.json', 'package-lock.json', 'tsconfig.json'];
/** As old as the beginning of the last making that ended well. */
const stamp = join('dist', '.made');
/** Who makes it just now: the id of his process. */
const lock = join('dist', '.making');
const lookEveryMs = 100;
/** Far more than it takes. */
const waitMsMax = 120_000;

const bin = join('node_modules', '.bin');
const bundler = join('config', 'bundle.mjs');
const isWindows = process.platform === 'win32';

const run = (name, ...args) =>
  ended(name, spawn(join(bin, isWindows ? `${name}.cmd` : name), args, { stdio: 'inherit', shell: isWindows }));

const ended = (name, child) =>
  new Promise((resolve) => {
    child.once('error', (error) => {
      say(`${name} cannot be run (${error.message}): install the packages with npm ci`);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });

const say = (line) => process.stderr.write(`galla: ${line}\n`);

/** Of a folder and all in it, so that what was taken away counts too. */
function newestIn(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function isMade() {
  const made = statSync(stamp, { throwIfNoEntry: false });
  return made !== undefined && sources.every((source) => newestIn(source) < made.mtimeMs);
}

function lives(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // somebody else's process lives too
    return error.code === 'EPERM';
  }
}

/** Takes the lock, or takes it over from a process that is no more; false while another one holds it. */
function isTaken() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const holder = Number(readOr(lock, '0'));
  if (holder > 0 && !lives(holder)) rmSync(lock, { force: true });
  return false;
}

function readOr(path, otherwise) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}

async function make() {
  const begunAt = new Date();
  say('compiling the service and the dashboard into dist/, as nothing there is as new as the sources (a minute at most)');
  const codes = await Promise.all([
    ended(bundler, spawn(process.execPath, [bundler], { stdio: 'inherit' })),
    run('vite', 'build', '--config', 'config/vite.config.ts', '--logLevel', 'warn'),
  ]);
  const code = Math.max(...codes);
  if (code === 0) {
    writeFileSync(stamp, '');
    utimesSync(stamp, begunAt, begunAt);
    say(`compiled in ${Math.ceil((Date.now() - begunAt) / 1000)} s`);
  } else say('this did not compile: what is wrong stands above');
  return code;
}

mkdirSync('dist', { recursive: true });
const waitEndsAt = Date.now() + waitMsMax;
let hasSaid = false;
while (!isTaken()) {
  if (!hasSaid) say(`waiting for another process that compiles here (${lock})`);
  hasSaid = true;
  if (Date.now() > waitEndsAt) {
    say(`another process has been compiling for ${waitMsMax / 1000} s: end it, or remove ${lock}`);
    process.exit(1);
  }
  await pause(lookEveryMs);
}
try {
  process.exitCode = isMade() ? 0 : await make();
} finally {
  rmSync(lock, { force: true });
}
