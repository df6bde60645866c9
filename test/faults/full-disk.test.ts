/** A disk that is really full, under the real process: it keeps answering, loses nothing, and logs what to do. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../../src/cli/demo/api.ts';
import { Service } from '../../src/cli/demo/service.ts';
import { eventually } from '../support/eventually.ts';
import { entry } from './run.ts';

const diskSize = '24m';
const startMsMax = 60_000;

/** A small disk of its own; null where this user may make none. */
function smallDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'galla-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskSize}`, 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    process.stdout.write('\nSKIPPED: A FULL DISK: THIS USER MAY MOUNT NO TMPFS\n');
    return null;
  }
}

/** To the last byte. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
}

const disk = smallDisk();
const dataDir = join(disk ?? '', 'data');
let service: Service;
beforeAll(async () => {
  if (disk !== null) service = await Service.start({ dataDir, entry, env: { GALLA_RATE_LIMITS: 'off' } });
}, startMsMax);
afterAll(async () => {
  if (disk === null) return;
  await service.stop();
  execFileSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
});

test.skipIf(disk === null)(
  'on a full disk writes are answered 503 and reads continue; with room again every key creates its one checkout',
  async () => {
    const api = new Api(service.url, (await service.keys(dataDir)).secretKey);
    const create = (n: number) =>
      api.post(
        '/v1/checkout',
        { amount: 1000 + n, returnUrl: 'https://shop.example/return', description: 'x'.repeat(200) },
        { idempotencyKey: `order-${n}` },
      );
    const before = await Promise.all(Array.from({ length: 10 }, (_, n) => create(n)));
    expect(before.map(({ status }) => status)).toEqual(Array.from(before, () => 201));
    const filler = join(disk ?? '', 'filler');
    fill(filler);
    // what the database has already taken of the disk may hold some more
    let tried = 10;
    await eventually(
      async () => ((await create(tried++)).status === 503 ? true : null),
      () => 'the disk to be full',
    );
    const all = tried + 20;
    for (let n = tried; n < all; n++) {
      const { status, headers } = await create(n);
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    }
    const [first] = before;
    expect((await api.get(`/v1/checkout/${first?.body.text('id')}`)).status).toBe(200);
    const said = service.output
      .split('\n')
      .filter((line) => line.includes(`the disk under ${dataDir} is full`));
    expect(said).toEqual([expect.stringContaining('Free disk space; the service then continues')]);
    rmSync(filler);
    for (let n = 0; n < all; n++)
      await eventually(
        async () => ((await create(n)).status === 201 ? true : null),
        () => `the checkout ${n}`,
      );
    const listed = await api.must('GET', '/v1/checkout?limit=100');
    expect(listed.body.at('total')).toBe(all);
    const ids = listed.body.list('data').map((one) => one.text('id'));
    expect(ids).toEqual(expect.arrayContaining(before.map(({ body }) => body.text('id'))));
    let more = all;
    await eventually(
      async () => {
        expect((await create(more++)).status).toBe(201);
        return service.output.includes(`the disk under ${dataDir} has free space again`) ? true : null;
      },
      () => 'a line that says so',
    );
  },
  startMsMax,
);
