/** Bodies of a given length that cost the most to read, beside what they are compared with: one text of that length.
 *  Boundary: builds texts; parsing-cost.test.ts sends them. */
import { jsonDepthMax, jsonItemsMax } from '../../../src/kernel/json-scan.ts';

/** Names and values left for those that a body must have. */
const itemsMax = jsonItemsMax - 100;

const filled = (part: string, bytes: number): string =>
  part.repeat(Math.max(0, Math.floor(bytes / part.length)));

/** Different names, each with a value, together `bytes` long. */
function names(bytes: number, value = '0', items = itemsMax): string {
  const count = Math.min(items / 2, Math.floor(bytes / 16));
  const length = Math.floor(bytes / count) - 4 - value.length;
  return Array.from({ length: count }, (_, at) => `"${String(at).padEnd(length, 'n')}":${value}`).join(',');
}

/** More names than a body may have. */
const tooMany = (bytes: number): string =>
  Array.from({ length: Math.max(jsonItemsMax, Math.floor(bytes / 9)) }, (_, at) => `"${at.toString(36)}":0`)
    .join(',')
    .slice(0, Math.max(0, bytes));

const deep = (bytes: number): string => {
  const [open, close] = ['['.repeat(jsonDepthMax - 2), ']'.repeat(jsonDepthMax - 2)];
  return `"x":${open}"${filled('a', bytes - 2 * jsonDepthMax)}"${close}`;
};

/** `valid` without its brace at the end, and another name in it. */
const within = (valid: object, more: string): string => {
  const begun = JSON.stringify(valid).slice(0, -1);
  return `${begun}${begun === '{' ? '' : ','}${more}}`;
};

/** `items` names and values in little room. */
export const fullOfNames = (bytes: number, items: number): string => `{${names(bytes, '"value"', items)}}`;

/** What any of the others is compared with. */
export const oneText = (valid: object, bytes: number): string =>
  within(valid, `"x":"${filled('a', roomIn(valid, bytes))}"`);

const roomIn = (valid: object, bytes: number): number => bytes - JSON.stringify(valid).length - 16;

/** Each has at most `bytes`. `valid` is an object that the door takes, or an empty one. */
export function costly(valid: object, bytes: number): readonly (readonly [name: string, body: string])[] {
  const room = roomIn(valid, bytes);
  const text = (part: string): string => `"x":"${filled(part, room)}"`;
  const inside: { readonly [name: string]: string } = {
    'many names': names(room),
    'many names of texts': names(room, '"value"'),
    'more names than allowed': tooMany(room),
    'many values': `"x":[${filled('0,', 2 * itemsMax - 4)}0],"y":"${filled('a', room - 2 * itemsMax - 16)}"`,
    'many lists': `"x":[${filled('[],', 3 * itemsMax)}0],"y":"${filled('a', room - 3 * itemsMax - 16)}"`,
    deep: deep(room),
    'deeper than allowed': `"x":${filled('[', room / 2)}${filled(']', room / 2)}`,
    'one long number': `"x":${filled('1', room)}`,
    'one long fraction': `"x":1.${filled('0', room - 2)}1`,
    'one long fraction of nines': `"x":0.${filled('9', room - 2)}`,
    'many long fractions': `"x":[${filled(`1.${'0'.repeat(250)}1,`, room - 4)}0]`,
    'many short fractions': `"x":[${filled('1.5e0,', Math.min(6 * itemsMax, room - 4))}0]`,
    escapes: text('\\u0041'),
    'pairs of escapes': text('\\ud83d\\ude00'),
    'short escapes': text('\\n'),
    'wide letters': `"x":"${'\u{1f600}'.repeat(room / 4)}"`,
    spaces: `"x":0${filled(' ', room)}`,
    'a text without an end': `"x":"${filled('a', room)}`,
  };
  const all = Object.entries(inside).map(([name, more]) => [name, within(valid, more)] as const);
  return all.filter(([, body]) => Buffer.byteLength(body) <= bytes);
}
