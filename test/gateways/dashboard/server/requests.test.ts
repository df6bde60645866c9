/** Searches of the log of requests share the event loop: a login that sends many of them delays nobody else. */
import { beforeEach, expect, test } from 'vitest';
import { searchesInTurn, searchesWaitingMax } from '../../../../gateways/dashboard/server/requests.ts';
import { blocksPerRead } from '../../../../gateways/requests/search.ts';
import type { Client } from '../../../../src/runtime/model/client.ts';
import type { Scope } from '../../../../src/runtime/model/address.ts';

let running: number;
let runningMax: number;
let limitMax: number;
let asked: Scope[];

/** A store with nothing in it that answers after a moment. */
const client: Pick<Client, 'listRows'> = {
  async listRows({ limit, scope }) {
    runningMax = Math.max(runningMax, ++running);
    limitMax = Math.max(limitMax, limit);
    asked.push(scope as Scope);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return { items: [], total: 0 };
  },
};

beforeEach(() => {
  running = runningMax = limitMax = 0;
  asked = [];
});

const search = (scope: Scope) => ({ scope, after: null, limit: 50, now: 1_795_166_200_000 });

test('many searches of one project run one after the other, in small reads; what does not fit is refused', async () => {
  const find = searchesInTurn(client);
  const found = await Promise.all(Array.from({ length: 50 }, () => find(search('prj_a:sandbox'))));
  expect([runningMax, limitMax]).toEqual([1, blocksPerRead]);
  expect(found.filter((each) => each !== null)).toHaveLength(searchesWaitingMax + 1);
});

test('a search of another project waits for one of them, not for all', async () => {
  const find = searchesInTurn(client);
  const many = Array.from({ length: 50 }, () => find(search('prj_a:sandbox')));
  expect(await find(search('prj_b:live'))).toEqual({ data: [], next: null });
  expect(asked.indexOf('prj_b:live')).toBeLessThanOrEqual(2);
  await Promise.all(many);
});
