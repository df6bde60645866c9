/** A door that creates a checkout session under an Idempotency-Key, as engine 5 writes it: begin, target, complete.
 *  It runs inside the process and dies with it; its client outside asks again. */
import type { Json } from '../../src/runtime/actor.ts';
import type { Address, Scope } from '../../src/runtime/address.ts';
import type { AskResult, Identity } from '../../src/runtime/envelope.ts';
import { bareDone } from '../../src/runtime/turn.ts';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { checkoutSessionAt, type SessionCommands } from '../../actors/checkout-session/messages.ts';
import {
  idempotencyKeyAt, type BeginAnswer, type CompleteAnswer, type IdempotencyState,
} from '../../actors/idempotency-key/messages.ts';
import type { Process, World } from './world.ts';

export interface KeyedPost {
  readonly scope: Scope;
  readonly key: string;
  readonly open: SessionCommands['open'];
  /** The id the session gets, should this request be the one that makes it. */
  readonly sessionId: string;
}

export type HttpAnswer =
  | { readonly status: 201; readonly body: string; readonly sessionId: string }
  | { readonly status: 409 | 503 };

/** Where a test may stop the door: after `begin`, after the target, after `complete`, after the answer left. */
export type Gap = 'begun' | 'asked' | 'completed' | 'answered';

const path = '/v1/checkout';

export const recordOf = ({ scope, key }: KeyedPost): Address => idempotencyKeyAt(scope, 'POST', path, key);

/** One request through one process. `at` is called in each gap and may end the process there. */
export async function keyedPost(
  world: World, process: Process, post: KeyedPost, at: (gap: Gap) => Promise<void> = () => Promise.resolve(),
): Promise<HttpAnswer> {
  const record = recordOf(post);
  const ask = (to: Address, command: string, data: object, identity?: Identity): Promise<AskResult> =>
    world.askFrom(process, to, command, data as Json, {
      by: 'merchant', scope: post.scope, ...(identity === undefined ? {} : { identity }),
    });
  const begun = await ask(record, 'begin', {
    key: post.key, method: 'POST', path, bodyHash: sha256Hex(JSON.stringify(post.open.order)), ids: { session: post.sessionId },
    incarnation: process.incarnation, incarnationsAlive: [process.incarnation], realNow: process.scheduler.now(),
  });
  if (begun.is !== 'ok') return { status: 503 };
  const answer = begun.detail as unknown as BeginAnswer;
  if (answer.is === 'conflict') return { status: 409 };
  if (answer.is !== 'run') return stored(world, process, post);
  await at('begun');

  const { generation, ids } = answer;
  const session = checkoutSessionAt(String(ids['session']));
  const from = `k:${record.kind}/${record.id}`;
  const made = await ask(session, 'open', post.open, { from, seq: generation, done: generation - 1 });
  if (made.is !== 'ok') return giveUp(ask, record, generation);
  await at('asked');

  const shown = await world.readFrom(process, session, post.scope);
  if (shown === null) return giveUp(ask, record, generation);
  const body = JSON.stringify(shown.view);
  const completed = await ask(record, 'complete', { generation, status: 201, body, sealed: false, objectId: session.id });
  if (completed.is !== 'ok') return { status: 503 };
  await at('completed');
  const { is } = completed.detail as unknown as CompleteAnswer;
  const left = is === 'stored' ? await stored(world, process, post) : { status: 201 as const, body, sessionId: session.id };
  void at('answered').then(() => ask(session, bareDone, {}, { from, seq: 0, done: generation }));
  return left;
}

/** A 503 leaves the record running; whoever comes next takes over at once. */
async function giveUp(ask: (to: Address, command: string, data: object) => Promise<AskResult>, record: Address, generation: number) {
  await ask(record, 'yield', { generation });
  return { status: 503 as const };
}

/** The bytes that were stored are the bytes that leave. */
async function stored(world: World, process: Process, post: KeyedPost): Promise<HttpAnswer> {
  const shown = await world.readFrom(process, recordOf(post), post.scope);
  const state = shown?.state as IdempotencyState | undefined;
  if (state?.status !== 'completed') return { status: 503 };
  return { status: 201, body: state.body, sessionId: String(state.objectId) };
}
