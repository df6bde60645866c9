/** config/launch.mjs on Nodes that have no binary of the HTTP listener. Such a Node is made of the one that runs the
 *  tests: a module loaded first changes what it says of itself. Everything else is real: processes, signals, npm. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { freePorts, Service } from '../../src/cli/demo/service.ts';
import { eventually } from '../support/eventually.ts';
import { read, root } from '../support/house.ts';

const launcher = join(root, 'config/launch.mjs');
const version = /version = '(22\.[\d.]+)'/.exec(read('config/launch.mjs'))?.[1] ?? '';
const [name, integrity] =
  new RegExp(`'${process.platform} ${process.arch}': \\[\\s*'([^']+)',\\s*'([^']+)'`)
    .exec(read('config/launch.mjs'))
    ?.slice(1) ?? [];
const { platform, arch, versions } = process;

const folder = mkdtempSync(join(tmpdir(), 'galla-launch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let foldersMade = 0;
function newFolder(): string {
  const path = join(folder, String(foldersMade++));
  mkdirSync(path);
  return path;
}

const newerNode = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'99.0.0',modules:'999'}})`;

/** A project with a package of the listener that has these binaries, and a script. */
function project(binaries: readonly string[], script: string, inside = 'dist/bin'): string {
  const path = newFolder();
  mkdirSync(join(path, 'node_modules/uWebSockets.js', inside), { recursive: true });
  for (const abi of binaries)
    writeFileSync(
      join(path, 'node_modules/uWebSockets.js', inside, `uws_${platform}_${arch}_${abi}.node`),
      '',
    );
  writeFileSync(join(path, 'package.json'), '{"type":"module"}');
  writeFileSync(join(path, 'script.js'), script);
  return path;
}

/** A cache that already has its Node 22: the tests' own Node is used in its place. */
function filledCache(): { readonly cache: string; readonly node: string } {
  const cache = newFolder();
  const bin = join(cache, 'galla', `${name}-${version}`, 'node_modules', name ?? '', 'bin');
  mkdirSync(bin, { recursive: true, mode: 0o755 });
  symlinkSync(process.execPath, join(bin, 'node'));
  return { cache, node: join(bin, 'node') };
}

interface Launch {
  readonly cwd: string;
  readonly args?: readonly string[];
  /** What the running Node is, as a module loaded first. */
  readonly being?: string;
  readonly env?: { readonly [key: string]: string | undefined };
}

