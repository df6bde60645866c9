import { expect, test } from 'vitest';
import { Listeners } from '../../../src/kernel/listeners.ts';

const heard: string[] = [];
const ear =
  (name: string) =>
  (said: string, key: string): void =>
    void heard.push(`${name} ${key} ${said}`);
const taken = (): readonly string[] => heard.splice(0);

test('a listener of a key receives its messages, in the order in which listeners were added, and of no other key', () => {
  const listeners = new Listeners<string, string>();
  listeners.add('a', ear('one'));
  listeners.add('a', ear('two'));
  listeners.add('b', ear('three'));
  listeners.notify('a', 'hello');
  listeners.notify('c', 'nobody');
  expect(taken()).toEqual(['one a hello', 'two a hello']);
  expect([listeners.size, listeners.has('a'), listeners.has('c')]).toEqual([2, true, false]);
});

test('the same function may be added twice, and is removed as often', () => {
  const listeners = new Listeners<string, string>();
  const twice = ear('twice');
  const [first, second] = [listeners.add('a', twice), listeners.add('a', twice)];
  first();
  first();
  listeners.notify('a', 'once');
  expect(taken()).toEqual(['twice a once']);
  second();
  listeners.notify('a', 'never');
  expect(taken()).toEqual([]);
  expect(listeners.size).toBe(0);
});

test('removing a listener keeps the others, and nothing of it is kept', () => {
  const listeners = new Listeners<string, string>();
  const leave = ['one', 'two', 'three'].map((name) => listeners.add('a', ear(name)));
  leave[1]?.();
  listeners.notify('a', 'x');
  leave[0]?.();
  listeners.notify('a', 'y');
  leave[2]?.();
  listeners.notify('a', 'z');
  expect(taken()).toEqual(['one a x', 'three a x', 'three a y']);
  expect(listeners.size).toBe(0);
});

test('adding or removing a listener during a notification does not change that notification', () => {
  const listeners = new Listeners<string, string>();
  const leaving = { cancel: (): void => undefined };
  listeners.add('a', () => {
    leaving.cancel();
    listeners.add('a', ear('late'));
  });
  leaving.cancel = listeners.add('a', ear('leaving'));
  listeners.notify('a', 'x');
  expect(taken()).toEqual(['leaving a x']);
  listeners.notify('a', 'y');
  expect(taken()).toEqual(['late a y']);
});

test('the cleanup after the last removal runs once', () => {
  const listeners = new Listeners<string, string>();
  const cancel = listeners.add('a', ear('one'), () => void heard.push('after'));
  cancel();
  cancel();
  expect(taken()).toEqual(['after']);
});
