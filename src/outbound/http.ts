/** HTTP calls to arbitrary addresses: one deadline, pooled connections, bounded answers.
 *  Boundary: bytes and results; the caller interprets them. Never rejects: a failure is a result.
 *  1. Nothing continues after the deadline: name look-up, connection, head and body share it.
 *  2. No redirect is followed, no proxy variable is read.
 *  3. At most `answerBytesMax` bytes of an answer are kept, and little more is read. */
import { Agent, buildConnector, errors, request } from 'undici';
import { seconds, type DurationMs } from '../kernel/time.ts';
import { inPieces } from './in-pieces.ts';
import { guardedConnector, type Guard } from './ssrf-guard.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Absolute, http or https. */
  readonly url: string | URL;
  readonly headers: { readonly [name: string]: string };
  readonly body?: string | Uint8Array;
  /** From the name look-up to the last byte of the answer. */
  readonly timeoutMs: DurationMs;
  /** Bytes of the answer's body that are kept. */
  readonly answerBytesMax: number;
  /** How long to wait for the body once the head has arrived; default: all of `timeoutMs`. */
  readonly bodyWaitMs?: DurationMs;
}

export type HttpResult =
  | {
      readonly is: 'answered';
      readonly status: number;
      /** By lower-case name; repeated ones joined by `, `. */
      readonly headers: { readonly [name: string]: string };
      readonly body: Buffer;
      /** Why `body` is incomplete; null when it is complete. */
      readonly cut: Cut | null;
      readonly durationMs: DurationMs;
    }
  | { readonly is: 'unanswered'; readonly reason: string; readonly durationMs: DurationMs };

/** A body longer than `answerBytesMax`, not received in time, or cut off by the other side. */
export type Cut = 'too_long' | 'too_slow' | 'broken';

export interface Http {
  /** Sends once. Never rejects. */
  send(call: HttpRequest): Promise<HttpResult>;
  /** Aborts calls in progress and closes every connection. */
  close(): Promise<void>;
}

export interface HttpOptions {
  /** Which addresses may be connected to; absent: any. */
  readonly guard?: Guard;
  /** How long a connection may take; default 10 s. */
  readonly connectMs?: DurationMs;
}

export const connectMsMax = seconds(10);
export const connectionsPerOriginMax = 100;
export const answerHeadBytesMax = 16 * 1024;
/** Bytes read beyond what is kept, so that a connection can be reused after a slightly longer answer. */
const drainBytesMax = 64 * 1024;
/** How long each of several addresses is tried before the next: distant hosts need more than Node's 250 ms. */
const oneAddressMsMax = seconds(1);

/** Opens a sender with its own connections. */
export function openHttp({ guard, connectMs = connectMsMax }: HttpOptions = {}): Http {
  const connect = {
    timeout: connectMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: oneAddressMsMax,
  };
  const agent = new Agent({
    connect: inPieces(guard === undefined ? buildConnector(connect) : guardedConnector(guard, connect)),
    connections: connectionsPerOriginMax,
    pipelining: 1,
    maxHeaderSize: answerHeadBytesMax,
    // the deadline of the call applies; undici's own timeouts would only end it earlier
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { send: (call) => send(agent, call), close: () => agent.destroy() };
}

async function send(agent: Agent, call: HttpRequest): Promise<HttpResult> {
  const begun = performance.now();
  const durationMs = (): DurationMs => Math.round(performance.now() - begun);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), call.timeoutMs);
  try {
    const answer = await request(call.url, {
      dispatcher: agent,
      method: call.method,
      headers: { ...call.headers },
      body: call.body ?? null,
      signal: deadline.signal,
    });
    const { bytes, cut } = await readBeginning(answer.body, call, deadline.signal);
    const [status, headers] = [answer.statusCode, flat(answer.headers)];
    return { is: 'answered', status, headers, body: bytes, cut, durationMs: durationMs() };
  } catch (thrown) {
    const reason = deadline.signal.aborted ? 'timeout' : reasonOf(thrown);
    return { is: 'unanswered', reason, durationMs: durationMs() };
  } finally {
    clearTimeout(timer);
  }
}

interface Body extends AsyncIterable<Buffer> {
  destroy(): unknown;
  on(event: 'error', listener: () => void): unknown;
}

/** The status is known, so a failure of the body does not make the call fail. */
async function readBeginning(
  body: Body,
  call: HttpRequest,
  deadline: AbortSignal,
): Promise<{ bytes: Buffer; cut: Cut | null }> {
  const kept: Buffer[] = [];
  let read = 0;
  const end: { cut: Cut | null } = { cut: null };
  const stop = (why: Cut): void => {
    end.cut ??= why;
    body.destroy();
  };
  const broken = (): void => stop(deadline.aborted ? 'too_slow' : 'broken');
  body.on('error', broken);
  const timer = setTimeout(() => stop('too_slow'), call.bodyWaitMs ?? call.timeoutMs);
  try {
    for await (const chunk of body) {
      if (read < call.answerBytesMax) kept.push(chunk.subarray(0, call.answerBytesMax - read));
      read += chunk.length;
      if (read > call.answerBytesMax) end.cut ??= 'too_long';
      if (read > call.answerBytesMax + drainBytesMax) stop('too_long');
    }
  } catch {
    broken();
  } finally {
    clearTimeout(timer);
  }
  return { bytes: Buffer.concat(kept), cut: end.cut };
}

type Headers = { readonly [name: string]: string | string[] | undefined };

const flat = (headers: Headers): { [name: string]: string } =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

const reasons: { readonly [code: string]: string } = {
  ADDRESS_NOT_ALLOWED: 'address not allowed',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection closed before an answer',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  ENOTFOUND: 'name not found',
  EAI_AGAIN: 'name look-up failed',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  UND_ERR_HEADERS_OVERFLOW: 'head of the answer too large',
  CERT_HAS_EXPIRED: 'certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate not trusted',
};

/** Error texts for a log that merchants read; an unknown error is only reported as a failure. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof errors.HTTPParserError) return 'answer is not HTTP';
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : '';
  return reasons[code] ?? 'connection failed';
}
