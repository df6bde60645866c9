/** Runs the effect `webhook.post`: one signed POST of one journal entry to one endpoint.
 *  1. The body is the journal's text on every try, byte for byte, in the version the endpoint is pinned to;
 *     for a test it is the sample it carries.
 *  2. Nothing is sent to a disabled or removed endpoint, in a later term of it than the delivery's, or before
 *     an earlier delivery of its object has ended.
 *  3. Addresses are checked at each connection; private ones can be allowed only in sandbox.
 *  4. Whatever the endpoint does, a post costs at most 15 s and a few KiB. */
import type {
  DeliveryCommands,
  DeliveryEffects,
  PostResult,
} from '../../actors/webhook-delivery/messages.ts';
import { termOf, type EndpointState } from '../../actors/webhook-endpoint/messages.ts';
import { retryAfterMsMax } from '../../actors/webhook-endpoint/retry-schedule.ts';
import { fixedHeaders, signatureHeaders } from '../../actors/webhook-endpoint/signature.ts';
import type { ApiVersions } from '../kernel/api-versions.ts';
import type { Seal } from '../kernel/seal.ts';
import { seconds, type DurationMs, type Instant, type Scheduler } from '../kernel/time.ts';
import { isLive, type Scope } from '../runtime/model/address.ts';
import type { EffectContext } from '../runtime/delivery/effect-job.ts';
import type { EffectRunner, EffectRunners } from '../runtime/delivery/effects.ts';
import type { Feedback } from '../runtime/delivery/lane-concurrency.ts';
import type { Http, HttpResult } from './http.ts';
import { backlogEffects, type BacklogParts } from './webhook-backlog.ts';
import type { WebhookReads } from './webhook-reads.ts';

export interface WebhookPostParts {
  readonly reads: WebhookReads;
  readonly seal: Pick<Seal, 'open'>;
  readonly versions: Pick<ApiVersions, 'event'>;
  /** Connects only to public addresses. */
  readonly guarded: Http;
  /** Connects to any address, for sandbox; null unless WEBHOOK_ALLOW_PRIVATE_HOSTS is on. */
  readonly unguarded: Http | null;
  /** Real time. */
  readonly scheduler: Pick<Scheduler, 'now'>;
}

type Post = DeliveryEffects['webhook.post'];
type Attempted = DeliveryCommands['attempted'];
type Sent = Extract<PostResult, { is: 'answered' | 'unanswered' }>;
type Enabled = Extract<EndpointState, { status: 'enabled' }>;

export interface WebhookPost {
  run(data: Post, context: Pick<EffectContext, 'scope' | 'now'>): Promise<Attempted>;
  /** Concurrent posts to one endpoint, to begin with. */
  readonly atOnce: number;
  readonly adaptive: NonNullable<EffectRunner['adaptive']> & { feedback(result: Attempted): Feedback };
}

/** Concurrent posts to one endpoint: to begin with, and at most. */
export const postsAtOnce = 10;
const postsAtOnceMax = 100;
const postTimeoutMs = seconds(15);
export const answerBytesKept = 2048;
/** The status has decided the result; the log does not wait longer for the body. */
const answerBodyWaitMs = seconds(2);
/** After one of these the endpoint gets one post at a time for a minute. */
const sparing: readonly number[] = [429, 502, 504];

/** The effects of webhooks. */
export const webhookEffects = (parts: WebhookPostParts & BacklogParts): EffectRunners => ({
  'webhook.post': webhookPost(parts),
  ...backlogEffects(parts),
});

