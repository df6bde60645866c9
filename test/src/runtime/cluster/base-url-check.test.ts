import { expect, test } from 'vitest';
import { BaseUrlCheck } from '../../../../src/runtime/cluster/base-url-check.ts';
import type { NodeRow } from '../../../../src/store/directory.ts';

const row = (inc: string, baseUrl: string | null | undefined, state: NodeRow['state'] = 'live'): NodeRow => ({
  inc,
  hb: 1,
  state,
  since: 0,
  info: {
    name: `host ${inc}`,
    version: '1',
    actors: true,
    bus: true,
    leaving: false,
    refuses: [],
    schemas: {},
    ...(baseUrl === undefined ? {} : { baseUrl }),
  },
});

/** What node `a` logs when it reads these rows one after the other. */
function logged(...reads: readonly (readonly NodeRow[])[]): readonly unknown[] {
  const lines: unknown[] = [];
  const check = new BaseUrlCheck({
    warn: (_fields, line) => void lines.push(line),
    error: (fields) => void lines.push(fields),
  });
  for (const rows of reads) check.observe(rows, 'a');
  return lines;
}

const [here, there] = ['https://pay.example.com', 'https://pay.example.net'];

test('nodes with one address are not mentioned', () => {
  expect(logged([row('a', here), row('b', here)])).toEqual([]);
});

test('a node with another address is named once, and that it is over', () => {
  const apart = [row('a', here), row('b', there), row('c', here)];
  expect(logged(apart, apart, [row('a', here), row('b', here)])).toEqual([
    { baseUrl: here, others: [{ name: 'host b', baseUrl: there }] },
    'all nodes have the same BASE_URL again',
  ]);
});

test('nodes without an address name themselves, so they differ', () => {
  expect(logged([row('a', null), row('b', null)])).toHaveLength(1);
});

test('dead nodes and nodes of an older version are left out', () => {
  expect(logged([row('a', here), row('b', there, 'dead'), row('c', undefined)])).toEqual([]);
});
