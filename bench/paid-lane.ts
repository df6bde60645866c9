/** One buyer after the other in a lane: the five requests of a paid checkout and the wait for its webhook. */
import { Pool } from 'undici';

export interface Target {
  readonly url: string;
  /** The process with provider and shop. */
  readonly outside: string;
  readonly key: string;
}

export interface Lanes {
  readonly perSecond: number;
  readonly count: number;
  readonly tookMs: readonly number[];
  /** From the buyer's return to the webhook at the shop. */
  readonly reportedMs: readonly number[];
}

const order = JSON.stringify({
  amount: 125_050,
  returnUrl: 'https://shop.example/return',
  description: 'Order 1001',
});
const waitMs = 30_000;

/** `until` tells after each checkout whether the lanes go on. */
export async function inLanes(
  { url, outside, key }: Target,
  lanes: number,
  goesOn: (count: number) => boolean,
): Promise<Lanes> {
  const options = { connections: lanes, headersTimeout: waitMs, bodyTimeout: waitMs };
  const [service, others] = [new Pool(url, options), new Pool(outside, options)];
  const tookMs: number[] = [];
  const reportedMs: number[] = [];
  const from = performance.now();
  const lane = async (): Promise<void> => {
    do {
      const began = performance.now();
      const returned = await paidOnce(service, others, key);
      const now = performance.now();
      tookMs.push(now - began);
      reportedMs.push(now - returned);
    } while (goesOn(tookMs.length));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const perSecond = tookMs.length / ((performance.now() - from) / 1000);
  await Promise.all([service.close(), others.close()]);
  return { perSecond, count: tookMs.length, tookMs, reportedMs };
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly location: string;
}

async function got(pool: Pool, method: 'GET' | 'POST', path: string, sending: Sending = {}): Promise<Got> {
  const answer = await pool.request({ method, path, ...sending });
  const text = await answer.body.text();
  return { status: answer.statusCode, text, location: String(answer.headers['location'] ?? '') };
}

interface Sending {
  readonly headers?: { readonly [name: string]: string };
  readonly body?: string;
}

function must(found: Got, status: number, what: string): Got {
  if (found.status === status) return found;
  throw new Error(`${what} answered ${found.status}: ${found.text.slice(0, 300)}`);
}

/** The instant at which the buyer was sent back to the service. */
async function paidOnce(service: Pool, outside: Pool, key: string): Promise<number> {
  const authorization = `Bearer ${key}`;
  const json = { authorization, 'content-type': 'application/json' };
  const created = must(
    await got(service, 'POST', '/v1/checkout', { headers: json, body: order }),
    201,
    'create',
  );
  const { id } = JSON.parse(created.text) as { readonly id: string };
  const page = must(await got(service, 'GET', `/pay/${id}`), 200, 'page');
  const token = /name="token"\s+value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const started = must(
    await got(service, 'POST', `/pay/${id}/start`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `token=${encodeURIComponent(token)}&provider=wallet_b`,
    }),
    303,
    'start',
  );
  const paid = must(await got(outside, 'GET', pathOf(started.location)), 303, 'provider');
  const hooked = got(outside, 'GET', `/hooked/${id}`);
  const returned = performance.now();
  must(await got(service, 'GET', pathOf(paid.location)), 303, 'return');
  const read = must(
    await got(service, 'GET', `/v1/checkout/${id}`, { headers: { authorization } }),
    200,
    'read',
  );
  const { status } = JSON.parse(read.text) as { readonly status: string };
  if (status !== 'success') throw new Error(`${id} is ${status} after its return`);
  must(await hooked, 200, 'webhook');
  return returned;
}

function pathOf(location: string): string {
  const { pathname, search } = new URL(location);
  return pathname + search;
}
