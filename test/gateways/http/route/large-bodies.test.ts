/** Bodies above 64 KiB are parsed one at a time, with projects taking turns, and others are served between. */
import { setImmediate as turnOver } from 'node:timers/promises';
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import type { Caller } from '../../../../gateways/http/access/auth.ts';
import { FairQueue } from '../../../../gateways/http/access/fair-queue.ts';
import { done } from '../../../../gateways/http/route/answer.ts';
import { routeMaker, type RouteParts } from '../../../../gateways/http/route/route.ts';
import type { DoorReply, DoorRequest } from '../../../../gateways/server/door.ts';
import { bodyBytesMaxUsual } from '../../../../gateways/server/paths.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { versions } from '../../../support/alone.ts';

const waitingMax = 8;

/** A route that keeps in which turn of the event loop it was asked, and by whose request. */
function rig() {
  let turn = 0;
  const asked: { readonly by: string; readonly turn: number }[] = [];
  const parts = {
    gate: { admit: ({ ip }: DoorRequest) => ({ caller: { projectId: ip } as Caller, headers: {} }) },
    largeBodies: new FairQueue(waitingMax),
    log: createLog({ level: 'silent', pretty: false }),
    allowPrivateHosts: false,
    versions,
  } as unknown as RouteParts;
  const door = routeMaker(parts)({
    method: 'POST',
    path: '/v1/things',
    key: 'secret',
    reply: 201,
    body: Type.Object({ name: Type.String() }),
    async handle({ caller }) {
      asked.push({ by: caller.projectId, turn });
      return done({});
    },
  });
  const send = async (by: string, bytes: number): Promise<DoorReply> => {
    const around = Buffer.byteLength(JSON.stringify({ name: '' }));
    return door.handle({
      requestId: 'req_z25mwf0rtqd021aznxd0zrex',
      method: 'POST',
      path: '/v1/things',
      params: {},
      rawQuery: '',
      ip: by,
      body: Buffer.from(JSON.stringify({ name: 'x'.repeat(bytes - around) })),
      header: (name) => (name === 'content-type' ? 'application/json' : ''),
    });
  };
  const run = async (sent: readonly (readonly [by: string, bytes: number])[]): Promise<readonly number[]> => {
    let open = true;
    const count = async (): Promise<void> => {
      for (; open; turn++) await turnOver();
    };
    const counting = count();
    const replies = await Promise.all(sent.map(([by, bytes]) => send(by, bytes)));
    open = false;
    await counting;
    return replies.map(({ status }) => status);
  };
  return { asked, run };
}

test('of 64 KiB all are read at once', async () => {
  const { asked, run } = rig();
  expect(await run(Array.from({ length: 5 }, () => ['a', bodyBytesMaxUsual] as const))).toEqual(
    Array(5).fill(201),
  );
  expect(new Set(asked.map(({ turn }) => turn)).size).toBe(1);
});

test('of one byte more each is read in a turn of its own, and others are served between', async () => {
  const { asked, run } = rig();
  expect(await run(Array.from({ length: 5 }, () => ['a', bodyBytesMaxUsual + 1] as const))).toEqual(
    Array(5).fill(201),
  );
  expect(new Set(asked.map(({ turn }) => turn)).size).toBe(5);
});

test('projects take turns', async () => {
  const { asked, run } = rig();
  const large = bodyBytesMaxUsual + 1;
  await run([
    ['a', large],
    ['a', large],
    ['a', large],
    ['a', large],
    ['b', large],
    ['c', large],
  ]);
  expect(asked.map(({ by }) => by)).toEqual(['a', 'a', 'b', 'c', 'a', 'a']);
});

test('above what may wait the sender with most is answered 503', async () => {
  const { run } = rig();
  const large = bodyBytesMaxUsual + 1;
  const sent = Array.from({ length: waitingMax + 2 }, () => ['a', large] as const);
  const statuses = await run([...sent, ['b', large]]);
  expect(statuses.filter((status) => status === 503).length).toBe(2);
  expect(statuses.at(-1)).toBe(201);
});