interface Launched {
  readonly child: ChildProcess;
  readonly heard: { out: string; err: string };
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

function launch({ cwd, args = ['script.js'], being = newerNode, env = {} }: Launch): Launched {
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${being}`, launcher, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const heard = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => void (heard.out += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => void (heard.err += chunk.toString('utf8')));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return { child, heard, ended };
}

const hears = (heard: Launched['heard'], text: string): Promise<true> =>
  eventually(
    async () => heard.out.includes(text) || null,
    () => `${text}: ${heard.out}${heard.err}`,
    60_000,
  );

async function launchToEnd(options: Launch): Promise<Launched['heard'] & { readonly code: number | null }> {
  const { heard, ended } = launch(options);
  const { code } = await ended;
  return { ...heard, code };
}

const tellsOfItself = `
process.stdout.write(JSON.stringify({ pid: process.pid, argv: process.argv.slice(1), path: process.env.PATH }));
process.exitCode = 7;`;

/** Drains for a while on a signal, and prints how many signals it got. */
const drains = `
let told = 0;
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => {
  if (++told === 1) setTimeout(() => { process.stdout.write('drained ' + told + ' ' + signal); process.exit(3); }, 300);
});
setInterval(() => {}, 1000);
process.stdout.write('up ');`;

describe('a Node that has the binary', () => {
  for (const inside of ['dist/bin', '.'])
    test(`runs the script itself, in the same process (binaries in ${inside})`, async () => {
      const cwd = project([versions.modules], tellsOfItself, inside);
      const { child, heard, ended } = launch({ cwd, args: ['script.js', 'a', '--b'], being: '' });
      expect(await ended).toEqual({ code: 7, signal: null });
      const told: unknown = JSON.parse(heard.out);
      expect(told).toMatchObject({ pid: child.pid, argv: [join(cwd, 'script.js'), 'a', '--b'] });
      expect(heard.err).toBe('');
    });

  test('finds an installed command', async () => {
    const { out, code } = await launchToEnd({ cwd: root, args: ['vitest', '--version'], being: '' });
    expect([out.slice(0, 7), code]).toEqual(['vitest/', 0]);
  });
});

describe('a Node without the binary', () => {
  // a process can become another one from Node 22.15 on; where it cannot, it waits for its child
  const beings = { 'as it is': newerNode, 'without execve': `${newerNode};process.execve = undefined` };
  for (const [how, being] of Object.entries(beings)) {
    test(`runs it on the cached Node 22 and says so in one line (${how})`, async () => {
      const { cache, node } = filledCache();
      const cwd = project(['127'], tellsOfItself);
      const env = { XDG_CACHE_HOME: cache };
      const { out, err, code } = await launchToEnd({ cwd, args: ['script.js', 'a b', '--c'], being, env });
      expect(code).toBe(7);
      const told: unknown = JSON.parse(out);
      expect(told).toMatchObject({ argv: [join(cwd, 'script.js'), 'a b', '--c'] });
      // whoever starts `node` or `npm` from there gets it too
      expect(told).toMatchObject({ path: expect.stringMatching(new RegExp(`^${join(node, '..')}:`)) });
      expect(err).toBe(
        `galla: uWebSockets.js has no binary for Node 99.0.0 on ${platform} ${arch}: running on Node ${version}, ${node}\n`,
      );
    });

    test(`forwards signals once, waits for the drain and exits with the script's status (${how})`, async () => {
      const env = { XDG_CACHE_HOME: filledCache().cache };
      for (const signal of ['SIGTERM', 'SIGINT'] as const) {
        const { child, heard, ended } = launch({ cwd: project(['127'], drains), being, env });
        await hears(heard, 'up ');
        child.kill(signal);
        expect((await ended).code).toBe(3);
        expect(heard.out).toBe(`up drained 1 ${signal}`);
      }
    });
  }

  test('distinguishes a death by signal from an exit', async () => {
    const cwd = project(['127'], `process.kill(process.pid, 'SIGKILL')`);
    const being = beings['without execve'];
    const { code } = await launchToEnd({ cwd, being, env: { XDG_CACHE_HOME: filledCache().cache } });
    expect(code).toBe(128 + 9);
  });
});

describe('a cache that others could have written', () => {
  const cwd = project(['127'], tellsOfItself);
  const inside = ['', `${name}-${version}`, `${name}-${version}/node_modules/${name}/bin`];

  test.each(inside.flatMap((path) => [0o775, 0o757].map((mode) => [path, mode] as const)))(
    'the folder galla/%s with mode %i: its Node is not run',
    async (path, mode) => {
      const { cache } = filledCache();
      const folder = join(cache, 'galla', path);
      chmodSync(folder, mode);
      const { out, err, code } = await launchToEnd({ cwd, env: { XDG_CACHE_HOME: cache } });
      expect([out, code]).toEqual(['', 1]);
      expect(err).toContain(`${folder} can be written by others, so the Node in it is not run: remove `);
    },
  );

  test('the folder of another user: its Node is not run', async () => {
    const { cache } = filledCache();
    const being = `${newerNode};const own = process.getuid();process.getuid = () => own + 1`;
    const { err } = await launchToEnd({ cwd, being, env: { XDG_CACHE_HOME: cache } });
    expect(err).toContain(`${join(cache, 'galla')} belongs to another user, so the Node in it is not run`);
  });

  test('below a folder that others cannot enter, modes do not matter', async () => {
    const { cache } = filledCache();
    chmodSync(join(cache, 'galla', inside[2] ?? ''), 0o777);
    chmodSync(join(cache, 'galla'), 0o700);
    expect((await launchToEnd({ cwd, env: { XDG_CACHE_HOME: cache } })).code).toBe(7);
  });
});

