/** A node with everything that carries webhooks, on a model store, and an endpoint with real HTTP. */
import type { IncomingHttpHeaders } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { envelopeText } from '../../../actors/event-log/envelope.ts';
import { eventLog } from '../../../actors/event-log/event-log.ts';
import { eventLogAt } from '../../../actors/event-log/messages.ts';
import { projectAt } from '../../../actors/project/messages.ts';
import { project } from '../../../actors/project/project.ts';
import {
  deliveryIdOf,
  webhookDeliveryAt,
  type DeliveryState,
} from '../../../actors/webhook-delivery/messages.ts';
import { webhookDelivery } from '../../../actors/webhook-delivery/webhook-delivery.ts';
import { webhookEndpointAt } from '../../../actors/webhook-endpoint/messages.ts';
import { webhookEndpoint } from '../../../actors/webhook-endpoint/webhook-endpoint.ts';
import { sealWith } from '../../../src/kernel/seal.ts';
import { realScheduler, type DurationMs } from '../../../src/kernel/time.ts';
import { openHttp } from '../../../src/outbound/http.ts';
import { isPublicAddress } from '../../../src/outbound/ssrf-guard.ts';
import { webhookDispatch } from '../../../src/outbound/webhook-dispatch.ts';
import { webhookEffects } from '../../../src/outbound/webhook-post.ts';
import { WebhookReads } from '../../../src/outbound/webhook-reads.ts';
import { embedded } from '../../support/embedded.ts';
import { Node } from '../../../src/runtime/node/node.ts';
import { DocReader } from '../../../src/runtime/model/upcast.ts';
import { eventIdOf } from '../../../src/runtime/turn/working-doc.ts';
import type { Store } from '../../../src/store/store.ts';
import { createSimStore, type SimConnection, type SimStore } from '../../support/simulated/store-sim.ts';
import { httpServer } from './servers.ts';
import { versions } from '../../support/alone.ts';

export const projectId = 'prj_pjc0e83mhrawse3s6h8bhrbw';
export const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const system = { by: 'system', scope: 'system' } as const;

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}
/** What the shop answers: a status, or status and headers and body; may wait. */
export type Answer = (received: Received, count: number) => number | Reply | Promise<number | Reply>;
export interface Reply {
  readonly status: number;
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

export async function shop(answer: Answer): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const port = await httpServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const one = {
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        path: request.url ?? '',
      };
      received.push(one);
      const answered = await answer(one, received.length);
      const reply = typeof answered === 'number' ? { status: answered } : answered;
      response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
    })();
  });
  return { url: `http://127.0.0.1:${port}/hooks`, received };
}

export interface WorldOptions {
  readonly mode?: 'sandbox' | 'live';
  /** WEBHOOK_ALLOW_PRIVATE_HOSTS; on by default. */
  readonly allowPrivate?: boolean;
  /** Whether the node owns every actor, as an embedded one does; the default. */
  readonly alone?: boolean;
  /** The store of a world before this one, whose process has ended. */
  readonly sim?: SimStore;
}

/** What was read of the store, beside what actors read of themselves. */
export interface Reads {
  lists: number;
  endpoints: number;
  journal: number;
}

const newSim = (): SimStore => {
  const sim = createSimStore({ scheduler: realScheduler, chance: () => 0.5, rowsInCommit: true });
  Object.assign(sim.weather, { latencyMsMin: 0, latencyMsMax: 0 });
  return sim;
};

