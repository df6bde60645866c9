/** Who counts as without bus, by whom nodes do not hear. */
import { expect, test } from 'vitest';
import { withReach } from '../../../../src/runtime/cluster/bus-groups.ts';
import type { NodeInfo, NodeRow } from '../../../../src/store/directory.ts';

const node = (
  inc: string,
  unheard?: string,
  over: Partial<NodeInfo & Pick<NodeRow, 'state'>> = {},
): NodeRow => {
  const { state = 'live', ...info } = over;
  const heard = unheard === undefined ? {} : { unheard: unheard.split('') };
  const usual = { name: '', version: '', actors: true, bus: true, leaving: false, refuses: [], schemas: {} };
  return { inc, hb: 1, state, since: 0, info: { ...usual, ...heard, ...info } };
};

/** Those without bus. */
const off = (...nodes: readonly NodeRow[]): string =>
  withReach(nodes)
    .filter(({ info }) => !info.bus)
    .map(({ inc }) => inc)
    .join('');

test('rows are as they were while all hear all', () => {
  const nodes = [node('a', ''), node('b', ''), node('c', '')];
  expect(withReach(nodes)).toBe(nodes);
});

test('a node that most of the others do not hear counts as without bus, whatever it says itself', () => {
  expect(off(node('a', 'c'), node('b', 'c'), node('c', ''))).toBe('c');
  expect(off(node('a', 'c'), node('b', 'c'), node('c', 'ab'))).toBe('c');
});

test('a node that hears none of the others counts as without bus although they hear it', () => {
  expect(off(node('a', ''), node('b', ''), node('c', 'ab'))).toBe('c');
});

test('of two groups that do not hear each other the smaller one counts as without', () => {
  expect(off(node('a', 'cde'), node('b', 'cde'), node('c', 'ab'), node('d', 'ab'), node('e', 'ab'))).toBe(
    'ab',
  );
  expect(off(node('a', 'cd'), node('b', 'cd'), node('c', 'ab'), node('d', 'ab'))).toBe('cd');
});

test('of two nodes that only do not hear each other one counts as without, first one without actors', () => {
  expect(off(node('a', 'c'), node('b', ''), node('c', ''))).toBe('c');
  expect(off(node('a', '', { actors: false }), node('b', ''), node('c', 'a'))).toBe('a');
});

test('where no two nodes hear each other none is singled out', () => {
  expect(off(node('a', 'b'), node('b', 'a'))).toBe('');
  expect(off(node('a', 'bc'), node('b', 'ac'), node('c', 'ab'))).toBe('');
});

test('what dead nodes, nodes without a connection and older versions say or lack counts for nothing', () => {
  expect(off(node('a', ''), node('b', ''), node('c', 'ab', { state: 'dead' }))).toBe('');
  expect(off(node('a', 'c'), node('b', 'c'), node('c', undefined))).toBe('');
  expect(off(node('a', 'd'), node('b', 'd'), node('d', 'ab', { bus: false }))).toBe('d');
});
