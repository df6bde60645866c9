import { expect, test } from 'vitest';
import type { Auth } from '../../../gateways/http/access/auth.ts';
import { refused } from '../../../gateways/http/route/answer.ts';
import type { DoorRequest } from '../../../gateways/server/door.ts';
import { Gate } from '../../../gateways/http/access/gate.ts';
import { createLimits } from '../../../gateways/http/access/rate-limit.ts';
import { metricsDoor } from '../../../gateways/http/routes/metrics.ts';

const auth: Pick<Auth, 'operator'> = { operator: () => refused('admin_token_invalid') };
// nothing else of it is asked for the operator
const gate = new Gate(auth as Auth, createLimits({ on: false, now: () => 0, sharing: null }));
const numbers = { contentType: 'text/plain', text: () => Promise.resolve('galla_x 1\n') };

const from = (ip: string, headers: { readonly [name: string]: string } = {}): DoorRequest => ({
  requestId: 'req_1',
  method: 'GET',
  path: '/metrics',
  params: {},
  rawQuery: '',
  body: Buffer.alloc(0),
  ip,
  header: (name) => headers[name] ?? '',
});

test.each(['127.0.0.1', '10.1.2.3', '192.168.0.9', '172.31.0.1', '::1', 'fd00::1', '::ffff:10.0.0.1'])(
  '%s counts as local and needs no token',
  async (ip) => expect((await metricsDoor(gate, numbers).handle(from(ip))).status).toBe(200),
);

test.each([
  '8.8.8.8',
  '172.32.0.1',
  '2001:4860::1',
  '::ffff:8.8.8.8',
  '0000:0000:0000:0000:0000:ffff:0808:0808',
  '',
])('"%s" needs the token', async (ip) =>
  expect((await metricsDoor(gate, numbers).handle(from(ip))).status).toBe(401),
);

test.each(['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'])(
  'a client behind a proxy (%s) needs the token',
  async (name) => {
    const reply = await metricsDoor(gate, numbers).handle(from('127.0.0.1', { [name]: '10.0.0.1' }));
    expect(reply.status).toBe(401);
  },
);
