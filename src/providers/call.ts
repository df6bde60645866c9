/** One call to a provider, from the effect's data to its result command.
 *  Boundary: joins adapter, sender and breaker; the session decides what follows from an answer.
 *  1. Without a readable answer a start has failed (no buyer has its instructions), a look-up is pending
 *     and a refund is unknown.
 *  2. Keys are sent only in the request; any part of a reply that is kept is first redacted and cut.
 *  3. A refusal that concerns us rather than the buyer is reported to the operator.
 *  4. A refund that was certainly not sent is refused, never unknown: its amount is free at once. */
import type {
  RefundAnswered,
  RefundCall,
  SessionCommands,
  SessionEffects,
} from '../../actors/checkout-session/commands.ts';
import type { Scope } from '../runtime/model/address.ts';
import { seconds, type DurationMs, type Instant } from '../kernel/time.ts';
import { usesAppIntent, type AppIntentAccess } from './app-intent.ts';
import type { CallName, FailureWhy } from './answers.ts';
import { circuitOf, type Admission, type Breakers } from './breaker.ts';
import { traitsOf } from './catalog.ts';
import {
  nothingRead,
  expiredIfOver,
  returnUrlOf,
  type Adapter,
  type BrowserStart,
  type Credentials,
  type LookupAnswer,
  type Provider,
  type ProviderCall,
  type RefundAnswer,
  type StartAnswer,
  type StartInput,
  type WireReply,
  type WireRequest,
} from './provider.ts';
import { messageKept, redacted, wordKept } from './redact.ts';
import { refusalIn, type OnAnswer } from './refusal.ts';
import type { Send } from './sender.ts';

export interface ProviderAccess {
  readonly credentials: Credentials;
  readonly enabled: boolean;
  /** Absent: its app is not used. */
  readonly appIntent?: AppIntentAccess;
}

/** Compatible with pino: fields first, then the message. */
export interface ProviderLog {
  warn(fields: { readonly [name: string]: unknown }, message: string): void;
  error(fields: { readonly [name: string]: unknown }, message: string): void;
}

export interface ProviderDeps {
  adapter(provider: Provider): Adapter | null;
  /** A project's settings for one provider, credentials decrypted; null when it has none. May reject. */
  settings(scope: Scope, provider: Provider): Promise<ProviderAccess | null>;
  /** The provider's address without a trailing slash: the simulator in sandbox, the configured host in
   *  live, null when there is none. */
  root(scope: Scope, provider: Provider): string | null;
  /** The same for browsers: there the simulator is under our public address. */
  pageRoot(scope: Scope, provider: Provider): string | null;
  /** Our public address (BASE_URL) without a trailing slash, to which buyers return. */
  readonly returnBase: string;
  readonly send: Send;
  readonly breakers: Breakers;
  readonly onAnswer: OnAnswer;
  readonly log: ProviderLog;
}

/** The part of the runtime's effect context a call needs. `now` is the project's clock. */
export interface CallContext {
  readonly scope: Scope;
  now(): Instant;
}

export interface StartContext extends CallContext {
  /** The session's id. */
  readonly actorId: string;
}

type StartData = SessionEffects['provider.start'];
type LookupData = SessionEffects['provider.lookup'];

/** Runs `provider.start`. Rejects only when the settings cannot be read; then nothing was sent. */
export const providerStart =
  (deps: ProviderDeps) =>
  async (data: StartData, ctx: StartContext): Promise<SessionCommands['startAnswered']> => {
    const { paymentId, provider, amount, order } = data;
    const booked = data.webOnly === true ? null : await providerBook(deps, ctx, data);
    if (booked?.answer.outcome === 'started') return { paymentId, ...booked };
    const returnUrl = returnUrlOf(deps.returnBase, provider, paymentId, 'web', 'done');
    const input: StartInput = { paymentId, amount, order, returnUrl, now: ctx.now() };
    const start = deps.adapter(provider)?.start;
    if (start !== undefined && 'open' in start) {
      return { paymentId, answer: await opened(deps, ctx, provider, start, input), durationMs: 0 };
    }
    const made = await make(deps, ctx, { provider, name: 'start' }, start, input);
    return { paymentId, answer: startAnswerOf(made), durationMs: made.durationMs };
  };

