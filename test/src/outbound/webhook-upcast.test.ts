/** Code that reads documents outside the runtime gets them in this build's shape. */
import { describe, expect, test } from 'vitest';
import type { WebhookPostParts } from '../../../src/outbound/webhook-post.ts';
import { webhookDispatch } from '../../../src/outbound/webhook-dispatch.ts';
import { webhookPost } from '../../../src/outbound/webhook-post.ts';
import { WebhookReads } from '../../../src/outbound/webhook-reads.ts';
import type { AnyActor } from '../../../src/runtime/model/actor.ts';
import { DocReader, SchemaUnknown } from '../../../src/runtime/model/upcast.ts';
import { webhookDelivery } from '../../../actors/webhook-delivery/webhook-delivery.ts';
import { webhookEndpoint } from '../../../actors/webhook-endpoint/webhook-endpoint.ts';
import { realScheduler } from '../../../src/kernel/time.ts';
import type { Doc, Row } from '../../../src/store/store.ts';
import { docOf, rowOf } from '../../contract/store-samples.ts';
import { versions } from '../../support/alone.ts';

const scope = 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox';
const endpointId = 'we_n9bpy9ep30dg728y8n6r6p5w';

/** Schema 2 calls `address` what is `url` now; schema 3 is this build's. */
const renamed: AnyActor = {
  ...webhookEndpoint,
  schema: 3,
  upcast: (body, from) => {
    const { address, ...kept } = body as { readonly address: string; readonly status: string };
    expect(from).toBe(2);
    return { ...kept, url: address } as { readonly status: string };
  },
};
const stored = (sv: number): Doc =>
  docOf({
    kind: 'webhook_endpoint',
    id: endpointId,
    scope,
    sv,
    body: {
      status: 'enabled',
      address: 'https://shop.example/hooks',
      events: ['*'],
      description: null,
      sealedSecret: 'sealed',
      apiVersion: '2026-11-20',
      sequence: 1,
      createdAt: 0,
      updatedAt: 0,
      failingSince: null,
    },
  });
const entry: Row = rowOf({
  kind: 'journal',
  id: 'checkout_session/cs_1:1',
  scope,
  body: { pos: 1, eventId: 'evt_1', event: 'payment.succeeded', objectId: 'pay_1', envelope: '{}', at: 0 },
});

function reads(sv: number): WebhookReads {
  const store = {
    read: () => Promise.resolve(stored(sv)),
    listDocs: ({ kind }: { readonly kind: string }) =>
      Promise.resolve(
        kind === 'webhook_endpoint' ? { items: [stored(sv)], total: 1 } : { items: [], total: 0 },
      ),
  };
  return new WebhookReads({
    here: () => Promise.resolve(undefined),
    docs: new DocReader(store, [renamed, webhookDelivery as unknown as AnyActor]),
    store: { readRow: () => Promise.resolve(entry), readManyRows: () => Promise.resolve([entry]) },
    alone: () => false,
    scheduler: realScheduler,
  });
}

const post = {
  endpointId,
  deliveryId: 'whd_1',
  journalId: entry.id,
  eventId: 'evt_1',
  objectId: 'pay_1',
  pos: 1,
  overtakes: false,
};

/** Posts, and where they went. */
function poster(sv: number) {
  const urls: string[] = [];
  const http: WebhookPostParts['guarded'] = {
    send: ({ url }) => {
      urls.push(String(url));
      return Promise.resolve({ is: 'unanswered', reason: 'nobody', durationMs: 1 });
    },
    close: () => Promise.resolve(),
  };
  const parts: WebhookPostParts = {
    reads: reads(sv),
    seal: { open: () => 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' },
    versions,
    guarded: http,
    unguarded: null,
    scheduler: realScheduler,
  };
  return { urls, run: () => webhookPost(parts).run(post, { scope, now: () => 0 }) };
}

describe('an endpoint of an older schema', () => {
  test('is sent to its URL, in the shape of that schema', async () => {
    const { urls, run } = poster(2);
    await run();
    expect(urls).toEqual(['https://shop.example/hooks']);
  });

  test('receives events', async () => {
    const caused = await webhookDispatch(reads(2))(scope, [entry]);
    expect(caused.map((list) => list.length)).toEqual([1]);
  });
});

describe('an endpoint a newer build has written', () => {
  test('is not sent anything with a guessed shape', async () => {
    const { urls, run } = poster(4);
    await expect(run()).rejects.toThrow(SchemaUnknown);
    expect(urls).toEqual([]);
  });

  test('delays its events rather than lose them', async () => {
    await expect(webhookDispatch(reads(4))(scope, [entry])).rejects.toThrow(SchemaUnknown);
  });
});