describe('where Node 22 cannot be obtained, one line says what to do', () => {
  const cwd = project(['127'], tellsOfItself);

  async function refused(options: Launch): Promise<string> {
    const { out, err, code } = await launchToEnd(options);
    expect([out, code], err).toEqual(['', 1]);
    return err;
  }

  test('no registry', async () => {
    const [port = 0] = await freePorts(1);
    const cache = newFolder();
    const env = { ...ofNpm(port), XDG_CACHE_HOME: cache };
    const [first, second, ...more] = (await refused({ cwd, env })).split('\n');
    expect(first).toContain(`fetching Node ${version} once`);
    expect(second).toBe(
      `galla: Node ${version} could not be fetched (npm: ECONNREFUSED): install Node 22, put it first on PATH and run the same command again`,
    );
    expect(more).toEqual(['']);
    expect(readdirSync(join(cache, 'galla'))).toEqual([]);
  }, 60_000);

  test('a registry that serves something else under the name', async () => {
    const registry = await registryOf({ name: name ?? '', version });
    const cache = newFolder();
    try {
      const said = await refused({ cwd, env: { ...ofNpm(registry.port), XDG_CACHE_HOME: cache } });
      expect(said).toContain('could not be fetched (npm: EINTEGRITY): install Node 22');
      expect(registry.served()).toContain('/the.tgz');
      expect(readdirSync(join(cache, 'galla'))).toEqual([]);
    } finally {
      registry.close();
    }
  }, 60_000);

  test('a cache that cannot be written', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(await refused({ cwd, env: { XDG_CACHE_HOME: file } })).toMatch(
      /\ngalla: \S+ cannot be written \(ENOTDIR\): set XDG_CACHE_HOME to a folder that can, or install Node 22.*\n$/,
    );
  });

  test.each([
    ['another processor', `Object.defineProperty(process,'arch',{value:'riscv64'})`, 'riscv64'],
    [
      'Windows on ARM',
      `Object.defineProperties(process,{arch:{value:'arm64'},platform:{value:'win32'}})`,
      'win32 arm64',
    ],
    ['musl', `process.report.getReport=()=>({header:{}})`, platform],
  ])('%s', async (_, being, named) => {
    if (named === platform && platform !== 'linux') return;
    const said = await refused({ cwd, being: `${newerNode};${being}`, env: { XDG_CACHE_HOME: newFolder() } });
    expect(said).toMatch(
      /^galla: uWebSockets\.js has no binary for Node 99.* Galla runs on Linux with glibc .*\n$/,
    );
    expect(said).toContain(named);
  });

  test('a package of the listener that has none for Node 22', async () => {
    const env = { XDG_CACHE_HOME: filledCache().cache };
    expect(await refused({ cwd: project(['115'], ''), env })).toContain('nor for Node 22 here');
  });

  test('nothing installed', async () => {
    expect(await refused({ cwd: newFolder() })).toBe('galla: the packages are not installed: npm ci\n');
  });
});

/** The Node 22 of the registry, or from npm's cache: fetched for real where one of them can be reached. */
/** What the tests' own environment holds and is no setting of the service's; vitest sets a BASE_URL of its own. */
const notOurs = { BASE_URL: undefined, GALLA_TESTS_SKIP_NOTHING: undefined };

describe('the real Node 22', () => {
  const cache = newFolder();
  const env = { XDG_CACHE_HOME: cache };
  const cwd = project(['127'], 'process.stdout.write(process.version)');

  test('is downloaded once, stored completely, and starts the real service in time; SIGTERM drains it', async ({
    skip,
  }) => {
    const from = performance.now();
    const left = join(cache, 'galla', 'part-killed');
    mkdirSync(left, { recursive: true });
    utimesSync(left, 0, 0);
    // two at once: nodes of one folder
    const [first, second] = await Promise.all([launchToEnd({ cwd, env }), launchToEnd({ cwd, env })]);
    if (first.code !== 0 && /could not be fetched \(npm: E(?!INTEGRITY)/.test(first.err)) {
      process.stdout.write(
        `\nSKIPPED: THE REAL NODE 22 IS NOT FETCHED AND RUN: ${first.err.split('\n')[1]}\n`,
      );
      skip();
    }
    for (const { out, code, err } of [first, second]) expect([out, code], err).toEqual([`v${version}`, 0]);
    expect(first.err).toContain('fetching Node');
    expect(readdirSync(join(cache, 'galla'))).toEqual([`${name}-${version}`]);

    const [port = 0] = await freePorts(1);
    const dataDir = newFolder();
    const { child, heard, ended } = launch({
      cwd: root,
      args: ['dist/src/cli/start.js'],
      env: { ...env, ...notOurs, PORT: String(port), GALLA_DATA_DIR: dataDir, LOG_LEVEL: 'info' },
    });
    await hears(heard, 'Galla is ready');
    expect(performance.now() - from).toBeLessThan(60_000);
    expect(heard.err).toContain(`running on Node ${version}, ${cache}`);
    expect(heard.out).toContain(
      `"node":"${version}","listener":"uws-pack 20.0.8","msg":"the HTTP listener is loaded"`,
    );
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, signal: null });
  }, 120_000);
});

