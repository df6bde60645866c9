/** The bus of one process keeps the contract of the bus; that of a single node has no other node to reach. */
import { describe, expect, test } from 'vitest';
import { createLocalBus } from '../support/simulated/bus-local.ts';
import { createLoneBus } from '../../src/bus/bus-lone.ts';
import { bodyOf, busContract, idsContract } from './bus.contract.ts';

busContract('local', () => {
  const hub = createLocalBus();
  return Promise.resolve({
    connect: (name) => Promise.resolve(hub.connect(name)),
    close: () => Promise.resolve(),
  });
});

describe('a single node', () => {
  const bus = createLoneBus();
  idsContract(() => bus);
});

test('a single node reaches no other node, its broadcasts are dropped, and nothing is reported as stored', async () => {
  const bus = createLoneBus();
  expect(await bus.ask(3, bodyOf())).toEqual({ is: 'nobody' });
  bus.notice('cs_00000000000000000000000a', 'prj_x:live');
  bus.broadcast('moved', 'x');
  expect(await bus.post(bodyOf())).toBe(false);
  await bus.publish([
    { key: 'a:1', pos: 1, scope: 'prj_x:live', event: 'payment.succeeded', envelope: '{}' },
  ]);
  expect(bus.connected).toBe(true);
  await bus.close();
});

test('a closed bus is answered as "nobody" to the others', async () => {
  const hub = createLocalBus();
  const [a, b] = [hub.connect('a'), hub.connect('b')];
  await b.serve(1, () => Promise.resolve({ is: 'internal' }));
  await b.close();
  expect(await a.ask(1, bodyOf())).toEqual({ is: 'nobody' });
});
