/** The doors' client, for commands and reads: while the store cannot answer, a command is not sent, and a read rejects
 *  with one kind of error. Every door answers both by 503.
 *  1. A command that was never sent is reported as not executed; one that was sent and given up is unknown.
 *     Neither is a success. */
import { BrokenInvariant } from '../../../src/kernel/assert.ts';
import { SemaphoreFull } from '../../../src/kernel/semaphore.ts';
import { seconds } from '../../../src/kernel/time.ts';
import type { MaybePromise } from '../../../src/kernel/maybe-promise.ts';
import type { Address, Scope } from '../../../src/runtime/model/address.ts';
import type { Client, Snapshot } from '../../../src/runtime/model/client.ts';
import type { AskResult } from '../../../src/runtime/model/envelope.ts';
import { SchemaUnknown } from '../../../src/runtime/model/upcast.ts';
import { DocumentUnreadable } from '../../../src/store/store.ts';
import { unanswered, type StoreBreaker } from '../../../src/runtime/activation/store-breaker.ts';

/** The store could not be read now; the request itself is not at fault. */
export class StoreUnresponsive extends Error {
  override readonly name = 'StoreUnresponsive';
  /** When to retry. */
  readonly retryAfterSeconds: number;

  constructor(message: string, { cause, retryAfterSeconds = 1 }: UnresponsiveOptions = {}) {
    super(message, { cause });
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The cause, for an operator: one line. */
  get line(): string {
    if (this.cause instanceof SemaphoreFull) return tooManyLists;
    return this.cause instanceof SchemaUnknown ? newer : storeIsDown;
  }
}

/** How the exception of a door is answered. */
export const codeOf = (thrown: unknown): 'internal_error' | 'service_unavailable' =>
  thrown instanceof StoreUnresponsive ? 'service_unavailable' : 'internal_error';

interface UnresponsiveOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
}

const unknown = { is: 'unknown' } as const;
/** Clients that are rejected together retry at different times: after 1, 2 or 3 s in turn. */
const returns = 3;

/** The same client, but its reads reject with StoreUnresponsive, or with an internal defect: a BrokenInvariant, a
 *  document that cannot be read. While the breaker is open nothing is sent; hints still are, because they
 *  take another path. */
export function readingClient(client: Client, breaker: StoreBreaker): Client {
  const rejectedNow = (): Promise<never> =>
    Promise.reject(new StoreUnresponsive(storeIsDown, { retryAfterSeconds: turnOf() }));
  const raced = <Found>(read: Promise<Found>): Promise<Found> => breaker.race(read).then(foundOr, rejected);
  const reading = <Found>(read: () => Promise<Found>): Promise<Found> =>
    breaker.open ? rejectedNow() : raced(read());
  let rejections = 0;
  const turnOf = (): number => 1 + (rejections++ % returns);
  const overloaded = (): Extract<AskResult, { is: 'not_executed' }> => ({
    is: 'not_executed',
    why: 'overloaded',
    retryAfterMs: seconds(turnOf()),
  });
  return {
    get incarnation() {
      return client.incarnation;
    },
    get incarnationsAlive() {
      return client.incarnationsAlive;
    },
    ask: (to, command, data, asking) => {
      if (breaker.open) return Promise.resolve(overloaded());
      const asked = client.ask(to, command, data, asking);
      return breaker.race(asked).then((result) => {
        if (result !== unanswered) return result;
        if (asking.onLate !== undefined) void asked.then(asking.onLate);
        return unknown;
      });
    },
    hint: (to, command, data, asking) => client.hint(to, command, data, asking),
    settled: (to, identity) => client.settled(to, identity),
    read<State>(to: Address, scope: Scope | null): MaybePromise<Snapshot<State> | null> {
      if (breaker.open) return rejectedNow();
      const found = fromMemory(() => client.read<State>(to, scope));
      return found instanceof Promise ? raced(found) : found;
    },
    eventsUpTo: (scope) => reading(async () => client.eventsUpTo(scope)),
    readStored: (kind, ids) => reading(() => client.readStored<never>(kind, ids)),
    readRow: (kind, id, scope) => reading(() => client.readRow(kind, id, scope)),
    list: (query) => reading(() => client.list(query)),
    listRows: (query) => reading(() => client.listRows(query)),
    sumRows: (query) => reading(() => client.sumRows(query)),
    newestTagged: (query) => reading(() => client.newestTagged(query)),
    watch: (id, onNotice) => client.watch(id, onNotice),
    watchScope: (scope, onNotice) => client.watchScope(scope, onNotice),
    now: (scope) => client.now(scope),
  };
}

/** The result of a read that bypasses the doors' client; rejects as that client's reads do. */
export const askedOfStore = <Found>(found: Promise<Found>): Promise<Found> => found.catch(rejected);

const newer =
  'a newer version of this service wrote this document: it waits, answered 503, for a node of that version. Start one';
const storeIsDown = 'the store does not answer';
const tooManyLists = 'more lists of one project are asked for at a time than may wait';

function foundOr<Found>(found: Found | typeof unanswered): Found {
  if (found === unanswered) throw new StoreUnresponsive(storeIsDown);
  return found;
}

/** A value in memory needs no timeout race with the store. */
function fromMemory<Found>(read: () => Found): Found {
  try {
    return read();
  } catch (cause) {
    return rejected(cause);
  }
}

function rejected(cause: unknown): never {
  if (cause instanceof BrokenInvariant || cause instanceof DocumentUnreadable) throw cause;
  throw new StoreUnresponsive(storeIsDown, { cause });
}