describe('what is documented about Node', () => {
  const { engines, scripts } = JSON.parse(read('package.json')) as {
    readonly engines: { readonly node: string };
    readonly scripts: { readonly [name: string]: string };
  };

  test('every script that runs the service goes through the launcher', () => {
    const bare = Object.entries(scripts).flatMap(([script, line]) =>
      line
        .split(' && ')
        .filter((one) => /\b(?:vitest|tsx|dist\/)/.test(one) && !one.includes('config/launch.mjs '))
        .map(() => script),
    );
    // these read and write files of the repository alone
    expect(bare).toEqual(['rows', 'reference']);
    expect(Object.values(scripts).filter((line) => line.includes('launch.mjs')).length).toBe(10);
  });

  test('engines, README and .nvmrc agree with the launcher', () => {
    expect(engines.node).toBe('>=20.19 <27');
    expect(read('README.md')).toContain('Node 20.19 to 26');
    expect(read('.nvmrc')).toBe(`${version.split('.')[0]}\n`);
    expect(integrity).toMatch(/^sha512-/);
  });

  test('each start logs the Node and the build of the listener that are in use', async () => {
    const entry = join(root, 'dist/src/cli/start.js');
    const service = await Service.start({ dataDir: newFolder(), entry });
    await service.stop();
    expect(service.output).toContain(
      `"node":"${versions.node}","listener":"uws-pack 20.0.8","msg":"the HTTP listener is loaded"`,
    );
  }, 60_000);

  test('the built entry started by itself says what to do instead, before it writes anything', () => {
    const dataDir = join(newFolder(), 'data');
    const args = ['--import', `data:text/javascript,${newerNode}`, 'dist/src/cli/start.js'];
    const env = { PATH: process.env['PATH'], GALLA_DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
    let said = '';
    try {
      execFileSync(process.execPath, args, { cwd: root, env, stdio: 'pipe', encoding: 'utf8' });
    } catch (error) {
      said = (error as { stderr: string }).stderr;
    }
    expect(said).toMatch(
      /^galla: uWebSockets\.js cannot be loaded by Node 99\.0\.0 on .+ \(Cannot find module '.+'\): use Node 22, or npm start, which installs one\n$/,
    );
    expect(() => readdirSync(dataDir)).toThrow('ENOENT');
  });
});

/** Nothing that npm on this machine has already, nor waits for long. */
const ofNpm = (port: number): { readonly [key: string]: string } => ({
  npm_config_registry: `http://127.0.0.1:${port}/`,
  npm_config_cache: newFolder(),
});

/** A registry of one package, whose content is not the one the launcher names. */
async function registryOf(what: { readonly name: string; readonly version: string }) {
  const source = newFolder();
  writeFileSync(join(source, 'package.json'), JSON.stringify(what));
  execFileSync('npm', ['pack', '--silent', source], { cwd: source, stdio: 'pipe' });
  const packed = readFileSync(join(source, `${what.name}-${what.version}.tgz`));
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(req.url ?? '');
    const { port } = server.address() as AddressInfo;
    const dist = { tarball: `http://127.0.0.1:${port}/the.tgz` };
    const versionsOf = { [what.version]: { ...what, dist } };
    res.end(req.url === '/the.tgz' ? packed : JSON.stringify({ ...what, versions: versionsOf }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, served: () => asked, close: () => void server.close() };
}
