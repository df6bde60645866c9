/** What `galla doctor --deployment` finds in objects of Kubernetes. */
import { parseAllDocuments } from 'yaml';
import { isCluster, settings } from '../../../config.ts';
import { findingsOf, type Finding } from '../../../kernel/finding.ts';
import { elsewhere, settingsIn, stopSecondsMax, type Given } from './given.ts';

/** As far as they are looked at; a file may hold anything. */
interface Probe {
  readonly httpGet?: { readonly path?: string };
}
interface Container {
  readonly name?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string | number }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly exec?: { readonly command?: readonly string[] } } };
  readonly resources?: { readonly limits?: { readonly memory?: string } };
}
interface Pod {
  readonly enableServiceLinks?: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly containers?: readonly Container[];
}
interface Loaded {
  readonly kind?: string;
  readonly spec?: { readonly replicas?: number; readonly template?: { readonly spec?: Pod } };
}

/** As Kubernetes where the file says nothing. */
const graceUsual = 30;
const { ok, warning, problem } = findingsOf('deployment');
const settingNames: readonly string[] = Object.values(settings).map(({ name }) => name);

export function kubernetesFindings(file: string, text: string): readonly Finding[] {
  const documents = parseAllDocuments(text);
  const broken = documents.flatMap(({ errors }) => errors);
  if (broken.length > 0)
    return [problem(`${file} is no YAML: ${(broken[0]?.message ?? '').split('\n')[0] ?? ''}`)];
  const objects = documents.flatMap((one) => (one.contents === null ? [] : [Object(one.toJS()) as Loaded]));
  const found = objects.flatMap(({ kind, spec }) => {
    const pod = spec?.template?.spec;
    const container = pod?.containers?.find(({ env }) =>
      env?.some(({ name }) => settingNames.includes(name)),
    );
    return pod === undefined || container === undefined ? [] : [{ kind, spec, pod, container }];
  });
  const [first] = found;
  if (first === undefined)
    return [
      problem(
        `${file} starts no service of ours: name the file whose container has settings such as BASE_URL`,
      ),
    ];
  const replicas = first.spec?.replicas ?? 1;
  const said = [
    ...containerFindings(file, first.container, replicas),
    ...podFindings(file, first.pod, first.container),
    ...(replicas > 1 && !objects.some(({ kind }) => kind === 'PodDisruptionBudget')
      ? [
          warning(
            `${file} has no PodDisruptionBudget: machines may be emptied all at once; config/kubernetes.yml has one`,
          ),
        ]
      : []),
  ];
  return said.length > 0 ? said : [ok(`${file} is as the nodes of a cluster need it`)];
}

function containerFindings(file: string, container: Container, replicas: number): readonly Finding[] {
  const env = container.env ?? [];
  const given: Given = Object.fromEntries(
    env
      .filter(({ name }) => name !== 'NODE_ENV' && name !== 'NODE_OPTIONS')
      .map(({ name, value }) => [name, value === undefined ? elsewhere : String(value)]),
  );
  const named = env.flatMap(({ name, value }) => (value === undefined ? [] : [name]));
  const { findings, settings: read } = settingsIn(file, given, named);
  const limit = mebibytesOf(container.resources?.limits?.memory ?? '');
  return [
    ...findings,
    ...(read !== null && !isCluster(read) && replicas > 1
      ? [
          problem(
            `${file}: ${replicas} replicas without NATS_URL and MONGODB_URL are ${replicas} services, each with its ` +
              'own payments: set both, or replicas: 1',
          ),
        ]
      : []),
    ...(limit === null
      ? [warning(`${file}: without a memory limit the budget of a node is that of its machine: set one`)]
      : []),
    ...(read?.memoryMb !== undefined && read.memoryMb !== null && limit !== null && read.memoryMb >= limit
      ? [
          problem(
            `${file}: GALLA_MEMORY_MB=${read.memoryMb} of actors and caches does not fit in the limit: leave it out`,
          ),
        ]
      : []),
  ];
}

function podFindings(file: string, pod: Pod, container: Container): readonly Finding[] {
  const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  const [command, seconds] = lifecycle?.preStop?.exec?.command ?? [];
  const waits = command === 'sleep' ? Number(seconds) : 0;
  const grace = pod.terminationGracePeriodSeconds ?? graceUsual;
  return [
    ...(livenessProbe?.httpGet?.path === '/health' || startupProbe?.httpGet?.path === '/health'
      ? [
          problem(
            `${file}: a probe that ends a node asks /health, which is 503 while MongoDB is away: all nodes would be ` +
              'ended. Ask /live',
          ),
        ]
      : []),
    ...(readinessProbe?.httpGet?.path === '/health'
      ? []
      : [warning(`${file}: requests reach nodes that cannot serve: let the readinessProbe ask /health`)]),
    ...(grace > waits + stopSecondsMax
      ? []
      : [
          warning(
            `${file}: a node has ${grace - waits} s to leave, and needs up to ${stopSecondsMax}: set ` +
              `terminationGracePeriodSeconds to more than ${waits + stopSecondsMax}`,
          ),
        ]),
    ...(waits > 0
      ? []
      : [
          warning(
            `${file}: a node leaves before the proxies have heard of it: let preStop run sleep 5 before it`,
          ),
        ]),
    ...(pod.enableServiceLinks === false
      ? []
      : [
          problem(
            `${file}: a Service named galla gives each pod GALLA_PORT, no setting: set enableServiceLinks: false`,
          ),
        ]),
  ];
}

function mebibytesOf(text: string): number | null {
  const [, count, unit = ''] = /^(\d+)(Mi|Gi|M|G)?$/.exec(text) ?? [];
  const factor: { readonly [unit: string]: number } = {
    '': 2 ** -20,
    M: 1e6 / 2 ** 20,
    G: 1e9 / 2 ** 20,
    Mi: 1,
    Gi: 2 ** 10,
  };
  return count === undefined ? null : Number(count) * (factor[unit] ?? Number.NaN);
}
