import { expect, test } from 'vitest';
import {
  projectBytesMax,
  projectCommandsMax,
  projectRunningMax,
  runningMax,
  takenBytesMax,
  takenMax,
  WaitingCommands,
  type WaitingCommand,
} from '../../../src/bus/waiting-commands.ts';

const of = (projectId: string, bytes = 1): WaitingCommand => ({ projectId, bytes });

test('a project holds 10,000 commands, and the next one is refused until one has ended', () => {
  const waiting = new WaitingCommands();
  for (let n = 0; n < projectCommandsMax; n++) expect(waiting.add(of('a'))).toBe(true);
  expect(waiting.add(of('a'))).toBe(false);
  expect(waiting.add(of('b'))).toBe(true);
  const first = waiting.next() ?? expect.unreachable();
  waiting.rests(first);
  expect(waiting.add(of('a'))).toBe(false);
  waiting.again(first);
  const next = waiting.next() ?? expect.unreachable();
  waiting.ended(next);
  expect(waiting.add(of(next.projectId))).toBe(true);
});

test('a project holds 1 MiB, to the byte', () => {
  const waiting = new WaitingCommands();
  for (let n = 0; n < 16; n++) expect(waiting.add(of('a', projectBytesMax / 16))).toBe(true);
  expect(waiting.bytes).toBe(projectBytesMax);
  expect(waiting.add(of('a', 1))).toBe(false);
  expect(waiting.add(of('b', 1))).toBe(true);
  const first = waiting.next() ?? expect.unreachable();
  waiting.ended(first);
  expect(waiting.bytes).toBe(projectBytesMax - projectBytesMax / 16 + 1);
});

test('projects take turns, and one of them never takes all places', () => {
  const waiting = new WaitingCommands();
  for (let n = 0; n < 1000; n++) waiting.add(of('a'));
  const running: WaitingCommand[] = [];
  for (let next = waiting.next(); next !== undefined; next = waiting.next()) running.push(next);
  expect(running.length).toBe(projectRunningMax);
  for (const name of ['b', 'c', 'd', 'e']) for (let n = 0; n < 1000; n++) waiting.add(of(name));
  const order: string[] = [];
  for (let next = waiting.next(); next !== undefined; next = waiting.next()) order.push(next.projectId);
  expect(order.slice(0, 8).join('')).toBe('bcdebcde');
  expect(running.length + order.length).toBe(runningMax);
  waiting.ended(running[0] ?? expect.unreachable());
  // its turn was kept while it had too many at work
  expect(waiting.next()?.projectId).toBe('a');
});

test('what has ended leaves nothing behind', () => {
  const waiting = new WaitingCommands();
  for (const name of ['a', 'b']) waiting.add(of(name, 10));
  for (let next = waiting.next(); next !== undefined; next = waiting.next()) waiting.ended(next);
  expect(waiting.bytes).toBe(0);
  expect(Reflect.get(waiting, 'projects')).toEqual(new Map());
});

test('however many projects hold all they may, there is room for another one', () => {
  const [waiting, inBytes] = [new WaitingCommands(), new WaitingCommands()];
  for (const name of 'abcdefgh') {
    while (waiting.add(of(name)));
    while (inBytes.add(of(name, projectBytesMax)));
  }
  expect(waiting.commands).toBeLessThan(takenMax - 64);
  expect(waiting.add(of('z'))).toBe(true);
  for (let n = 0; n < 50; n++) while (inBytes.add(of(`p${n}`, projectBytesMax / 16)));
  expect(inBytes.bytes).toBeLessThan(takenBytesMax);
  expect(inBytes.add(of('z', 64))).toBe(true);
});
