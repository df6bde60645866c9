/** config/galla.service and config/kubernetes.yml say what the code says. systemd looks at the unit; no service manager
 *  and no Kubernetes starts anything here. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { closeMsMax } from '../../src/compose/closing.ts';
import { isCluster, readSettings, settings } from '../../src/config.ts';
import { onPath } from '../../src/cli/demo/servers.ts';
import { allDoors } from '../support/doors.ts';
import { read } from '../support/house.ts';

/** What the service may take to stop while a refund call is out, in seconds. */
const stopSecondsMax = 15;
const settingNames: readonly string[] = Object.values(settings).map(({ name }) => name);
const startCommand = /^CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1] ?? '[]';

describe('the unit of systemd', () => {
  const unit = read('config/galla.service');
  const valuesOf = (name: string): readonly string[] =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const environment = Object.fromEntries(
    valuesOf('Environment').map((text) => [text.split('=')[0] ?? '', text.slice(text.indexOf('=') + 1)]),
  );
  const folder = mkdtempSync(join(tmpdir(), 'galla-unit-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const analyze = onPath('systemd-analyze');
  if (analyze === null) process.stdout.write('\nSKIPPED: THE UNIT OF SYSTEMD: NO systemd-analyze ON PATH\n');

  /** What systemd says against a unit; this machine's node takes the place of the installed one. */
  function complaints(
    text: string,
    ...command: readonly string[]
  ): { readonly said: string; readonly code: number | null } {
    const path = join(folder, 'galla.service');
    writeFileSync(path, text.replace('/usr/bin/node', process.execPath));
    const { stderr, status } = spawnSync(analyze ?? '', [...command, path], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    return { said: stderr, code: status };
  }

  test('uses only settings of this version, and a service starts with them', () => {
    const set = Object.keys(environment).filter((name) => name !== 'NODE_ENV');
    expect(set).toContain('GALLA_DATA_DIR');
    expect(set.filter((name) => !settingNames.includes(name))).toEqual([]);
    expect(readSettings(environment)).not.toHaveProperty('problems');
  });

  test('writes only where it may, and starts what the image starts', () => {
    expect(environment['GALLA_DATA_DIR']).toBe(`/var/lib/${valuesOf('StateDirectory')[0]}`);
    expect(valuesOf('ReadWritePaths')).toEqual([`-${environment['GALLA_BACKUP_DIR']}`]);
    const [, ...args] = JSON.parse(startCommand) as readonly string[];
    expect(valuesOf('ExecStart')).toEqual([`/usr/bin/node ${args.join(' ')}`]);
  });

  test('comes back however it ends, and has the time to stop', () => {
    expect(valuesOf('Restart')).toEqual(['always']);
    expect(valuesOf('StartLimitIntervalSec')).toEqual(['0']);
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(stopSecondsMax);
    expect(closeMsMax).toBeLessThan(stopSecondsMax * 1000);
  });

  test.skipIf(analyze === null)('systemd understands it, and it is confined', () => {
    expect(complaints(unit, 'verify')).toEqual({ said: '', code: 0 });
    expect(complaints(unit.replace('ProtectHome=', 'ProtectHouse='), 'verify').said).toContain(
      'ProtectHouse',
    );
    const exposure = ['security', '--offline=true', '--no-pager', '--threshold=20'];
    expect(complaints(unit, ...exposure).code).toBe(0);
    expect(
      complaints(unit.replaceAll(/^(?:Protect|Restrict|Private)\w+=.*$/gm, ''), ...exposure).code,
    ).not.toBe(0);
  });
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value?: string; readonly valueFrom?: object }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly resources: { readonly limits: object };
  readonly securityContext: object;
}
interface Labels {
  readonly [name: string]: string;
}
interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly strategy: { readonly rollingUpdate: { readonly maxUnavailable: number } };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly enableServiceLinks: boolean;
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: object;
        readonly containers: readonly Container[];
      };
    };
  };
}

