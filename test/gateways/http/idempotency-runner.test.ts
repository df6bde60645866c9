/** A handler that releases a record names its own request: another request may have taken the record over. */
import { expect, test } from 'vitest';
import { refused, unavailable, type Answer } from '../../../gateways/http/route/answer.ts';
import { createIdempotency, type Keyed } from '../../../gateways/http/route/idempotency.ts';
import { jsonReply } from '../../../gateways/http/route/reply.ts';
import { sealWith } from '../../../src/kernel/seal.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { selfRunning } from '../../simulation/self-running.ts';
import { FakeClient } from '../../support/fake-client.ts';

/** The records of this one let everybody run. */
class Running extends FakeClient {
  lost = false;
  override async ask(to: unknown, command: string, data: unknown): Promise<AskResult<never, never>> {
    await super.ask(to, command, data);
    if (command !== 'begin') return { is: 'ok', v: 2, detail: {} as never };
    if (this.lost) return { is: 'unknown' };
    return { is: 'ok', v: 1, detail: { is: 'run', generation: 3, ids: { request: 'req_first' } } as never };
  }
}

const keyed: Keyed = {
  key: 'key-1',
  caller: {
    projectId: 'prj_pjc0e83mhrawse3s6h8bhrbw',
    mode: 'sandbox',
    scope: 'prj_pjc0e83mhrawse3s6h8bhrbw:sandbox',
    kind: 'secret',
    access: 'full',
    keyId: 'key_1',
    merchantId: 'mer_1',
    plan: 'free',
    apiVersion: '2026-11-20',
    providers: [],
    createPerSecond: null,
  },
  method: 'POST',
  path: '/v1/checkout',
  body: {},
  ids: {},
  requestId: 'req_second',
  outlivedBy: [],
  file: null,
};
const make = (client: FakeClient) =>
  createIdempotency({ client, seal: sealWith(Buffer.alloc(32)), scheduler: selfRunning() });

test.each<[string, Answer, string]>([
  ['a 503', unavailable, 'yield'],
  ['a 404, which creates nothing', refused('resource_not_found'), 'release'],
])(
  '%s releases the record in the name of the request that runs, not of the one that began',
  async (_what, answer, command) => {
    const client = new Running();
    const idempotency = make(client);
    const run = await idempotency.begin(keyed);
    if (run.is !== 'run') throw new Error('it was to run');
    await idempotency.finish(run, answer, jsonReply(503, '{}'));
    expect(client.asked.at(-1)).toEqual({ command, data: { generation: 3, runner: 'req_second' } });
  },
);

test('a request that never learned whether it began releases in its own name', async () => {
  const client = new Running();
  client.lost = true;
  expect((await make(client).begin(keyed)).is).not.toBe('run');
  expect(client.asked.at(-1)).toEqual({ command: 'yield', data: { request: 'req_second' } });
});
