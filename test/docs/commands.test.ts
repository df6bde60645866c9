/** docs/reference/commands.md says which commands are offered, and with which bounds. */
import { expect, test } from 'vitest';
import { offeredOf } from '../../gateways/commands/offered.ts';
import { ageMsMax, aheadMsMax, outcomeKeptMs } from '../../gateways/commands/records.ts';
import { refusedKeptMax } from '../../gateways/commands/refused-commands.ts';
import type { ApiParts } from '../../gateways/http/api-parts.ts';
import { routesOf } from '../../gateways/http/routes.ts';
import { commandBytesMax } from '../../src/bus/nats-streams.ts';
import {
  projectBytesMax,
  projectCommandsMax,
  projectRunningMax,
  runningMax,
} from '../../src/bus/waiting-commands.ts';
import { hours, minutes } from '../../src/kernel/time.ts';
import { sendersMax } from '../../src/runtime/turn/seen.ts';
import { read } from '../support/house.ts';

const page = read('docs/reference/commands.md');
const offered = offeredOf(routesOf({ simulate: null } as unknown as ApiParts));

test('the page lists each command that a route offers, by the name of its route, and no other', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| `([\w-]+)` \| \[([^\]]+)\]/gm)];
  const written = rows.map(([, kind, name, summary]) => `${kind}.${name}: ${summary}`);
  expect(written.toSorted()).toEqual(offered.map(({ name, summary }) => `${name}: ${summary}`).toSorted());
});

test('what is offered is named by its kind, and finds its object in the path or in a field of the body', () => {
  expect(offered.length).toBe(8);
  expect(new Set(offered.map(({ name }) => name)).size).toBe(offered.length);
  for (const { name, idField, api, rules } of offered) {
    expect(name).toMatch(/^[a-z_]+\.[a-z-]+$/);
    expect(rules.key, name).toBe('secret');
    expect(rules.method, name).toBe('POST');
    const fields = Object.keys(Reflect.get(rules.body ?? {}, 'properties') ?? {});
    expect(idField === null ? api.includes('{id}') : fields.includes(idField), name).toBe(true);
  }
});

test('a record lives longer than its command can be executed', () => {
  expect(outcomeKeptMs).toBeGreaterThan(ageMsMax + aheadMsMax);
});

test('the bounds of the page are those of the code', () => {
  expect([ageMsMax, outcomeKeptMs, aheadMsMax]).toEqual([hours(24), hours(25), minutes(5)]);
  expect(commandBytesMax).toBe(64 * 1024);
  const project = `${projectCommandsMax.toLocaleString('en')} commands, ${projectBytesMax / 2 ** 20} MiB`;
  for (const text of [
    '| one command with its headers | 64 KiB |',
    `| waiting of one project, at each node | ${project} of texts;`,
    `| at work at a node; of them of one project | ${runningMax}; ${projectRunningMax} |`,
    `| ${sendersMax.toLocaleString('en')}; further ones wait |`,
    `the last ${refusedKeptMax} at most`,
    'for 25 hours of real time',
    'more than 5 minutes ahead',
  ])
    expect(page).toContain(text);
});
