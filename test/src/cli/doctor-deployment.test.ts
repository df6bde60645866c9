/** What `galla doctor --deployment` says of the files in config/, as they are and with a fault planted in each. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { deploymentFindings } from '../../../src/cli/doctor/deployment/deployment.ts';
import { read } from '../../support/house.ts';

const folder = mkdtempSync(join(tmpdir(), 'galla-deployment-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** As `is: says`, without the file's name. */
function found(name: string, change: (text: string) => string): readonly string[] {
  const file = join(folder, name);
  const before = read(`config/${name}`);
  const text = change(before);
  writeFileSync(file, text);
  return deploymentFindings(file).map(({ is, says }) => `${is}: ${says.replace(`${file}: `, '')}`);
}

/** Replaces what is there for certain. */
const instead =
  (from: string, to: string) =>
  (text: string): string => {
    expect(text).toContain(from);
    return text.replace(from, to);
  };
const noFile = instead('EnvironmentFile=-/etc/galla/galla.env\n', '');

describe('a unit of systemd', () => {
  test('the one of this version is as it should be, once its file of settings can be read', () => {
    expect(found('galla.service', noFile)).toEqual([
      expect.stringMatching(/^ok: .* is as a service needs it$/),
    ]);
    const settings = join(folder, 'galla.env');
    const named = instead('/etc/galla/galla.env', settings);
    expect(found('galla.service', named)).toEqual([
      expect.stringMatching(/^unknown: .*galla\.env, which .* names, cannot be read/),
      expect.stringMatching(/^ok: /),
    ]);
    // what only the service reads may hold a secret
    writeFileSync(settings, '# ours\nBASE_URL="https://pay.example"\nGALLA_ADMIN_TOKEN=a-token-of-our-own\n');
    expect(found('galla.service', named)).toEqual([expect.stringMatching(/^ok: /)]);
    writeFileSync(settings, 'GALLA_BASE_URL=https://pay.example\n');
    expect(found('galla.service', named)).toEqual([expect.stringMatching(/^problem: .*GALLA_BASE_URL/)]);
  });

  test.each<[string, string, RegExp]>([
    [
      'GALLA_DATA_DIR=/var/lib/galla',
      'GALLA_DATA_DIR=/srv/galla',
      /^problem: .* may not write \/srv\/galla /,
    ],
    ['ReadWritePaths=-/var/backups/galla', '', /^problem: .* may not write \/var\/backups\/galla /],
    ['Environment=GALLA_DATA_DIR=/var/lib/galla\n', '', /^problem: .* may not write \.galla /],
    ['Restart=always', 'Restart=no', /^warning: .*set Restart=always$/],
    ['TimeoutStopSec=20', 'TimeoutStopSec=10', /^warning: TimeoutStopSec=10 kills/],
    ['User=galla', '', /^warning: the service runs as root/],
    ['LimitNOFILE=65536', '', /^warning: 1024 open files/],
    [
      '[Install]',
      'Environment=GALLA_MEMORY_MB=4096\n[Install]',
      /^problem: GALLA_MEMORY_MB=4096 .* MemoryMax/,
    ],
    [
      '[Install]',
      'Environment=GALLA_ADMIN_TOKEN=a-token-of-our-own\n[Install]',
      /^warning: .* holds GALLA_ADMIN_TOKEN/,
    ],
  ])('%j as %j', (from, to, line) => {
    expect(found('galla.service', (text) => instead(from, to)(noFile(text)))).toEqual([
      expect.stringMatching(line),
    ]);
  });
});

describe('objects of Kubernetes', () => {
  test('those of this version are as they should be', () => {
    expect(found('kubernetes.yml', (text) => text)).toEqual([
      expect.stringMatching(/^ok: .* is as the nodes of a cluster need it$/),
    ]);
  });

  const secretOf = (name: string): string =>
    `            - name: ${name}\n              valueFrom: { secretKeyRef: { name: galla, key: ${name} } }\n`;
  test.each<[string, string, RegExp]>([
    ['name: BASE_URL', 'name: GALLA_BASE_URL', /^problem: .*GALLA_BASE_URL/],
    [
      'httpGet: { path: /live, port: http }\n            periodSeconds: 10',
      'httpGet: { path: /health, port: http }\n            periodSeconds: 10',
      /^problem: a probe that ends a node asks \/health/,
    ],
    [
      'httpGet: { path: /health, port: http }',
      'httpGet: { path: /live, port: http }',
      /^warning: .*readinessProbe/,
    ],
    [
      'terminationGracePeriodSeconds: 30',
      'terminationGracePeriodSeconds: 20',
      /^warning: a node has 15 s to leave/,
    ],
    ['exec: { command: ["sleep", "5"] }', 'exec: { command: ["true"] }', /^warning: .*preStop run sleep 5/],
    ['enableServiceLinks: false', 'enableServiceLinks: true', /^problem: .*GALLA_PORT/],
    ['limits: { memory: 2Gi }', 'limits: {}', /^warning: without a memory limit/],
    [
      '            - name: NATS_URL',
      '            - { name: GALLA_MEMORY_MB, value: "2048" }\n            - name: NATS_URL',
      /^problem: GALLA_MEMORY_MB=2048/,
    ],
    [
      secretOf('GALLA_ADMIN_TOKEN'),
      '            - { name: GALLA_ADMIN_TOKEN, value: a-token-of-our-own }\n',
      /^warning: .* holds GALLA_ADMIN_TOKEN/,
    ],
    ['kind: PodDisruptionBudget', 'kind: Other', /^warning: .* has no PodDisruptionBudget/],
  ])('%j as %j', (from, to, line) => {
    expect(found('kubernetes.yml', instead(from, to))).toEqual([expect.stringMatching(line)]);
  });

  test('replicas without servers are services of their own', () => {
    const alone = (text: string): string =>
      [
        secretOf('NATS_URL'),
        secretOf('MONGODB_URL'),
        '            - { name: NATS_REPLICAS, value: "3" }\n',
      ].reduce((rest, part) => instead(part, '')(rest), text);
    expect(found('kubernetes.yml', alone)).toEqual([
      expect.stringMatching(/^problem: 3 replicas without NATS_URL/),
    ]);
  });
});

test.each<[string, RegExp]>([
  ['a: [', /^problem: .* is no YAML: /],
  [
    'kind: Deployment\nspec: { template: { spec: { containers: [{ name: other }] } } }',
    /^problem: .* starts no service of ours/,
  ],
  ['', /^problem: .* starts no service of ours/],
  ['- 1\n---\nnull\n---\n"text"', /^problem: .* starts no service of ours/],
])('%j', (text, line) => {
  expect(found('kubernetes.yml', () => text)).toEqual([expect.stringMatching(line)]);
});

test('a file that is not there', () => {
  expect(deploymentFindings(join(folder, 'absent'))).toEqual([
    {
      check: 'deployment',
      is: 'problem',
      says: expect.stringMatching(/cannot be read \(ENOENT\): name a unit/),
    },
  ]);
});
