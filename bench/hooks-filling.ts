/** Deliveries that wait to be sent, written by the store's own writer into the database of a service that is not running:
 *  copies of one that was made through the API, each of an object of its own. */
import { mintId } from '../src/kernel/id.ts';
import { deliveryIdOf } from '../actors/webhook-delivery/messages.ts';
import { sealWith } from '../src/kernel/seal.ts';
import { clockOf, slotOfActor } from '../src/runtime/model/address.ts';
import { openConnection } from '../src/store/sqlite-bind.ts';
import { databaseFile } from '../src/store/sqlite-schema.ts';
import { openSqliteStore } from '../src/store/store-sqlite.ts';
import type { Doc } from '../src/store/store.ts';
import { tableWriter } from './table-writer.ts';
import { collections } from './filling.ts';

const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const batch = 1000;
const busyMs = 5000;

/** An endpoint and a delivery to it whose try has not ended. */
export interface HookTemplate {
  readonly endpoint: Doc;
  readonly delivery: Doc;
}

export async function hookTemplateIn(dataDir: string, endpointId: string): Promise<HookTemplate> {
  const store = await openSqliteStore({ dataDir, collections, onFatal: (line) => console.error(line) });
  try {
    const endpoint = await store.read('webhook_endpoint', endpointId);
    if (endpoint === null) throw new Error('the endpoint is not stored');
    const { items } = await store.listDocs({
      kind: 'webhook_delivery',
      scope: endpoint.scope,
      equals: { endpointId },
      anyOf: { status: ['pending'] },
      page: 1,
      limit: 1,
    });
    const [delivery] = items;
    if (delivery === undefined || delivery.out.length !== 1) throw new Error('no delivery waits');
    return { endpoint, delivery };
  } finally {
    await store.close();
  }
}

export interface Backlog {
  /** How many for each endpoint. */
  readonly each: number;
  /** Copies of the endpoint with addresses of their own, none: only the endpoint itself. */
  readonly others?: { readonly count: number; readonly url: string; readonly secretsKey: string };
}

let filled = 0;

/** Writes a backlog for the endpoint, or for copies of it in projects of their own. */
export function fillHooks(
  dataDir: string,
  { endpoint, delivery }: HookTemplate,
  { each, others }: Backlog,
): void {
  const connection = openConnection(databaseFile(dataDir), busyMs);
  const write = tableWriter(connection);
  const put = (docs: readonly Doc[]): void => {
    for (let from = 0; from < docs.length; from += batch) {
      write(docs.slice(from, from + batch).map((doc) => ({ expect: 0, doc, rows: [] })));
    }
  };
  try {
    connection.exec('PRAGMA synchronous = OFF');
    for (let n = 0; n < (others?.count ?? 1); n++) {
      const of = others === undefined ? endpoint : elsewhere(endpoint, Math.floor(n / 10), others);
      if (others !== undefined) put([of]);
      put(Array.from({ length: each }, () => waiting(delivery, of)));
    }
  } finally {
    connection.close();
  }
}

/** The endpoint as another project might have it. */
function elsewhere(endpoint: Doc, project: number, { url, secretsKey }: NonNullable<Backlog['others']>): Doc {
  const id = mintId('we');
  const sealedSecret = sealWith(Buffer.from(secretsKey, 'base64')).seal(secret, id);
  const scope = `prj_dead${String(project).padStart(20, '0')}:sandbox` as const;
  return {
    ...endpoint,
    id,
    scope,
    slot: slotOfActor(id),
    clock: clockOf(scope),
    tok: id,
    v: 1,
    body: { ...endpoint.body, url, sealedSecret },
  };
}

/** The delivery of another event of another object to this endpoint. */
function waiting(delivery: Doc, { id: endpointId, scope, clock, slot }: Doc): Doc {
  const [eventId, objectId] = [mintId('evt'), mintId('cs')];
  const id = deliveryIdOf(endpointId, eventId);
  const pos = Number(delivery.body?.['pos']) + ++filled;
  const own = { endpointId, eventId, objectId, pos };
  const out = delivery.out.map((row) =>
    row.type === 'effect'
      ? {
          ...row,
          data: { ...(row.data as object), ...own, deliveryId: id },
          lane: endpointId,
          key: objectId,
          order: pos,
        }
      : row,
  );
  const created = delivery.created + filled;
  const tags = [`lane=webhook.post/${endpointId}`];
  const body = { ...delivery.body, ...own };
  return { ...delivery, id, scope, clock, slot, tok: id, v: 1, created, tags, body, out };
}
