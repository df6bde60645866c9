import { expect, test } from 'vitest';
import { Listeners } from '../../../src/kernel/listeners.ts';

const heard: string[] = [];
const ear =
  (name: string) =>
  (said: string, key: string): void =>
    void heard.push(`${name} ${key} ${said}`);
const taken = (): readonly string[] => heard.splice(0);

test('who listens to a key hears what is said of it, in the order they came, and of no other', () => {
  const listeners = new Listeners<string, string>();
  listeners.add('a', ear('one'));
  listeners.add('a', ear('two'));
  listeners.add('b', ear('three'));
  listeners.notify('a', 'hello');
  listeners.notify('c', 'nobody');
  expect(taken()).toEqual(['one a hello', 'two a hello']);
  expect([listeners.size, listeners.has('a'), listeners.has('c')]).toEqual([2, true, false]);
});

test('the same function may listen twice, and leaves as often as it came', () => {
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

test('whoever leaves takes nobody along, and nothing of him stays', () => {
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

test('who comes or goes while something is told changes nothing of that telling', () => {
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

test('what is to be done after the listening is done once', () => {
  const listeners = new Listeners<string, string>();
  const cancel = listeners.add('a', ear('one'), () => void heard.push('after'));
  cancel();
  cancel();
  expect(taken()).toEqual(['after']);
});
