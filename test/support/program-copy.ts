/** A copy of the program, for the guides that add something to it: compiled, bundled and started like the original. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Service, type DemoKeys } from '../../src/cli/demo/service.ts';
import { root } from './house.ts';

const run = promisify(execFile);
/** Copying and compiling, on a machine with other work. */
export const compileMsMax = 120_000;
/** The program, and what the tests of its actors run them with. */
const parts = [
  'src',
  'actors',
  'gateways',
  'config',
  'test/support/simulated',
  'tsconfig.json',
  'package.json',
];
const tsc = join(root, 'node_modules/typescript/bin/tsc');

export class ProgramCopy {
  readonly folder: string;
  private service: Service | null = null;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<ProgramCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'galla-copy-'));
    for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    return new ProgramCopy(folder);
  }

  read(path: string): Promise<string> {
    return readFile(join(this.folder, path), 'utf8');
  }

  async write(path: string, text: string): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /** What the compiler complains about; nothing when it is content. */
  compile(): Promise<string> {
    return run(process.execPath, [tsc, '-p', 'tsconfig.json', '--noEmit'], { cwd: this.folder }).then(
      () => '',
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
  }

  /** Bundles and starts what was compiled; gives its address and the keys of its demo merchant. */
  async start(): Promise<{ readonly url: string; readonly keys: DemoKeys }> {
    await run(process.execPath, ['config/bundle.mjs'], { cwd: this.folder });
    const dataDir = join(this.folder, 'data');
    this.service = await Service.start({ dataDir, entry: join(this.folder, 'dist/src/cli/start.js') });
    const keys = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as DemoKeys;
    return { url: this.service.url, keys };
  }

  async remove(): Promise<void> {
    await this.service?.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
