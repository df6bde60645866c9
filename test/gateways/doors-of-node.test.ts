import { describe, expect, test } from 'vitest';
import { doorsOfNode, type DoorGroups } from '../../gateways/doors-of-node.ts';
import type { Door } from '../../gateways/server/door.ts';

const door = (path: string): Door => ({
  method: 'GET',
  path,
  handle: () => Promise.reject(new Error('unused')),
});
const groups: DoorGroups = {
  api: ['/v1/checkout', '/health', '/live', '/metrics', '/admin/v1/nodes', '/admin/v1/merchants', '/'].map(
    door,
  ),
  live: [door('/v1/events')],
  buyers: [door('/pay/{sessionId}')],
  assets: [door('/assets/page.js')],
  simulator: [door('/sim/wallet_b/pay')],
};
const paths = (gateways: boolean, over: Partial<DoorGroups> = {}): readonly string[] =>
  doorsOfNode({ gateways }, { ...groups, ...over }).map(({ path }) => path);

describe('a node', () => {
  test('with gateways opens all endpoints', () => {
    expect(paths(true)).toHaveLength(11);
  });

  test('with actors only serves its health, and no endpoint for merchants or buyers', () => {
    expect(paths(false, { simulator: [] })).toEqual(['/health', '/live', '/metrics', '/admin/v1/nodes']);
  });

  test('with actors only keeps the endpoints that its own simulated payments need', () => {
    expect(paths(false)).toEqual([
      '/health',
      '/live',
      '/metrics',
      '/admin/v1/nodes',
      '/pay/{sessionId}',
      '/sim/wallet_b/pay',
    ]);
  });
});
