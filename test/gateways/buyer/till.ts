/** A rig for the tests of the buyer's routes: the real session actor behind a client that lives in this
 *  file, a clock the test turns, and a provider that answers when the test says so. */
import type { Order } from '../../../actors/checkout-session/order.ts';
import { checkoutSession } from '../../../actors/checkout-session/session.ts';
import { buyerDoors } from '../../../gateways/buyer/doors.ts';
import { formTokenOf } from '../../../gateways/buyer/form-token.ts';
import type { BuyerParts, ProviderOf, ShopOf } from '../../../gateways/buyer/parts.ts';
import type { Door, DoorReply } from '../../../gateways/server/door.ts';
import { slotOf } from '../../../src/kernel/id.ts';
import { assert } from '../../../src/kernel/assert.ts';
import type { Cancel, DurationMs, Instant, Scheduler } from '../../../src/kernel/time.ts';
import type { Json, Sender } from '../../../src/runtime/model/actor.ts';
import type { Address, Scope } from '../../../src/runtime/model/address.ts';
import type { Asking, Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { given } from '../../support/simulated/test-runner.ts';
import { metaOf } from '../../../src/runtime/turn/turn-rows.ts';
import type { Row } from '../../../src/store/store.ts';
import {
  expiresAt,
  opened,
  order,
  pay,
  scope,
  sessionId,
  type SessionStory,
} from '../../actors/checkout-session/buyer.ts';

export { sessionId } from '../../actors/checkout-session/buyer.ts';

export const formKey = new Uint8Array(32).fill(7);
export const token = formTokenOf(formKey, sessionId);
export const payPath = `/pay/${sessionId}`;

/** Time that passes only when the test moves it. */
export class Clock implements Scheduler {
  #now: Instant = opened;
  #waiting: { readonly at: Instant; readonly work: () => void }[] = [];

  steady(): number {
    return this.#now;
  }

  now(): Instant {
    return this.#now;
  }

  after(delay: DurationMs, work: () => void): Cancel {
    const entry = { at: this.#now + delay, work };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== entry);
    };
  }

  soon(work: () => void): void {
    this.after(0, work);
  }

  /** Whether there is a pending timer. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  async pass(ms: DurationMs): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await quiet();
      const next = this.#waiting.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      this.#waiting = this.#waiting.filter((each) => each !== next);
      next.work();
    }
    this.#now = until;
    await quiet();
  }
}

/** Whatever can run without time passing has run. */
export const quiet = (): Promise<void> => new Promise((done) => setImmediate(done));

export const walletB: ProviderOf = { id: 'wallet_b', label: 'Wallet B', configured: true, enabled: true };
export const walletA: ProviderOf = { ...walletB, id: 'wallet_a', label: 'Wallet A' };
export const qrA: ProviderOf = { ...walletB, id: 'qr_a', label: 'QR A' };

type Headers = { readonly [name: string]: string };

export interface TillOptions {
  readonly order?: Partial<Order>;
  readonly scope?: Scope;
  readonly shop?: Partial<ShopOf>;
  readonly providers?: readonly ProviderOf[];
  readonly parts?: Partial<BuyerParts>;
}

export class Till {
  readonly clock = new Clock();
  readonly story: SessionStory;
  readonly client: Client;
  readonly doors: readonly Door[];
  /** Every command a door asked, oldest first. */
  readonly asked: { readonly command: string; readonly data: Json; readonly by: Sender }[] = [];
  /** The next ask is answered so instead of reaching the session. */
  nextAnswer: AskResult | null = null;
  /** The mailbox accepts what was not answered. */
  mailboxOpen = true;
  /** Notices are lost: a watcher has only its own reads. */
  deaf = false;
  readonly watchers = new Set<() => void>();

  constructor(options: TillOptions = {}) {
    this.story = given(checkoutSession, { id: sessionId, scope: options.scope ?? scope, now: opened }).when(
      'open',
      { order: { ...order, ...options.order }, lifeMs: expiresAt - opened },
    );
    this.client = this.#client();
    this.doors = buyerDoors({
      client: this.client,
      scheduler: this.clock,
      formKey,
      baseUrl: 'https://pay.example',
      plainHttpHosts: [],
      log: { warn: () => {} },
      shopOf: () =>
        Promise.resolve({
          name: 'Example Store',
          logoUrl: null,
          shopUrl: null,
          verified: false,
          suspended: null,
          ...options.shop,
        }),
      providersOf: () => Promise.resolve(options.providers ?? [walletA, walletB, qrA]),
      paymentOfReturn: (_provider, query) => query.get('TXNID'),
      parseReturn: (_scope, provider, { query }) =>
        Promise.resolve(
          provider === 'wallet_b'
            ? {
                hint: query.get('status') === 'Completed' ? 'paid' : 'unknown',
                verified: false,
                summary: 'Buyer came back',
              }
            : null,
        ),
      parseCallback: () => Promise.resolve(null),
      paymentOfCallback: () => null,
      leadsToApp: () => Promise.resolve(true),
      mintPaymentId: () => pay(this.story.state.payments.length + 1),
      limitForms: () => null,
      limitReturns: () => null,
      limitCallbacks: () => null,
      limitCodes: () => null,
      limitLookUps: () => null,
      lookUp: () => Promise.resolve(null),
      ...options.parts,
    });
  }

  /** Something happens to the session that no door asked for. */
  happens(what: (story: SessionStory) => void): void {
    this.story.now = Math.max(this.story.now, this.clock.now());
    what(this.story);
    if (!this.deaf) for (const ring of this.watchers) ring();
  }

  get(pathAndQuery: string, headers: Headers = {}): Promise<DoorReply> {
    return this.send('GET', pathAndQuery, '', headers);
  }

  post(path: string, fields: Readonly<Record<string, string>>, headers: Headers = {}): Promise<DoorReply> {
    return this.send('POST', path, new URLSearchParams(fields).toString(), headers);
  }

  /** Picks a provider on the page, as its form does. */
  picks(
    provider: string,
    more: Readonly<Record<string, string>> = {},
    headers: Headers = {},
  ): Promise<DoorReply> {
    return this.post(`${payPath}/start`, { token, provider, ...more }, headers);
  }

  async send(method: string, pathAndQuery: string, body: string, headers: Headers = {}): Promise<DoorReply> {
    const [path = '', rawQuery = ''] = pathAndQuery.split('?');
    for (const door of this.doors) {
      const params = door.method === method ? paramsOf(door.path, path) : null;
      if (params === null) continue;
      return door.handle({
        requestId: 'req_z25mwf0rtqd021aznxd0zrex',
        method,
        path,
        params,
        rawQuery,
        header: (name) => headers[name] ?? '',
        body: Buffer.from(body),
        ip: '203.0.113.7',
      });
    }
    throw new Error(`no door ${method} ${path}`);
  }

  #client(): Client {
    const unused = (): never => {
      throw new Error('the buyer doors do not use this');
    };
    const ask = (
      to: Address,
      command: string,
      data: unknown,
      { by, scope: askedScope }: Pick<Asking, 'by' | 'scope'>,
    ): Promise<AskResult> => {
      this.asked.push({ command, data: data as Json, by });
      const planned = this.nextAnswer;
      this.nextAnswer = null;
      if (planned !== null) return Promise.resolve(planned);
      if (to.id !== sessionId) return Promise.resolve({ is: 'refused', code: 'not_found', detail: {} });
      this.happens((story) => story.when(command as 'cancel', data as never, { by, scope: askedScope }));
      return Promise.resolve(this.story.last.outcome);
    };
    return {
      settled: () => undefined,
      incarnation: 'n1',
      incarnationsAlive: ['n1'],
      eventsUpTo: unused,
      readStored: unused,
      list: unused,
      listRows: unused,
      sumRows: unused,
      newestTagged: unused,
      watchScope: unused,
      now: () => this.clock.now(),
      hint: async (to, command, data, { by, scope: askedScope }) => {
        const answer = await ask(to, command, data, { by, scope: askedScope });
        if (answer.is === 'ok' || answer.is === 'refused') return 'arrived';
        return this.mailboxOpen ? 'stored' : 'lost';
      },
      ask: ask as Client['ask'],
      read: <State>(to: { readonly id: string }) => {
        // like the runtime, which finds an actor by the slot in its id
        slotOf(to.id);
        return Promise.resolve(to.id === sessionId ? this.#snapshot<State>() : null);
      },
      readRow: (kind, id) => Promise.resolve(this.#row(kind, id)),
      watch: (id, onNotice) => {
        assert(id === sessionId, 'the session is watched');
        const ring = (): void => onNotice(id);
        this.watchers.add(ring);
        return () => void this.watchers.delete(ring);
      },
    };
  }

  #snapshot<State>(): Snapshot<State> {
    const { doc } = this.story;
    assert(doc !== null, 'the session exists');
    return { state: this.story.state as State, meta: metaOf(doc), view: this.story.view, v: doc.v };
  }

  #row(kind: string, id: string): Row | null {
    const body = this.story.rows(kind).find((each) => each['id'] === id);
    return body === undefined
      ? null
      : {
          kind,
          id,
          owner: { kind: 'checkout_session', id: sessionId },
          scope,
          v: 1,
          once: false,
          gone: false,
          created: opened,
          tags: [],
          body: body as Row['body'],
        };
  }
}

function paramsOf(pattern: string, path: string): { [name: string]: string } | null {
  const wanted = pattern.split('/');
  const sent = path.split('/');
  if (wanted.length !== sent.length) return null;
  const params: { [name: string]: string } = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = sent[index] ?? '';
    else if (part !== sent[index]) return null;
  }
  return params;
}

export const textOf = (reply: DoorReply): string => String(reply.body);
export const locationOf = (reply: DoorReply): string | undefined => reply.headers?.['Location'];