/** The runner. Rejects only when the store cannot answer or holds invalid data; then nothing was sent. */
export function webhookPost(parts: WebhookPostParts): WebhookPost {
  const { reads } = parts;
  const run: WebhookPost['run'] = async (data, { scope, now }) => {
    const endpoint = await enabledEndpoint(reads, data, scope);
    if (endpoint === null) return { result: { is: 'no_endpoint' }, sentAt: null, endpointFailing: false };
    const attempted = (result: PostResult, sentAt: Instant | null): Attempted => ({
      result,
      sentAt,
      endpointFailing: endpoint.failingSince !== null,
    });
    const behind = data.overtakes ? null : await reads.nearestEarlier(data, scope);
    if (behind !== null) return attempted({ is: 'held', behind }, null);
    const sentAt = now();
    const result = await post(parts, data, endpoint, scope, sentAt);
    const isOff = !succeeded(result) && (await enabledEndpoint(reads, data, scope)) === null;
    return { ...attempted(result, sentAt), ...(isOff ? { endpointOff: true } : {}) };
  };
  return { run, atOnce: postsAtOnce, adaptive: { atOnceMax: postsAtOnceMax, feedback } };
}

/** What a try says about how many posts the endpoint can take at once. */
function feedback({ result }: Attempted): Feedback {
  if (result.is === 'unanswered') return 'slower';
  if (result.is !== 'answered') return 'same';
  if (sparing.includes(result.status)) return 'spare';
  return succeeded(result) ? 'faster' : 'slower';
}

const succeeded = (result: PostResult): boolean =>
  result.is === 'answered' && result.status >= 200 && result.status < 300;

/** null: nothing may be sent. */
async function enabledEndpoint(
  reads: WebhookReads,
  { endpointId, term }: Pick<Post, 'endpointId' | 'term'>,
  scope: Scope,
): Promise<Enabled | null> {
  const state = await reads.endpoint(endpointId, scope);
  if (state?.status !== 'enabled') return null;
  return term === undefined || term === termOf(state) ? state : null;
}

async function post(
  parts: WebhookPostParts,
  data: Post,
  endpoint: Enabled,
  scope: Scope,
  now: Instant,
): Promise<PostResult> {
  const envelope = data.sample ?? (await parts.reads.text(data.journalId));
  const { text: body, version } = parts.versions.event(endpoint.apiVersion, envelope);
  const secrets = sealedSecrets(endpoint, now).map((sealed) => parts.seal.open(sealed, data.endpointId));
  const timestamp = Math.floor(parts.scheduler.now() / 1000);
  const http = isLive(scope) ? parts.guarded : (parts.unguarded ?? parts.guarded);
  const signature = signatureHeaders({ eventId: data.eventId, timestamp, body, secrets });
  const answer = await http.send({
    method: 'POST',
    url: endpoint.url,
    headers: {
      ...fixedHeaders,
      'Api-Version': version,
      ...signature,
    },
    body,
    timeoutMs: postTimeoutMs,
    answerBytesMax: answerBytesKept,
    bodyWaitMs: answerBodyWaitMs,
  });
  const signed = {
    timestamp,
    standard: signature['webhook-signature'],
    timed: signature['X-Webhook-Signature'],
    apiVersion: version,
  };
  return { ...resultOf(answer, parts.scheduler.now()), signed };
}

/** The newest first. */
function sealedSecrets({ sealedSecret, previousSecret }: EndpointState, now: Instant): readonly string[] {
  const overlaps = previousSecret !== undefined && now < previousSecret.expiresAt;
  return overlaps ? [sealedSecret, previousSecret.sealed] : [sealedSecret];
}

function resultOf(answer: HttpResult, now: Instant): Sent {
  if (answer.is === 'unanswered') return answer;
  const { status, headers, durationMs } = answer;
  const asked = status === 429 || status === 503 ? headers['retry-after'] : undefined;
  const retryAfterMs = asked === undefined ? null : retryAfter(asked, now);
  return { is: 'answered', status, body: textOf(answer.body), durationMs, retryAfterMs };
}

/** Retry-After as seconds or as a date (RFC 9110), at most 24 h; null when it is unusable. */
export function retryAfter(value: string, now: Instant): DurationMs | null {
  const text = value.trim();
  const isDate = /^[A-Z][a-z]{2}/.test(text);
  const asked = isDate ? Date.parse(text) - now : /^\d+$/.test(text) ? seconds(Number(text)) : NaN;
  return Number.isNaN(asked) ? null : Math.min(Math.max(0, asked), retryAfterMsMax);
}

/** The kept bytes as text; an incomplete character at the end is dropped. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });
