/** Services that store many sessions, each a copy of one that has ended. */
import { join } from 'node:path';
import { Api } from '../src/cli/demo/api.ts';
import { openMongoStore } from '../src/store/store-mongo.ts';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Store } from '../src/store/store.ts';
import { clusterOn, merchantOf, nodeOf, type Mongo } from './cluster.ts';
import {
  collections,
  endedSession,
  fillMongo,
  fillSqlite,
  templateIn,
  type Amount,
  type Filled,
} from './filling.ts';
import { ours } from './service.ts';
import type { Room, Served } from './support.ts';

/** A service and some of what it stores. */
export interface Subject extends Served, Filled {
  readonly key: string;
  readonly servers: readonly number[];
}

export interface Stock extends Amount {
  readonly name: string;
  /** How the session ended that all others are copies of. */
  readonly ended: 'expired' | 'paid';
}

export const said = (count: number): string => `${count.toLocaleString('en')} stored`;

/** One process may have the file: the service makes the session to copy, stops, and comes back when all is there. */
export async function embeddedWith(room: Room, stock: Stock): Promise<Subject> {
  const { dataDir: _dataDir, ...stored } = await filledFolder(room, stock);
  return { ...(await ours(room, { name: stock.name })), ...stored, servers: [] };
}

/** The same without the service: the folder of its data. */
export async function filledFolder(
  room: Room,
  { name, ended, ...amount }: Stock,
): Promise<Filled & { readonly dataDir: string }> {
  const before = await ours(room, { name });
  const template = await endedSession(before.api, ended);
  await room.end(before);
  const onFatal = (line: string): void => void process.stderr.write(`${line}\n`);
  const dataDir = join(room.folder, name);
  const store = await openSqliteStore({ dataDir, collections, onFatal });
  const found = await templateIn(store, template);
  await store.close();
  return { ...told(await fillSqlite(dataDir, found, amount)), dataDir };
}

/** A cluster of one node, with a NATS of its own and a database of its own. */
export async function clusteredWith(
  room: Room,
  mongo: Mongo,
  { name, ended, ...amount }: Stock,
): Promise<Subject> {
  const cluster = await clusterOn(room, mongo, name);
  const before = await nodeOf(room, cluster);
  const key = await merchantOf(before, cluster);
  const template = await endedSession(new Api(before.url, key), ended);
  await room.end(before);
  const opened = (): Promise<Store> =>
    openMongoStore({ url: cluster.mongodbUrl, collections, onWarning: () => undefined });
  const store = await opened();
  const found = await templateIn(store, template);
  await store.close();
  const stored = told(await fillMongo(cluster.mongodbUrl, found, amount));
  await (await opened()).close();
  return { ...(await nodeOf(room, cluster)), ...stored, key, servers: mongo.pids };
}

function told(all: Filled): Filled {
  process.stdout.write(`${said(all.count)}, at ${Math.round(all.perSecond).toLocaleString('en')} /s\n`);
  return all;
}
