import { expect, test } from 'vitest';
import { changedGlobals } from './globals.ts';

const found = (text: string): readonly string[] => changedGlobals('src/x.ts', text);

test.each([
  ['a field', 'const x = { a: 1 };\nfunction f() { x.a = 2; }'],
  ['a field further in', 'const x = { a: { b: [0] } };\nfunction f() { x.a.b[0]! += 2; }'],
  ['a field behind a cast', 'const x = {};\nfunction f() { (x as { a: number }).a = 2; }'],
  ['a count', 'const x = { a: 1 };\nfunction f() { x.a++; }'],
  ['by taking apart', 'const x = { a: 1 };\nfunction f() { [x.a] = [2]; }'],
  ['by taking an object apart', 'const x = { a: 1 };\nfunction f() { ({ b: x.a = 3 } = { b: 2 }); }'],
  ['by delete', 'const x: { a?: number } = {};\nfunction f() { delete x.a; }'],
  ['an array', 'export const x = [1];\nconst f = () => x.push(2);'],
  ['a map', 'const x = new Map([[1, 2]]);\nclass F { f() { x.set(3, 4); } }'],
  ['a map inside', 'const x = { seen: new Set() };\nfunction f() { x.seen.add(1); }'],
  ['by Object.assign', 'const x = {};\nfunction f() { Object.assign(x, { a: 1 }); }'],
  ['of a function', 'function x() {}\nfunction f() { x.calls = 1; }'],
  ['of a class', 'class X { static a = 1; f() { X.a = 2; } }'],
  ['of another module', "import { x } from './y.ts';\nfunction f() { x.a = 2; }"],
  ['another name that is free', 'let x = 1;\nfunction f() { x = 2; }'],
])('a change is detected: %s', (_what, text) => {
  expect(found(text)).toHaveLength(1);
});

test.each([
  ['a parameter of the name', 'const x = {};\nfunction f(x: { a: number }) { x.a = 2; }'],
  ['a local of the name', 'const x = {};\nfunction f() { const x = { a: 1 }; x.a = 2; }'],
  ['a local taken apart', 'const x = {};\nfunction f(y: object) { const { a: [x] } = y; x.a = 2; }'],
  ['a loop of the name', 'const x = {};\nfunction f(all: { a: number }[]) { for (const x of all) x.a = 2; }'],
  ['reading', 'const x = { a: [1] };\nfunction f() { return x.a.map((n) => n + 1); }'],
  ['what it is given', 'const x = { a: 1 };\nfunction f() { const y = { ...x }; y.a = 2; }'],
  ['a comment', 'const x = { a: 1 };\n// x.a = 2\n'],
  ['what is remembered of an object', 'const x = new WeakMap();\nfunction f(y: object) { x.set(y, 1); }'],
])('no change: %s', (_what, text) => {
  expect(found(text)).toEqual([]);
});

test('it reports where', () => {
  expect(found('const x = { a: 1 };\n\nfunction f() {\n  x.a = 2;\n}')).toEqual(['line 4: x']);
});