/** Runs `provider.lookup`. Rejects only when the settings cannot be read; then nothing was sent. */
export const providerLookup =
  (deps: ProviderDeps) =>
  async (data: LookupData, ctx: CallContext): Promise<SessionCommands['lookupAnswered']> => {
    const { paymentId, provider, amount, lookupReference, leg, providerExpiresAt, seen, cause } = data;
    const adapter = deps.adapter(provider);
    const call = leg === 'intent' ? adapter?.appIntent?.lookup : adapter?.lookup;
    const made = await make(deps, ctx, { provider, leg, name: 'lookup' }, call, {
      paymentId,
      amount,
      lookupReference,
      providerExpiresAt,
      now: ctx.now(),
      ...(seen === undefined ? {} : { seen }),
    });
    const reading = expiredIfOver(made.answer ?? nothingRead, data.providerExpiresAt, ctx.now());
    const { httpStatus, durationMs, raw } = made;
    const { word } = reading;
    const kept = word === undefined || made.answer === null ? {} : { word: wordKept(word, made.secrets) };
    const answer: LookupAnswer = { ...reading, ...kept, httpStatus, durationMs, raw };
    return { paymentId, ...(leg === undefined ? {} : { leg }), cause, answer };
  };

/** Books the attempt in the provider's app; null where its app is not used, and what went wrong otherwise. */
async function providerBook(
  deps: ProviderDeps,
  ctx: StartContext,
  { paymentId, provider, amount, order }: StartData,
): Promise<{ readonly answer: StartAnswer; readonly durationMs: DurationMs } | null> {
  const book = deps.adapter(provider)?.appIntent?.book;
  if (book === undefined) return null;
  if (!usesAppIntent(ctx.scope, provider, await deps.settings(ctx.scope, provider))) return null;
  const { returnBase } = deps;
  const made = await make(deps, ctx, { provider, leg: 'intent', name: 'start' }, book, {
    paymentId,
    sessionId: ctx.actorId,
    amount,
    order,
    returnUrl: returnUrlOf(returnBase, provider, paymentId, 'intent', 'done'),
    callbackUrl: `${returnBase}/callback/${provider}/${paymentId}`,
    now: ctx.now(),
  });
  const answer = startAnswerOf(made);
  if (answer.outcome === 'failed')
    deps.log.warn(
      { provider, scope: ctx.scope, says: answer.message },
      'not booked in the app: on the web instead',
    );
  return { answer, durationMs: made.durationMs };
}

/** Runs `provider.refund`: one call, which nobody repeats. An open circuit refuses it before it is sent: the
 *  merchant may try again at once, while a call that is not answered would hold the amount for days. */
export const providerRefund =
  (deps: ProviderDeps) =>
  async (data: RefundCall, ctx: CallContext): Promise<RefundAnswered> => {
    const { refundId, provider, providerRef, amount, full, mobileNumber } = data;
    const call = deps.adapter(provider)?.refund ?? null;
    if (call === null) return { refundId, answer: notSent('It has no refund call.') };
    if (providerRef === null) return { refundId, answer: notSent('It has named no id of this payment.') };
    const admitted = await admittedRefund(deps, ctx, provider);
    if ('end' in admitted) return { refundId, answer: notSent(failureText[admitted.end]) };
    const made = await send(deps, ctx, admitted, call, { providerRef, amount, full, mobileNumber });
    const { answer, httpStatus, durationMs, raw } = made;
    const { outcome, providerRefundId, message } = answer ?? unknownRefund;
    const kept = message === null || answer === null ? null : messageKept(message, made.secrets);
    return { refundId, answer: { outcome, providerRefundId, message: kept, httpStatus, durationMs, raw } };
  };

const unknownRefund = { outcome: 'unknown', providerRefundId: null, message: null } as const;

const notSent = (why: string): RefundAnswer => ({
  outcome: 'refused',
  providerRefundId: null,
  message: `The provider was not called, so nothing was refunded. ${why}`,
  httpStatus: null,
  durationMs: 0,
  raw: null,
});

