import { describe, expect, test } from 'vitest';
import { eventKinds, sampleEnvelope } from '../../actors/events.ts';
import type { EndpointState } from '../../actors/webhook-endpoint/messages.ts';
import { couldBeId } from '../../src/kernel/id.ts';
import { read } from '../support/house.ts';

const now = Date.parse('2026-11-20T09:16:40.000Z');
const eventId = 'evt_3n7pyr93gtnfjwsx64c6mmma';
const state: EndpointState = {
  status: 'enabled',
  url: 'https://shop.example/hooks',
  events: ['*'],
  description: null,
  sealedSecret: 'sealed',
  apiVersion: '2026-11-20',
  sequence: 1,
  createdAt: now,
  updatedAt: now,
  failingSince: null,
};
const sampled = (type: string, mode: 'sandbox' | 'live' = 'sandbox') => {
  const scope = `prj_pjc0e83mhrawse3s6h8bhrbw:${mode}` as const;
  const endpoint = { id: 'we_n9bpy9ep30dg728y8n6r6p5w', state };
  return JSON.parse(sampleEnvelope(type, { eventId, scope, now, endpoint })) as {
    readonly data: { readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
};

describe('a sample event', () => {
  test('there is one for every kind of the page, and for no other', () => {
    const page = read('docs/reference/events.md');
    const kinds = [...page.matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, kind]) => kind);
    expect([...eventKinds].sort()).toEqual(kinds.sort());
  });

  test.each(eventKinds)('%s is marked as a test', (kind) => {
    const { data, ...envelope } = sampled(kind, 'live');
    expect(envelope).toEqual({
      id: eventId,
      type: kind,
      created: Math.floor(now / 1000),
      timestamp: '2026-11-20T09:16:40.000Z',
      livemode: true,
      apiVersion: '2026-11-20',
      sequence: expect.any(Number) as number,
      test: true,
    });
    expect(Object.keys(data).length).toBeGreaterThan(0);
    expect(JSON.stringify(data)).not.toContain('sealed');
  });

  test('has the documented shape', () => {
    expect(sampled('test.ping').data).toEqual({ message: 'ping' });
    expect(sampled('payment.succeeded').data).toMatchObject({
      projectId: 'prj_pjc0e83mhrawse3s6h8bhrbw',
      livemode: false,
      status: 'success',
      duplicate: false,
      session: { referenceId: 'A-1001' },
      customerAddress: null,
    });
    expect(sampled('payment.duplicate').data).toMatchObject({ status: 'success', duplicate: true });
    expect(sampled('payment.failed').data).toMatchObject({ status: 'failed', failureCode: 'declined' });
    expect(sampled('payment.cancelled').data).toMatchObject({ failureCode: 'user_cancelled' });
    for (const [kind, status] of [
      ['checkout.created', 'pending'],
      ['checkout.expired', 'expired'],
      ['checkout.cancelled', 'cancelled'],
    ] as const)
      expect(sampled(kind).data).toMatchObject({ status, amount: 125_050 });
    expect(sampled('webhook_endpoint.disabled').data).toMatchObject({
      id: 'we_n9bpy9ep30dg728y8n6r6p5w',
      enabled: false,
      disabledReason: 'failing',
    });
    expect(sampled('reconciliation.mismatch').data).toMatchObject({ ours: 'success', theirs: 'cancelled' });
  });

  test('contains ids in the documented form', () => {
    const { data } = sampled('payment.succeeded');
    expect(couldBeId('pay', String(data['id']))).toBe(true);
    expect(couldBeId('cs', String(data['sessionId']))).toBe(true);
  });
});
