/** No request costs much more to check than a valid one of the same size, and no refusal is long. */
import type { TSchema } from 'typebox';
import { expect, test } from 'vitest';
import { routes } from '../../../gateways/http/routes.ts';
import type { Door, DoorReply, DoorRequest } from '../../../gateways/server/door.ts';
import {
  api,
  asBody,
  asQuery,
  checked,
  validBodyOf,
  validOf,
  type Checked,
  type Sent,
} from './checked-doors.ts';
import { bodiesOf, bodyBytes, queriesOf, queryBytes, validTries, type Pair } from './worst-bodies.ts';

const costMax = 5;
const answerBytesMax = 32 * 1024;
/** Below this, what is measured is the clock. */
const slackMs = 0.3;

/** CPU time of one request, the least of several: nothing else on the machine makes it less. */
async function cpuMs(door: Door, sent: DoorRequest, runs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    await door.handle(sent);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** What is wrong with what this pair costs; null when nothing is. Measured anew, longer, before anything is said. */
async function tooDear({ door }: Checked, { name, worst, valid }: Pair, sent: Sent): Promise<string | null> {
  const [bad, good] = [sent(worst), sent(valid)];
  const least = { bad: Number.POSITIVE_INFINITY, good: Number.POSITIVE_INFINITY };
  for (const runs of [2, 5, 20, 50]) {
    least.bad = Math.min(least.bad, await cpuMs(door, bad, runs));
    least.good = Math.min(least.good, await cpuMs(door, good, runs));
    if (least.bad <= costMax * least.good + slackMs) return null;
    // ten times too dear is no matter of luck
    if (least.bad > 10 * costMax * (least.good + slackMs)) break;
  }
  return `${name}: ${least.bad.toFixed(2)} ms, a valid one ${least.good.toFixed(2)} ms`;
}

const bytesOf = ({ headers = {}, body }: DoorReply): number =>
  Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value) + 4,
    0,
  ) + Buffer.byteLength(body ?? '');

async function offenders(one: Checked, pairs: readonly Pair[], sent: Sent): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const pair of pairs) {
    const taken = await one.door.handle(sent(pair.valid));
    if (taken.status >= 300)
      wrong.push(`${pair.name}: what it is compared with is refused: ${String(taken.body)}`);
    const answer = await one.door.handle(sent(pair.worst));
    if (answer.status >= 500) wrong.push(`${pair.name}: ${answer.status}`);
    if (bytesOf(answer) > answerBytesMax) wrong.push(`${pair.name}: answers ${bytesOf(answer)} bytes`);
    const dear = await tooDear(one, pair, sent);
    if (dear !== null) wrong.push(dear);
  }
  return wrong;
}

const queryText = (values: object): string =>
  new URLSearchParams(
    Object.entries(values).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();

test('every route with a body or a query is tested', () => {
  const { length } = routes(api).filter(
    ({ path }) => !['/', '/health', '/live', '/metrics'].includes(path) && !path.endsWith('/openapi.json'),
  );
  expect(checked.length).toBe(length + 2);
  expect(checked.filter(({ body }) => body !== undefined).length).toBeGreaterThan(10);
});

const seen = new Set<string>();

test.each(checked.filter((one) => one.body !== undefined).map((one) => [one.name, one] as const))(
  '%s: no body is expensive to refuse',
  { timeout: 120_000 },
  async (_name, one) => {
    const schema = one.body as TSchema;
    const valid = await validBodyOf(one);
    const pairs = bodiesOf(schema, valid, seen);
    expect(pairs.filter(({ worst }) => Buffer.byteLength(worst) > bodyBytes).map(({ name }) => name)).toEqual(
      [],
    );
    expect(await offenders(one, pairs, asBody)).toEqual([]);
  },
);

test.each(checked.filter(({ door }) => door.method === 'GET').map((one) => [one.name, one] as const))(
  '%s: no query is expensive to refuse',
  { timeout: 120_000 },
  async (_name, one) => {
    const schema = (one.query ?? { properties: {} }) as TSchema;
    const valid = await validOf(one, validTries(schema).map(queryText), asQuery);
    const pairs = queriesOf(schema, valid, one.metadataFilter);
    expect(pairs.filter(({ worst }) => worst.length > queryBytes).map(({ name }) => name)).toEqual([]);
    expect(await offenders(one, pairs, asQuery)).toEqual([]);
  },
);
