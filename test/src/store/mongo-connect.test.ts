/** What a node says at its start of a replica set that it uses all the same. */
import { expect, test } from 'vitest';
import { warningsOf } from '../../../src/store/mongo-connect.ts';

const three = { hosts: ['a:1', 'b:1', 'c:1'], maxWireVersion: 21 };

test('nothing of three members of 7.0, or of a newer version', () => {
  expect(warningsOf(three, 'a:1')).toEqual([]);
  expect(warningsOf({ ...three, maxWireVersion: 25 }, 'a:1')).toEqual([]);
  // one that never becomes primary has the data, too
  expect(warningsOf({ ...three, hosts: ['a:1', 'b:1'], passives: ['c:1'] }, 'a:1')).toEqual([]);
});

test.each([
  [{ hosts: ['a:1'] }, [/one member: if its disk is lost/]],
  [{ hosts: ['a:1', 'b:1'] }, [/two members with data: while one is away, nothing can be written/]],
  [
    { hosts: ['a:1', 'b:1'], arbiters: ['c:1'] },
    [/two members with data/, /has an arbiter: it confirms no write/],
  ],
  [{ maxWireVersion: 20 }, [/is older than 7.0/]],
])('%j: its warnings', (over, lines) => {
  expect(warningsOf({ ...three, ...over }, 'a:1')).toEqual(lines.map((line) => expect.stringMatching(line)));
});
