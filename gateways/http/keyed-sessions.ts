/** A keyed POST /v1/checkout: the session it creates is the record of its key, in one commit (docs/decisions/0039).
 *  Boundary: between the checked request and the session; every other keyed POST keeps a record
 *  (route/idempotency.ts).
 *  1. The session's id is derived from the key, so every repeat, on any node, asks the same actor.
 *  2. What a request is answered is decided by that actor alone. The bytes are those that were written with the
 *     session.
 *  3. After a restore a key that an earlier era knows and that lives is answered by its session; any other key begins
 *     with a number of the new era, so that no id is given twice (docs/decisions/0060).
 *  4. A key that has a living record uses that record, and a session is created only when no record can begin. */
import {
  checkoutSessionAt,
  type KeyedAnswer,
  type KeyedRequest,
} from '../../actors/checkout-session/commands.ts';
import { answerRowKind, firstGenerationIn, type KeptAnswer } from '../../actors/checkout-session/keyed.ts';
import type { Order } from '../../actors/checkout-session/order.ts';
import type { KeyUse, SessionState } from '../../actors/checkout-session/state.ts';
import { keyTag } from '../../actors/checkout-session/view.ts';
import { idempotencyKeyAt, lifeMs, type IdempotencyState } from '../../actors/idempotency-key/messages.ts';
import type { ApiVersions } from '../../src/kernel/api-versions.ts';
import { hmacBase32 } from '../../src/kernel/hash.ts';
import type { MaybePromise } from '../../src/kernel/maybe-promise.ts';
import { iso, minutes, type DurationMs, type Scheduler } from '../../src/kernel/time.ts';
import type { Scope } from '../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../src/runtime/model/client.ts';
import type { Eras } from '../../src/runtime/model/era.ts';
import { underWay } from '../../src/runtime/model/envelope.ts';
import {
  doneView,
  refusalOf,
  refused,
  shownAfter,
  unavailable,
  type Kept,
  type Refused,
} from './route/answer.ts';
import type { IdKey, KeyedForm } from './id-key.ts';
import {
  hashOf,
  type Closed,
  type Idempotency,
  type Keyed,
  type Run,
  type Settled,
} from './route/idempotency.ts';
import { conflictReply } from './route/reply.ts';

export interface KeyedSessionParts {
  readonly client: Client;
  readonly idempotency: Pick<Idempotency, 'begin' | 'close'>;
  readonly idKey: Pick<IdKey, 'form' | 'look'>;
  readonly versions: Pick<ApiVersions, 'newest' | 'answer'>;
  readonly scheduler: Pick<Scheduler, 'now'>;
  readonly eras: Eras;
}

/** The session to create. */
export interface Opening {
  /** The operation, for older versions of the API. */
  readonly operation: string;
  readonly orderOf: (sessionId: string) => Order;
  readonly lifeMs: DurationMs;
  /** Why it cannot be created now; null: it can. A repeat is answered all the same. */
  readonly refusal: Refused | null;
}

type Session = Snapshot<SessionState>;

/** Answers of a session whose number is over, in a row: each costs a day of the project's clock. */
const hopsMax = 8;
/** For so long after a restore keys of the era before may live; two clocks may differ. */
const endedEraMs: DurationMs = lifeMs + minutes(10);

export class KeyedSessions {
  private readonly parts: KeyedSessionParts;

  constructor(parts: KeyedSessionParts) {
    this.parts = parts;
  }

  /** The answer, or the permission to run under a record. */
  async begin(keyed: Keyed, opening: Opening): Promise<Run | Settled | Kept> {
    const { idempotency, idKey } = this.parts;
    const form = await idKey.form();
    const begun = await (form === null ? idempotency.begin(keyed) : this.ofRecord(keyed, form));
    if (begun !== null && begun.is !== 'closed') return begun;
    // another node knows more
    const found = form ?? (await idKey.look());
    return found === null ? unavailable : this.open(keyed, opening, found.key);
  }

  /** An entry of the inspector: the use of this key that lives now; null: none. */
  async entryOf(scope: Scope, key: string): Promise<object | null> {
    const { client, idKey, versions } = this.parts;
    const form = await idKey.form();
    if (form === null) return null;
    const { items } = await client.list({
      kind: 'checkout_session',
      scope,
      tags: [keyTag(tagOf(form.key, scope, key))],
      page: 1,
      limit: 1,
      uncounted: true,
    });
    // a list of a kind holds documents of that kind
    const session = items[0] as unknown as Snapshot<SessionState> | undefined;
    const use = session === undefined ? null : living(session.state, client.now(scope));
    if (session === undefined || use === null) return null;
    const { id, createdAt } = session.meta;
    const kept = await this.keptOf(id, scope);
    if (kept === null) return null;
    return {
      key,
      ...operation,
      state: 'completed',
      statusCode: 201,
      objectId: id,
      response: JSON.parse(textOf(versions, 'createCheckout', kept)) as unknown,
      createdAt: iso(createdAt),
      expiresAt: iso(use.endsAt),
    };
  }

  /** null: the key has no living record. */
  private async ofRecord(
    keyed: Keyed,
    { closes, readsRecords }: KeyedForm,
  ): Promise<Run | Settled | Closed | null> {
    if (!readsRecords) return null;
    const { client, idempotency } = this.parts;
    if (closes) return idempotency.close(keyed);
    const { caller, method, path, key } = keyed;
    const record = idempotencyKeyAt(caller.scope, method, path, key);
    const found = await client.read<IdempotencyState>(record, caller.scope);
    const status = found?.state.status;
    return status === 'running' || status === 'completed' ? idempotency.close(keyed) : null;
  }

