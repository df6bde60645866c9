import { describe, expect, test } from 'vitest';
import { doorsOfNode, type DoorGroups } from '../../gateways/doors-of-node.ts';
import type { Door } from '../../gateways/server/door.ts';

const door = (path: string): Door => ({
  method: 'GET',
  path,
  handle: () => Promise.reject(new Error('unused')),
});
const groups: DoorGroups = {
  api: ['/v1/checkout', '/health', '/metrics', '/admin/v1/nodes', '/admin/v1/merchants', '/'].map(door),
  live: [door('/v1/events')],
  buyers: [door('/pay/{sessionId}')],
  assets: [door('/assets/page.js')],
  simulator: [door('/sim/wallet_b/pay')],
};
const paths = (gateways: boolean, over: Partial<DoorGroups> = {}): readonly string[] =>
  doorsOfNode({ gateways }, { ...groups, ...over }).map(({ path }) => path);

describe('a node', () => {
  test('with gateways opens all doors', () => {
    expect(paths(true)).toHaveLength(10);
  });

  test('of actors alone shows how it is, and opens no door to merchants or buyers', () => {
    expect(paths(false, { simulator: [] })).toEqual(['/health', '/metrics', '/admin/v1/nodes']);
  });

  test('of actors alone keeps what its own simulated payments go through', () => {
    expect(paths(false)).toEqual([
      '/health',
      '/metrics',
      '/admin/v1/nodes',
      '/pay/{sessionId}',
      '/sim/wallet_b/pay',
    ]);
  });
});
