/** The doors' client: a store that cannot answer becomes one kind of error, which every door answers by 503. */
import { BrokenInvariant } from '../../src/kernel/assert.ts';
import type { Client } from '../../src/runtime/client.ts';

/** Nothing could be read just now; nothing is wrong with the request. */
export class StoreSilent extends Error {
  override readonly name = 'StoreSilent';
}

/** The same client; its reads reject with StoreSilent, or with a BrokenInvariant of our own. */
export function readingClient(client: Client): Client {
  return {
    get incarnation() {
      return client.incarnation;
    },
    get incarnationsAlive() {
      return client.incarnationsAlive;
    },
    ask: (to, command, data, asking) => client.ask(to, command, data, asking),
    settled: (to, identity) => client.settled(to, identity),
    read: (to, scope) => client.read<never>(to, scope).catch(silent),
    readRow: (kind, id, scope) => client.readRow(kind, id, scope).catch(silent),
    list: (query) => client.list(query).catch(silent),
    listRows: (query) => client.listRows(query).catch(silent),
    watch: (id, onNotice) => client.watch(id, onNotice),
    now: (scope) => client.now(scope),
  };
}

function silent(cause: unknown): never {
  if (cause instanceof BrokenInvariant) throw cause;
  throw new StoreSilent('the store does not answer', { cause });
}
