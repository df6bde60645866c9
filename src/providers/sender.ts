/** Sends one request to a provider and returns the complete reply, or the reason why there is none.
 *  Boundary: knows neither providers nor payments; the connections belong to src/outbound. */
import type { Cut, Http } from '../outbound/http.ts';
import { seconds, type DurationMs } from '../kernel/time.ts';
import type { WireReply, WireRequest } from './provider.ts';

export interface SendLimits {
  /** Real time: a test clock does not affect the network. */
  readonly totalMs: DurationMs;
  readonly bodyBytesMax: number;
}
export const sendLimits: SendLimits = { totalMs: seconds(10), bodyBytesMax: 256 * 1024 };
export const providerConnectMs: DurationMs = seconds(3);

export type Sent =
  | { readonly is: 'replied'; readonly reply: WireReply; readonly durationMs: DurationMs }
  | { readonly is: 'unanswered'; readonly why: Silence; readonly durationMs: DurationMs };

/** Why there was no complete reply. */
export type Silence = 'timeout' | 'connection' | 'too_large';

/** `withinMs` shortens the time that a call may take. */
export type Send = (request: WireRequest, withinMs?: DurationMs) => Promise<Sent>;

const silences: { readonly [cut in Cut]: Silence } = {
  too_long: 'too_large',
  too_slow: 'timeout',
  broken: 'connection',
};

/** A partial reply counts as no reply: a truncated body is never interpreted. */
export const createSender =
  (http: Http, limits: SendLimits = sendLimits): Send =>
  async ({ method, url, headers, body }, withinMs = limits.totalMs) => {
    const { totalMs, bodyBytesMax: answerBytesMax } = limits;
    const timeoutMs = Math.min(totalMs, withinMs);
    const result = await http.send({
      method,
      url,
      headers,
      timeoutMs,
      answerBytesMax,
      ...(body === null ? {} : { body }),
    });
    const { durationMs } = result;
    if (result.is === 'unanswered')
      return { is: 'unanswered', why: result.reason === 'timeout' ? 'timeout' : 'connection', durationMs };
    if (result.cut !== null) return { is: 'unanswered', why: silences[result.cut], durationMs };
    return {
      is: 'replied',
      reply: { status: result.status, headers: result.headers, text: result.body.toString('utf8') },
      durationMs,
    };
  };
