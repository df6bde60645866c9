import { expect, test } from 'vitest';
import { clusterSeen, type OwnLoad } from '../../../src/telemetry/nodes.ts';
import type { NodeRow } from '../../../src/store/directory.ts';

const row = (inc: string, state: NodeRow['state']): NodeRow => ({
  inc,
  hb: 4,
  state,
  since: 1000,
  info: {
    name: `host ${inc}`,
    version: '0.1.0',
    actors: true,
    bus: true,
    leaving: false,
    refuses: [],
    schemas: { checkout_session: 1 },
  },
});
const own: OwnLoad = {
  activations: 3,
  mailboxCommands: 0,
  outboxOldestMs: 0,
  eventsToDispatch: 0,
  eventsToPublish: 2,
};

test('a partition that is of a dead node, given away or never taken is unowned', () => {
  const seen = clusterSeen(
    {
      nodes: [row('n:a', 'live'), row('n:b', 'dead')],
      partitions: [
        { p: 0, epoch: 3, owner: 'n:a' },
        { p: 1, epoch: 1, owner: 'n:b' },
        { p: 2, epoch: 2, owner: null },
        { p: 4, epoch: 1, owner: 'n:a' },
      ],
    },
    { partitions: 5, self: 'n:a', own },
  );
  expect(seen.unowned).toEqual([1, 2, 3]);
  expect(seen.nodes.map(({ id, state, partitions }) => [id, state, partitions])).toEqual([
    ['n:a', 'live', 2],
    ['n:b', 'dead', 1],
  ]);
});

test('only the answering node reports its own state', () => {
  const nodes = [row('n:a', 'live'), row('n:b', 'live')];
  const seen = clusterSeen({ nodes, partitions: [] }, { partitions: 1, self: 'n:b', own });
  expect(seen.nodes.map((one) => one.own)).toEqual([null, own]);
});

test('a node that names another address than the answering one is marked', () => {
  const named = (inc: string, baseUrl: string): NodeRow => {
    const { info, ...rest } = row(inc, 'live');
    return { ...rest, info: { ...info, baseUrl } };
  };
  const nodes = [
    named('n:a', 'https://one.example'),
    named('n:b', 'https://two.example'),
    row('n:c', 'live'),
  ];
  const seen = clusterSeen({ nodes, partitions: [] }, { partitions: 1, self: 'n:a', own });
  expect(seen.nodes.map(({ baseUrl, baseUrlDiffers }) => [baseUrl, baseUrlDiffers])).toEqual([
    ['https://one.example', false],
    ['https://two.example', true],
    [null, false],
  ]);
});
