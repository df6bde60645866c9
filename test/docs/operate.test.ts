/** The operator's guide speaks of what the code says and measures. */
import { expect, test } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { RequestTimes } from '../../src/telemetry/route-times.ts';
import { read, sourcesIn } from '../support/house.ts';

const page = read('docs/guides/operate.md');
const sectionOf = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('every line of the bad days is one the service writes', () => {
  const words = [...sourcesIn('src'), ...sourcesIn('gateways')].map(({ text }) => text).join('\n');
  const quoted = [...sectionOf('Bad days').matchAll(/^\| ([^|]*`[^|]*)\|/gm)]
    .flatMap(([, seen = '']) => [...seen.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line))
    .filter((line) => line !== 'No node answered');
  expect(quoted.length).toBeGreaterThan(15);
  const unknown = quoted.filter((line) => !line.split('…').every((part) => words.includes(part.trim())));
  expect(unknown).toEqual([]);
  expect(read('config/nginx.conf')).toContain('No node answered');
});

test('every number an alert names is measured', async () => {
  const metrics = createMetrics({ version: '0', incarnation: 'n:0', log: { warn: () => undefined } });
  metrics.watchRequests(() => 0);
  metrics.meters.watch({
    activations: () => 0,
    mailboxes: () => ({ commands: 0, deepest: 0 }),
    partitionsOwned: () => 0,
    outboxOldestMs: () => 0,
    eventLogLag: () => ({ toDispatch: 0, toPublish: 0 }),
    effects: () => [{ kind: 'webhook.post', running: 0, waiting: 0 }],
  });
  const requests = new RequestTimes();
  requests.add(undefined, 404, 1);
  const measured = `${await metrics.text()}\n${requests.text()}`;
  const named = [...page.matchAll(/`((?:galla|nodejs)_[a-z0-9_]+)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !measured.includes(`# TYPE ${name} `))).toEqual([]);
});
