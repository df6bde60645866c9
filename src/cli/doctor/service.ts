/** What `galla doctor` asks a service that runs: its health, its nodes, what waits for a person, keys near their end.
 *  Boundary: its own HTTP doors, as any operator's program uses them.
 *  1. Each wait is bounded, and so is how much is asked. */
import type { Finding } from '../../kernel/finding.ts';
import { findingsOf } from '../../kernel/finding.ts';
import { days, realScheduler, seconds, type DurationMs } from '../../kernel/time.ts';
import type { NodesSeen } from '../../telemetry/nodes.ts';
import { version } from '../../telemetry/version.ts';

const answerMsMax: DurationMs = seconds(10);
/** Merchants whose keys are looked at, the newest: one page. */
const merchantsMax = 100;
const keyEndsWithinMs: DurationMs = days(14);
const outboxMsMax: DurationMs = seconds(60);

export interface Asked {
  readonly url: string;
  readonly adminToken: string | null;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Whether a service of ours is there; null: nobody answers, or somebody else. */
export async function healthOf(url: string): Promise<Health | null> {
  const answer = await got({ url, adminToken: null }, '/health').catch(() => null);
  if (answer === null) return null;
  try {
    const said = JSON.parse(answer.text) as Health;
    return said.status === 'ok' || said.status === 'unavailable' ? said : null;
  } catch {
    return null;
  }
}

export interface Health {
  readonly status: string;
  readonly missing?: readonly string[];
  readonly away?: readonly string[];
}

/** What each name in /health asks of an operator. */
const missingMeans: { readonly [name: string]: string } = {
  store: 'MongoDB does not answer this node: check its primary and the network',
  bus: 'this node is cut off from the others over NATS: check its server and NATS_URL',
  partitions: 'this node has not taken its partitions over yet: wait some seconds, then read its log',
  leaving: 'this node is stopping',
};
const awayMeans: { readonly [name: string]: string } = {
  bus: 'NATS is away for all nodes: payments go on; check NATS',
  nodes:
    'this node does not hear other live nodes over NATS: check the connections between the servers of NATS',
};

/** Of a service that answers at `asked.url`. */
export async function serviceFindings(asked: Asked, health: Health): Promise<readonly Finding[]> {
  const { ok, warning, problem } = findingsOf('service');
  const { missing = [], away = [] } = health;
  return [
    ...(missing.length === 0 ? [ok(`${asked.url} serves`)] : []),
    ...missing.map((name) =>
      problem(`${asked.url} answers 503, ${name}: ${missingMeans[name] ?? 'read its log'}`),
    ),
    ...away.map((name) => warning(`${name}: ${awayMeans[name] ?? 'read its log'}`)),
    ...(await operatorFindings(asked)),
  ];
}

async function operatorFindings(asked: Asked): Promise<readonly Finding[]> {
  const { unknown, problem } = findingsOf('operator');
  if (asked.adminToken === null)
    return [unknown('nodes, dead letters and keys were not looked at: set GALLA_ADMIN_TOKEN')];
  try {
    const { status, text } = await got(asked, '/admin/v1/nodes');
    if (status === 401)
      return [problem('the service does not accept GALLA_ADMIN_TOKEN: give the one it was started with')];
    if (status !== 200)
      return [unknown(`/admin/v1/nodes answered ${status}: nodes, dead letters and keys were not looked at`)];
    const { data, ...rest } = JSON.parse(text) as Omit<NodesSeen, 'nodes'> & {
      readonly data: NodesSeen['nodes'];
    };
    return [
      ...nodesFindings({ ...rest, nodes: data }),
      ...(await deadFindings(asked)),
      ...(await reviewFindings(asked)),
      ...(await providerFindings(asked)),
      ...(await keyFindings(asked)),
    ];
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return [unknown(`the service stopped answering (${why}): ask again`)];
  }
}

/** `/admin/v1/nodes`, read by a person who knows what to look for. */
export function nodesFindings({ nodes, unowned, partitions }: NodesSeen): readonly Finding[] {
  const { ok, warning, problem } = findingsOf('nodes');
  const live = nodes.filter(({ state }) => state === 'live');
  const versions = [...new Set(live.map((one) => one.version))];
  const found = [
    ...(unowned.length > 0
      ? [
          problem(
            `${unowned.length} of ${partitions} partitions are served by nobody: is a node with actors alive?`,
          ),
        ]
      : []),
    ...live
      .filter((one) => one.baseUrlDiffers)
      .map((one) =>
        problem(`${one.name} has another BASE_URL, ${one.baseUrl ?? 'none'}: set the same one at every node`),
      ),
    ...live
      .filter((one) => one.refuses.length > 0)
      .map((one) =>
        problem(
          `${one.name} cannot read ${one.refuses.length} partitions: start a node of the newer version`,
        ),
      ),
    ...live
      .filter((one) => one.bus === false)
      .map((one) => problem(`${one.name} is not heard over NATS: check its server of NATS`)),
    ...live.flatMap(({ name, own }) =>
      own !== null && own.outboxOldestMs > outboxMsMax
        ? [
            problem(
              `something waits for ${Math.round(own.outboxOldestMs / 1000)} s to leave ${name}: look at the store`,
            ),
          ]
        : [],
    ),
    ...(versions.length > 1 ? [warning(`nodes run ${versions.join(' and ')}: finish the upgrade`)] : []),
    ...(versions.length === 1 && versions[0] !== version
      ? [
          warning(
            `the service is ${versions[0] ?? ''} and this command ${version}: use the command of the service`,
          ),
        ]
      : []),
  ];
  return found.length > 0
    ? found
    : [ok(`${live.length} live, every partition is served, version ${version}`)];
}

async function deadFindings(asked: Asked): Promise<readonly Finding[]> {
  const { ok, problem } = findingsOf('dead-letters');
  const total = await totalAt(asked, '/admin/v1/dead?limit=1');
  return total === 0
    ? [ok('none')]
    : [
        problem(
          `${total} commands could not be delivered: GET /admin/v1/dead, mend the cause, POST .../{id}/replay`,
        ),
      ];
}

async function reviewFindings(asked: Asked): Promise<readonly Finding[]> {
  const { ok, warning } = findingsOf('reviews');
  const total = await totalAt(asked, '/admin/v1/reviews?limit=1');
  return total === 0 ? [ok('none')] : [warning(`${total} payments wait for a person: GET /admin/v1/reviews`)];
}

async function providerFindings(asked: Asked): Promise<readonly Finding[]> {
  const { ok, warning } = findingsOf('circuits');
  const { text } = await got(asked, '/metrics');
  const open = [...text.matchAll(/^galla_provider_circuits_open\{provider="(\w+)"\} (\d+)$/gm)];
  return open.length === 0
    ? [ok('no provider is cut off')]
    : open.map(([, provider = '', count = '']) =>
        warning(`${provider} is cut off in ${count} projects and modes: see Providers in the dashboard`),
      );
}

interface Key {
  readonly id: string;
  readonly name: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

async function keyFindings(asked: Asked): Promise<readonly Finding[]> {
  const { ok, unknown, warning } = findingsOf('keys');
  const now = realScheduler.now();
  const merchants = await listAt<{ readonly projectId: string }>(
    asked,
    `/admin/v1/merchants?limit=${merchantsMax}`,
  );
  const ending: Finding[] = [];
  for (const { projectId } of merchants.data) {
    const { data } = await listAt<Key>(asked, `/admin/v1/projects/${projectId}/keys`);
    for (const { id, name, expiresAt, revokedAt } of data) {
      const leftMs = expiresAt === null || revokedAt !== null ? Infinity : Date.parse(expiresAt) - now;
      if (leftMs > 0 && leftMs < keyEndsWithinMs)
        ending.push(warning(`${id} (${name}) of ${projectId} ends ${expiresAt ?? ''}: create its successor`));
    }
  }
  return [
    ...(ending.length === 0 ? [ok(`no key ends within ${keyEndsWithinMs / days(1)} days`)] : ending),
    ...(merchants.total > merchantsMax
      ? [unknown(`only keys of the ${merchantsMax} newest of ${merchants.total} merchants were looked at`)]
      : []),
  ];
}

interface List<Entry> {
  readonly data: readonly Entry[];
  readonly total: number;
}

async function listAt<Entry>(asked: Asked, path: string): Promise<List<Entry>> {
  const { status, text } = await got(asked, path);
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return JSON.parse(text) as List<Entry>;
}

const totalAt = async (asked: Asked, path: string): Promise<number> => (await listAt(asked, path)).total;

async function got({ url, adminToken }: Asked, path: string): Promise<Answer> {
  const answer = await fetch(`${url}${path}`, {
    headers: adminToken === null ? {} : { authorization: `Bearer ${adminToken}` },
    signal: AbortSignal.timeout(answerMsMax),
  });
  return { status: answer.status, text: await answer.text() };
}