  private async open(keyed: Keyed, opening: Opening, key: Uint8Array): Promise<Settled | Kept> {
    const { scope } = keyed.caller;
    const use = {
      hash: hashOf(keyed),
      tag: tagOf(key, scope, keyed.key),
      request: keyed.requestId,
      written: this.parts.versions.newest,
      version: keyed.caller.apiVersion,
    };
    const first = firstGenerationIn(this.parts.eras.length);
    let [generation, ended] = [(await this.earlier(keyed, key)) ?? first, 0];
    for (let hops = 0; hops < hopsMax; hops++) {
      const id = idOf(key, keyed, generation);
      const { asked, session } = await this.ask(id, keyed, { ...use, generation, ended }, opening);
      if (asked.is === 'refused' || asked.is === 'reply') return asked;
      if (asked.is === 'reused') return refused('idempotency_key_reused');
      if (asked.is === 'created' || asked.is === 'replay')
        return this.answered(await session(), id, opening.operation, asked.is === 'replay');
      // the key of an earlier era has just ended
      if (generation < first) generation = first;
      else [generation, ended] = asked.is === 'next' ? [asked.generation, ended] : [first, generation];
    }
    return unavailable;
  }

  /** The number of a use that an earlier era has begun and that lives; null: none. No key lives for longer than a day
   *  after the restore that ended its era. */
  private async earlier(keyed: Keyed, key: Uint8Array): Promise<number | null> {
    const { client, scheduler, eras } = this.parts;
    const { scope } = keyed.caller;
    const read = (generation: number): MaybePromise<Session | null> =>
      client.read<SessionState>(checkoutSessionAt(idOf(key, keyed, generation)), scope);
    for (const { era, restoredAt } of eras.toReversed()) {
      if (scheduler.now() - restoredAt > endedEraMs) return null;
      const generation = firstGenerationIn(era - 1);
      const session = await read(generation);
      if (session === null) continue;
      const { latest = generation } = session.state.keyed ?? {};
      const last = latest === generation ? session : await read(latest);
      if (last !== null && living(last.state, client.now(scope)) !== null) return latest;
    }
    return null;
  }

  private async ask(
    id: string,
    { caller: { scope }, requestId }: Keyed,
    key: KeyedRequest,
    { orderOf, lifeMs, refusal }: Opening,
  ): Promise<{
    readonly asked: KeyedAnswer | Settled;
    readonly session: () => MaybePromise<Session | null>;
  }> {
    const { client } = this.parts;
    const to = checkoutSessionAt(id);
    if (refusal !== null) {
      const session = await client.read<SessionState>(to, scope);
      const would = session === null ? null : wouldAnswer(session.state, key, client.now(scope));
      return { asked: would ?? refusal, session: () => session };
    }
    const sole = { request: requestId, node: client.incarnation };
    const asking = { by: 'merchant', scope, idempotent: true, sole, shows: true } as const;
    const result = await client.ask(to, 'openKeyed', { order: orderOf(id), lifeMs, key }, asking);
    const session = () => shownAfter<SessionState>(client, to, scope, result);
    if (result.is === 'ok') return { asked: result.detail, session };
    const isUnderWay = result.is === 'refused' && result.code === underWay.code;
    return { asked: isUnderWay ? { is: 'reply', reply: conflictReply() } : refusalOf(result), session };
  }

  /** The bytes that were written with the session. */
  private async answered(
    session: Session | null,
    id: string,
    operationId: string,
    replayed: boolean,
  ): Promise<Settled | Kept> {
    const { versions } = this.parts;
    const use = session?.state.keyed;
    if (session === null || use === undefined) return unavailable;
    // its view has not changed since it was created
    const kept =
      session.state.sequence === 1
        ? { id, text: doneView(session.view).text, written: use.written, version: use.version }
        : await this.keptOf(id, session.meta.scope);
    if (kept === null) return unavailable;
    return { is: 'kept', text: textOf(versions, operationId, kept), version: kept.version, replayed };
  }

  private async keptOf(id: string, scope: Scope): Promise<KeptAnswer | null> {
    const row = await this.parts.client.readRow(answerRowKind, id, scope);
    // this service wrote it
    return row === null ? null : (row.body as unknown as KeptAnswer);
  }
}

const operation = { method: 'POST', path: '/v1/checkout' } as const;

const idOf = (key: Uint8Array, { caller, method, path, key: text }: Keyed, generation: number): string =>
  `cs_${hmacBase32(key, [caller.scope, method, path, text, generation], 24)}`;

const tagOf = (key: Uint8Array, scope: Scope, text: string): string => hmacBase32(key, [scope, text], 24);

/** The life of a session's key, while it lasts. */
function living({ keyed }: SessionState, now: number): KeyUse | null {
  return keyed === undefined || keyed.latest !== undefined || now >= keyed.endsAt ? null : keyed;
}

/** What a session would answer that may not be created anew; null: its life is over, and so is every earlier one. */
function wouldAnswer(state: SessionState, { hash }: KeyedRequest, now: number): KeyedAnswer | null {
  const use = living(state, now);
  if (use !== null) return { is: use.hash === hash ? 'replay' : 'reused' };
  const { latest } = state.keyed ?? {};
  return latest === undefined ? null : { is: 'next', generation: latest };
}

/** In the version the client was answered in. */
const textOf = (
  versions: Pick<ApiVersions, 'answer'>,
  operationId: string,
  { text, version, written }: KeptAnswer,
): string => versions.answer(version, operationId, text, written);