export async function world({
  mode = 'sandbox',
  allowPrivate = true,
  alone = true,
  sim = newSim(),
}: WorldOptions = {}) {
  const scope = `${projectId}:${mode}` as const;
  const store = sim.connect();
  const { reads: counted, counting } = countingReads(store);
  const actors = [project, eventLog, webhookEndpoint, webhookDelivery];
  const docs = new DocReader(counting, actors);
  const reads = new WebhookReads({
    here: () => Promise.resolve(undefined),
    docs,
    store: counting,
    alone: () => alone,
    scheduler: realScheduler,
  });
  const seal = sealWith(Buffer.alloc(32, 1));
  const guarded = openHttp({
    guard: { resolve: () => Promise.resolve(['127.0.0.1']), allowed: isPublicAddress },
  });
  const unguarded = allowPrivate ? openHttp() : null;
  const problems: unknown[] = [];
  const node: Node = new Node({
    actors,
    store,
    scheduler: realScheduler,
    ...embedded('n:1'),
    envelopeText,
    effects: webhookEffects({
      docs,
      reads,
      store,
      seal,
      versions,
      guarded,
      unguarded,
      scheduler: realScheduler,
      client: () => node.client,
    }),
    dispatch: webhookDispatch(reads),
    committed: (doc) => reads.observe(doc),
    log: { warn: (fields) => void problems.push(fields), error: (fields) => void problems.push(fields) },
  });
  await node.start();
  node.open();
  onTestFinished(async () => {
    node.kill();
    await Promise.all([guarded.close(), unguarded?.close()]);
    expect(problems).toEqual([]);
  });
  await node.client.ask(
    projectAt(projectId),
    'open',
    { merchantId: 'mer_1', name: 'Shop', providers: [] },
    system,
  );

  const openEndpoint = async (
    url: string,
    events: readonly string[] = ['*'],
    id = 'we_n9bpy9ep30dg728y8n6r6p5w',
  ): Promise<string> => {
    const opening = {
      url,
      events,
      description: null,
      sealedSecret: seal.seal(secret, id),
      apiVersion: '2026-11-20',
    };
    expect(
      await node.client.ask(webhookEndpointAt(id), 'open', opening, { by: 'merchant', scope }),
    ).toMatchObject({
      is: 'ok',
    });
    return id;
  };
  /** Tells the log of events as their actors would; answers their ids. */
  const emit = async (
    ...events: readonly { objectId: string; type?: string; note?: string }[]
  ): Promise<string[]> => {
    const logged = events.map(({ objectId, type = 'payment.failed', note = '' }) => {
      const key = `checkout_session/cs_${objectId}:${++emitted}`;
      const at = node.client.now(scope);
      const object = { id: objectId, sequence: emitted, note };
      return {
        key,
        eventId: eventIdOf(scope, key),
        event: type,
        objectId,
        envelope: envelopeText({ id: eventIdOf(scope, key), type, at, scope, object, test: false }),
        at,
      };
    });
    expect(
      await node.client.ask(eventLogAt(scope), 'append', { events: logged }, { by: 'system', scope }),
    ).toMatchObject({ is: 'ok' });
    return logged.map(({ key }) => eventIdOf(scope, key));
  };
  let emitted = (await store.journalAfter(scope, 0, 1000)).length;
  const delivery = async (endpointId: string, eventId: string) =>
    (await node.client.read<DeliveryState>(webhookDeliveryAt(deliveryIdOf(endpointId, eventId)), scope))
      ?.view ?? null;
  const statusIs = (endpointId: string, eventId: string, status: string): Promise<void> =>
    expect
      .poll(async () => (await delivery(endpointId, eventId))?.['status'], { timeout: 8000, interval: 5 })
      .toBe(status);
  /** Moves the project's clock and waits until all that fell due is done. */
  const advance = async (by: DurationMs): Promise<void> => {
    await node.client.ask(projectAt(projectId), 'advanceClock', { to: node.client.now(scope) + by }, system);
    await expect
      .poll(async () => (await node.client.read(projectAt(projectId), null))?.view['status'], {
        timeout: 8000,
        interval: 5,
      })
      .toBe('ready');
  };
  return { node, scope, sim, store, counted, openEndpoint, emit, delivery, statusIs, advance };
}

/** A store that counts the reads of the sender of webhooks. */
function countingReads(store: SimConnection) {
  const reads: Reads = { lists: 0, endpoints: 0, journal: 0 };
  const counting: Pick<Store, 'read' | 'listDocs' | 'readRow' | 'readManyRows'> = {
    read: (kind, id) => {
      reads.endpoints++;
      return store.read(kind, id);
    },
    listDocs: (query) => {
      reads.lists++;
      return store.listDocs(query);
    },
    readRow: (kind, id) => store.readRow(kind, id),
    readManyRows: (kind, ids) => {
      reads.journal++;
      return store.readManyRows(kind, ids);
    },
  };
  return { reads, counting };
}
