/** HTTP calls to arbitrary addresses: one deadline, pooled connections, bounded answers.
 *  Boundary: bytes and results; the caller interprets them. Never rejects: a failure is a result.
 *  1. Nothing continues after the deadline: name look-up, connection, head and body share it.
 *  2. No redirect is followed, no proxy variable is read.
 *  3. At most `answerBytesMax` bytes of an answer are kept, and little more is read. */
import { Agent, buildConnector, errors, type Dispatcher } from 'undici';
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
  /** Connections to one host and port; default `connectionsPerOriginMax`. */
  readonly perOrigin?: number;
}

export const connectMsMax = seconds(10);
const connectionsPerOriginMax = 100;
const answerHeadBytesMax = 16 * 1024;
/** Bytes read beyond what is kept, so that a connection can be reused after a slightly longer answer. */
const drainBytesMax = 64 * 1024;
/** How long each of several addresses is tried before the next: distant hosts need more than Node's 250 ms. */
const oneAddressMsMax = seconds(1);

/** Opens a sender with its own connections. */
export function openHttp({
  guard,
  connectMs = connectMsMax,
  perOrigin = connectionsPerOriginMax,
}: HttpOptions = {}): Http {
  const connect = {
    timeout: connectMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: oneAddressMsMax,
  };
  const agent = new Agent({
    connect: inPieces(guard === undefined ? buildConnector(connect) : guardedConnector(guard, connect)),
    connections: perOrigin,
    pipelining: 1,
    maxHeaderSize: answerHeadBytesMax,
    // the deadline of the call applies; undici's own timeouts would only end it earlier
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { send: (call) => send(agent, call), close: () => agent.destroy() };
}

function send(agent: Agent, call: HttpRequest): Promise<HttpResult> {
  return new Promise((resolve) => {
    const exchange = new Exchange(call, resolve);
    try {
      const { origin, pathname, search } = new URL(call.url);
      const { method, headers, body = null } = call;
      agent.dispatch({ origin, path: pathname + search, method, headers: { ...headers }, body }, exchange);
    } catch (thrown) {
      exchange.failed(thrown);
    }
  });
}

type Headers = { readonly [name: string]: string | string[] | undefined };

/** One call and its answer, as undici reports them. The status, once known, decides: a failure of the body does not
 *  make the call fail. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly call: HttpRequest;
  private readonly resolve: (result: HttpResult) => void;
  private readonly begun = performance.now();
  private timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | null = null;
  private head: { readonly status: number; readonly headers: Headers } | null = null;
  private readonly kept: Buffer[] = [];
  private read = 0;
  private cut: Cut | null = null;
  private isOver = false;

  constructor(call: HttpRequest, resolve: (result: HttpResult) => void) {
    this.call = call;
    this.resolve = resolve;
    this.timer = setTimeout(() => this.late(), call.timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // it waited for a connection longer than the call may take
    if (this.isOver) controller.abort(new Error('over'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200 || this.isOver) return;
    this.head = { status, headers };
    const { timeoutMs, bodyWaitMs = timeoutMs } = this.call;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.late(), Math.min(bodyWaitMs, timeoutMs - this.tookMs));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    const { answerBytesMax } = this.call;
    // a copy: the rest of what was received with it is not kept alive
    if (this.read < answerBytesMax)
      this.kept.push(Buffer.from(chunk.subarray(0, answerBytesMax - this.read)));
    this.read += chunk.length;
    if (this.read > answerBytesMax) this.cut ??= 'too_long';
    if (this.read > answerBytesMax + drainBytesMax) this.stop('too_long');
  }

  onResponseEnd(): void {
    this.answered();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.head === null) this.failed(error);
    else this.stop('broken');
  }

  /** There is no answer. */
  failed(thrown: unknown): void {
    this.end({ is: 'unanswered', reason: reasonOf(thrown), durationMs: Math.round(this.tookMs) });
  }

  private get tookMs(): DurationMs {
    return performance.now() - this.begun;
  }

  private late(): void {
    if (this.head !== null) return this.stop('too_slow');
    this.end({ is: 'unanswered', reason: 'timeout', durationMs: Math.round(this.tookMs) });
    this.controller?.abort(new Error('timeout'));
  }

  /** What has arrived is the answer. */
  private stop(why: Cut): void {
    if (this.isOver) return;
    this.cut ??= why;
    this.answered();
    this.controller?.abort(new Error(why));
  }

  private answered(): void {
    if (this.head === null) return;
    const { status, headers } = this.head;
    const body = Buffer.concat(this.kept);
    const durationMs = Math.round(this.tookMs);
    this.end({ is: 'answered', status, headers: flat(headers), body, cut: this.cut, durationMs });
  }

  private end(result: HttpResult): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.resolve(result);
  }
}

const flat = (headers: Headers): { [name: string]: string } => {
  const all: { [name: string]: string } = {};
  for (const [name, value = ''] of Object.entries(headers))
    all[name] = typeof value === 'string' ? value : value.join(', ');
  return all;
};

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