/** A refund of a disabled provider is still sent: its payments were made while it was enabled. */
async function admittedRefund(
  deps: ProviderDeps,
  ctx: CallContext,
  provider: Provider,
): Promise<Admitted | Refused> {
  try {
    return await admit(deps, ctx, { provider, name: 'refund' });
  } catch (thrown) {
    deps.log.error({ provider, scope: ctx.scope, err: thrown }, 'a refund was not sent to the provider');
    return { end: 'settings_unread' };
  }
}

/** A start made by the browser: refused where a call would not be made, otherwise ready at once. */
async function opened(
  deps: ProviderDeps,
  ctx: CallContext,
  provider: Provider,
  start: BrowserStart,
  input: StartInput,
): Promise<StartAnswer> {
  const not = (end: End): StartAnswer => ({ outcome: 'failed', message: failureText[end] });
  const access = await deps.settings(ctx.scope, provider);
  if (access === null || !access.enabled) return not('not_configured');
  const root = deps.pageRoot(ctx.scope, provider);
  if (root === null) return not('no_address');
  if (deps.breakers.isOpen(circuitOf(provider, ctx.scope), ctx.now())) return not('circuit_open');
  const answer = await start.open(input, access.credentials, root);
  if (answer !== null) return answer;
  logUnusable(deps.log, provider, ctx.scope);
  return not('unusable_credentials');
}

function startAnswerOf(made: Made<StartAnswer>): StartAnswer {
  if (made.answer === null) return { outcome: 'failed', message: failureText[made.end] };
  const { answer } = made;
  return answer.outcome === 'failed'
    ? { ...answer, message: redacted(answer.message, made.secrets) }
    : answer;
}

/** Why a call had no answer. */
type End =
  | 'not_configured'
  | 'settings_unread'
  | 'unusable_credentials'
  | 'no_address'
  | 'circuit_open'
  | 'timeout'
  | 'connection'
  | 'too_large'
  | 'unreadable';

const failureText: Readonly<Record<End, string>> = {
  not_configured: 'The provider is not configured.',
  settings_unread: 'Its settings could not be read. Try again in a minute.',
  unusable_credentials: 'Its credentials cannot be used. Enter them again.',
  no_address: 'The provider has no live address here (provider_unavailable).',
  circuit_open: 'The provider is not answering at the moment (provider_unavailable).',
  timeout: 'The provider did not answer in time.',
  connection: 'The provider could not be reached.',
  too_large: 'The provider sent more than an answer.',
  unreadable: 'The provider sent no readable answer.',
};

type Made<Answer> = {
  readonly durationMs: DurationMs;
  readonly httpStatus: number | null;
  readonly raw: string | null;
} &
  // the reply may repeat values that must not be kept
  (
    | { readonly answer: Answer; readonly secrets: readonly string[] }
    | { readonly answer: null; readonly end: End }
  );

/** Makes one call, if it is allowed. */
export async function make<In, Answer>(
  deps: ProviderDeps,
  ctx: CallContext,
  asked: Asked,
  call: ProviderCall<In, Answer> | undefined,
  input: In,
): Promise<Made<Answer>> {
  if (call === undefined) return unmade('not_configured');
  const admitted = await admit(deps, ctx, asked);
  return 'end' in admitted ? unmade(admitted.end) : send(deps, ctx, admitted, call, input);
}

const unmade = (end: End, durationMs: DurationMs = 0): Made<never> => ({
  answer: null,
  end,
  durationMs,
  httpStatus: null,
  raw: null,
});

/** A call that may be made now. Its result must be reported to the breaker. */
interface Admitted extends Asked {
  readonly credentials: Credentials;
  readonly root: string;
  readonly pageRoot: string;
  readonly circuit: string;
  readonly admission: Exclude<Admission, 'refused'>;
}

interface Refused {
  readonly end: End;
}

interface Asked {
  readonly provider: Provider;
  /** Absent: the web. */
  readonly leg?: 'intent' | undefined;
  /** A disabled provider accepts no new attempts, but payments in progress are still looked up. */
  readonly name: CallName;
}

