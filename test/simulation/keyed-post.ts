/** A handler that creates a checkout session under an Idempotency-Key, in both forms: the service's own keeper of records, a
 *  target, and the gaps between its steps; or the session that is its own record. It runs inside the process and dies with
 *  it; its client asks again. */
import type { Json } from '../../src/runtime/model/actor.ts';
import type { Address, Scope } from '../../src/runtime/model/address.ts';
import type { AskResult } from '../../src/runtime/model/envelope.ts';
import type { Asking, Client } from '../../src/runtime/model/client.ts';
import { IdKey, type RecordsBefore } from '../../gateways/http/id-key.ts';
import { KeyedSessions } from '../../gateways/http/keyed-sessions.ts';
import { createIdempotency } from '../../gateways/http/route/idempotency.ts';
import { done, refusalOf, unavailable, type Answer } from '../../gateways/http/route/answer.ts';
import type { Caller } from '../../gateways/http/access/auth.ts';
import type { DoorReply } from '../../gateways/server/door.ts';
import { checkoutSessionAt, type SessionCommands } from '../../actors/checkout-session/commands.ts';
import { errors } from '../../src/errors.ts';
import { pause } from './client.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

export interface KeyedPost {
  readonly scope: Scope;
  readonly key: string;
  readonly open: SessionCommands['open'];
  /** The id the session gets, should this request be the one that makes it. */
  readonly sessionId: string;
  /** The door is of the build before: it knows records only. */
  readonly older?: boolean;
}

export type HttpAnswer =
  | { readonly status: 201; readonly body: string; readonly sessionId: string }
  | { readonly status: 409 | 422 | 503 };

/** Where a test may stop the door: `begin` is committed, the session is, the answer is; the session with its answer is, the
 *  number of the next one is. */
export type Gap = 'begin' | 'open' | 'complete' | 'openKeyed' | 'next';
const gaps: readonly Gap[] = ['begin', 'open', 'complete', 'openKeyed'];

const seal = { seal: (text: string) => text, open: (text: string) => text };

const versions = {
  newest: '2026-11-20',
  answer: (_version: string, _operation: string, text: string) => text,
};

const idKeys = new WeakMap<Process, IdKey>();

/** What a process knows of the form of keyed sessions. */
export function idKeyOf(process: Process): IdKey {
  const known = idKeys.get(process);
  if (known !== undefined) return known;
  const { connection, scheduler } = process;
  const made = new IdKey({ store: connection, seal, scheduler, random: (count) => Buffer.alloc(count, 7) });
  idKeys.set(process, made);
  return made;
}

const knowsNone: Pick<IdKey, 'form' | 'look'> = { form: () => null, look: async () => null };

const doorKeyOf = (process: Process): Pick<IdKey, 'form' | 'look'> =>
  process.broken === 'recordsStayOpen' ? neverClosing(idKeyOf(process)) : idKeyOf(process);

/** The broken build: while some processes still begin records, the others do not close them. */
const neverClosing = (idKey: IdKey): Pick<IdKey, 'form' | 'look'> => ({
  form: async () => {
    const form = await idKey.form();
    return form === null ? null : { ...form, closes: false };
  },
  look: () => idKey.look(),
});

/** From now on sessions are their own records. Goes on until the store has it. */
export async function changeForm(world: World, records: RecordsBefore): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { serving } = world;
    const done =
      serving !== null &&
      (await world.through(
        serving,
        idKeyOf(serving)
          .establish(records)
          .then(
            () => true,
            () => false,
          ),
        false,
      ));
    if (done) return;
    await pause(world, 250);
  }
}

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
  const idKey = post.older === true ? knowsNone : doorKeyOf(process);
  const sessions = new KeyedSessions({
    client,
    idempotency: keeper,
    idKey,
    versions,
    eras: [],
    scheduler: process.scheduler,
  });
  const keyed = {
    key: post.key,
    caller: callerOf(post.scope),
    method: 'POST',
    path: '/v1/checkout',
    body: { amount, referenceId },
    ids: { session: post.sessionId },
    requestId: `req_${world.tick()}`,
    outlivedBy: [],
    file: null,
  };
  const { order, lifeMs } = post.open;
  const opening = { operation: 'createCheckout', orderOf: () => order, lifeMs, refusal: null };
  const begun = await sessions.begin(keyed, opening).catch(() => unavailable);
  if (begun.is === 'refused') return { status: errors[begun.code].status === 422 ? 422 : 503 };
  if (begun.is === 'reply') return answerOf(begun.reply);
  if (begun.is === 'kept') return answerOf({ status: 201, body: begun.text });
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
      const isNext = result.is === 'ok' && result.detail['is'] === 'next';
      const gap = isNext ? 'next' : gaps.find((name) => name === command);
      if (gap !== undefined && result.is === 'ok') await at(gap);
      return result;
    }) as Client['ask'],
    hint: (...args) => node.client.hint(...args),
    settled: (...args) => node.client.settled(...args),
    read: (to, scope) => world.readFrom(process, to, scope) as ReturnType<Client['read']> as never,
    eventsUpTo: (scope) => node.client.eventsUpTo(scope),
    readStored: (...args) => node.client.readStored(...args),
    readRow: (...args) => node.client.readRow(...args),
    list: (query) => node.client.list(query),
    listRows: (query) => node.client.listRows(query),
    sumRows: (query) => node.client.sumRows(query),
    newestTagged: (query) => node.client.newestTagged(query),
    watch: (...args) => node.client.watch(...args),
    watchScope: (...args) => node.client.watchScope(...args),
    now: (scope) => node.client.now(scope),
    incarnation: node.incarnation,
    incarnationsAlive: node.client.incarnationsAlive,
  };
}