describe('the objects of Kubernetes', () => {
  const documents = parseAllDocuments(read('config/kubernetes.yml'));
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const objects = documents.map((one) => one.toJS() as { readonly kind: string });
  const [deployment, service, budget] = objects as unknown as readonly [
    Deployment,
    {
      readonly spec: {
        readonly selector: Labels;
        readonly ports: readonly { readonly targetPort: string }[];
      };
    },
    {
      readonly spec: { readonly maxUnavailable: number; readonly selector: { readonly matchLabels: Labels } };
    },
  ];
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;
  if (container === undefined) throw new Error('the pod has a container');

  test('are a deployment, its service and its budget, about the same pods', () => {
    expect(objects.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'PodDisruptionBudget']);
    const labels = { app: 'galla' };
    expect(deployment.spec.template.metadata.labels).toEqual(labels);
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    expect(budget.spec.selector.matchLabels).toEqual(labels);
    expect(budget.spec.maxUnavailable).toBeLessThan(deployment.spec.replicas);
    expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(pod.containers).toHaveLength(1);
  });

  test('use only settings of this version, all that a cluster needs, and secrets only from a secret', () => {
    const names = container.env.map(({ name }) => name);
    expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
    const given = Object.fromEntries(
      container.env.map(({ name, value }) => [
        name,
        value ?? secretsOfTest[name as keyof typeof secretsOfTest],
      ]),
    );
    const read = readSettings(given);
    expect(read).not.toHaveProperty('problems');
    if (!('settings' in read)) return;
    expect(isCluster(read.settings)).toBe(true);
    const secret = Object.values(settings).flatMap((one) =>
      'secret' in one && one.secret ? [one.name] : [],
    );
    for (const { name, value, valueFrom } of container.env) {
      expect([name, value === undefined]).toEqual([name, (secret as readonly string[]).includes(name)]);
      if (value === undefined) expect(valueFrom).toEqual({ secretKeyRef: { name: 'galla', key: name } });
    }
    // those that Kubernetes would make of the service are no settings
    expect(readSettings({ ...given, GALLA_PORT: 'tcp://10.0.0.1:80' })).toHaveProperty('problems');
    expect(pod.enableServiceLinks).toBe(false);
  });

  test('probes ask what is there, at the port of the node', () => {
    const doors = allDoors().map(({ method, path }) => `${method} ${path}`);
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(
      ({ httpGet }) => httpGet.path,
    );
    expect(paths).toEqual(['/live', '/live', '/health']);
    for (const path of paths) expect(doors).toContain(`GET ${path}`);
    const [port] = container.ports;
    expect(port?.name).toBe('http');
    expect(container.env).toContainEqual({ name: 'PORT', value: String(port?.containerPort) });
    expect(service.spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
    // indexes are built before a node listens
    expect(
      container.startupProbe.periodSeconds * container.startupProbe.failureThreshold,
    ).toBeGreaterThanOrEqual(300);
  });

  test('a node has the time to leave, after the proxies have heard of it', () => {
    const [sleep, seconds] = container.lifecycle.preStop.exec.command;
    expect(sleep).toBe('sleep');
    expect(Number(seconds)).toBeGreaterThan(container.readinessProbe.periodSeconds);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(seconds) + stopSecondsMax);
  });

  test('the image is of this version, its memory is bounded, and it may do nothing that it need not', () => {
    const { version } = JSON.parse(read('package.json')) as { readonly version: string };
    expect(container.image).toBe(`galla:${version}`);
    expect(container.resources.limits).toEqual({ memory: '2Gi' });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });
});

const secretsOfTest = {
  NATS_URL: 'nats://nats',
  MONGODB_URL: 'mongodb://mongo/galla?replicaSet=rs0',
  GALLA_ADMIN_TOKEN: 'a-token-of-this-test',
  GALLA_SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
} as const;
