/** A handler that creates a checkout session under an Idempotency-Key: the service's own keeper of keys, a target,
 *  and the gaps between its steps. It runs inside the process and dies with it; its client asks again. */
import type { Json } from '../../src/runtime/model/actor.ts';
import type { Address, Scope } from '../../src/runtime/model/address.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import type { Asking, Client } from '../../src/runtime/model/client.ts';
import { createIdempotency } from '../../gateways/http/route/idempotency.ts';
import { done, refusalOf, unavailable, type Answer } from '../../gateways/http/route/answer.ts';
import type { Caller } from '../../gateways/http/access/auth.ts';
import type { DoorReply } from '../../gateways/server/door.ts';
import { checkoutSessionAt, type SessionCommands } from '../../actors/checkout-session/commands.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

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

/** Where a test may stop the door: `begin` is committed, the session is, the answer is. */
export type Gap = 'begin' | 'open' | 'complete';
export const gaps: readonly Gap[] = ['begin', 'open', 'complete'];

const seal = { seal: (text: string) => text, open: (text: string) => text };

const callerOf = (scope: Scope): Caller => ({
  projectId: 'prj_sim',
  mode: 'sandbox',
  scope,
  kind: 'secret',
  access: 'full',
  keyId: 'key_sim',
  merchantId: 'mer_sim',
  plan: 'free',
  apiVersion: '2026-11-20',
  providers: [],
  createPerSecond: null,
});

/** One request through one process. `at` is called in each gap and may end the process there, or wait. */
export async function keyedPost(
  world: World,
  process: Process,
  post: KeyedPost,
  at: (gap: Gap) => Promise<void> = () => Promise.resolve(),
): Promise<HttpAnswer> {
  const { amount, referenceId } = post.open.order;
  const client = watched(world, process, at);
  const keeper = createIdempotency({ client, seal, scheduler: process.scheduler });
  const begun = await keeper.begin({
    key: post.key,
    caller: callerOf(post.scope),
    method: 'POST',
    path: '/v1/checkout',
    body: { amount, referenceId },
    ids: { session: post.sessionId },
    requestId: `req_${world.tick()}`,
    outlivedBy: [],
    file: null,
  });
  if (begun.is === 'refused') return { status: 503 };
  if (begun.is === 'reply') return answerOf(begun.reply);
  const answer = await made(client, checkoutSessionAt(String(begun.ids['session'])), post, begun.asking);
  const rendered: DoorReply =
    answer.is === 'done' ? { status: 201, body: answer.text } : { status: 503, body: '' };
  const left = await keeper.finish(begun, answer, rendered);
  return 'is' in left ? { status: 503 } : answerOf(left);
}

async function made(
  client: Client,
  session: ReturnType<typeof checkoutSessionAt>,
  post: KeyedPost,
  asking: object,
): Promise<Answer> {
  const opened = await client.ask(session, 'open', post.open, {
    ...asking,
    by: 'merchant',
    scope: post.scope,
  });
  if (opened.is !== 'ok') return refusalOf(opened);
  const shown = await Promise.resolve(client.read(session, post.scope)).catch(() => null);
  return shown === null ? unavailable : done(shown.view);
}

function answerOf({ status, body }: DoorReply): HttpAnswer {
  if (status !== 201) return { status: status === 409 ? 409 : 503 };
  const text = String(body);
  return { status: 201, body: text, sessionId: String((JSON.parse(text) as { id?: string }).id) };
}

/** The process's client with every ask and read shown to the checkers, and a stop after each step. */
function watched(world: World, process: Process, at: (gap: Gap) => Promise<void>): Client {
  const { node } = process;
  return {
    ask: (async (to: Address, command: string, data: unknown, asking: Asking): Promise<AskResult> => {
      const result = await world.askFrom(process, to, command, data as Json, asking);
      const gap = gaps.find((name) => name === command);
      if (gap !== undefined && result.is === 'ok') await at(gap);
      return result;
    }) as Client['ask'],
    hint: (...args) => node.hint(...args),
    settled: (...args) => node.settled(...args),
    read: (to, scope) => world.readFrom(process, to, scope) as ReturnType<Client['read']> as never,
    readStored: (...args) => node.readStored(...args),
    readRow: (...args) => node.readRow(...args),
    list: (query) => node.list(query),
    listRows: (query) => node.listRows(query),
    sumRows: (query) => node.sumRows(query),
    newestTagged: (query) => node.newestTagged(query),
    watch: (...args) => node.watch(...args),
    watchScope: (...args) => node.watchScope(...args),
    now: (scope) => node.now(scope),
    incarnation: node.incarnation,
    incarnationsAlive: node.incarnationsAlive,
  };
}
