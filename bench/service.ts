/** Our arm: the service as it ships, in a process and on a folder of its own, with the load limits off. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api } from '../src/cli/demo/api.ts';
import type { Room, Served } from './support.ts';

export interface Ours extends Served {
  readonly key: string;
  readonly api: Api;
}

export async function ours(
  room: Room,
  { name = 'galla', syncMs = 0 }: { readonly name?: string; readonly syncMs?: number } = {},
): Promise<Ours> {
  const dataDir = join(room.folder, name);
  const settings = { PORT: '0', GALLA_DATA_DIR: dataDir, GALLA_RATE_LIMITS: 'off', LOG_LEVEL: 'error' };
  const served = await room.serve('../src/cli/start.js', settings, { syncMs });
  const { secretKey: key } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as {
    readonly secretKey: string;
  };
  return { ...served, key, api: new Api(served.url, key) };
}

export const order = {
  amount: 125_050,
  returnUrl: 'https://shop.example/return',
  description: 'Order 1001',
} as const;
