/** Sends one request to a provider and brings back the whole reply: the only network IO of this room.
 *  Boundary: knows neither providers nor payments.
 *  1. Never rejects: what goes wrong is a result with a reason.
 *  2. Connect, the whole exchange and the body each have their bound; no redirect is followed. */
import { performance } from 'node:perf_hooks';
import { Agent, request as httpRequest, type Dispatcher } from 'undici';
import { seconds, type DurationMs } from '../kernel/time.ts';
import type { WireReply, WireRequest } from './provider.ts';

export interface SendLimits {
  /** Real time: a test clock does not move the network (decisions 19). */
  readonly totalMs: DurationMs;
  readonly bodyBytesMax: number;
}
export const sendLimits: SendLimits = { totalMs: seconds(10), bodyBytesMax: 256 * 1024 };
export const connectMs: DurationMs = seconds(3);
const socketsPerOriginMax = 64;
const idleSocketMs: DurationMs = seconds(4);

export type Sent =
  | { readonly is: 'replied'; readonly reply: WireReply; readonly durationMs: DurationMs }
  | { readonly is: 'unanswered'; readonly why: Silence; readonly durationMs: DurationMs };

/** Why there was no whole reply. */
export type Silence = 'timeout' | 'connection' | 'too_large';

export type Send = (request: WireRequest) => Promise<Sent>;

/** Sockets to providers: a pool per origin, kept for the life of the process. Close it at the end. */
export const providerAgent = (): Agent =>
  new Agent({
    connect: { timeout: connectMs }, connections: socketsPerOriginMax, pipelining: 1,
    keepAliveTimeout: idleSocketMs, headersTimeout: sendLimits.totalMs, bodyTimeout: sendLimits.totalMs,
  });

export const createSender = (dispatcher: Dispatcher, limits: SendLimits = sendLimits): Send =>
  async (request) => {
    const begun = performance.now();
    const durationMs = (): DurationMs => Math.round(performance.now() - begun);
    const signal = AbortSignal.timeout(limits.totalMs);
    try {
      const { statusCode, headers, body } = await httpRequest(request.url, {
        method: request.method, headers: request.headers, body: request.body, dispatcher, signal,
      });
      const text = await bounded(body, limits.bodyBytesMax);
      if (text === null) return { is: 'unanswered', why: 'too_large', durationMs: durationMs() };
      const reply = { status: statusCode, headers: flat(headers), text };
      return { is: 'replied', reply, durationMs: durationMs() };
    } catch (thrown) {
      return { is: 'unanswered', why: timedOut(thrown) ? 'timeout' : 'connection', durationMs: durationMs() };
    }
  };

/** The whole body as text; null when it is longer than its bound, which also ends the connection. */
async function bounded(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

type Headers = { readonly [name: string]: string | readonly string[] | undefined };

const flat = (headers: Headers): WireReply['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(), typeof value === 'string' ? value : (value ?? []).join(', '),
  ]));

const timeoutCodes = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

function timedOut(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown.name === 'TimeoutError' || ('code' in thrown && timeoutCodes.has(String(thrown.code)));
}
