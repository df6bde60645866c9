import { expect, test } from 'vitest';
import { singleFlights } from '../../../src/kernel/single-flight.ts';

function asked() {
  const asks: { key: string; resolve: (value: string) => void; reject: (why: Error) => void }[] = [];
  const call = singleFlights(
    (key) => new Promise<string>((resolve, reject) => void asks.push({ key, resolve, reject })),
  );
  const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
  return { asks, call, turn };
}

test('calls of one moment share one, each key its own', async () => {
  const { asks, call, turn } = asked();
  const answers = [call('a'), call('a'), call('b')];
  await turn();
  expect(asks.map(({ key }) => key)).toEqual(['a', 'b']);
  for (const { key, resolve } of asks) resolve(`of ${key}`);
  expect(await Promise.all(answers)).toEqual(['of a', 'of a', 'of b']);
});

test('a call made while one is in progress gets the answer of the next', async () => {
  const { asks, call, turn } = asked();
  const first = call('a');
  await turn();
  const later = [call('a'), call('a')];
  await turn();
  expect(asks).toHaveLength(1);
  asks[0]?.resolve('old');
  expect(await first).toBe('old');
  await turn();
  expect(asks).toHaveLength(2);
  asks[1]?.resolve('new');
  expect(await Promise.all(later)).toEqual(['new', 'new']);
});

test('a failure reaches those who share it, and not the next', async () => {
  const { asks, call, turn } = asked();
  const failing = [call('a'), call('a')];
  await turn();
  const next = call('a');
  asks[0]?.reject(new Error('no answer'));
  expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await turn();
  asks[1]?.resolve('well');
  expect(await next).toBe('well');
});
