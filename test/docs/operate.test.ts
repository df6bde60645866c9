/** The operator's guide quotes log lines and metrics that exist. */
import { afterAll, describe, expect, test } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareName } from '../support/alerts.ts';
import { gallaOfFile } from '../support/of-file.ts';
import { read, sourcesIn } from '../support/house.ts';

const page = read('docs/guides/operate.md');
const sectionOf = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('every log line in the troubleshooting table exists in the sources', () => {
  const words = [...sourcesIn('src'), ...sourcesIn('gateways')].map(({ text }) => text).join('\n');
  const quoted = [...sectionOf('Troubleshooting').matchAll(/^\| ([^|]*`[^|]*)\|/gm)]
    .flatMap(([, seen = '']) => [...seen.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line))
    .filter((line) => line !== 'No node answered');
  expect(quoted.length).toBeGreaterThan(15);
  const unknown = quoted.filter((line) => !line.split('…').every((part) => words.includes(part.trim())));
  expect(unknown).toEqual([]);
  expect(read('config/nginx.conf')).toContain('No node answered');
});

describe('metrics', () => {
  const telemetry = read('docs/reference/telemetry.md');
  const texts = [page, telemetry];
  // every part that has numbers of its own
  const backups = mkdtempSync(join(tmpdir(), 'galla-backups-'));
  afterAll(() => rmSync(backups, { recursive: true, force: true }));
  const galla = gallaOfFile({ GALLA_BACKUP_DIR: backups });

  test('every metric that the pages name is served under /metrics', async () => {
    await galla.admin.must('GET', '/admin/v1/nodes');
    const measured = await (await fetch(`${galla.url}/metrics`)).text();
    const named = texts.map((text) =>
      [...text.matchAll(/[`( ]((?:galla|nodejs|process)_[a-z0-9_]+)(?=[`{[ )])/g)].map(([, name = '']) =>
        bareName(name),
      ),
    );
    for (const names of named) expect(names.length).toBeGreaterThan(10);
    // `process_*` and the like name no number
    const numbers = named.flat().filter((name) => !name.endsWith('_'));
    expect(numbers.filter((name) => !measured.includes(`# TYPE ${name} `))).toEqual([]);
  });

  test('every label that the pages use belongs to that metric in telemetry.md', () => {
    const rows = new Map(
      [...telemetry.matchAll(/^\| `(galla_\w+)` \|.*$/gm)].map(([row, name = '']) => [name, row]),
    );
    const asked = texts.flatMap((text) => [...text.matchAll(/\b(galla_\w+)\{(\w+)="([a-z]\w*)"\}/g)]);
    expect(asked.length).toBeGreaterThan(4);
    const unknown = asked.filter(
      ([, name = '', label = '', value = '']) =>
        ![label, value].every((word) => rows.get(name)?.includes(`\`${word}\``)),
    );
    expect(unknown.map(([series]) => series)).toEqual([]);
  });
});