/** An app has its own circuit: while it does not answer, its buyers pay on the web. */
async function admit(
  deps: ProviderDeps,
  ctx: CallContext,
  { provider, leg, name }: Asked,
): Promise<Admitted | Refused> {
  const access = await deps.settings(ctx.scope, provider);
  if (access === null || (name === 'start' && !access.enabled)) return { end: 'not_configured' };
  const root = deps.root(ctx.scope, provider);
  if (root === null) return { end: 'no_address' };
  const pageRoot = deps.pageRoot(ctx.scope, provider) ?? root;
  const circuit = circuitOf(leg === undefined ? provider : `${provider} ${leg}`, ctx.scope);
  const admission = deps.breakers.admit(circuit, ctx.now());
  if (admission === 'refused') return { end: 'circuit_open' };
  return { provider, leg, name, credentials: access.credentials, root, pageRoot, circuit, admission };
}

async function send<In, Answer>(
  deps: ProviderDeps,
  ctx: CallContext,
  { provider, leg, name, credentials, root, pageRoot, circuit, admission }: Admitted,
  call: ProviderCall<In, Answer>,
  input: In,
): Promise<Made<Answer>> {
  let failure: FailureWhy | null = 'unreadable';
  // an app is not what `health` and the incidents are about
  const onAnswer: OnAnswer = leg === undefined ? deps.onAnswer : () => undefined;
  const reported = (refusal: string | null): void =>
    onAnswer({ provider, scope: ctx.scope, call: name, at: ctx.now(), refusal });
  try {
    const request = await call.build(input, credentials, root);
    if (request === null) {
      // the provider has done nothing wrong: its circuit stays as it is
      failure = null;
      logUnusable(deps.log, provider, ctx.scope);
      reported(failureText.unusable_credentials);
      return unmade('unusable_credentials');
    }
    const sent = await deps.send(request, call.withinMs);
    if (sent.is === 'unanswered') {
      failure = sent.why;
      return unmade(sent.why, sent.durationMs);
    }
    const { reply, durationMs } = sent;
    const reading = call.read(reply, input, { credentials, pageRoot });
    if (reading !== null) failure = null;
    const secrets = [...secretsIn(provider, credentials), ...(call.hides?.(input) ?? [])];
    const refusal = refusalIn(
      deps.log,
      { provider, scope: ctx.scope, httpStatus: reply.status },
      reading,
      secrets,
    );
    if (reading !== null) reported(refusal);
    const [httpStatus, raw] = [reply.status, redacted(reply.text, secrets)];
    if (reading === null) return { durationMs, httpStatus, raw, answer: null, end: 'unreadable' };
    const detailed = await withDetails(deps, call, input, reading.answer, request);
    if (detailed === null) return { durationMs, httpStatus, raw, answer: reading.answer, secrets };
    const { reply: more, answer } = detailed;
    const both = redacted(`${reply.text}\n${more.text}`, secrets);
    const tookMs = durationMs + detailed.durationMs;
    return { durationMs: tookMs, httpStatus: more.status, raw: both, answer, secrets };
  } finally {
    deps.breakers.report(
      circuit,
      admission,
      ctx.now(),
      failure === null ? null : { call: name, why: failure },
    );
  }
}

/** How long the details of an answer may take: the answer itself is there, and somebody waits for it. */
const detailsMsMax: DurationMs = seconds(3);

/** null: there are none to ask for, or nothing readable came in time. */
async function withDetails<In, Answer>(
  deps: ProviderDeps,
  { details }: ProviderCall<In, Answer>,
  input: In,
  first: Answer,
  sentFirst: WireRequest,
): Promise<{ reply: WireReply; answer: Answer; durationMs: DurationMs } | null> {
  const request = details?.build(first, sentFirst, input) ?? null;
  if (details === undefined || request === null) return null;
  const sent = await deps.send(request, detailsMsMax);
  if (sent.is === 'unanswered') return null;
  const answer = details.read(sent.reply, first, input);
  return answer === null ? null : { reply: sent.reply, answer, durationMs: sent.durationMs };
}

const logUnusable = (log: ProviderLog, provider: Provider, scope: Scope): void =>
  log.error({ provider, scope }, 'the credentials of a provider cannot be used: enter them again');

/** A credential that only identifies the merchant is not redacted: it appears in every form and every
 *  answer. */
function secretsIn(provider: Provider, credentials: Credentials): readonly string[] {
  const open = traitsOf(provider).credentials.filter(({ identifies }) => identifies === true);
  const openNames = open.map(({ name }) => name);
  return Object.entries(credentials).flatMap(([name, value]) => (openNames.includes(name) ? [] : [value]));
}
